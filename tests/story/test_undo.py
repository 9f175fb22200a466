"""A story's merge can be taken back: in one commit on base, once, and nothing else is touched."""

import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import pytest

from baton.rules.budgets import attempts_allowed, attempts_used
from bench import SETTINGS, STORY, Bench, PlayScene
from scenes import drive_to_judging, leave_it_on_its_branch

pytestmark = pytest.mark.sampled(4)


@pytest.fixture
def merged(judging: Bench) -> Bench:
    """A story that was merged, after which base went on."""
    judging.judge()
    judging.commit({"later.py": "LATER = 1\n"})
    return judging


def test_what_the_story_merged_is_gone_and_what_came_after_stays(merged: Bench) -> None:
    said = merged.baton("undo", "42", "--json").json
    assert said["commit"] == merged.git("rev-parse", "main")
    assert merged.git("show", "main:calc.py") == merged.git("show", f"{said['merge']}^1:calc.py")
    assert merged.git("show", "main:later.py") == "LATER = 1"
    assert merged.git("log", "-1", "--format=%s").startswith("Revert story 42: ")


def test_it_says_how_to_bring_the_story_back_and_that_works(merged: Bench) -> None:
    said = merged.baton("undo", "42").out
    commit = merged.git("rev-parse", "--short=12", "main")
    back = f"THEN to bring it back: git switch main && git revert {commit}"
    assert said.splitlines()[1:] == ["THEN to do it again: /implement 42", back]
    merged.git("revert", "--no-edit", commit)
    assert merged.git("show", "main:calc.py") == "SUB = 1"


def test_undone_twice_is_undone_once(merged: Bench) -> None:
    first = merged.baton("undo", "42")
    assert merged.baton("undo", "42") == first
    assert merged.git("rev-list", "--count", "--grep=^Revert", "main") == "1"


def test_an_edit_in_the_way_is_named_with_what_to_do_and_then_it_is_undone(merged: Bench) -> None:
    merged.write({"calc.py": "MINE = 1\n"})
    refused = merged.baton("undo", "42").refused
    assert re.search(r" calc\.py .*: commit or stash those, then `baton undo 42` again$", refused), refused
    merged.git("stash", "--quiet")
    assert merged.baton("undo", "42").code == 0
    assert merged.git("rev-list", "--count", "--grep=^Revert", "main") == "1"


def test_what_was_brought_back_can_be_undone_again(merged: Bench) -> None:
    first = merged.baton("undo", "42", "--json").json["commit"]
    merged.git("revert", "--no-edit", first)
    assert merged.baton("undo", "42", "--json").json["commit"] not in ("", first)
    assert "SUB" not in merged.git("show", "main:calc.py")


def test_it_is_undone_on_whatever_branch_one_is(merged: Bench) -> None:
    merged.git("switch", "--quiet", "--create", "mine")
    assert merged.baton("undo", "42").code == 0
    assert (merged.branch, merged.git("show", "mine:calc.py")) == ("mine", "SUB = 1")
    assert "SUB" not in merged.git("show", "main:calc.py")


def test_a_story_that_was_undone_says_so(merged: Bench) -> None:
    commit = merged.baton("undo", "42", "--json").json["commit"]
    assert f"revert done: {commit[:12]}" in merged.baton("timeline", "42").out
    assert merged.baton("status", "42").out.startswith("42  undone, 2/2 phases  ")
    assert merged.next()["reason"] == f"the story was merged, and undone by {commit[:12]}"


def test_a_story_that_was_brought_back_is_complete_again(merged: Bench) -> None:
    merged.git("revert", "--no-edit", merged.baton("undo", "42", "--json").json["commit"])
    assert [one["status"] for one in merged.baton("status", "--json").json["stories"]] == ["complete"]


@pytest.mark.parametrize("rule", ["merge/already", "integrate/branch"])
def test_a_merge_a_person_made_is_taken_back_too(rule: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    if rule == "integrate/branch":
        bench.git("merge", "--quiet", "--no-ff", STORY)
    assert bench.baton("undo", "42").code == 0
    assert "SUB" not in bench.git("show", "main:calc.py")


REFUSED: dict[str, tuple[Callable[[Bench], object], str]] = {
    "it is not complete": (lambda bench: bench.new(), "it is not complete: nothing of it was merged"),
    "it is on its branch alone": (leave_it_on_its_branch, "main does not contain it"),
    "it was merged by a fast-forward": (
        lambda bench: (leave_it_on_its_branch(bench), bench.git("merge", "--quiet", "--ff-only", STORY)),
        "no merge commit on main brought it there",
    ),
}


@pytest.mark.parametrize(("make", "why"), REFUSED.values(), ids=REFUSED)
def test_what_no_merge_brought_to_base_is_refused(make: Callable[[Bench], object], why: str, bench: Bench) -> None:
    make(bench)
    before = bench.git("rev-parse", "main")
    said = bench.baton("undo", "42")
    assert said.refused.startswith(f"baton: {why} at ")
    assert bench.git("rev-parse", "main") == before


def test_what_conflicts_with_what_came_after_is_refused_and_leaves_no_trace(merged: Bench) -> None:
    merged.write({"calc.py": "SUB = 3\n"})
    merged.git("commit", "--quiet", "--all", "--message", "on top")
    said = merged.baton("undo", "42")
    assert "by hand: `git switch main`, then `git revert -m 1 " in said.refused
    assert (merged.changes, merged.git("log", "-1", "--format=%s")) == ("", "on top")


def test_nothing_is_undone_over_what_the_user_is_changing(merged: Bench) -> None:
    merged.write({"calc.py": "MINE = 1\n"})
    said = merged.baton("undo", "42")
    assert f"git cannot move main forward in {merged.root}" in said.refused
    assert (merged.root / "calc.py").read_text() == "MINE = 1\n"


@pytest.fixture
def undone(merged: Bench) -> Bench:
    """A story that was undone, and the question what becomes of it."""
    merged.baton("undo", "42")
    assert merged.next()["rule"] == "in-progress/undone"
    return merged


def do_again(bench: Bench, files: dict[str, str]) -> Any:
    """Plan, implement and judge the story anew; gives the last step."""
    bench.answer("again")
    bench.plan()
    bench.implement(files)
    return bench.judge()


def test_a_branch_that_is_gone_is_not_named(undone: Bench) -> None:
    assert f"ON {STORY}" not in undone.baton("question", "42").out
    undone.answer("again")
    undone.meta("blocked", partial_progress={"details": "no access"})
    undone.end()
    assert f"ON {STORY}" in undone.baton("question", "42").out


def test_again_begins_from_base_as_it_is_with_all_retries(undone: Bench) -> None:
    assert undone.answer("again")["agent"] == "baton:planner"
    assert undone.git("rev-parse", f"{STORY}^") == undone.git("rev-parse", "main")
    papers = undone.git("diff", "--name-only", "main", STORY).splitlines()
    assert [PurePath(path).name.split("-")[0] for path in papers] == ["story.md", "implementation"]
    used = ("planning", "iterations", "qa_fail_cycles")
    events = undone.state.events
    assert all(attempts_allowed(name, 2, events) - attempts_used(name, events) >= 2 for name in used)


def test_what_is_done_again_is_merged_and_can_be_undone(undone: Bench) -> None:
    assert do_again(undone, {"calc.py": "SUB = 2\n"})["rule"] == "close/done"
    assert undone.git("show", "main:calc.py") == "SUB = 2"
    assert undone.baton("undo", "42").code == 0
    assert "SUB" not in undone.git("show", "main:calc.py")
    assert undone.next()["rule"] == "in-progress/undone"


def test_a_small_story_is_done_again_in_one_run(micro: Bench) -> None:
    micro.deliver()
    micro.baton("undo", "42")
    micro.next()
    assert micro.answer("again")["agent"] == "baton:micro-delivery"
    assert micro.deliver(files={"calc.py": "SUB = 2\n"})["rule"] == "close/done"
    assert micro.git("show", "main:calc.py") == "SUB = 2"


@pytest.mark.parametrize("more", ["commits: {squash: true}\n", "artifacts: local\n"])
def test_it_is_done_again_by_whatever_commits_it_was_merged(more: str, bench: Bench) -> None:
    drive_to_judging(bench, f"{SETTINGS}{more}")
    bench.judge()
    bench.baton("undo", "42")
    bench.next()
    assert do_again(bench, {"calc.py": "SUB = 2\n"})["rule"] == "close/done"
    assert bench.git("show", "main:calc.py") == "SUB = 2"


def test_what_a_person_merged_from_its_branch_is_done_again_on_it(bench: Bench) -> None:
    leave_it_on_its_branch(bench)
    bench.git("merge", "--quiet", "--no-ff", STORY)
    bench.baton("undo", "42")
    assert bench.next()["rule"] == "in-progress/undone"
    assert do_again(bench, {"calc.py": "SUB = 2\n"})["rule"] == "integrate/branch"
    assert (bench.git("show", f"{STORY}:calc.py"), "SUB" in bench.git("show", "main:calc.py")) == (
        "SUB = 2",
        False,
    )


def test_a_story_that_is_left_says_that_it_was_undone_and_asks_no_more(undone: Bench) -> None:
    left = undone.answer("leave")
    assert left["rule"] == "close/done"
    assert left["reason"].endswith(f", and undone by {undone.git('rev-parse', '--short=12', 'main')}")
    assert undone.next() == left
    assert undone.baton("status", "42").out.startswith("42  undone, 2/2 phases  ")


def test_a_story_that_was_brought_back_is_not_asked_about(merged: Bench) -> None:
    merged.git("revert", "--no-edit", merged.baton("undo", "42", "--json").json["commit"])
    assert merged.next()["rule"] == "close/done"
