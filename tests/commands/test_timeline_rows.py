"""Whatever happened to a story is one line for the user."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.commands.timeline import describe_record
from baton.journal.events import KINDS, NAMES, Event
from baton.journal.journal import Record
from journal.happenings import answered, any_event, dispatched, judged


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
@settings(max_examples=10, derandomize=True)
@given(data=st.data())
def test_an_event_of_any_kind_can_be_told(kind: type[Event], data: st.DataObject) -> None:
    row = describe_record(Record(7, "now", data.draw(any_event(kind))))
    assert (row.seq, row.time, row.kind) == (7, "now", NAMES[kind])


@pytest.mark.parametrize(("event", "rule", "guard", "run", "detail"), [
    (dispatched("i1", "implementer"), "some/rule", "limit/proceed", "i1", "implementer i1, attempt 1"),
    (judged("i1", "qa", "report/valid"), "report/valid", "", "i1", "spawn qa: because"),
    (answered("limit/iterations", "planner", "replan"), "limit/iterations", "", "", "replan: a note"),
], ids=["a dispatch", "a judgment", "an answer"])  # fmt: skip
def test_a_row_names_what_an_event_is_about(event: Event, rule: str, guard: str, run: str, detail: str) -> None:
    row = describe_record(Record(1, "now", event))
    assert (row.rule, row.guard, row.run, row.detail) == (rule, guard, run, detail)
