"""Every row of every table can be chosen, is told what it says, and leads to something the program carries out."""

import ast
import re
import string
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from baton.errors import BatonError
from baton.journal.run import ROLES
from baton.rules.budgets import PHASE_BUDGETS
from baton.rules.engine import Row, Table, may_decide
from baton.rules.pages import story_tables, table_of
from baton.story import integrate_story, stages
from baton.story.ask import question
from baton.story.ask.step import Step
from baton.story.judge.judge import JUDGES
from rules.domains import domain, every_state, neighbors

STORY = Path(question.__file__).parents[1]
DRIVE = sorted((*STORY.rglob("*.py"), *STORY.parent.glob("delivery/*.py")))
ROWS = [(table, row) for table in story_tables() for row in table.rows]
IDS = [f"{row.rule}, {', '.join(map(str, row.facts.values())) or 'otherwise'}" for _, row in ROWS]
each_row = pytest.mark.parametrize(("table", "row"), ROWS, ids=IDS)
each_table = pytest.mark.parametrize("table", story_tables(), ids=[table.phase for table in story_tables()])

TREES = {path: ast.parse(path.read_text()) for path in DRIVE}
# Each function that may ask a table.
FUNCTIONS = [node for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
ASKS = {"decide", "may_decide"}
# The functions that return what several tables are told.
TELLS = re.compile("message_values$|reason_values$|_told|_verdict_values$")
TOLD = {"values", "words"}

PREFIXES = {
    "in-progress": {"in-progress", "git"},
    "spawn-limits": {"limit"},
    "integration": {"integrate", "sync", "build", "test", "prepush", "close", "merge"},
    "delivery": {"integrate", "github", "push", "pr", "ci", "review", "merge", "deploy"},
    "checks": {"ci"},
}
ANSWERED_BY = {*ROLES, "integrate", "start", "wait", "below", "look", "again", "due", "fixer", "defer", "abandon"}
ANSWERED_BY |= {"anew", "complete"}


class Anything(dict[str, object]):
    """Tells a reason whatever it asks for."""

    def __missing__(self, key: str) -> str:
        return key


def chosen(table: Table, facts: Any) -> Row | None:
    try:
        decision = may_decide(table, facts, Anything())
    except BatonError:
        return None
    return decision.row if decision else None


@cache
def rows_of(phase: str) -> dict[Any, Row | None]:
    """Return the row a table chooses in every state there is."""
    [table] = [table for table in story_tables() if table.phase == phase]
    return {facts: chosen(table, facts) for facts in every_state(table)}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def calls_in(node: ast.AST) -> list[ast.Call]:
    return [call for call in ast.walk(node) if isinstance(call, ast.Call)]


def named(node: ast.AST) -> str:
    """Return the last part of a name, as `b` of `a.b`; empty for what is none."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def phase_asked(call: ast.Call) -> str:
    """Return the phase whose table a call asks: of `decide(table_of("qa"), …)`, that is `qa`."""
    match call:
        case ast.Call(func=asks, args=[ast.Call(func=of, args=[ast.Constant(value=str(phase))]), *_]):
            return phase if named(asks) in ASKS and named(of) == "table_of" else ""
    return ""


def told_to(table: Table) -> set[str]:
    """Give the keys of what is told where this table is asked: by that function, and by those it calls for it."""
    asking = [one for one in FUNCTIONS if table.phase in map(phase_asked, calls_in(one))]
    names = {named(node) for function in asking for node in ast.walk(function)}
    of_runs = [function for function in FUNCTIONS if function.name == "collect_run_facts" and "evidence" in names]
    called = [function for function in FUNCTIONS if TELLS.match(function.name) and function.name in names]
    return set().union(*map(told_keys, [*asking, *called, *of_runs]))


def told_keys(function: ast.FunctionDef) -> set[str]:
    """Return the keys of the dictionaries that a function calls `values` or `words`, returns, or hands over."""
    found: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [node.value for target in targets if named(target) in TOLD]
        elif isinstance(node, ast.Return) and TELLS.match(function.name) and node.value:
            found.append(node.value)
        elif isinstance(node, ast.Call) and named(node.func) in ASKS:
            found += node.args[2:3]
    keys = [key for one in found if isinstance(one, ast.Dict) for key in one.keys]
    return {str(key.value) for key in keys if isinstance(key, ast.Constant)}


def leads_to(row: Row) -> set[str]:
    """Give what the answers to a row's question lead to."""
    return {one.then for one in row.asks.options.values()} if row.asks else set()


@each_row
def test_a_row_is_chosen_in_some_state_and_not_in_one_beside_it(table: Table, row: Row) -> None:
    rows = rows_of(table.phase)
    fires = [facts for facts, found in rows.items() if found is row]
    assert fires, "no state leads to this row"
    beside = any(rows[other] is not row for facts in fires for other in neighbors(facts))
    assert beside, "no single fact decides for this row"


@each_row
def test_a_row_names_values_its_facts_can_have_but_not_all_of_them(table: Table, row: Row) -> None:
    values = domain(table.facts)
    for name, accepted in row.facts.items():
        assert set(accepted) < set(values[name]), name


@each_table
def test_a_row_is_found_in_the_whole_space_of_facts(table: Table) -> None:
    rows = rows_of(table.phase)
    assert all(rows.values()) or not table.total
    assert len(rows) > 1


def test_a_state_without_a_row_is_an_error_that_names_every_fact() -> None:
    gap = table_of("qa")._replace(rows=table_of("qa").rows[:-1])
    facts = next(facts for facts in every_state(gap) if chosen(gap, facts) is None)
    with pytest.raises(BatonError) as caught:
        may_decide(gap, facts, Anything())
    assert all(f"{name}={getattr(facts, name)}" in caught.value.what for name in domain(gap.facts))


def test_only_two_tables_may_choose_nothing() -> None:
    assert [table.phase for table in story_tables() if not table.total] == ["in-progress", "run"]


def test_every_table_is_asked_and_each_by_its_name() -> None:
    uses = [node for tree in TREES.values() for node in ast.walk(tree) if named(node) in ASKS]
    asked = [phase for tree in TREES.values() for call in calls_in(tree) if (phase := phase_asked(call))]
    assert len(uses) == len(asked), "a table is asked in a way that `told_to` does not follow"
    assert {table.phase for table in story_tables()} <= {*asked}
    imported = [name for tree in TREES.values() for name in ast.walk(tree) if isinstance(name, ast.alias)]
    assert not [name for name in imported if name.name in ASKS and name.asname]


@each_row
def test_a_reason_and_a_question_are_told_all_they_name(table: Table, row: Row) -> None:
    assert row.reason
    assert row.when
    assert placeholders(row.reason) <= told_to(table)
    does = " ".join(one.does for one in row.asks.options.values()) if row.asks else ""
    assert placeholders(row.asks.question if row.asks else "") <= {"allowance", "base"}
    assert placeholders(does) <= {"allowance", "base", "end", "run"}


@pytest.mark.parametrize(
    ("table", "reason"), [(table_of("planning"), "the {moon} is {total}"), (table_of("qa"), "{errors}")]
)
def test_a_reason_that_names_something_else_is_noticed(table: Table, reason: str) -> None:
    assert not placeholders(reason) <= told_to(table)


@each_table
def test_rules_are_the_tables_own(table: Table) -> None:
    assert {row.rule.partition("/")[0] for row in table.rows} == PREFIXES.get(table.phase, {table.phase})
    assert all(row.rule.partition("/")[2] for row in table.rows)


def test_a_rule_stands_once_in_all_tables() -> None:
    assert [rule for rule, count in Counter(row.rule for _, row in ROWS).items() if count > 1] == []


@each_row
def test_a_row_stops_with_a_question_exactly_when_it_asks_or_escalates(table: Table, row: Row) -> None:
    # The question that is already open has a text of its own.
    assert (row.asks is not None) == (row.action in ("ask", "escalate") and row.rule != "in-progress/question")


@each_row
def test_what_follows_is_something_the_drive_carries_out(table: Table, row: Row) -> None:
    leads = {"spawn": {*ROLES, "again"}, "goto": {"report", "fix"}, "integrate": {"integrate"}}
    assert row.then in leads.get(row.action, {""})
    assert leads_to(row) <= ANSWERED_BY


@each_row
def test_every_option_says_what_it_does_and_one_gives_the_story_up(table: Table, row: Row) -> None:
    if row.asks:
        assert all(one.does for one in row.asks.options.values())
        closing = "leave" if row.rule == "in-progress/undone" else "abandon"
        assert row.asks.options[closing].then == {"leave": "complete"}.get(closing, "abandon")
        assert len(row.asks.options) > 1


@each_row
def test_a_row_charges_a_budget_of_its_phase(table: Table, row: Row) -> None:
    phase = {"report": "implementation", "fix": "integration"}.get(table.phase, table.phase)
    assert row.charges in {"", *PHASE_BUDGETS.get(phase, ())}


def test_below_is_only_offered_where_other_rows_can_follow() -> None:
    offering = {table.phase for table, row in ROWS if "below" in leads_to(row)}
    assert offering == {"run", "planning", "implementation", "qa"}


def test_a_run_is_repeated_by_one_word() -> None:
    options = [item for _, row in ROWS if row.asks for item in row.asks.options.items()]
    assert {option for option, one in options if one.then == "again"} == {"retry"}
    assert {one.then for option, one in options if option == "retry"} >= {*ROLES, "again"}


def test_the_drive_knows_the_same_roles_everywhere() -> None:
    assert set(ROLES) == set(JUDGES)
    assert {role.phase for role in ROLES.values()} == {*PHASE_BUDGETS} - {"integration"}
    assert {*ROLES} <= {row.then for _, row in ROWS}


def test_only_an_explicit_pass_leads_into_the_integration() -> None:
    leading = {row.rule for _, row in ROWS if row.then == "integrate" or row.action == "integrate"}
    returning = {table.phase for table, row in ROWS if "integrate" in leads_to(row)}
    assert (leading, returning) == ({"qa/pass", "micro/pass"}, {"integration", "delivery", "checks", "fix"})


def test_planning_anew_is_offered_wherever_a_phase_stops_before_the_integration() -> None:
    without = {table.phase for table, row in ROWS if row.asks and "replan" not in row.asks.options}
    assert without == {"in-progress", "start", "integration", "delivery", "checks", "fix", "spawn-limits"}


def test_one_module_begins_the_integration() -> None:
    program = [path for path in STORY.parent.rglob("*.py") if path != Path(str(integrate_story.__file__))]
    naming = [path.name for path in program if mentions(ast.parse(path.read_text()), "integrate_story")]
    assert naming == ["stages.py"]
    calls = [call for call in calls_in(TREES[STORY / "stages.py"]) if named(call.func) == "integrate_story"]
    assert len(calls) == 1


def mentions(tree: ast.Module, name: str) -> bool:
    """Whether a module imports a name, from whichever module or as one, or uses it."""
    parts = {
        part for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)
        for dotted in (*(one.name for one in node.names), getattr(node, "module", None) or "")
        for part in dotted.split(".")
    }  # fmt: skip
    return name in parts or any(named(node) == name for node in ast.walk(tree))


@pytest.mark.parametrize("then", sorted({*ROLES, "integrate"}))
def test_the_integration_begins_only_where_it_was_decided(then: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def answers(words: str) -> Callable[..., Step]:
        return lambda *_: Step("7", "", "tell", words, "")

    monkeypatch.setattr(stages, "take_in_commits", lambda _: "")
    monkeypatch.setattr(stages, "integrate_story", answers("integrated"))
    monkeypatch.setattr(stages, "dispatch_run", answers("dispatched"))
    state = SimpleNamespace(run=None, stage="ready", events=[], pending=SimpleNamespace(then=then, rule=""))
    story: Any = SimpleNamespace(state=state, journal=SimpleNamespace(seq=1))
    step = stages.advance_until_step(story, paused_at_seq=0, rests=False)
    assert step.rule == ("integrated" if then == "integrate" else "dispatched")


@pytest.mark.parametrize("table", [table_of("qa"), table_of("micro")], ids=["QA", "a small story"])
@pytest.mark.parametrize("verdict", ["none", "fail", "escalate"])
def test_no_other_verdict_passes(table: Table, verdict: str) -> None:
    rows = [chosen(table, facts) for facts in every_state(table) if facts.verdict == verdict]
    assert rows
    assert not any(row is None or row.rule.endswith("/pass") for row in rows)
