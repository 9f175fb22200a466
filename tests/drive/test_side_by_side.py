"""More than one story, session or work tree in one repository."""

from pathlib import Path

import pytest

from bench import Bench

OTHER = ("--criterion", "one thing", "--criterion", "another")


@pytest.fixture
def second(implementing: Bench, tmp_path: Path) -> Bench:
    """Make a second work tree while a run of story 42 is out in the first, and a story 43 in it."""
    implementing.git("worktree", "add", "--quiet", "-b", "elsewhere", str(tmp_path / "second"), "main")
    other = Bench(tmp_path / "second", "43")
    other.baton("story", "new", "Another", "--id", "43", *OTHER)
    return other


def finish(bench: Bench, name: str) -> str:
    """Be every agent from the plan on; gives the last action."""
    if bench.state.stage == "new" or not bench.state.runs:
        bench.next()
        bench.plan()
    report = f"## Changes Made\n- `{name}`\n## Criteria Mapping\n- AC1 x\n- AC2 x\n## Rules Applied\nnone\n"
    bench.write({name: "X = 1\n"})
    assert bench.hand_in("impl-report", report).code == 0
    bench.work(1, 2, status="implemented")
    return str(bench.judge()["action"])


def test_a_story_runs_through_while_another_waits_for_a_person(planning: Bench) -> None:
    planning.next("--plan-only")
    assert planning.plan()["rule"] == "planning/approval"
    other = Bench(planning.root, "43")
    other.baton("story", "new", "Another", "--id", "43", *OTHER)
    assert (finish(other, "other.py"), planning.branch) == ("complete", "story/42-subtract-numbers")
    assert planning.answer("accept")["agent"] == "baton:implementer"
    assert finish(planning, "calc2.py") == "complete"
    assert planning.git("show", "main:other.py", "main:calc2.py") == "X = 1\nX = 1"


def test_a_second_work_tree_takes_a_second_story_at_the_same_time(implementing: Bench, second: Bench) -> None:
    second.next()
    assert (second.plan()["agent"], second.branch) == ("baton:implementer", "story/43-another")
    assert (finish(implementing, "calc2.py"), implementing.branch) == ("complete", "main")
    assert (
        f"main is checked out in {implementing.root}" in second.baton("next", "43", "--ended", second.run.id).err
    )
    implementing.git("switch", "--quiet", "--detach")  # as the line says
    assert (finish(second, "other.py"), second.branch) == ("complete", "elsewhere")
    assert second.git("show", "main:other.py", "main:calc2.py") == "X = 1\nX = 1"


def test_a_story_is_not_taken_into_a_second_work_tree(implementing: Bench, second: Bench) -> None:
    implementing.hand_in("return-meta", '{"status": "partial"}')
    said = Bench(second.root, "42").baton("next", "42")
    assert (said.code, f"baton --project {implementing.root} next 42" in said.err) == (2, True)
    assert second.branch == "elsewhere"


def test_base_in_use_elsewhere_is_said_before_anything_is_changed(bench: Bench, tmp_path: Path) -> None:
    bench.git("worktree", "add", "--quiet", "-b", "elsewhere", str(tmp_path / "second"))
    other = Bench(tmp_path / "second", "43")
    other.baton("story", "new", "Another", "--id", "43", *OTHER)
    said = other.baton("next", "43")
    assert (said.code, f"main is checked out in {bench.root}" in said.err) == (2, True)
    assert other.branch == "elsewhere"
