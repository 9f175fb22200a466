"""What the hooks decide by: every row is reached, and a row sends back only where nothing speaks against it."""

import string

import pytest

from baton.rules.all_tables import all_tables
from baton.rules.engine import Row, Table, decide
from baton.rules.facts import RunEndFacts, TurnFacts
from baton.rules.pages import story_tables, table_of
from rules.domains import domain, every_state, neighbors

OWN = {"turn": {"story", "run"}, "run-end": {"run", "missing", "ways"}}
ROWS = [(table, row) for table in (table_of("turn"), table_of("run-end")) for row in table.rows]
each_row = pytest.mark.parametrize(("table", "row"), ROWS, ids=[row.rule for _, row in ROWS])
DUE = TurnFacts("spawn", running=False, interrupted=False, sent_back=False)
OPEN = RunEndFacts(out=True, handed_in=False, cut_off=False, sent_back=False, tree="begun")


def chosen(table: Table, facts: object) -> Row:
    return decide(table, facts, dict.fromkeys(OWN[table.phase], "x")).row


@each_row
def test_a_row_is_chosen_in_some_state_and_not_in_one_beside_it(table: Table, row: Row) -> None:
    fires = [facts for facts in every_state(table) if chosen(table, facts) is row]
    assert fires
    assert any(chosen(table, other) is not row for facts in fires for other in neighbors(facts))


@each_row
def test_a_row_names_what_is_its_own(table: Table, row: Row) -> None:
    values = domain(table.facts)
    assert row.rule.startswith(f"{table.phase}/")
    assert row.action in ("proceed", "send-back")
    assert {name for _, name, _, _ in string.Formatter().parse(row.reason) if name} <= OWN[table.phase]
    assert all(set(accepted) < set(values[name]) for name, accepted in row.facts.items())


def test_no_story_comes_through_these_tables() -> None:
    assert [table.phase for table in all_tables() if table in (table_of("turn"), table_of("run-end"))] == [
        "turn",
        "run-end",
    ]
    assert not any(table in (table_of("turn"), table_of("run-end")) for table in story_tables())


@pytest.mark.parametrize(("facts", "rule"), [
    (DUE, "turn/spawn"),
    (DUE._replace(due="judge"), "turn/judge"),
    (DUE._replace(due="next"), "turn/next"),
    (DUE._replace(due="nothing"), "turn/nothing-due"),
    (DUE._replace(running=True), "turn/running"),
    (DUE._replace(interrupted=True), "turn/interrupted"),
    (DUE._replace(sent_back=True), "turn/sent-back"),
])  # fmt: skip
def test_a_turn_ends_unless_something_is_due_and_nothing_speaks_for_it(facts: TurnFacts, rule: str) -> None:
    assert chosen(table_of("turn"), facts).rule == rule


@pytest.mark.parametrize(("facts", "rule"), [
    (OPEN, "run-end/nothing"),
    (OPEN._replace(tree="unbegun"), "run-end/not-begun"),
    (OPEN._replace(tree="gone"), "run-end/tree-gone"),
    (OPEN._replace(out=False), "run-end/closed"),
    (OPEN._replace(handed_in=True), "run-end/handed-in"),
    (OPEN._replace(cut_off=True), "run-end/cut-off"),
    (OPEN._replace(sent_back=True), "run-end/sent-back"),
    (OPEN._replace(sent_back=True, tree="unbegun"), "run-end/sent-back"),
])  # fmt: skip
def test_a_run_ends_when_it_has_handed_in_or_cannot(facts: RunEndFacts, rule: str) -> None:
    assert chosen(table_of("run-end"), facts).rule == rule
