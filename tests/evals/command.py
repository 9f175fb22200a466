"""Measure how often baton gets a story through: the cases of evals/ that begin with /implement, with your client.

It costs money: docs/evals.md says how much at most. Agents may run any command, as you: call it in a container.
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory

from baton.errors import BatonError
from evals.cases import NAMES, Played, judge, play, prepare, read_case

STORIES = [name for name in NAMES if "story" in read_case(name)["tags"]]


def main() -> int:
    """Read the command line and run; return 0 where every grader was content in every run."""
    parser = argparse.ArgumentParser("evals", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help="one of evals/ (all that begin with /implement)")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="how often each is run (3)")
    parser.add_argument("--client", default="claude", metavar="PATH", help="the client to call (claude)")
    parser.add_argument("--model", metavar="NAME", help="the model to take (the client's default)")
    given = parser.parse_args()
    unknown = sorted({*given.cases} - {*NAMES})
    if unknown or not os.environ.get("ANTHROPIC_API_KEY"):
        parser.error(f"no case {unknown[0]}" if unknown else "set ANTHROPIC_API_KEY: a run has an empty home")
    words = ["--model", given.model] if given.model else []
    verdicts = [run(name, [given.client], words) for name in given.cases or STORIES for _ in range(given.runs)]
    print(f"{sum(verdicts)} of {len(verdicts)} runs passed")
    return 0 if all(verdicts) else 1


def run(name: str, client: Sequence[str], words: Sequence[str]) -> bool:
    """Run a case once and print a line on it; return whether it passed."""
    with TemporaryDirectory(prefix="eval-", ignore_cleanup_errors=True) as scratch:
        home = Path(scratch).resolve() / "home"
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("XDG_", "CLAUDE_CONFIG"))}
        try:
            folder = prepare(name, home)
            played = play(name, folder, client, {**kept, "HOME": str(home)}, *words)
        except (BatonError, TimeoutExpired) as problem:
            print(f"failed  {name}: {problem}", flush=True)
            return False
        return report(name, played)


def report(name: str, played: Played) -> bool:
    """Print what the graders say of a run, and what it took; return whether all are content."""
    objects = [grader for grader, content in judge(name, played).items() if not content]
    verdict = f"failed  {name}: {', '.join(objects)}" if objects else f"passed  {name}"
    print(f"{verdict}; {played.requests} requests, ${played.dollars:.2f}", flush=True)
    return not objects
