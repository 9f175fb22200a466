"""Stories run at once without knowing of each other, from whatever tree, beside a user at work."""

from pathlib import Path

import pytest

from bench import Bench

OTHER = ("--criterion", "one thing", "--criterion", "another")


@pytest.fixture
def other(implementing: Bench) -> Bench:
    """A second story, planned, while a run of the first is out."""
    other = Bench(implementing.root, "43")
    other.baton("story", "new", "Another", "--id", "43", *OTHER)
    assert other.next()["agent"] == "baton:planner"
    other.plan()
    return other


def test_two_stories_at_once_are_merged_one_after_the_other(implementing: Bench, other: Bench) -> None:
    implementing.edit({"one.py": "ONE = 1\n"})
    other.edit({"two.py": "TWO = 1\n"})
    assert implementing.tree != other.tree
    other.implement({"calc2.py": "C = 1\n"})
    implementing.implement()
    assert (other.judge()["action"], implementing.judge()["action"]) == ("complete", "complete")
    assert implementing.git("show", "main:one.py", "main:two.py") == "ONE = 1\nTWO = 1"


def test_what_the_user_does_meanwhile_is_theirs(implementing: Bench, other: Bench) -> None:
    implementing.git("switch", "--quiet", "--create", "mine")
    implementing.write({"mine.txt": "mine\n", "calc.py": "MINE = 1\n"})
    implementing.implement()
    assert implementing.judge()["action"] == "complete"
    assert (implementing.branch, implementing.changes) == ("mine", "M calc.py\n?? mine.txt")
    assert implementing.git("log", "--all", "--format=%h", "--", "mine.txt") == ""


def test_a_user_on_the_story_branch_has_it_move_under_them(implementing: Bench) -> None:
    implementing.git("switch", "--quiet", "story/42-subtract-numbers")
    implementing.implement()
    assert ((implementing.root / "calc.py").read_text(), implementing.changes) == ("SUB = 1\n", "")
    assert implementing.judge()["action"] == "complete"
    assert implementing.branch == "story/42-subtract-numbers"


def test_a_story_goes_on_from_any_tree_and_any_state(implementing: Bench, tmp_path: Path) -> None:
    implementing.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "second"))
    second = Bench(tmp_path / "second")
    second.implement()
    assert second.judge()["action"] == "complete"
    assert (implementing.root / "calc.py").read_text() == "SUB = 1\n"


@pytest.mark.parametrize("name", ["calc.py", "test_calc.py"], ids=["a change", "a new file"])
def test_base_waits_where_the_user_has_something_in_its_way(name: str, judging: Bench) -> None:
    judging.write({name: "MINE = 1\n"})
    step = judging.judge()
    assert step["rule"] == "merge/in-the-way"
    assert f"git -C {judging.root} merge --ff-only" in step["reason"]
    assert (judging.root / name).read_text() == "MINE = 1\n"
    judging.git("stash", "push", "--quiet", "--include-untracked", "--", name)
    assert judging.answer("retry")["action"] == "complete"
