"""A branch follows base until its first run of code, and is held later against what base was."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from bench import FOLDER, SETTINGS, STORY, Bench
from scenes import drive_to_judging, transcript

NEW = {"new.py": "NEW = 1\n"}


def started_from(bench: Bench) -> str:
    started = bench.state.started
    assert started is not None
    return started.base_commit


def is_in_tree(bench: Bench) -> bool:
    return (bench.tree / "new.py").exists()


def test_a_story_begun_before_the_one_it_depends_on_is_merged_finds_its_code(implementing: Bench) -> None:
    later = replace(implementing, id="43")
    later.new("Half", "--depends-on", "42")
    assert later.next()["agent"] == "baton:planner"
    implementing.implement()
    assert implementing.judge()["action"] == "complete"
    assert later.plan()["agent"] == "baton:implementer"
    assert (later.tree / "calc.py").read_text() == "SUB = 1\n"
    assert started_from(later) == later.git("rev-parse", "main")
    assert later.implement({"calc.py": "SUB = 1\nHALF = 0.5\n"})["agent"] == "baton:qa"
    assert "+HALF" in later.git("diff", f"{started_from(later)}...{later.run.dispatched.head}", "--", "calc.py")
    assert later.judge()["action"] == "complete"
    assert later.git("diff", "--name-only", "main^", "main", "--", "*.py").split() == ["calc.py"]


def test_a_branch_with_an_agents_code_is_left_to_the_integration(implementing: Bench) -> None:
    begun = started_from(implementing)
    implementing.edit({"calc.py": "SUB = 1\n"})
    implementing.commit(NEW)
    implementing.work(1)
    assert (is_in_tree(implementing), started_from(implementing)) == (False, begun)


def test_a_run_that_left_no_code_is_followed_by_one_on_base_as_it_is(implementing: Bench) -> None:
    assert implementing.tree
    moved = implementing.commit(NEW)
    implementing.work()
    assert (is_in_tree(implementing), started_from(implementing)) == (True, moved)


STAYS: dict[str, Callable[[Bench], object]] = {
    "base did not move": lambda bench: bench,
    "it has a commit of the user's": lambda bench: (
        bench.commit({"other.py": "O = 1\n"}, STORY),
        bench.commit(NEW),
    ),
    "base conflicts": lambda bench: bench.commit({f"{FOLDER}/story.md": "other\n", **NEW}),
}


@pytest.mark.parametrize("happens", STAYS.values(), ids=STAYS)
def test_a_branch_stays_for_the_integration_where(happens: Callable[[Bench], object], planning: Bench) -> None:
    begun = started_from(planning)
    happens(planning)
    planning.plan()
    assert planning.git("log", "--merges", "--format=%h", STORY) == ""
    assert (is_in_tree(planning), started_from(planning)) == (False, begun)


def test_a_base_that_was_rewritten_is_not_followed(planning: Bench) -> None:
    planning.commit(NEW)
    planning.git("switch", "--quiet", "--orphan", "other")
    planning.git("commit", "--quiet", "--allow-empty", "--message", "anew")
    begun, tip = started_from(planning), planning.git("rev-parse", STORY)
    planning.git("branch", "--force", "main", "other")
    planning.plan()
    assert (started_from(planning), planning.git("rev-parse", f"{STORY}~1")) == (begun, tip)


def test_with_local_artifacts_the_branch_moves_to_base_itself(bench: Bench) -> None:
    bench.configure(f"{SETTINGS}artifacts: local\n")
    bench.begin()
    moved = bench.commit(NEW)
    bench.plan()
    assert (bench.git("rev-parse", STORY), started_from(bench), is_in_tree(bench)) == (moved, moved, True)
    bench.implement()
    assert bench.judge()["action"] == "complete"


def test_what_the_user_changed_of_the_story_stays_changed(planning: Bench) -> None:
    text = planning.place("story").read_text().replace("- a test shows it\n", "")
    assert planning.baton("story", "edit", "42", stdin=text).code == 0
    before = planning.state
    planning.commit(NEW)
    planning.plan()
    assert (is_in_tree(planning), planning.state.story_sha256) == (True, before.story_sha256)
    assert planning.state.criteria == before.criteria == ("sub(3, 2) is 1",)


def test_failures_are_held_against_the_base_that_was_taken_in(planning: Bench) -> None:
    planning.commit({"tools/test.sh": "echo FAIL: one\nexit 1\n"})
    planning.plan()
    planning.rest()
    assert any("main fails already, which stops nothing: FAIL: one" in one for one in planning.work(1)["warnings"])


def test_the_users_own_checkout_of_the_branch_moves_with_it(planning: Bench) -> None:
    planning.git("switch", "--quiet", STORY)
    planning.write({"calc.py": "MINE = 1\n"})
    planning.commit(NEW)
    planning.plan()
    assert ((planning.root / "new.py").exists(), (planning.root / "calc.py").read_text()) == (True, "MINE = 1\n")


# What base had, and has no longer


def amend(bench: Bench) -> None:
    bench.git("commit", "--quiet", "--amend", "--allow-empty", "--message", "without oops")


def test_what_was_taken_out_of_base_comes_back_only_if_the_user_says_so(bench: Bench) -> None:
    bench.commit({"oops.env": "x\n"})
    drive_to_judging(bench, SETTINGS)
    bench.git("rm", "--quiet", "--cached", "oops.env")
    amend(bench)
    step = bench.judge()
    assert (step["rule"], "more, which the story has" in step["reason"]) == ("sync/rewritten", True)
    assert "oops.env" not in bench.git("ls-tree", "--name-only", "main")
    assert bench.answer("accept")["action"] == "complete"


def test_a_base_that_was_taken_in_later_counts_as_well(planning: Bench) -> None:
    begun = started_from(planning)
    planning.commit(NEW)
    planning.plan()
    planning.implement()
    planning.git("reset", "--quiet", "--keep", begun)
    assert planning.judge()["rule"] == "sync/rewritten"


def test_a_base_set_back_outside_of_the_users_checkout_is_asked_about(judging: Bench) -> None:
    begun = started_from(judging)
    judging.commit(NEW)
    judging.git("switch", "--quiet", "--detach")
    judging.judge("FAIL", "no docstring")
    judging.implement({"calc.py": "SUB = 2\n"})
    judging.git("update-ref", "refs/heads/main", begun)
    transcript(judging, "ls")
    step = judging.judge()
    assert (step["rule"], "does not have either" in step["reason"]) == ("sync/rewritten", True)


def test_what_the_user_amends_of_base_alone_is_theirs(judging: Bench) -> None:
    judging.commit(NEW)
    judging.judge("FAIL", "no docstring")
    amend(judging)
    judging.implement({"calc.py": "SUB = 2\n"})
    assert judging.judge()["action"] == "complete"
