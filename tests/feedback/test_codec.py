"""What is kept of a pull request is read back equal, and what was not kept so is refused."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.scale import QUICKLY
from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import PendingReview, PullRequest, Thread
from baton.feedback.reader.reader_shares import OpenReading
from baton.feedback.reader.readings import Readings
from baton.feedback.reader.texts import Text
from baton.feedback.record.record import PullRequestRecord, json_lines
from baton.feedback.store.kept_files import from_data, to_data
from feedback.test_models import record
from feedback.texts import ANY


@pytest.mark.parametrize("kind", [PullRequest, Thread, Item, Text, Readings, OpenReading])
@QUICKLY
@given(st.data())
def test_what_is_kept_is_read_back_equal(kind: type[Any], data: st.DataObject) -> None:
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


def test_what_is_at_its_default_is_left_out() -> None:
    assert to_data(Readings(latest={"T_1": "k"})) == {"latest": {"T_1": "k"}}
    assert to_data(Path("/x/a.json")) == "/x/a.json"


@pytest.mark.parametrize("data", [
    7, [], {"id": "P_1"}, {"id": "P_1", "url": 7}, {"id": "P_1", "url": None}, {"id": "P_1", "url": "", "x": ""},
], ids=str)  # fmt: skip
def test_what_was_not_kept_so_is_refused(data: Any) -> None:
    assert from_data(PendingReview, {"id": "P_1", "url": ""}) == PendingReview("P_1", "")
    with pytest.raises((TypeError, LookupError)):
        from_data(PendingReview, data)
