"""A finding that a thread says as well is one: where its reader says so, or the words are the very same."""

from typing import Any

import pytest

from baton.feedback.fetch.item import part_id
from baton.feedback.fetch.pull_feedback import Comment, Thread
from baton.feedback.reader.readings import ReadText
from baton.feedback.text.comment_marks import make_mark
from feedback.said import NITPICK, asks, by, fetched, read, talk, thread

UNIT = "Name the unit."
THERE = asks(UNIT, "src/a.py", 14)


def begun(text: str = UNIT, **more: object) -> Thread:
    """Return a thread of the bot."""
    return thread(by("coderabbitai", text), **more)


def same_as(name: str) -> ReadText:
    """Return a reading that finds again what stands elsewhere."""
    return asks(UNIT, "src/a.py", 14, same_as=name)


AGAIN = same_as("T_1")
SAYS = "dropped: says what T_1 says"
PARTS = {
    "its reader finds it in a thread": ("In other words.", {}, AGAIN, SAYS),
    "its reader does not": ("In other words.", {}, THERE, "new: in the body of a review or a comment"),
    "the very words stand in a thread": ("**Name** the unit!", {}, THERE, SAYS),
    "other words do": ("Name its unit.", {}, THERE, "new"),
    "they are on another file": (UNIT, {"path": "src/b.py"}, THERE, "new"),
    "they are in a thread that is resolved": (UNIT, {"resolved": True}, THERE, f"{SAYS}, which is resolved"),
}


@pytest.mark.parametrize(("words", "more", "said", "state"), PARTS.values(), ids=PARTS)
def test_a_finding_a_thread_has_is_no_item(words: str, more: dict[str, Any], said: ReadText, state: str) -> None:
    assert part(begun(words, id="T_1", **more), said).startswith(state)


def test_equal_words_of_two_bots_are_two_items() -> None:
    assert part(begun(), THERE, by("sourcery-ai", NITPICK)).startswith("new")


@pytest.mark.parametrize(("verdict", "state"), [("fixed", "new"), ("not-addressing", "dropped")])
def test_a_later_review_that_finds_again_what_we_fixed_is_heard(verdict: str, state: str) -> None:
    settled = talk(f"coderabbitai me:{verdict} resolved")
    before = by("coderabbitai", NITPICK, created_at="2026-01-01T00:00:00Z")
    assert (part(settled, AGAIN).partition(":")[0], part(settled, AGAIN, before)[:7]) == (state, "dropped")


def part(before: Thread, said: ReadText, review: Comment | None = None) -> str:
    """Return the state of the finding of a review that was read so, and why."""
    record = fetched(before, reviews=(review or by("coderabbitai", NITPICK),))
    made = read(record, *(said if text.surface == "review" else asks(UNIT) for text in record.texts))
    [item] = [one for one in made.items if one.is_part]
    return f"{item.state}: {item.why}"


def test_an_open_thread_counts_before_a_resolved_one_in_the_same_words() -> None:
    done, left = begun(resolved=True), begun()
    record = fetched(done, left, reviews=(by("coderabbitai", NITPICK),))
    [item] = [one for one in read(record, asks(UNIT), THERE).items if one.is_part]
    assert item.why == f"says what {left.id} says"


def test_a_finding_that_is_one_of_an_earlier_body_keeps_its_id_in_whatever_words() -> None:
    name = part_id("coderabbitai", "src/a.py", "In other words.")
    record = fetched(reviews=(by("coderabbitai", NITPICK),))
    [again], [first] = (read(record, said).items for said in (same_as(name), THERE))
    assert (again.id, again.repeated) == (name, True)
    assert (first.id, first.repeated) == (part_id("coderabbitai", "src/a.py", UNIT), False)


def test_the_newest_of_two_bodies_with_one_finding_is_the_item() -> None:
    name = part_id("coderabbitai", "src/a.py", UNIT)
    answer = by("me", make_mark(name, "fixed", "r1a2b3c4"))
    bodies = (by("coderabbitai", NITPICK), by("coderabbitai", f"{NITPICK}\n\nIt is still missing."))
    record = fetched(comments=(answer,), reviews=bodies)
    [item] = [one for one in read(record, THERE, same_as(name)).items if one.is_part]
    assert (item.id, item.state, item.url) == (name, "new", bodies[1].url)


def test_a_thread_is_not_found_again_by_its_own_words() -> None:
    before = [begun(), begun(resolved=True)]
    for other, repeated in ((before[0].id, False), (before[1].id, True)):
        [item] = read(fetched(*before), asks(UNIT, same_as=other)).new
        assert item.repeated == repeated


def test_two_findings_that_are_both_said_to_be_an_earlier_one_are_two_items() -> None:
    name = part_id("coderabbitai", "src/a.py", "In other words.")
    record = fetched(reviews=(by("coderabbitai", f"{UNIT} {UNIT}"),))
    assert len({one.id for one in read(record, ReadText("actionable", same_as(name).findings * 2)).new}) == 2


def test_one_review_that_says_a_thing_twice_has_two_items() -> None:
    record = fetched(reviews=(by("coderabbitai", f"{UNIT} {UNIT}"),))
    both = ReadText("actionable", THERE.findings * 2)
    assert len({one.id for one in read(record, both).new}) == 2


def test_a_review_in_the_words_of_an_earlier_one_is_read_again_where_it_has_no_threads() -> None:
    first, again, once_more = (by("coderabbitai", NITPICK) for _ in range(3))
    begun_with_it = thread(by("coderabbitai", UNIT, review=first.id))
    texts = fetched(begun_with_it, reviews=(first, again, once_more)).texts
    assert len({text.key for text in texts if text.surface == "review"}) == 2
