"""Work that could not be put on the story branch is not lost: the next run has it in its tree."""

import pytest

from bench import STORY, Bench


def test_what_a_hook_refused_is_in_the_next_runs_tree_with_what_others_committed(implementing: Bench) -> None:
    implementing.hook("pre-commit", "exit 1")
    assert [implementing.report().code for _ in range(3)] == [1, 1, 0]
    implementing.commit({"other.txt": "theirs\n"}, STORY)
    assert implementing.end()["rule"] == "report/invalid"
    implementing.hook("pre-commit", "exit 0")
    assert implementing.implement()["agent"] == "baton:qa"
    assert implementing.git("show", f"{STORY}:test_calc.py", f"{STORY}:other.txt") == "TEST = 1\ntheirs"


@pytest.mark.parametrize(("theirs", "agent"), [("calc.py", "baton:implementer"), ("other.py", "baton:qa")])
def test_work_that_conflicts_with_its_branch_is_merged_before_qa(
    implementing: Bench, theirs: str, agent: str
) -> None:
    implementing.report()
    other = implementing.commit({theirs: "SUB = 2\n"}, STORY)
    assert implementing.end()["agent"] == agent
    assert (implementing.run.dispatched.merging != "") == (theirs == "calc.py")
    if theirs == "calc.py":
        assert "<<<<<<<" in (implementing.tree / theirs).read_text()
        assert implementing.implement()["agent"] == "baton:qa"
    implementing.git("merge-base", "--is-ancestor", other, STORY)
    assert implementing.git("show", f"{STORY}:test_calc.py") == "TEST = 1"


def test_a_refused_resolution_is_in_the_next_runs_tree(implementing: Bench) -> None:
    implementing.report()
    implementing.commit({"calc.py": "SUB = 2\n"}, STORY)
    implementing.end()
    implementing.hook("pre-commit", "exit 1")
    assert implementing.implement()["rule"] == "report/exhausted"
    implementing.answer("retry")
    implementing.hook("pre-commit", "exit 0")
    assert (implementing.tree / "calc.py").read_text() == "SUB = 1\n"
    assert implementing.implement()["agent"] == "baton:qa"
