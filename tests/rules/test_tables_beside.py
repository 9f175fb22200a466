"""The tables beside a story, for pull requests, questions and hooks: every row is reached, by facts of its own."""

import string
from typing import Any, get_args

import pytest

from baton.rules.all_tables import all_tables
from baton.rules.engine import Action, Row, Table, may_decide
from baton.rules.facts import (
    AskingFacts,
    ClusterFacts,
    FetchFacts,
    LandFacts,
    ReadFacts,
    RoundQuestionFacts,
    RunEndFacts,
    TurnFacts,
    VerifyFacts,
)
from baton.rules.pages import story_tables, table_of
from baton.rules.sources import SOURCES
from rules.domains import domain, every_state, neighbors
from tables import named_cases

# The tables, and how the names of their rules begin.
PREFIXES = {
    "asking": "asking", "feedback-fetch": "pr", "feedback-read": "pr read", "feedback-cluster": "gate",
    "feedback-land": "pr", "feedback-ask": "plan land", "feedback-verify": "verify", "turn": "turn",
    "run-end": "run-end",
}  # fmt: skip
TABLES = [table_of(name) for name in PREFIXES]
ROWS = [(table, row) for table in TABLES for row in table.rows]
each_row = pytest.mark.parametrize(("table", "row"), ROWS, ids=[row.rule for _, row in ROWS])
READ, PLAIN = (
    ReadFacts(unread=False, out=False, new=True),
    ClusterFacts(targeted=False, volume=False, signal=False),
)
LANDED = VerifyFacts("new", undecided=False, first_cycle=True, converging=True)
CLEAN = LANDED._replace(left="nothing")
DUE = TurnFacts("spawn", running=False, interrupted=False, sent_back=False)
OPEN = RunEndFacts(out=True, handed_in=False, cut_off=False, sent_back=False, tree="begun")
# What stops a round, each by a rule of its name.
ASKED = ("plan/push", "land/stranger", "land/commands", "land/production", "land/conflict", "land/validation")
CASES: dict[str, tuple[Any, str | None, str | None]] = {
    "a draft of ones own": (FetchFacts(pending_review=True), "pr/pending-review", "refuse"),
    "none": (FetchFacts(pending_review=False), None, None),
    "an unread text": (READ._replace(unread=True), "read/texts", "spawn"),
    "a text that is being read": (READ._replace(unread=True, out=True), "read/out", "wait"),
    "an unread text where nothing is new": (READ._replace(new=False, unread=True), "read/texts", "spawn"),
    "nothing new": (READ._replace(new=False), "pr/nothing", "complete"),
    "what is new is clustered": (READ, None, None),
    "few": (PLAIN, "gate/none", "proceed"),
    "three": (PLAIN._replace(volume=True), "gate/volume", "cluster"),
    "one after resolved ones": (PLAIN._replace(signal=True), "gate/cross", "cluster"),
    "three after resolved ones": (PLAIN._replace(signal=True, volume=True), "gate/cross", "cluster"),
    "what a URL names is never clustered": (
        PLAIN._replace(signal=True, volume=True, targeted=True),
        "gate/targeted",
        "proceed",
    ),
    "a closed one is not landed": (LandFacts(closed=True), "pr/closed", "refuse"),
    "an open one is": (LandFacts(closed=False), "pr/go", "proceed"),
    **{rule: (RoundQuestionFacts(rule), rule, "ask") for rule in ASKED},
    "clean, however long it took": (
        CLEAN._replace(first_cycle=False, converging=False),
        "verify/clean",
        "complete",
    ),
    "the first time": (LANDED, "verify/again", "plan"),
    "the second time": (LANDED._replace(first_cycle=False), "verify/pattern", "ask"),
    "rounds that feed themselves": (LANDED._replace(converging=False), "verify/pattern", "ask"),
    "what a URL names is no round of all": (
        LANDED._replace(left="beside", converging=False),
        "verify/targeted",
        "complete",
    ),
    "a decision where all else is done": (CLEAN._replace(undecided=True), "verify/decide", "ask"),
    "a decision on what a URL names": (LANDED._replace(undecided=True, left="beside"), "verify/decide", "ask"),
    "what is new goes on before a decision": (LANDED._replace(undecided=True), "verify/again", "plan"),
    "the approach is asked before a decision": (
        LANDED._replace(undecided=True, first_cycle=False),
        "verify/pattern",
        "ask",
    ),
    "a run is due": (DUE, "turn/spawn", "send-back"),
    "a judgment is due": (DUE._replace(due="judge"), "turn/judge", "send-back"),
    "the next step is due": (DUE._replace(due="next"), "turn/next", "send-back"),
    "nothing is due": (DUE._replace(due="nothing"), "turn/nothing-due", "proceed"),
    "an agent runs": (DUE._replace(running=True), "turn/running", "proceed"),
    "the user interrupted it": (DUE._replace(interrupted=True), "turn/interrupted", "proceed"),
    "it was sent back before": (DUE._replace(sent_back=True), "turn/sent-back", "proceed"),
    "a run without a hand-in": (OPEN, "run-end/nothing", "send-back"),
    "a run that did not begin": (OPEN._replace(tree="unbegun"), "run-end/not-begun", "send-back"),
    "a run whose tree is gone": (OPEN._replace(tree="gone"), "run-end/tree-gone", "proceed"),
    "a run that is over": (OPEN._replace(out=False), "run-end/closed", "proceed"),
    "a run that handed in": (OPEN._replace(handed_in=True), "run-end/handed-in", "proceed"),
    "a run that was cut off": (OPEN._replace(cut_off=True), "run-end/cut-off", "proceed"),
    "a run that was sent back": (OPEN._replace(sent_back=True), "run-end/sent-back", "proceed"),
    "one that was sent back and did not begin": (
        OPEN._replace(sent_back=True, tree="unbegun"),
        "run-end/sent-back",
        "proceed",
    ),
    "a question with a pull request": (AskingFacts(allows=False, place="pull"), "asking/pull", "post"),
    "a question with an issue": (AskingFacts(allows=False, place="issue"), "asking/issue", "post"),
    "a question with neither": (AskingFacts(allows=False, place="none"), "asking/nowhere", "proceed"),
    "a question that allows, with a pull request": (
        AskingFacts(allows=True, place="pull"),
        "asking/client",
        "proceed",
    ),
    "a question that allows, with an issue": (AskingFacts(allows=True, place="issue"), "asking/client", "proceed"),
    "a question that allows, with neither": (AskingFacts(allows=True, place="none"), "asking/client", "proceed"),
}


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
    assert row.rule.partition("/")[0] in PREFIXES[table.phase].split()


@named_cases("facts, rule, action", CASES)
def test_the_first_row_that_fits_is_chosen(facts: Any, rule: str, action: str) -> None:
    table = next(table for table in TABLES if table.facts is type(facts))
    row = chosen(table, facts)
    assert (row and row.rule, row and row.action) == (rule, action)


def test_whoever_is_asked_may_go_on_or_leave_it() -> None:
    leads_to = {
        row.rule: {name: one.then for name, one in row.asks.options.items()} for _, row in ROWS if row.asks
    }
    assert leads_to == {
        "plan/push": {"accept": "go-on"},
        "land/stranger": {"accept": "go-on", "accept-home": "go-on", "leave": "complete"},
        "land/commands": {"accept": "go-on"},
        "land/production": {"accept": "go-on"},
        "land/conflict": {"again": "go-on"},  # or without the unit, `--skip-unit`
        "land/validation": {"retry": "go-on", "accept": "go-on"},
        "verify/decide": {"leave": "complete"},  # before it, the resolver's own options
        "verify/pattern": {"continue": "plan", "leave": "complete"},
    }


def test_no_story_comes_through_these_tables_and_no_rule_stands_in_two() -> None:
    assert [table.phase for table in all_tables() if table in TABLES] == [*PREFIXES]
    assert not {*map(id, TABLES)} & {*map(id, story_tables())}
    rules = [row.rule for _, row in ROWS]
    assert len({*rules}) == len(rules)
    assert not {*rules} & {row.rule for table in story_tables() for row in table.rows}
    assert {*rules} == {rule for _, rule, _ in CASES.values() if rule}
