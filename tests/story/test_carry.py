"""Work that could not be put on the story branch is not lost: the next run has it in its tree."""

import pytest

from bench import REPORT, Bench

BRANCH = "story/42-subtract-numbers"


def finish(bench: Bench, times: int = 1) -> None:
    """Hand in what an implementer does; refused twice, its end is taken whatever a hook says."""
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.mark(1, 2)
    for _ in range(times):
        bench.hand_in("impl-report", REPORT)


def test_what_a_hook_refused_is_in_the_next_runs_tree_with_what_others_committed(implementing: Bench) -> None:
    implementing.hook("pre-commit", "exit 1")
    finish(implementing, times=3)
    implementing.commit({"other.txt": "theirs\n"}, BRANCH)
    assert implementing.end()["rule"] == "report/invalid"
    implementing.hook("pre-commit", "exit 0")
    finish(implementing)
    assert implementing.end()["agent"] == "baton:qa"
    assert implementing.git("show", f"{BRANCH}:test_calc.py", f"{BRANCH}:other.txt") == "TEST = 1\ntheirs"


@pytest.mark.parametrize(("theirs", "agent"), [("calc.py", "baton:implementer"), ("other.py", "baton:qa")])
def test_work_that_conflicts_with_its_branch_is_merged_before_qa(
    implementing: Bench, theirs: str, agent: str
) -> None:
    finish(implementing)
    other = implementing.commit({theirs: "SUB = 2\n"}, BRANCH)
    assert implementing.end()["agent"] == agent
    assert (implementing.run.dispatched.merging != "") == (theirs == "calc.py")
    if theirs == "calc.py":
        assert "<<<<<<<" in (implementing.tree / theirs).read_text()
        finish(implementing)
        assert implementing.end()["agent"] == "baton:qa"
    implementing.git("merge-base", "--is-ancestor", other, BRANCH)
    assert implementing.git("show", f"{BRANCH}:test_calc.py") == "TEST = 1"


def test_a_refused_resolution_is_in_the_next_runs_tree(implementing: Bench) -> None:
    finish(implementing)
    implementing.commit({"calc.py": "SUB = 2\n"}, BRANCH)
    implementing.end()
    implementing.hook("pre-commit", "exit 1")
    finish(implementing, times=3)
    assert implementing.end()["rule"] == "report/exhausted"
    implementing.answer("retry")
    implementing.hook("pre-commit", "exit 0")
    assert (implementing.tree / "calc.py").read_text() == "SUB = 1\n"
    finish(implementing)
    assert implementing.end()["agent"] == "baton:qa"
