"""What comments, reviews and the findings in them are: to be read, answered, or as their reader has it."""

import json
from pathlib import Path

import pytest

from baton.artifacts.schema import schema_text
from baton.feedback.fetch.item import part_id
from baton.feedback.reader.items import SEVERITIES
from baton.feedback.reader.readings import ReadFinding, ReadText
from baton.feedback.record.views import view_item
from baton.feedback.text.comment_marks import make_mark
from baton.github.accounts import Actor
from baton.templates import render
from feedback.said import IGNORE, LIMITED, NITPICK, ROUND, asks, by, edited, fetched, only, read, sort

UNIT = asks("Name the unit.", "src/a.py", 14, start_line=12)
PART = part_id("coderabbitai", "src/a.py", "Name the unit.")


# Comments on the pull request, and reviews


@pytest.mark.parametrize("name", ["alice", "bob", "me"])
def test_everyones_request_counts_the_authors_and_ones_own_too(name: str) -> None:
    item = only(comments=(by(name, "Please split the module"),))
    assert (item.surface, item.state) == ("pr_comment", "new")


@pytest.mark.parametrize(("name", "state"), [("stranger", "quarantined"), ("newcomer", "unverified")])
def test_a_comment_of_somebody_else_is_kept_out(name: str, state: str) -> None:
    record = fetched(comments=(by(name, "Please split the module"),))
    assert ([(one.state, one.title) for one in record.found], record.texts) == ([(state, "")], ())


@pytest.mark.parametrize(
    ("said", "state"), [(IGNORE, "dropped"), (asks("otherwise nothing"), "new"), (None, "unread")]
)
def test_whether_a_comment_asks_for_something_is_what_its_reader_says(said: ReadText | None, state: str) -> None:
    record = fetched(comments=(by("alice", "Looks good to me otherwise nothing"),))
    assert [one.state for one in read(record, *filter(None, [said])).items] == [state]


def test_a_comment_is_answered_by_a_mark_or_by_quoting_it() -> None:
    asked = by("alice", "Please split the module into two.\nIt is long.")
    marked = by("me", f"Done. {make_mark(asked.id, 'fixed', ROUND)}")
    quoted = by("me", "> Please split the module into two.\n\nDone.")
    assert [one.state for one in sort(comments=(asked, marked))] == ["answered", "dropped"]
    assert [one.state for one in sort(comments=(asked, quoted))] == ["answered", "dropped"]
    other = by("me", "> something else entirely\n\nDone.")
    assert [one.state for one in sort(comments=(asked, other))] == ["new", "dropped"]


def test_a_comment_that_was_edited_after_its_answer_is_new() -> None:
    asked = by("alice", "Please split the module")
    answer = by("me", make_mark(asked.id, "fixed", ROUND))
    assert sort(comments=(asked, answer))[0].state == "answered"
    assert sort(comments=(edited(asked), answer))[0].state == "new"


@pytest.mark.parametrize(("more", "why"), [
    ({"minimized": "outdated"}, "minimized (outdated)"), ({"state": "DISMISSED"}, "the review was dismissed"),
])  # fmt: skip
def test_feedback_that_was_set_aside_on_github_is_dropped(more: dict[str, str], why: str) -> None:
    assert only(reviews=(by("alice", "Please split the module", **more),)).why == why


def test_an_empty_review_and_a_draft_are_no_items() -> None:
    reviews = (by("alice", " \n", state="APPROVED"), by("me", "to be said", state="PENDING"))
    assert sort(reviews=reviews) == ()


# What bots write


def test_findings_in_the_body_of_a_review_are_items_of_their_own() -> None:
    [item] = read(fetched(reviews=(by("coderabbitai", NITPICK, state="COMMENTED"),)), UNIT).items
    assert (item.id, item.surface, item.state, item.path) == (PART, "review_body_part", "new", "src/a.py")
    assert (item.line, item.start_line, item.title) == (14, 12, "Name the unit.")
    assert item.text == NITPICK


def test_a_body_that_asks_for_one_thing_and_names_no_place_is_an_item_as_a_whole() -> None:
    record = fetched(comments=(by("alice", "Please split the module"),))
    [item] = read(record, asks("split the module", severity="high")).items
    assert (item.id, item.surface, item.title) == (record.comments[0].id, "pr_comment", "split the module")
    assert (item.category, item.severity) == ("naming", "high")


@pytest.mark.parametrize("place", [None, "src/a.py"], ids=["as a whole", "a part"])
def test_an_invisible_character_of_a_quote_is_made_visible_once(place: str | None) -> None:
    record = fetched(comments=(by("alice", "src/a.py: rename\u202e this"),))
    [item] = read(record, asks("rename[U+202E] this", place)).items
    assert view_item(item)["title"] == "rename[U+202E] this"


def test_each_of_several_findings_shows_the_lines_it_stands_on() -> None:
    words = "\n".join(f"line {number}" for number in range(1, 41))
    found = [ReadFinding(f"line {number}", words.index(f"line {number}"), "other") for number in (10, 30)]
    record = read(fetched(reviews=(by("coderabbitai", words),)), ReadText("actionable", tuple(found)))
    lines = [one.text.split("\n") for one in record.items]
    assert [(line[0], line[-1]) for line in lines] == [("line 7", "line 29"), ("line 27", "line 40")]


def test_a_finding_keeps_its_id_on_another_line_and_in_the_next_review() -> None:
    reviews = by("coderabbitai", NITPICK), by("coderabbitai", NITPICK.replace("12-14", "92"))
    items = read(fetched(reviews=reviews), UNIT, asks("Name the unit.", "src/a.py", 92)).items
    assert [(one.id, one.state, one.line) for one in items] == [(PART, "new", 92)]


@pytest.mark.parametrize(("verdict", "state"), [("fixed", "new"), ("not-addressing", "answered")])
def test_a_finding_that_returns_is_new_after_a_fix_not_after_a_refusal(verdict: str, state: str) -> None:
    first, answer = by("coderabbitai", NITPICK), by("me", make_mark(PART, verdict, ROUND))
    again = by("coderabbitai", NITPICK)
    answered = read(fetched(reviews=(first,), comments=(answer,)), UNIT).items
    repeated = read(fetched(reviews=(first, again), comments=(answer,)), UNIT).items
    assert [one.state for one in answered if one.id == PART] == ["answered"]
    assert [one.state for one in repeated if one.id == PART][-1] == state


def test_a_user_named_like_a_bot_is_not_read_as_one() -> None:
    impostor = by("alice", NITPICK)._replace(author=Actor("coderabbitai", "User", 5))
    assert [one.state for one in sort(reviews=(impostor,))] == ["unverified"]


NOT_REVIEWED = ReadText("not-reviewed", quote="Rate limit exceeded")


def test_a_bot_that_did_not_review_is_told_and_its_silence_is_no_approval() -> None:
    told = read(fetched(comments=(by("coderabbitai", LIMITED),)), NOT_REVIEWED)
    assert [(one.bot, one.why) for one in told.not_reviewed] == [("coderabbitai", "Rate limit exceeded")]
    assert [one.state for one in told.items] == ["dropped"]


def test_a_bot_that_reviewed_after_all_is_not_told() -> None:
    limited, later = by("coderabbitai", LIMITED), by("coderabbitai", NITPICK, state="COMMENTED")
    assert read(fetched(comments=(limited,), reviews=(later,)), NOT_REVIEWED, UNIT).not_reviewed == ()


def test_a_severity_is_one_word_for_the_reader_its_schema_and_its_items() -> None:
    text = json.loads(schema_text("feedback-reading"))["properties"]["texts"]["items"]
    assert tuple(text["properties"]["findings"]["items"]["properties"]["severity"]["enum"]) == SEVERITIES
    brief = (Path(render.__file__).parent / "brief-reader.md.j2").read_text(encoding="utf-8")
    assert f"- `severity`: {' '.join(SEVERITIES)}, only where" in brief
