"""What is left of a bot's review beside its findings, and how many it says there are."""

import pytest

from baton.feedback.read.models import Comment
from baton.feedback.read.triage import Triaged
from feedback.said import NITPICKS, by, sort, thread

SUMMARY = (
    "## Code Review\n\nThis change adds a limit to `retry`. I left remarks on how it counts and on its tests."
)


def review(body: str, threads: int = 1) -> Triaged:
    """Sort a bot's review that was submitted with some threads."""
    made: Comment = by("sourcery-ai", body, state="COMMENTED")
    begun = [
        thread(by("sourcery-ai", f"**Fix {one}.**", review=made.id), line=one) for one in range(1, threads + 1)
    ]
    return sort(*begun, reviews=(made,))


def states(told: Triaged) -> list[str]:
    return [one.state for one in told.items if one.surface == "review_body"]


@pytest.mark.parametrize(("body", "state"), [
    (SUMMARY, "dropped"),
    (f"{SUMMARY}\n\n| File | What |\n|---|---|\n| src/a.py | a limit |\n", "dropped"),
    (f"{SUMMARY} See src/a.py:12 for one more.", "new"),
    (f"{SUMMARY}\n\n- The changelog is missing.", "new"),
    (f"{SUMMARY}\n\n```py\nx = 1\n```", "new"),
    (f"{SUMMARY} {'It goes on. ' * 60}", "new"),
], ids=["a summary", "with a table", "with a place", "with a list", "with code", "long"])  # fmt: skip
def test_the_rest_of_a_review_with_findings_is_a_summary(body: str, state: str) -> None:
    assert states(review(body)) == [state]
    assert states(review(body, threads=0)) == ["new"]


def test_the_same_of_a_person_is_heard() -> None:
    said = by("alice", SUMMARY, state="COMMENTED")
    assert states(sort(thread(by("alice", "Fix it.", review=said.id)), reviews=(said,))) == ["new"]


@pytest.mark.parametrize(("words", "declared"), [
    ("I found 3 issues.", 3), ("Comments generated: 3", 3), ("**3 issues found** across 2 files", 3),
    ("**Actionable comments posted: 3**", 3), ("2 files reviewed, 3 comments", 3), ("I left 3 comments", 3),
    ("I found 3 files without tests.", 0), ("Reviewed 3 commits.", 0),
])  # fmt: skip
def test_a_number_of_findings_is_held_against_what_is_there(words: str, declared: int) -> None:
    told = review(f"{SUMMARY}\n\n{words}", threads=2).problems
    assert len([one for one in told if "declares 3 findings, 2 are" in one]) == bool(declared)
    assert review(f"{SUMMARY}\n\n{words}", threads=3).problems == ()


def test_findings_in_the_body_count_too() -> None:
    one = by("coderabbitai", NITPICKS.replace("posted: 0", "posted: 1"))
    assert sort(reviews=(one,)).problems == ()
