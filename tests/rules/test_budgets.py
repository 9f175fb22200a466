"""Each budget counts its own attempts in its own scope; only the user's answer grants more."""

import pytest

from baton.artifacts.config import RETRIES
from baton.journal.events import Event, RunStarted
from baton.rules.budgets import PHASE_BUDGETS, REPLAN_BUDGETS, attempts_allowed, attempts_used, count_starts
from journal.happenings import STARTED, answered, dispatched, ended, handed_in, judged

FAIL = judged("q1", "implementer", "qa/fail", "qa_fail_cycles")
DEBITS = {name: judged("r", "x", "some/rule", name) for name in ("planning", "no_return", "report", "qa_verdict")}
DEBITS["qa_fail_cycles"] = FAIL
GOOD = judged("r", "qa", "report/valid")
SEEN = RunStarted("i1", "", "")


@pytest.mark.parametrize("budget", DEBITS)
def test_a_budget_counts_its_own_judgments_and_no_others(budget: str) -> None:
    others = [event for name, event in DEBITS.items() if name not in (budget, "qa_fail_cycles")]
    assert attempts_used(budget, [*others, STARTED, dispatched("i", "implementer"), ended("i")]) == 0
    assert attempts_used(budget, [*others, DEBITS[budget], DEBITS[budget]]) == 2


@pytest.mark.parametrize(("budget", "events", "expected"), [
    ("planning", [DEBITS["planning"], GOOD, answered("x", "implementer"), FAIL, DEBITS["planning"]], 2),
    ("qa_fail_cycles", [FAIL, answered("x", "implementer"), FAIL, GOOD], 2),
    ("report", [DEBITS["report"], GOOD, DEBITS["report"]], 2),
    ("report", [DEBITS["report"], FAIL, DEBITS["report"]], 1),
    ("report", [DEBITS["report"], FAIL, DEBITS["report"], FAIL, DEBITS["report"]], 1),
    ("report", [DEBITS["report"], answered("x", "implementer"), DEBITS["report"]], 1),
    ("report", [DEBITS["report"], answered("x", "qa"), DEBITS["report"]], 2),
    ("qa_verdict", [DEBITS["qa_verdict"], DEBITS["qa_verdict"], FAIL], 0),
    ("qa_verdict", [DEBITS["qa_verdict"], answered("x", "planner"), DEBITS["qa_verdict"]], 1),
    ("no_return", [DEBITS["no_return"], dispatched("i", "implementer"), ended("i"), DEBITS["no_return"]], 2),
    ("no_return", [DEBITS["no_return"], GOOD, DEBITS["no_return"]], 1),
    ("no_return", [DEBITS["no_return"], answered("x", "implementer")], 0),
    ("iterations", [dispatched("p1", "planner"), dispatched("i1", "implementer"), dispatched("q1", "qa"), FAIL,
                    answered("x", "implementer"), dispatched("i2", "implementer")], 2),
], ids=[
    "planning: over the whole story", "fails: over the whole story", "reports: over a QA cycle",
    "reports: a FAIL begins a cycle", "reports: the last FAIL began this one",
    "reports: an answer that leads to implementation begins one",
    "reports: another answer does not", "verdicts: a FAIL begins a cycle",
    "verdicts: planning anew leads back to implementation", "no return: in a row, whatever lies between",
    "no return: a run that returned ends the row", "no return: an answer ends the row",
    "iterations: the implementation runs sent out",
])  # fmt: skip
def test_a_budget_counts_within_its_scope(budget: str, events: list[Event], expected: int) -> None:
    assert attempts_used(budget, events) == expected


@pytest.mark.parametrize("budget", [*DEBITS, "iterations"])
def test_nothing_is_used_or_granted_at_first(budget: str) -> None:
    assert (attempts_used(budget, []), attempts_allowed(budget, 2, [])) == (0, 2)


@pytest.mark.parametrize("budget", [*(name for name in DEBITS if name != "no_return"), "iterations"])
def test_a_grant_allows_as_much_again(budget: str) -> None:
    granted = answered("x", "qa", "retry", budget, "another")
    assert attempts_allowed(budget, 3, [granted]) == 6
    assert attempts_allowed(budget, 3, [granted, STARTED, granted]) == 9
    assert attempts_allowed(budget, 3, [answered("x", "qa", "retry", "another")]) == 3


def test_a_budget_counted_in_a_row_is_not_enlarged_by_the_answer_that_ends_the_row() -> None:
    granted = answered("x", "implementer", "retry", "no_return")
    assert attempts_allowed("no_return", 2, [DEBITS["no_return"], granted]) == 2
    assert attempts_used("no_return", [DEBITS["no_return"], granted, DEBITS["no_return"]]) == 1


@pytest.mark.parametrize(("budget", "target", "size"), [
    ("report", "qa", 2), ("qa_verdict", "qa", 2), ("planning", "implementer", 4),
    ("qa_fail_cycles", "implementer", 4), ("iterations", "implementer", 4),
])  # fmt: skip
def test_a_grant_ends_with_its_cycle_unless_it_is_for_the_story(budget: str, target: str, size: int) -> None:
    assert attempts_allowed(budget, 2, [answered("x", target, "retry", budget), FAIL]) == size


def test_a_retry_after_too_many_bad_reports_leaves_a_fresh_cycle() -> None:
    retried = answered("report/exhausted", "implementer", "retry", "report")
    events: list[Event] = [DEBITS["report"], DEBITS["report"], retried]
    assert (attempts_used("report", events), attempts_allowed("report", 2, events)) == (0, 2)


@pytest.mark.parametrize(("events", "expected"), [
    ([], 0),
    ([SEEN, SEEN], 2),
    ([SEEN, RunStarted("i2", "", ""), handed_in("i1", "plan")], 1),
    ([SEEN, SEEN, answered("in-progress/restarts", "wait", "continue"), SEEN], 1),
    ([SEEN, answered("limit/iterations", "implementer"), SEEN], 2),
], ids=["none", "two", "those of another run", "since a person let it go on",
"whatever else was answered"])  # fmt: skip
def test_the_starts_of_one_run_are_counted(events: list[Event], expected: int) -> None:
    assert count_starts("i1", events) == expected


def test_every_budget_has_a_size_and_a_phase() -> None:
    phases = {budget for budgets in PHASE_BUDGETS.values() for budget in budgets}
    assert phases == {*RETRIES, "iterations"} - {"restarts"}
    assert set(REPLAN_BUDGETS) <= phases
