"""Others are killed, not this program: the process that runs a project's commands, and git at its work."""

import json
import os
import re
import shutil
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

import pytest

from baton.checks import worker as runner
from baton.checks.check_tree import check_tree
from baton.checks.cleanup import remove_trees
from baton.git.command import find_project
from bench import Bench
from faults.child import FIRST_MOMENT, LATER, Done, Fault, Killed, failer, forked, killer, value, walk
from faults.course import check_recovery, golden
from faults.scenarios import BRANCH, SCENARIOS, Scenario
from faults.site import Site
from faults.strike import shown
from faults.view import View, differences, locks, view
from quick_run import rank

ALL = os.environ.get("BATON_FAULTS") == "all"
BY_NAME = {scenario.name: scenario for scenario in SCENARIOS}
CHECKED = BY_NAME["a story is checked and merged after base moved"]  # else they ran while QA worked
JUDGED = BY_NAME["a finished run is judged"]
DISPATCHED = BY_NAME["the planner goes out"]
COMPARED = BY_NAME["a failure that base has is noted"]
HANDED_IN = BY_NAME["a resolved conflict is handed in"]
MERGED = BY_NAME["a story is merged after base moved"]
FROM_ELSEWHERE = BY_NAME["a story is merged from elsewhere"]
UNDONE = BY_NAME["a merge is taken back from elsewhere"]
# Git is killed by its own hook, while it holds what it has locked: a hook, and what it is told.
REF = ("reference-transaction prepared", "reference-transaction committed")
# What is the same after the user had to answer once more: all but what was said.
SAME = ("branches", "checked out", "commits", "status", "work trees", "git's leavings", "files")


class Job(NamedTuple):
    """A job that a scenario's command begins, the n-th of them; each n-th call of its runner is struck."""

    scenario: Scenario
    number: int
    stride: int = 1


JOBS = {
    "the story's": Job(CHECKED, 0, 1 if ALL else 6),
    "its baseline's, made as the first run goes out": Job(DISPATCHED, 0, 1 if ALL else 9),
    "its baseline's, made when it is needed": Job(COMPARED, 1, 1 if ALL else 25),
}


def before_the_runner(site: Site, job: Job) -> Path:
    """Play a story to where a job's commands are about to be run; gives the job's folder."""
    bench = site.lay_out(job.scenario.start)
    calls, _ = walk(partial(job.scenario.call, bench), lambda call: call, ("process",))
    starts = [call.number for call in calls if "worker.py" in call.subject]
    bench = site.lay_out(job.scenario.start)
    struck = forked(partial(job.scenario.call, bench), FIRST_MOMENT, killer(starts[job.number], ("process",)))
    assert isinstance(struck, Killed)
    folders = (path.parent for path in (bench.root / ".git/baton").glob("*/checks/*/job.json"))
    return next(folder for folder in folders if json.loads((folder / "job.json").read_text())["starts"])


def run_job(folder: Path) -> int:
    """Be the process that runs the commands."""
    os.setsid()
    return runner.main(str(folder))


def sweep(site: Site) -> None:
    """Do what every story does at its end with its check tree, which a killed runner may have left anyhow."""
    remove_trees(find_project(site.bench.root), site.bench.id)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("job", JOBS.values(), ids=JOBS)
def test_a_runner_killed_at_any_call_is_started_again(site: Site, job: Job, quick: bool) -> None:
    wanted, wrong = golden(site, job.scenario), list[str]()
    folder = before_the_runner(site, job)
    kept = site.keep("before the runner")
    first, step = (rank("runner") % job.stride, job.stride * 10) if quick else (0, job.stride)
    for number in count(1 + first, step):
        site.restore(kept)
        struck = forked(lambda: run_job(folder), FIRST_MOMENT, killer(number))
        if isinstance(struck, Done):
            break
        if job.scenario is DISPATCHED:  # which goes on without it
            value(forked(lambda: sweep(site), LATER))
        found = check_recovery(site, job.scenario, wanted)
        wrong += [f"the runner, killed at {struck.call}: {one}" for one in found]
    assert number > 1 + first, "it was killed nowhere"
    assert not wrong, shown(wrong)


def test_the_check_tree_of_a_killed_baseline_is_gone_when_the_story_ends(site: Site) -> None:
    folder = before_the_runner(site, JOBS["its baseline's, made as the first run goes out"])
    kept, bench, number = site.keep("before the runner"), site.bench, 0
    tree = check_tree(find_project(bench.root).common, bench.id).path
    while not tree.exists():
        number += 1
        site.restore(kept)
        forked(partial(run_job, folder), FIRST_MOMENT, killer(number, ("end",)))
    bench.next()
    bench.plan()
    bench.implement()
    assert bench.judge()["action"] == "complete"
    assert (bench.git("worktree", "list").count("\n"), tree.exists()) == (1, False)


def kill_git_by(bench: Bench, moment: str, verb: str) -> None:
    """Let git be killed once at a moment, a hook's name and what it is told, in a command of this verb."""
    hook, _, told = moment.partition(" ")
    then = f' && test "$1" = {told}' if told else ""
    # Linux has it in a file; elsewhere there is a `ps`.
    words = """{ tr '\\0' ' ' <"/proc/$PPID/cmdline" 2>/dev/null || ps -ww -o args= "$PPID"; }"""
    bench.hook(hook, f'if {words} | grep -q " {verb} "{then}; then rm "$0"; kill -9 "$PPID"; fi')


def tidy(bench: Bench, scenario: Scenario) -> None:
    """Do what one is told to do after a process of git crashed: unlock, put back what it left, answer."""
    for path in locks(bench):
        path.unlink()
    if scenario is MERGED:
        bench.git("restore", "--staged", "--worktree", "--source=HEAD", ":/")
    shutil.rmtree(bench.root / ".git/hooks")
    if bench.state.question:
        bench.baton("answer", "42", "retry")


def but_the_retry(found: View) -> View:
    """Return what is the same after the user had to answer once more: the report has that answer."""
    text = json.dumps({one: found[one] for one in SAME})
    masked: View = json.loads(
        re.sub(r"@@ -0,0 [^@]*@@|\+?- [\d-]{10}, `(?:merge/in-the-way|git/refused)`: retry[^\\]*\\n", "", text)
    )
    return masked


KILLED = {
    f"{name}, at {hook}": (scenario, verb, hook)
    for name, (scenario, verb, hooks) in {
        "the hooks of a run's commit": (HANDED_IN, "hook", ("pre-commit", "commit-msg")),
        "the ref that keeps a run's work": (HANDED_IN, "update-ref", REF),
        "the story branch": (JUDGED, "update-ref", REF),
        "base, which is checked out": (MERGED, "merge", ("post-index-change", *REF, "post-merge")),
        "base, in nobody's hands": (FROM_ELSEWHERE, "update-ref", REF),
        "the revert": (UNDONE, "update-ref", REF),
    }.items()
    for hook in hooks
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("scenario", "verb", "hook"), KILLED.values(), ids=KILLED)
def test_a_killed_git_is_told_or_put_right(site: Site, scenario: Scenario, verb: str, hook: str) -> None:
    wanted = golden(site, scenario)
    bench = site.lay_out(scenario.start)
    kill_git_by(bench, hook, verb)
    said = value(forked(lambda: scenario.call(bench), FIRST_MOMENT))
    assert not (bench.root / ".git/hooks" / hook.split()[0]).exists()
    assert said.code in (0, 1) or (said.code == 2 and said.err.count("\n") == 1), said.err
    asked = bench.state.question is not None
    value(forked(lambda: tidy(bench, scenario), LATER))
    if asked:
        value(forked(lambda: scenario.call(bench), LATER))
        assert not differences(but_the_retry(view(bench)), but_the_retry(wanted.view))
        return
    # A hook that was killed has judged nothing: the hand-in is taken, and the work after it.
    wrong = [one for one in check_recovery(site, scenario, wanted) if "journal: +handed-in" not in one]
    assert not wrong, "\n".join(wrong)


def test_a_lock_left_by_a_dead_git_is_named_at_every_call(site: Site, quick: bool) -> None:
    dead = ("sh", "-c", f': >"$(git rev-parse --git-path refs/heads/{BRANCH}).lock"; kill -9 $$')
    wanted, wrong = golden(site, JUDGED), list[str]()
    for number in count(1, 1 if ALL else 18 if quick else 6):
        bench, fault = site.lay_out(JUDGED.start), Fault(number, 0, False, dead)
        done = forked(partial(JUDGED.call, bench), FIRST_MOMENT, failer(fault, ("process",)))
        if done.struck is None:
            break
        for path in locks(bench):
            path.unlink()
        said, told = done.value, f"killed and locked at {done.struck}"
        if bench.state.question:  # once the lock is gone, the answer goes on
            assert "lock" in said.out
            value(forked(partial(bench.baton, "answer", "42", "retry"), LATER))
            value(forked(partial(JUDGED.call, bench), LATER))
            found = differences(but_the_retry(view(bench)), but_the_retry(wanted.view))
            wrong += [f"{told}: {found}"] if found else []
            continue
        if said.code and (said.code != 2 or said.err.count("\n") != 1):  # what is tried once more may go through
            wrong.append(f"{told}: exit {said.code} {said.err[-300:]}")
        wrong += [f"{told}: {one}" for one in check_recovery(site, JUDGED, wanted)]
    assert not wrong, shown(wrong)
