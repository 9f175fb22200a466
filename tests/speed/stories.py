"""What `baton run` costs: on made-up stories the time over the least there is, on a small one all its calls.

How long a run takes is lognormal; a merge is short, and one is made at a time. The least is all work shared
evenly, or the longest story, or all merges. The client is one that does the run at once.
"""

import heapq
import os
from pathlib import Path
from random import Random
from statistics import fmean

from baton.headless.crew import Crew, RunOptions
from baton.journal.paths import Project
from baton.story.begin.dependencies import KnownStory
from speed.process import BATON, Call, make_work_tree, run

PARALLEL, SIGMA, MERGE = 4, 0.8, 0.2
SIZES = (8, 32)
CLIENT = """#!/bin/sh
printf '%s\\n' '{"type": "system", "subtype": "init", "plugins": [{"name": "baton"}]}'
set -- $2
echo 1 > one.txt
BATON hand-in 1 micro-delivery-report --run $2 > /dev/null <<'END'
verdict: PASS
reason: seen
criteria: [{id: AC1, result: PASS, evidence: ran it}]
changes_made: [{file: one.txt, what: a number}]
blocking_failures: []
END
BATON hand-in 1 return-meta --run $2 > /dev/null <<'END'
status: implemented
END
printf '%s\\n' '{"type": "result", "is_error": false}'
"""
# The same without `baton run`.
BY_HAND = """#!/bin/sh
here=$PWD
run=$(BATON next 1 --json | sed -n 's/^ "run": "\\(.*\\)",$/\\1/p')
cd "$(BATON begin $run --make --json | sed -n 's/^ "tree": "\\(.*\\)",$/\\1/p')" || exit
CLIENT -p "Run $run" > /dev/null
cd "$here" || exit
BATON next 1 --ended $run
"""


class MadeUp(Crew):
    """Stories that depend on nothing, without journals."""

    def _known(self, story: str) -> KnownStory:
        return KnownStory(story, (), changing=True)


def makespan(stories: dict[str, list[float]]) -> float:
    """Return when the last story is merged, by the program's own choice of who goes on."""
    place = Path(os.devnull)
    options = RunOptions("", place, parallel=PARALLEL)
    crew = MadeUp(Project(place, place, place), list(stories), options, lambda _: None)
    left = {name: list(runs) for name, runs in stories.items()}
    now, merged, ends = 0.0, 0.0, list[tuple[float, str]]()
    waiting = set(stories)
    for name in stories:
        crew.rows[name].stands = "waits"
    while waiting or ends:
        crew.let_go()
        for name in [one for one in waiting if crew.rows[one].stands == "works"]:
            waiting.discard(name)
            seconds = left[name].pop(0)
            if not left[name]:
                merged = max(now, merged) + MERGE
            heapq.heappush(ends, (now + seconds if left[name] else merged, name))
        now, name = heapq.heappop(ends)
        crew.rows[name].stands = "waits" if left[name] else "over"
        waiting |= {name} if left[name] else set()
    return now


def over_the_bound(number: int, instances: int = 30) -> tuple[float, float]:
    """Return the mean of makespan over bound, and of one story after the other over it."""
    random = Random(f"{number} stories")
    ratios, serial = [], []
    for _ in range(instances):
        stories = {
            str(one): [*(random.lognormvariate(0, SIGMA) for _ in range(random.randint(3, 6))), MERGE]
            for one in range(number)
        }
        whole = [sum(runs) for runs in stories.values()]
        bound = max(sum(whole) / PARALLEL, *whole, MERGE * number)
        ratios.append(makespan(stories) / bound)
        serial.append(sum(whole) / bound)
    return fmean(ratios), fmean(serial)


def story_table() -> dict[str, float]:
    """Return the figures of each size by their names."""
    found = {number: over_the_bound(number) for number in SIZES}
    return {f"makespan, {number} stories": ratio for number, (ratio, _) in found.items()} | {
        f"one by one, {number} stories": ratio for number, (_, ratio) in found.items()
    }


def run_calls(root: Path) -> dict[str, Call]:
    """Make a repository whose one story has its only run due; give the calls that take it to its merge."""
    new = "baton story new Number --id 1 --criterion right --complexity 1"
    make_work_tree(root, new, "baton next 1")
    run(Call(("env", "CLAUDECODE=1", BATON, "answer", "1", "accept"), root))
    programs = root.with_name("client")
    programs.mkdir()
    for name, text in (("claude", CLIENT), ("by-hand", BY_HAND)):
        (programs / name).write_text(text.replace("BATON", BATON).replace("CLIENT", str(programs / "claude")))
        (programs / name).chmod(0o755)
    words = (
        "/usr/bin/env",
        f"PATH={programs}:{os.environ['PATH']}",
        BATON,
        "run",
        "1",
        "--permission-mode",
        "auto",
    )
    return {
        "by hand, a small story": Call((str(programs / "by-hand"),), root, "DO complete", fresh=True),
        "run, a small story": Call(words, root, "Permission mode auto", fresh=True),
    }
