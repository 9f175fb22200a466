"""Whether a story, or a day, has spent its budget: what is allowed grows by as much again with each grant."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from baton.artifacts.config import Budget
from baton.journal.events import Answered
from baton.journal.journal import Record
from baton.usage.spending import Spending, Total, spending_of, sum_of
from baton.usage.words import minutes, short

STORY, TODAY = "budget", "budget-today"


def spent_as_budget(total: Total) -> Budget:
    """Return a sum as a budget has it, the dollars as the most they may be."""
    return Budget(total.tokens.total, total.high, minutes(total.seconds))


def over_budget(limit: Budget, budget: str, stories: Sequence[Sequence[Record]], day: date | None = None) -> str:
    """Say which part of a budget is spent, by all these journals together, on a day if one is given; "" for none.

    A grant allows as much again beyond what was spent when it was given.
    """
    spending = [one for records in stories for one in spending_of(records)]
    counted = spent_on(spending, day) if day else spending
    spent = spent_as_budget(sum_of(counted))
    for name, used, most in zip(Budget._fields, spent, limit, strict=True):
        if most is None or used is None:
            continue
        allowed = most
        for time in _grants(budget, stories, day):
            before = sum_of([one for one in counted if one.time <= time])
            allowed = max(allowed, getattr(spent_as_budget(before), name)) + most
        if used >= allowed:
            return f"{_amount(name, used)} of {_amount(name, allowed)}"
    return ""


def spent_on(spending: Iterable[Spending], day: date) -> list[Spending]:
    """Return what was spent on a day, as the clock of this machine has it."""
    return [one for one in spending if local_day(one.time) == day]


def local_day(time: str) -> date:
    """Return the day of a time of the journal, as the clock of this machine has it."""
    return datetime.fromisoformat(time).astimezone().date()


def _grants(budget: str, stories: Sequence[Sequence[Record]], day: date | None) -> list[str]:
    """Return when more of a budget was granted, oldest first."""
    answers = [one for records in stories for one in records if isinstance(one.event, Answered)]
    return sorted(
        one.time
        for one in answers
        if isinstance(one.event, Answered)
        and budget in one.event.grants
        and (day is None or local_day(one.time) == day)
    )


def _amount(name: str, amount: float) -> str:
    return {"usd": f"${amount:.2f}", "tokens": f"{short(amount)} tokens", "minutes": f"{amount:g} minutes"}[name]
