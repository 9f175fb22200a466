"""Others are killed, not this program: the process that runs a project's commands, and git at its work."""

import os
from collections.abc import Callable
from functools import partial
from itertools import count
from pathlib import Path

import pytest

from baton.outside import runner
from bench import Bench
from faults.child import FIRST_MOMENT, LATER, Done, Fault, Killed, failer, forked, killer
from faults.course import check_recovery, golden, next_step, value
from faults.scenarios import SCENARIOS, Scenario
from faults.site import Site
from faults.strike import Tally
from faults.summary import POINTS

Record = Callable[[str, object], None]
BY_NAME = {one.name: one for one in SCENARIOS}
CHECKED = BY_NAME["a story is checked and merged"]
JUDGED = BY_NAME["a finished run is judged"]
MERGED = BY_NAME["a story is merged after base moved"]
# Git is killed by its own hook, while it holds what it has locked.
HOOKS = (
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-index-change",
    "reference-transaction",
    "post-commit",
    "pre-merge-commit",
    "post-merge",
    "post-checkout",
)


def before_the_runner(site: Site) -> Path:
    """Play a story to where its commands are about to be run; gives the folder of their job."""
    bench = site.lay_out(CHECKED.start)
    for number in count(1):
        struck = forked(partial(CHECKED.call, bench), FIRST_MOMENT, killer(number, ("process",)))
        assert isinstance(struck, Killed)
        if "runner.py" in struck.call.subject:
            break
        bench = site.lay_out(CHECKED.start)
    return next((bench.root / ".git/baton").glob("*/checks/*/job.json")).parent


def run_job(folder: Path) -> int:
    """Be the process that runs the commands."""
    os.setsid()
    return runner.main(str(folder))


def test_a_runner_killed_at_any_call_is_started_again(site: Site, record_property: Record) -> None:
    wanted, tally = golden(site, CHECKED), Tally()
    folder = before_the_runner(site)
    kept = site.keep("before the runner")
    for number in count(1):
        site.restore(kept)
        struck = forked(lambda: run_job(folder), FIRST_MOMENT, killer(number))
        if isinstance(struck, Done):
            break
        tally.strikes += 1
        tally.wrong += [
            f"the runner, killed at {struck.call}: {one}" for one in check_recovery(site, CHECKED, wanted)
        ]
    record_property(POINTS, ("the commands' runner is killed", tally.strikes, tally.strikes))
    assert not tally.wrong, tally.told


def kill_git_by(bench: Bench, hook: str) -> None:
    """Let git be killed once by a hook."""
    bench.hook(hook, 'rm "$0"; kill -9 "$PPID"')


def locks(bench: Bench) -> list[Path]:
    """Give the locks of git that are there; the program's own are held by the system alone."""
    found = (bench.root / ".git").rglob("*.lock")
    return [path for path in found if not path.relative_to(bench.root).as_posix().startswith(".git/baton")]


def tidy(bench: Bench, scenario: Scenario) -> None:
    """Do what one is told to do after a process of git crashed: unlock, and give up or set aside what it left."""
    for path in locks(bench):
        path.unlink()
    if (bench.root / ".git/MERGE_HEAD").exists():
        bench.git("merge", "--abort")
    if scenario is MERGED:
        bench.git("restore", "--staged", "--worktree", "--source=HEAD", ":/")


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize("scenario", [JUDGED, MERGED], ids=["a run's commit", "the merge"])
def test_git_killed_in_the_middle_is_told_or_mended(site: Site, scenario: Scenario, hook: str) -> None:
    wanted = golden(site, scenario)
    bench = site.lay_out(scenario.start)
    kill_git_by(bench, hook)
    said = value(forked(lambda: scenario.call(bench), FIRST_MOMENT))
    assert said.code == 0 or (said.code == 2 and said.err.count("\n") == 1), said.err
    if (bench.root / ".git/index.lock").exists():
        again = value(forked(lambda: next_step(bench), LATER))
        assert again.code == 2
        assert ".lock" in again.err
    tidy(bench, scenario)
    (bench.root / ".git/hooks" / hook).unlink(missing_ok=True)
    (bench.root / ".git/hooks").rmdir()
    wrong = check_recovery(site, scenario, wanted)
    assert not wrong, "\n".join(wrong)


def test_a_lock_left_by_a_dead_git_is_named_at_every_call(site: Site, record_property: Record) -> None:
    dead = ("sh", "-c", ": > .git/index.lock; kill -9 $$")
    wanted, tally = golden(site, JUDGED), Tally()
    for number in count(1):
        bench, fault = site.lay_out(JUDGED.start), Fault(number, 0, False, dead)
        done = forked(partial(JUDGED.call, bench), FIRST_MOMENT, failer(fault, ("process",)))
        if done.struck is None:
            break
        tally.strikes += 1
        (bench.root / ".git/index.lock").unlink(missing_ok=True)
        said, told = done.value, f"killed and locked at {done.struck}"
        if said.code != 2 or said.err.count("\n") != 1:
            tally.wrong.append(f"{told}: exit {said.code} {said.err[-300:]}")
        tally.wrong += [f"{told}: {one}" for one in check_recovery(site, JUDGED, wanted)]
    record_property(POINTS, ("git is killed and leaves a lock", tally.strikes, tally.strikes))
    assert not tally.wrong, tally.told
