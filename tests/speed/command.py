"""Measure what baton costs: time as ratios to `python3 -c pass`, peak memory, the modules its first hook imports.

Each call runs right after the base, so that a busy machine slows both alike; a ratio is the median of all rounds.
The base runs in an empty virtual environment of baton's Python: what others start there would flatter baton.
Pull requests are read from a stand-in for `gh`; what reads texts is called here, on the texts that cost most.
"""

import argparse
import os
import re
import shutil
import signal
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory

from speed.calls import make_calls
from speed.figures import LEAST, MODULES, Figures, measure, modules_of, report, report_modules
from speed.hostile import measure_texts
from speed.limits import LIMITS, check
from speed.makespan import table
from speed.process import BATON, PASS, SCRIPTS, Call, fail, run
from speed.stories import story_table

WAITING = "next, 10 events"
# The user's settings of git, Python, baton and the client are no part of what is measured.
SET_ASIDE = ("GIT_", "PYTHON", "BATON_", "CLAUDE", "MAX_ITERATIONS", "XDG_", "HOME")


def options() -> argparse.Namespace:
    """Read the command line; limits it gives take the place of ours."""
    parser = argparse.ArgumentParser("bench", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.error = lambda message: fail(f"{message}: see `scripts/bench --help`")  # type: ignore[method-assign]
    parser.add_argument("--rounds", type=int, default=15, metavar="N", help="how often each call is run (15)")
    parser.add_argument("--check", action="store_true", help="compare with the limits; exit 1 if one is exceeded")
    known = ", ".join(f"{name}={one.most:g}" for name, one in LIMITS.items())
    parser.add_argument("--limit", action="append", default=[], metavar="NAME=NUMBER", help=f"another of\n{known}")
    parser.add_argument("--modules", action="store_true", help="list the modules of the PreToolUse hook")
    parser.add_argument(
        "--small", action="store_true", help="leave the largest pull request out, and shorten texts"
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="only calls of such a name, as `hook*`")
    given = parser.parse_args()
    wrong = [one for one in given.limit if not re.fullmatch(rf"({'|'.join(LIMITS)})=\d+(\.\d+)?", one)]
    if wrong or given.rounds < 1:
        parser.error(f"{wrong[0]!r} is no limit such as {known}" if wrong else "--rounds is to be 1 or more")
    for name, _, number in (one.partition("=") for one in given.limit):
        LIMITS[name] = LIMITS[name]._replace(most=float(number))
    return given


def settle(scratch: Path) -> Path:
    """Go on under baton's Python, without the user's settings, with a home and a base; give the folder of both."""
    from baton.bootstrap import data_home

    run(Call((BATON, "--version"), scratch))
    data = Path(data_home())
    python = shutil.which(os.environ.get("BATON_PYTHON", "")) or (data / "python").read_text().strip()
    if not os.path.samefile(python, sys.executable):
        scratch.rmdir()
        os.execv(python, (python, "-I", "-S", str(SCRIPTS / "bench"), *sys.argv[1:]))
    for name in [one for one in os.environ if one.startswith(SET_ASIDE)]:
        del os.environ[name]
    os.environ["GIT_CONFIG_NOSYSTEM"] = "1"
    os.environ.update(HOME=str(scratch), XDG_DATA_HOME=str(data.parent), BATON_PYTHON=sys.executable)
    run(Call((sys.executable, "-m", "venv", "--without-pip", "base"), scratch))
    (scratch / ".gitconfig").write_text("[user]\nname = bench\nemail = bench@example.invalid\n")
    return scratch


def main() -> int:
    """Measure, and compare where that is asked for; give the exit code."""
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, _: sys.exit(128 + number))
    given = options()
    # Not named after baton: a call in such a folder would be about it, and be read whole by the hook on calls.
    with TemporaryDirectory(prefix="bench-") as scratch:
        calls = make_calls(settle(Path(scratch).resolve()) / "repository", given.small)
        calls = {name: call for name, call in calls.items() if name == PASS or fnmatchcase(name, given.only)}
        took, needs = measure(calls, given.rounds)
        if given.only != "*":
            report(calls, Figures(took, needs, {}))
            return 0
        spans = table() | story_table()
        needs |= {name: {LEAST: one} for name, one in spans.items()}
        needs[WAITING][MODULES] = len(modules_of(calls[WAITING]))
        figures = Figures(took, needs, measure_texts(calls[PASS], given.small))
        report(calls, figures)
        print(*(f"{name:28}{one:7.2f} {LEAST}" for name, one in spans.items()), "", sep="\n")
        print(f"next imports {needs[WAITING][MODULES]:.0f} modules where it only waits")
        report_modules(calls["hook pre-tool-use, own"], given.modules)
        return 0 if not given.check or check(calls, figures) else 1
