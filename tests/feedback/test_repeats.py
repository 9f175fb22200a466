"""A finding that a thread says as well is one: where its reader says so, or the words are the very same."""

import pytest

from baton.feedback.fetch.item import part_id
from baton.feedback.fetch.pull_feedback import Thread
from baton.feedback.reader.readings import ReadText
from baton.feedback.text.comment_marks import make_mark
from feedback.said import NITPICK, asks, by, fetched, read, thread

UNIT = "Name the unit."
THERE = asks(UNIT, "src/a.py", 14)
FIRST = "2026-01-01T00:00:00Z"


def begun(text: str = UNIT, **more: object) -> Thread:
    """Return a thread of the bot."""
    return thread(by("coderabbitai", text), **more)


def settled(verdict: str) -> Thread:
    """Return a resolved thread with our answer in it."""
    answer = by("me", make_mark("T_1", verdict, "r1a2b3c4"))
    return thread(by("coderabbitai", "In other words."), answer, id="T_1", resolved=True)


def part(before: Thread, said: ReadText, author: str = "coderabbitai", at: str = "") -> tuple[str, str]:
    """Return the state of the finding of a review that was read so, and why."""
    review = by(author, NITPICK, **{"created_at": at} if at else {})
    record = fetched(before, reviews=(review,))
    made = read(record, *(said if text.surface == "review" else asks(UNIT) for text in record.texts))
    [item] = [one for one in made.items if one.is_part]
    return item.state, item.why


def same_as(name: str) -> ReadText:
    """Return a reading that finds again what stands elsewhere."""
    return asks(UNIT, "src/a.py", 14, same_as=name)


def test_what_a_reader_finds_in_a_thread_as_well_is_no_item() -> None:
    before = begun("In other words.")
    assert part(before, same_as(before.id)) == ("dropped", f"says what {before.id} says")
    assert part(before, THERE) == ("new", "in the body of a review or a comment")


@pytest.mark.parametrize(("text", "path", "author", "state"), [
    ("**Name** the unit!", "src/a.py", "coderabbitai", "dropped"),
    ("Name its unit.", "src/a.py", "coderabbitai", "new"),
    (UNIT, "src/b.py", "coderabbitai", "new"),
    (UNIT, "src/a.py", "sourcery-ai", "new"),
], ids=["the same", "in other words", "of another file", "of another bot"])  # fmt: skip
def test_equal_plain_words_of_one_bot_on_one_file_are_the_same_unsaid(
    text: str, path: str, author: str, state: str
) -> None:
    assert part(begun(text, path=path), THERE, author)[0] == state


def test_of_an_open_and_a_resolved_thread_in_the_same_words_the_open_one_counts() -> None:
    done, left = begun(resolved=True), begun()
    record = fetched(done, left, reviews=(by("coderabbitai", NITPICK),))
    [item] = [one for one in read(record, asks(UNIT), THERE).items if one.is_part]
    assert item.why == f"says what {left.id} says"


def test_what_was_resolved_is_not_new_because_a_body_repeats_it() -> None:
    done = begun(resolved=True)
    assert part(done, THERE) == ("dropped", f"says what {done.id} says, which is resolved")


@pytest.mark.parametrize(("verdict", "state"), [("fixed", "new"), ("not-addressing", "dropped")])
def test_a_later_review_that_finds_again_what_we_fixed_is_heard(verdict: str, state: str) -> None:
    assert part(settled(verdict), same_as("T_1"))[0] == state
    assert part(settled(verdict), same_as("T_1"), at=FIRST)[0] == "dropped"


def test_a_finding_that_is_one_of_an_earlier_body_keeps_its_id_in_whatever_words() -> None:
    name = part_id("coderabbitai", "src/a.py", "In other words.")
    record = fetched(reviews=(by("coderabbitai", NITPICK),))
    [again], [first] = (read(record, said).items for said in (same_as(name), THERE))
    assert (again.id, again.repeated) == (name, True)
    assert (first.id, first.repeated) == (part_id("coderabbitai", "src/a.py", UNIT), False)


def test_of_a_finding_that_two_bodies_have_the_newest_is_the_item_whatever_became_of_the_first() -> None:
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
