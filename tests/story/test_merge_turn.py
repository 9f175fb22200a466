"""Two stories that are merged at once take turns, each checked on the base it meets."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from baton.checks.check_tree import trees_folder
from baton.story.integrate.complete import KEPT_SECONDS
from bench import Bench, report_on, verdict_on
from scenes import WAITS_FOR_A_GATE, next_at_once, pass_qa

pytestmark = pytest.mark.sampled(1)

LIB = Path(__file__).parents[2] / "scripts/lib"


@pytest.fixture
def stories(implementing: Bench) -> tuple[Bench, Bench, Path]:
    """Two stories that passed QA and change different files, and what the tests of the first wait for."""
    other = Bench(implementing.root, "43")
    other.begin(title="Tea")
    other.plan()
    other.edit({"tea.py": "TEA = 1\n"})
    other.mark(1, 2)
    assert other.hand_in("impl-report", report_on("tea.py")).code == 0
    other.end()
    assert other.hand_in("qa-report", verdict_on(2, "PASS")).code == 0
    implementing.implement(WAITS_FOR_A_GATE)
    pass_qa(implementing)
    return implementing, other, Path.home() / "gate"


def test_a_story_is_merged_after_the_one_before_and_checked_on_base(stories: tuple[Bench, Bench, Path]) -> None:
    first, second, gate = stories
    assert next_at_once(first).rule == "build/wait"
    waits = next_at_once(second)
    assert (waits.rule, waits.reason.partition(";")[0]) == ("merge/turn", "story 42 is being merged")
    assert (next_at_once(first).rule, next_at_once(second).rule) == ("build/wait", "merge/turn")
    gate.touch()
    assert first.next()["action"] == "complete"
    merged = first.git("rev-parse", "main")
    assert second.next()["action"] == "complete"
    assert second.git("rev-parse", "main^1") == merged
    assert [rule for rule in (*first.rules, *second.rules) if rule.startswith("merge/")] == [
        "merge/made", "merge/done", "merge/made", "merge/done",
    ]  # fmt: skip


def test_a_story_that_nobody_goes_on_with_holds_up_no_other(stories: tuple[Bench, Bench, Path]) -> None:
    first, second, gate = stories
    assert next_at_once(first).rule == "build/wait"
    turn = trees_folder(first.project.common) / "merging.id"
    os.utime(turn, (turn.stat().st_atime, turn.stat().st_mtime - KEPT_SECONDS - 1))
    assert next_at_once(second).action == "complete"
    gate.touch()
    assert first.next()["action"] == "complete"
    assert "merge/lost" in first.rules
    assert first.git("show", "main:calc.py", "main:tea.py") == "SUB = 1\nTEA = 1"


def test_two_processes_that_merge_at_once_take_turns(stories: tuple[Bench, Bench, Path]) -> None:
    *both, gate = stories
    gate.touch()
    program = (sys.executable, "-c", "from baton.cli import main; main()", "--project", str(both[0].root), "next")
    environment = {**os.environ, "PYTHONPATH": str(LIB)}
    children = [
        subprocess.Popen((*program, one.id), env=environment, stdout=subprocess.PIPE, text=True) for one in both
    ]
    assert [child.communicate(timeout=120)[0].splitlines()[0] for child in children] == ["DO complete"] * 2
    last, before = (both[0].git("rev-parse", name) for name in ("main", "main^1"))
    merges = {one.state.completed.commit: one for one in both if one.state.completed}
    assert set(merges) == {last, before}
    for commit, one in merges.items():
        tested = [step.commit for step in one.state.checked if step.rule == "test/pass"]
        assert one.git("rev-parse", f"{commit}^{{tree}}") in tested
        assert [step.rule for step in one.state.checked].count("sync/clean") == 1
