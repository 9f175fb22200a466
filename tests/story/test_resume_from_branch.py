"""A story goes on where its journal never was: from its file, its plan and its branch."""

import shutil
import subprocess
from pathlib import Path

import pytest

from bench import FOLDER, PLAN, STORY, Bench

SPEC = "---\nid: 42\ntitle: Subtract numbers\n---\n\n## Acceptance Criteria\n\n- one\n"


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
    made = cloned(implementing, tmp_path / "clone", STORY)
    assert made.next()["rule"] == "start/commands"
    return made


def test_a_fresh_clone_goes_on_from_the_marks_of_the_plan(clone: Bench) -> None:
    step = clone.answer("accept")
    assert (step["rule"], step["agent"]) == ("start/adopted", "baton:implementer")
    assert step["resume"]["resume_phase"] == "2"
    assert any("begun from the marks of its plan" in one for one in step["warnings"])
    assert "begun from the marks of its plan" in clone.brief


def test_a_fresh_clone_is_merged_from_there(clone: Bench) -> None:
    clone.answer("accept")
    clone.implement()
    assert clone.judge()["action"] == "complete"
    assert clone.branch == STORY  # which somebody has checked out: it stays
    assert clone.git("show", "main:test_calc.py") == "TEST = 1"


def test_what_was_made_before_is_under_the_new_work(clone: Bench) -> None:
    before = clone.git("rev-parse", f"origin/{STORY}")
    clone.answer("accept")
    assert clone.git("rev-parse", STORY) == before == clone.run.dispatched.head
    assert clone.state.started is not None
    assert clone.state.started.base_commit == clone.git("rev-parse", "main")


def test_a_story_is_taken_up_from_its_branch_on_a_remote(implementing: Bench, tmp_path: Path) -> None:
    clone = cloned(implementing, tmp_path / "clone")
    assert "its branch is there: `baton next 42` goes on with it" in clone.baton("timeline", "42").err
    assert "its branch is there" not in clone.baton("next", "43").err
    clone.next()
    assert (clone.answer("accept")["rule"], clone.branch) == ("start/adopted", "main")


@pytest.mark.parametrize(
    "text", ["", PLAN.replace("## Risk Register", "## Weather")], ids=["empty", "lacks a section"]
)
def test_a_branch_without_a_valid_plan_begins_with_one(text: str, story: Bench) -> None:
    story.commit({f"{story.state.created.folder}/42.execution-plan.md": text}, STORY)
    shutil.rmtree(story.journal.parent)
    assert story.next()["rule"] == "start/planning"


def test_a_spec_without_a_branch_and_without_a_plan_is_begun_by_a_person_alone(bench: Bench) -> None:
    bench.write({f"{FOLDER}/story.md": SPEC})
    said = bench.baton("next", "42")
    assert "begin it with `baton story new --from" in said.refused
    bench.write({f"{FOLDER}/42.execution-plan.md": PLAN})
    assert bench.next()["rule"] == "start/spec"


def test_another_stories_folder_is_not_taken_up(bench: Bench) -> None:
    files = {"story.md": SPEC.replace("42", "42_7"), "42.execution-plan.md": PLAN}
    bench.write({f"specs/42_7_other/{name}": text for name, text in files.items()})
    assert bench.baton("next", "42").code == 2
