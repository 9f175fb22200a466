"""A finding that stands in a thread and in a review's body is one; two findings on one line are two."""

from typing import Any

import pytest

from baton.feedback.land.reply_marker import mark
from baton.feedback.read.models import Thread
from feedback.said import NITPICKS, by, sort, thread

UNIT = "**Name the unit.**\n\nSeconds or milliseconds?"
OTHER = "**Never logged.**\n\nThe password is written in clear text here."


def begun(text: str = UNIT, *replies: Any, **more: Any) -> Thread:
    return thread(by("coderabbitai", f"_⚠️ Potential issue_\n\n{text}"), *replies, **more)


def part(*threads: Thread, body: str = NITPICKS) -> tuple[str, str]:
    """Sort a review that came after these threads; returns the state of its finding, and why."""
    [item] = [one for one in sort(*threads, reviews=(by("coderabbitai", body),)).items if one.is_part]
    return item.state, item.why


def settled(verdict: str) -> Thread:
    """Return a resolved thread with our answer in it."""
    answer = by("me", mark("T_settled", verdict, "r1a2b3c4"))
    return begun(UNIT, answer, id="T_settled", resolved=True)


@pytest.mark.parametrize(("text", "line", "state"), [
    (UNIT, 12, "dropped"),
    ("**Name its unit.**\n\nIs it seconds or milliseconds, and why?", 13, "dropped"),
    (OTHER, 13, "new"),
    (UNIT, 99, "dropped"),
    ("**Name the unit.**\n\nBytes are meant, it seems; the header calls them octets.", 99, "new"),
], ids=["same", "in other words", "something else on its line", "moved", "a like title elsewhere"])  # fmt: skip
def test_a_repeat_has_the_words_of_the_thread(text: str, line: int, state: str) -> None:
    assert part(begun(text, line=line))[0] == state


def test_one_review_does_not_say_a_thing_twice_on_two_lines() -> None:
    review = by("coderabbitai", NITPICKS)
    comment = by("coderabbitai", UNIT, review=review.id)
    items = sort(thread(comment, line=99, original_line=99), reviews=(review,)).items
    assert [one.state for one in items] == ["new", "new"]


@pytest.mark.parametrize("line", [12, 99])
def test_what_was_resolved_is_not_new_because_a_body_repeats_it(line: int) -> None:
    done = begun(line=line, resolved=True)
    assert part(done) == ("dropped", f"says what {done.id} says, which is resolved")
    assert part(begun(OTHER, line=line, resolved=True))[0] == "new"


@pytest.mark.parametrize(("verdict", "state"), [("fixed", "new"), ("not-addressing", "dropped")])
def test_a_later_review_that_finds_again_what_we_fixed_is_heard(verdict: str, state: str) -> None:
    assert part(settled(verdict))[0] == state
    earlier, review = settled(verdict), by("coderabbitai", NITPICKS, created_at="2026-01-01T00:00:00Z")
    assert [one.state for one in sort(earlier, reviews=(review,)).items] == ["dropped"]


def test_a_bot_that_says_itself_that_it_is_there_again_is_heard() -> None:
    again = NITPICKS.replace("🧹 Nitpick", "♻️ Duplicate")
    assert part(settled("not-addressing"), body=again)[0] == "new"
