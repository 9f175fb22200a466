"""What is written when a story closes."""

import pytest

from baton.errors import BatonError
from baton.story.complete import _with_status
from bench import VERDICT, Bench

FOLDER = "specs/42_subtract-numbers"


def merged(bench: Bench, name: str) -> str:
    """Return a file of the story's folder as it was merged."""
    return bench.git("show", f"main:{FOLDER}/{name}")


def test_only_the_status_of_the_front_matter_is_written() -> None:
    text = _with_status("---\nid: 42\nstatus: new\n---\n# T\n\nstatus: as it was\n")
    assert text == "---\nid: 42\nstatus: complete\n---\n# T\n\nstatus: as it was\n"


def test_a_story_without_a_status_gets_one() -> None:
    text = _with_status("---\nid: 42\n---\n\nstatus: as it was\n")
    assert text == "---\nstatus: complete\nid: 42\n---\n\nstatus: as it was\n"


def test_a_story_without_front_matter_is_refused_in_one_line() -> None:
    with pytest.raises(BatonError, match=r"^no front matter at story\.md: "):
        _with_status("# T\n")


def test_the_report_says_how_each_criterion_was_seen(judging: Bench) -> None:
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen").replace("ran it", "ran `sub`: 1 | one", 1))
    judging.end()
    assert "- AC1: sub(3, 2) is 1 — PASS, ran `sub`: 1 | one\n" in merged(judging, "42.completion-report.md")
    assert "- AC2: a test shows it — PASS, ran it\n" in merged(judging, "42.completion-report.md")
