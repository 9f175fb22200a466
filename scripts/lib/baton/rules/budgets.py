"""How often each budget of attempts was used: counted in the journal, which no restart resets.

These are `retries` and `loop.max_iterations`; tokens, dollars and minutes are in `usage/budget.py`.
"""

from collections.abc import Sequence
from typing import TypeGuard

from baton.journal.events import Answered, Dispatched, Event, Judged, OptionsSet, RunStarted

PHASE_BUDGETS = {
    "planning": ("planning",),
    "implementation": ("no_return", "report", "iterations"),
    "qa": ("qa_verdict", "qa_fail_cycles", "memory_delta"),
    "micro": ("micro",),
    "integration": ("integration_fixes",),
}
REPLAN_BUDGETS = ("planning", "iterations", "qa_fail_cycles")
ANEW_BUDGETS = (*REPLAN_BUDGETS, "micro", "memory_delta", "integration_fixes")
NO_ATTEMPT_RULES = ("run/not-begun", "run/not-begun-often", "run/refused", "run/refused-often", "run/stopped")
# By these a run is made that fixes what the integration found.
FIX_RUNS = ("fix/run", "fix/run-small")
PER_CYCLE = ("report", "qa_verdict")


def attempts_used(budget: str, events: Sequence[Event]) -> int:
    """Count the attempts charged to `budget`, in its own scope (story, QA cycle, or in a row)."""
    if budget == "iterations":
        sent = {event.run for event in events if isinstance(event, Dispatched) and event.role == "implementer"}
        return len(sent - {event.run for event in events if _is_no_attempt(event)})
    if budget == "no_return":
        return _in_a_row(events)
    return sum(isinstance(event, Judged) and event.charges == budget for event in _scope(budget, events))


def attempts_allowed(budget: str, limit: int, events: Sequence[Event]) -> int:
    """Return the size of `budget`: `limit`, and as much again for each grant of the user's.

    A budget counted in a row is not enlarged: the answer that grants it ends the row.
    """
    if budget == "no_return":
        return limit
    scope, size = _scope(budget, events), limit
    for index, event in enumerate(scope):
        if isinstance(event, Answered) and budget in event.grants:
            # More may have been used than a limit allows that was lowered since.
            size = max(size, attempts_used(budget, scope[:index])) + limit
    return size


def was_run_without_loop(events: Sequence[Event]) -> bool:
    """Whether, with `--no-loop`, the one run was made since the last answer, or was active when the flag came."""
    no_loop = was_run = is_active = False
    for event in events:
        if isinstance(event, OptionsSet):
            was_run = was_run and (no_loop or is_active)
            no_loop = event.no_loop
        elif isinstance(event, Judged) and not _is_no_attempt(event):
            is_active = False
        elif isinstance(event, Answered) or _is_no_attempt(event):
            was_run = False
        elif isinstance(event, Dispatched) and event.role == "implementer":
            was_run = is_active = True
    return no_loop and was_run


def count_starts(run: str, events: Sequence[Event]) -> int:
    """Count the starts of a run since the last answer about it."""
    seen = 0
    for event in events:
        if isinstance(event, RunStarted) and event.run == run:
            seen += 1
        elif isinstance(event, Answered) and event.rule == "in-progress/restarts":
            seen = 0
    return seen


def _is_no_attempt(event: Event) -> TypeGuard[Judged]:
    """Whether an event judges a run that never ran `baton begin`, or that the service or the user ended."""
    return isinstance(event, Judged) and event.rule in NO_ATTEMPT_RULES


def _scope(budget: str, events: Sequence[Event]) -> Sequence[Event]:
    if budget not in PER_CYCLE:
        return events
    begins = [index for index, event in enumerate(events) if _begins_cycle(event)]
    return events[begins[-1] + 1 :] if begins else events


def _begins_cycle(event: Event) -> bool:
    if isinstance(event, Judged):
        return event.rule in ("qa/fail", *FIX_RUNS)
    return isinstance(event, Answered) and event.then in ("implementer", "planner", "anew")


def _in_a_row(events: Sequence[Event]) -> int:
    streak = 0
    for event in events:
        if isinstance(event, Judged) and event.charges == "no_return":
            streak += 1
        elif isinstance(event, Judged | Answered) and not _is_no_attempt(event):
            streak = 0
    return streak
