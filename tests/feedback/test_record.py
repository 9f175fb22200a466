"""What is kept of a pull request is read back equal; its JSON is held by an example, and no stranger is in it."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import PendingReview, PullRequest, Thread
from baton.feedback.reader.reader_shares import OpenReading
from baton.feedback.reader.readings import Readings, ReadText
from baton.feedback.reader.texts import Text
from baton.feedback.record.record import PullRequestRecord, json_lines
from baton.feedback.record.views import view_record
from baton.feedback.store.kept_files import from_data, to_data
from baton.github.address import CommentRef
from bench import ROOT
from feedback.said import LIMITED, NITPICK, PULL, asks, at_first, by, fetched, read, thread
from feedback.texts import ANY
from scale import QUICKLY


@pytest.mark.parametrize("kind", [PullRequest, Thread, Item, Text, Readings, OpenReading])
@QUICKLY
@given(st.data())
def test_a_kept_value_is_read_back_equal(kind: type[Any], data: st.DataObject) -> None:
    kept = data.draw(st.from_type(kind))
    assert from_data(kind, json.loads(json.dumps(to_data(kept)))) == kept


def test_a_record_is_written_line_by_line_and_read_back_equal() -> None:
    lines = b"".join(json_lines(to_data(record())))
    assert from_data(PullRequestRecord, json.loads(lines)) == record()


@QUICKLY
@given(ANY)
def test_no_character_of_a_text_is_lost(text: str) -> None:
    one = PendingReview(text, "")
    assert from_data(PendingReview, json.loads(json.dumps(to_data(one)))) == one


def test_a_field_at_its_default_is_left_out() -> None:
    assert to_data(Readings(latest={"T_1": "k"})) == {"latest": {"T_1": "k"}}
    assert to_data(Path("/x/a.json")) == "/x/a.json"


@pytest.mark.parametrize("data", [
    7, [], {"id": "P_1"}, {"id": "P_1", "url": 7}, {"id": "P_1", "url": None}, {"id": "P_1", "url": "", "x": ""},
], ids=str)  # fmt: skip
def test_data_of_another_form_is_refused(data: Any) -> None:
    assert from_data(PendingReview, {"id": "P_1", "url": ""}) == PendingReview("P_1", "")
    with pytest.raises((TypeError, LookupError)):
        from_data(PendingReview, data)


EXAMPLE = ROOT / "tests/examples/feedback/record.json"


def record() -> PullRequestRecord:
    """Make a record with one of everything, of which all but the last text was read."""
    at_first()
    asked = thread(by("alice", "rename\r\u202e this", edited_at="2026-02-01T00:00:00Z"), by("stranger", "canary"))
    outdated = thread(by("bob", "rename"), outdated=True, line=None, commit="b" * 40)
    settled = thread(by("alice", "rename"), resolved=True)
    made = fetched(
        asked, outdated, settled,
        comments=(by("newcomer", "canary"), by("sourcery-ai", LIMITED)),
        reviews=(by("coderabbitai", NITPICK, state="COMMENTED"), by("me", "draft", state="PENDING"),
                 by("bob", "I wonder.", state="COMMENTED")),
    )  # fmt: skip
    unit = asks("Name the unit.", "src/a.py", 14, start_line=12, severity="low")
    said = (
        asks("rename"),
        ReadText("whole", failed=True),
        ReadText("not-reviewed", quote="Rate limit exceeded"),
    )
    pull = PULL._replace(title="a\u200bb", head="fix(x)", head_repository="eve/app", cross_repository=True)
    target = CommentRef("review_thread", asked.comments[0].number)
    return read(made, *said, unit, **{settled.id: "naming"})._replace(pull=pull, target=target, after="r1")


def test_the_json_is_that_of_the_example() -> None:
    assert view_record(record()) == json.loads(EXAMPLE.read_text(encoding="utf-8"))


def test_neither_the_json_nor_what_is_kept_has_a_word_of_a_stranger() -> None:
    for data in (view_record(record()), to_data(record())):
        assert ("canary" in json.dumps(data), "rename" in json.dumps(data)) == (False, True)
