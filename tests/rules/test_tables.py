"""Every row of every table can be chosen, is told what it says, and leads to something the program carries out."""

import ast
import re
import string
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from baton.errors import BatonError
from baton.journal.run import ROLES
from baton.rules.budgets import PHASE_BUDGETS
from baton.rules.engine import Row, Table, may_decide
from baton.rules.pages import story_tables, table_of
from baton.story.ask import question
from baton.story.judge.judge import JUDGES
from rules.domains import domain, every_state, neighbors

STORY = Path(question.__file__).parents[1]
DRIVE = sorted((*STORY.rglob("*.py"), *STORY.parent.glob("delivery/*.py")))
ROWS = [(table, row) for table in story_tables() for row in table.rows]
IDS = [f"{row.rule}, {', '.join(map(str, row.facts.values())) or 'otherwise'}" for _, row in ROWS]
each_row = pytest.mark.parametrize(("table", "row"), ROWS, ids=IDS)
each_table = pytest.mark.parametrize("table", story_tables(), ids=[table.phase for table in story_tables()])

# Each function that may ask a table, and its text.
FUNCTIONS = {
    node: ast.unparse(node)
    for path in DRIVE for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
}  # fmt: skip
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


def told_to(table: Table) -> set[str]:
    """Give the keys of what is told where this table is asked: by that function, and by those it calls for it."""
    asking = [one for one, text in FUNCTIONS.items() if f"decide(table_of('{table.phase}')," in text]
    text = "\n".join(FUNCTIONS[one] for one in asking)
    of_runs = [function for function in FUNCTIONS if function.name == "collect_run_facts" and "evidence" in text]
    called = [function for function in FUNCTIONS if TELLS.match(function.name) and f"{function.name}(" in text]
    return set().union(*map(told_keys, [*asking, *called, *of_runs]))


def told_keys(function: ast.FunctionDef) -> set[str]:
    """Return the keys of the dictionaries that a function calls `values` or `words`, returns, or hands over."""
    found: list[ast.AST] = []
    for node in ast.walk(function):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found += [node.value for target in targets if ast.unparse(target) in TOLD]
        elif isinstance(node, ast.Return) and TELLS.match(function.name) and node.value:
            found.append(node.value)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "decide":
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
        assert row.asks.options["abandon"].then == "abandon"
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


def test_the_integration_begins_in_one_place_and_only_when_it_was_decided() -> None:
    calls = [
        (path.name, ast.unparse(node))
        for path in DRIVE
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.If) and "integrate_story(story" in "".join(map(ast.unparse, node.body))
    ]
    assert [name for name, _ in calls] == ["stages.py"]
    assert calls[0][1].startswith("if pending.then == 'integrate':")


@pytest.mark.parametrize("table", [table_of("qa"), table_of("micro")], ids=["QA", "a small story"])
@pytest.mark.parametrize("verdict", ["none", "fail", "escalate"])
def test_no_other_verdict_passes(table: Table, verdict: str) -> None:
    rows = [chosen(table, facts) for facts in every_state(table) if facts.verdict == verdict]
    assert rows
    assert not any(row is None or row.rule.endswith("/pass") for row in rows)
