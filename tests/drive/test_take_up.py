"""A story goes on where its journal never was: from its file, its plan and its branch."""

import subprocess
from pathlib import Path

import pytest

from bench import PLAN, Bench

BRANCH = "story/42-subtract-numbers"


def cloned(bench: Bench, to: Path, *switch: str) -> Bench:
    """Clone a repository as a colleague would, and check a branch out."""
    subprocess.run(("git", "clone", "--quiet", "--branch", "main", bench.root, to), check=True)
    clone = Bench(to, bench.id)
    if switch:
        clone.git("switch", "--quiet", *switch)
    return clone


@pytest.fixture
def clone(implementing: Bench, tmp_path: Path) -> Bench:
    """Clone a story with one of two phases done, and check its branch out."""
    implementing.work(1)
    made = cloned(implementing, tmp_path / "clone", BRANCH)
    assert made.next()["rule"] == "start/commands"
    return made


def test_a_fresh_clone_goes_on_from_the_marks_of_the_plan(clone: Bench) -> None:
    step = clone.answer("accept")
    assert (step["rule"], step["agent"], step["resume"]["resume_phase"]) == (
        "start/adopted",
        "baton:implementer",
        "2",
    )
    assert any("begun from the marks of its plan" in one for one in step["warnings"])
    assert "begun from the marks of its plan" in clone.brief


def test_a_fresh_clone_is_merged_and_left_on_base(clone: Bench) -> None:
    clone.answer("accept")
    clone.implement()
    assert clone.judge()["action"] == "complete"
    assert (clone.branch, clone.git("branch", "--list", BRANCH)) == ("main", "")
    assert clone.git("show", "main:test_calc.py") == "TEST = 1"


def test_what_was_made_before_is_under_the_new_work(clone: Bench) -> None:
    before = clone.git("rev-parse", f"origin/{BRANCH}")
    clone.answer("accept")
    assert clone.git("merge-base", before, "HEAD") == before
    assert clone.state.started is not None
    assert clone.state.started.base_commit == clone.git("rev-parse", "main")


def test_from_base_the_branch_to_check_out_is_named(implementing: Bench, tmp_path: Path) -> None:
    clone = cloned(implementing, tmp_path / "clone")
    said = clone.baton("next", "42")
    assert (said.code, f"its branch is there: `git switch {BRANCH}`, then call again" in said.err) == (2, True)
    assert "its branch is there" not in clone.baton("next", "43").err


def test_a_spec_without_a_plan_is_begun_by_a_person_alone(story: Bench) -> None:
    story.journal.rename(story.journal.with_suffix(".aside"))
    said = story.baton("next", "42")
    assert (said.code, "a person begins it with `baton story new --from" in said.err) == (2, True)
    story.write({f"{story_folder(story)}/42.execution-plan.md": PLAN})
    assert story.next()["rule"] == "start/adopted"


def story_folder(bench: Bench) -> str:
    return next(bench.root.glob("specs/42_*")).relative_to(bench.root).as_posix()


@pytest.mark.parametrize(
    "text", ["", PLAN.replace("## Risk Register", "## Weather")], ids=["empty", "lacks a section"]
)
def test_a_plan_that_is_not_valid_adopts_nothing(implementing: Bench, text: str) -> None:
    implementing.place("plan").write_text(text, encoding="utf-8")
    implementing.journal.rename(implementing.journal.with_suffix(".aside"))
    assert implementing.baton("next", "42").code == 2


def test_another_stories_folder_is_not_taken_up(implementing: Bench) -> None:
    folder = implementing.root / story_folder(implementing)
    folder.rename(folder.with_name("42_7_other"))
    implementing.journal.rename(implementing.journal.with_suffix(".aside"))
    spec = folder.with_name("42_7_other") / "story.md"
    spec.write_text(spec.read_text().replace("id: 42", "id: 42_7"))
    assert implementing.baton("next", "42").code == 2
