"""Left alone, every story ends: after a number of runs that is computed here, and merged only after a PASS."""

import ast
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from baton import story
from baton.errors import BatonError
from baton.journal.events import Dispatched, Judged, QuestionClosed
from baton.rules.all_tables import closing_rows
from baton.rules.budgets import attempts_allowed, attempts_used
from baton.rules.engine import Row, Table
from baton.rules.facts import QaFacts
from baton.rules.pages import story_tables
from rules.walk import BOUND, LIMITS, Endless, Entry, Walk, budget_of, counted, outcomes, told

DRIVE = [ast.parse(path.read_text()) for path in Path(story.__file__).parent.rglob("*.py")]
# How many runs more the longest story has when one more attempt is allowed. An implementer's bad report or missing
# metadata makes no run that `iterations` does not count; a cycle of QA has as many runs as `qa_verdict` allows.
GROWTH = {
    "micro": 1,
    "planning": 1,
    "iterations": 1,
    "no_return": 0,
    "report": 0,
    "qa_verdict": LIMITS["qa_fail_cycles"] + LIMITS["integration_fixes"],
    "qa_fail_cycles": LIMITS["qa_verdict"],
    "memory_delta": 1,
    "integration_fixes": LIMITS["qa_verdict"],
    "restarts": 0,
}
# A row that makes another run and is charged for it; what the implementer is given, `iterations` bounds as well.
CHARGED = [
    row.rule
    for table in story_tables()
    for row in table.rows
    if row.charges and row.then not in ("", "implementer")
]


def changed(rule: str, change: Callable[[Row], tuple[Row, ...]]) -> list[Table]:
    """Copy the tables with each row of a rule changed, or gone."""
    return [
        table._replace(
            rows=tuple(new for row in table.rows for new in (change(row) if row.rule == rule else [row]))
        )
        for table in story_tables()
    ]


def passed(entry: Entry) -> bool:
    """Whether the integration was entered by an explicit PASS of every criterion in the run just judged."""
    *_, sent, judged = entry.events
    assert isinstance(sent, Dispatched)
    assert isinstance(judged, Judged)
    # QA's open criteria count as moved: its report was refused where one had no row.
    whole = [isinstance(state, QaFacts) or not state.open_criteria for state in entry.states]
    return sent.run == judged.run and all(whole) and all(state.verdict == "pass" for state in entry.states)


def asked_by_the_drive() -> dict[tuple[str, str], str]:
    """Give the budget the program looks at for each fact that tells whether one is used up."""
    calls = [node for tree in DRIVE for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {
        (ast.unparse(call.func), str(word.arg)): ast.literal_eval(word.value.args[1])
        for call in calls
        for word in call.keywords
        if isinstance(word.value, ast.Call) and ast.unparse(word.value.func) == "is_used_up"
    }


@pytest.fixture(scope="module")
def walk() -> Walk:
    """All ways there are, walked."""
    walk = Walk()
    walk.longest()
    return walk


def test_every_story_ends(walk: Walk, record_property: Callable[[str, object], None]) -> None:
    runs = walk.longest()
    record_property(BOUND, told(runs))
    assert walk.ends == {"complete", "ask", "escalate", "refuse"}
    assert {"planner", "implementer", "qa"} <= set(runs)
    assert runs.count("implementer") == LIMITS["iterations"]


def test_with_one_attempt_each_every_role_has_one_run_and_one_of_them_a_fix() -> None:
    runs = Walk(limits=dict.fromkeys(LIMITS, 1)).longest()
    assert runs == ("micro-delivery", "micro-delivery", "planner", "implementer", "qa")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("budget", LIMITS)
def test_one_attempt_more_is_as_many_runs_more_as_it_says(budget: str, walk: Walk) -> None:
    more = Walk(limits={**LIMITS, budget: LIMITS[budget] + 1}).longest()
    assert len(more) - len(walk.longest()) == GROWTH[budget]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", CHARGED)
def test_a_row_that_is_not_charged_for_its_run_would_be_endless(rule: str) -> None:
    with pytest.raises(Endless, match=rule):
        Walk(changed(rule, lambda row: (row._replace(charges=""),))).longest()


def test_without_a_limit_of_its_runs_the_loop_would_be_endless() -> None:
    with pytest.raises(Endless, match="implementation/"):
        Walk(changed("limit/iterations", lambda row: ())).longest()


def test_the_integration_is_entered_only_by_a_pass_judged_just_before(walk: Walk) -> None:
    assert {entry.events[-2].role for entry in walk.entries if isinstance(entry.events[-2], Dispatched)} >= {"qa"}
    assert all(passed(entry) for entry in walk.entries)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("rule", ["qa/fail", "qa/no-verdict"])
def test_any_other_way_into_the_integration_would_be_noticed(rule: str) -> None:
    walk = Walk(changed(rule, lambda row: (row._replace(action="integrate", then="integrate"),)))
    walk.longest()
    assert not all(passed(entry) for entry in walk.entries)


def test_some_way_leads_to_every_row_but_those_that_take_somebody_else(walk: Walk) -> None:
    assert walk.never_chosen() == [
        "in-progress/abandoned", "run/stopped", "run/refused-often", "run/refused", "run/not-begun-often",
        "run/not-begun", "qa/moved",
    ]  # fmt: skip


def test_a_question_that_closes_itself_goes_back_to_the_integration_and_allows_no_run(walk: Walk) -> None:
    assert {row.asks and row.asks.options["retry"].then for row in closing_rows().values()} == {"integrate"}
    closed = QuestionClosed("ci/unclear", "it passes now")
    for name, (_, events) in product(LIMITS, walk.entries[:50]):
        assert attempts_used(name, (*events, closed)) == attempts_used(name, events)
        assert attempts_allowed(name, 2, (*events, closed)) == attempts_allowed(name, 2, events)


@pytest.mark.parametrize("table", story_tables(), ids=lambda table: table.phase)
def test_whatever_the_facts_are_some_row_fits(table: Table) -> None:
    nothing = [outcome for outcome in outcomes(table, {}) if outcome.row is None]
    assert bool(nothing) is not table.total


def test_a_state_that_no_row_fits_is_noticed() -> None:
    planning = next(table for table in changed("planning/valid", lambda row: ()) if table.phase == "planning")
    with pytest.raises(BatonError, match="no rule for plan=valid"):
        outcomes(planning, {})


def test_the_program_counts_as_the_walk_does() -> None:
    asked = asked_by_the_drive()
    charged = [
        (table, fact) for table in story_tables() for fact in counted(table.facts) if budget_of(table, fact)[1]
    ]
    assert asked == {(table.facts.__name__, fact): budget_of(table, fact)[0] for table, fact in charged}
