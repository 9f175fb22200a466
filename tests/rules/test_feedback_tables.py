"""What a pull request's feedback is judged by: every row is reached, by facts of its own moment."""

import string
from typing import Any, get_args

import pytest

from baton.rules.all_tables import all_tables
from baton.rules.engine import Action, Row, Table, may_decide
from baton.rules.facts import ClusterFacts, FetchFacts, LandFacts, ReadFacts, VerifyFacts
from baton.rules.pages import story_tables, table_of
from baton.rules.sources import SOURCES
from rules.domains import domain, every_state, neighbors

TABLES = {name.partition("-")[2]: table_of(name) for name in SOURCES if name.startswith("feedback-")}
ROWS = [(table, row) for table in TABLES.values() for row in table.rows]
each_row = pytest.mark.parametrize(("table", "row"), ROWS, ids=[row.rule for _, row in ROWS])
PREFIXES = {"fetch": "pr", "read": "pr read", "cluster": "gate", "land": "pr", "verify": "verify"}
READ, PLAIN = (
    ReadFacts(unread=False, out=False, new=True),
    ClusterFacts(targeted=False, volume=False, signal=False),
)
LANDED = VerifyFacts("new", undecided=False, first_cycle=True, converging=True)
CLEAN = LANDED._replace(left="nothing")


def chosen(table: Table, facts: Any) -> Row | None:
    told = dict.fromkeys(SOURCES[table.phase].names.split(), "something")
    decision = may_decide(table, facts, told)
    return decision.row if decision else None


@each_row
def test_a_row_is_chosen_in_some_state_and_not_in_one_beside_it(table: Table, row: Row) -> None:
    fires = [facts for facts in every_state(table) if chosen(table, facts) is row]
    assert fires, "no state leads to this row"
    assert any(chosen(table, other) is not row for facts in fires for other in neighbors(facts))


@each_row
def test_a_row_names_values_its_facts_can_have_but_not_all_of_them(table: Table, row: Row) -> None:
    values = domain(table.facts)
    assert all(set(accepted) < set(values[name]) for name, accepted in row.facts.items())


@each_row
def test_a_row_is_told_what_it_names_and_asks_when_it_stops(table: Table, row: Row) -> None:
    named = {name for _, name, _, _ in string.Formatter().parse(row.reason) if name}
    assert named <= {*SOURCES[table.phase].names.split()}
    assert row.action in get_args(Action)
    assert (row.asks is not None) == (row.action in ("ask", "escalate"))
    assert row.rule.partition("/")[0] in PREFIXES[table.phase.partition("-")[2]].split()


@pytest.mark.parametrize(("facts", "rule", "action"), [
    (FetchFacts(pending_review=True), "pr/pending-review", "refuse"),
    (FetchFacts(pending_review=False), None, None),
    (READ._replace(unread=True), "read/texts", "spawn"),
    (READ._replace(unread=True, out=True), "read/out", "wait"),
    (READ._replace(new=False, unread=True), "read/texts", "spawn"),
    (READ._replace(new=False), "pr/nothing", "complete"),
    (READ, None, None),
    (PLAIN, "gate/none", "proceed"),
    (PLAIN._replace(volume=True), "gate/volume", "cluster"),
    (PLAIN._replace(signal=True), "gate/cross", "cluster"),
    (PLAIN._replace(signal=True, volume=True), "gate/cross", "cluster"),
    (PLAIN._replace(signal=True, volume=True, targeted=True), "gate/targeted", "proceed"),
    (LandFacts(closed=True), "pr/closed", "refuse"),
    (LandFacts(closed=False), "pr/go", "proceed"),
    (CLEAN._replace(first_cycle=False, converging=False), "verify/clean", "complete"),
    (LANDED, "verify/again", "plan"),
    (LANDED._replace(first_cycle=False), "verify/pattern", "ask"),
    (LANDED._replace(converging=False), "verify/pattern", "ask"),
    (LANDED._replace(left="beside", converging=False), "verify/targeted", "complete"),
    (CLEAN._replace(undecided=True), "verify/decide", "ask"),
    (LANDED._replace(undecided=True, left="beside"), "verify/decide", "ask"),
    (LANDED._replace(undecided=True), "verify/again", "plan"),
    (LANDED._replace(undecided=True, first_cycle=False), "verify/pattern", "ask"),
], ids=[
    "a draft of ones own", "none", "an unread text", "a text that is being read",
    "an unread text where nothing is new", "nothing new",
    "what is new is clustered", "few", "three", "one after resolved ones", "three after resolved ones",
    "what a URL names is never clustered", "a closed one is not landed", "an open one is",
    "clean, however long it took", "the first time", "the second time", "rounds that feed themselves",
    "what a URL names is no round of all", "a decision where all else is done", "a decision on what a URL names",
    "what is new goes on before a decision", "the approach is asked before a decision",
])  # fmt: skip
def test_a_pull_request_is_judged_by_the_first_row_that_fits(facts: Any, rule: str, action: str) -> None:
    table = next(table for table in TABLES.values() if table.facts is type(facts))
    row = chosen(table, facts)
    assert (row and row.rule, row and row.action) == (rule, action)


def test_whoever_is_asked_may_go_on_or_leave_it() -> None:
    leads_to = {
        row.rule: {name: one.then for name, one in row.asks.options.items()} for _, row in ROWS if row.asks
    }
    assert leads_to == {
        "verify/decide": {"leave": "complete"},  # before it, the resolver's own options
        "verify/pattern": {"continue": "plan", "leave": "complete"},
    }


def test_no_story_comes_through_these_tables_and_no_rule_stands_in_two() -> None:
    assert [table.phase for table in all_tables() if table in TABLES.values()] == [
        f"feedback-{table}" for table in TABLES
    ]
    assert not {*map(id, TABLES.values())} & {*map(id, story_tables())}
    rules = [row.rule for _, row in ROWS]
    assert len({*rules}) == len(rules)
    assert not {*rules} & {row.rule for table in story_tables() for row in table.rows}
