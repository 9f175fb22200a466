"""Whether a story, or a day, has spent its tokens, dollars or minutes: each grant allows as much again.

How often something is tried is in `rules/budgets.py`.
"""

from collections.abc import Sequence
from datetime import date, datetime

from baton.artifacts.config import Budget
from baton.journal.events import Answered
from baton.journal.journal import Record
from baton.usage.spending import Spending, Total, spending_of, sum_of
from baton.usage.spending_words import short_count, whole_minutes

STORY, TODAY = "budget", "budget-today"


def spent_as_budget(total: Total) -> Budget:
    """Return a sum as a budget, with the dollars at their upper bound."""
    return Budget(total.tokens.total, total.high, whole_minutes(total.seconds))


def over_budget(limit: Budget, budget: str, stories: Sequence[Sequence[Record]], day: date | None = None) -> str:
    """Name the part of a budget that is spent, by all these journals together, on `day` if given; "" for none.

    A grant allows as much again beyond what was spent when it was given.
    """
    spent = spent_as_budget(sum_of(_counted(stories, day)))
    for name, used, most in zip(Budget._fields, spent, limit, strict=True):
        if most is None or used is None:
            continue
        allowed = most
        for before in _before_grants(budget, stories, day):
            allowed = max(allowed, getattr(before, name)) + most
        if used >= allowed:
            return f"{_amount(name, used)} of {_amount(name, allowed)}"
    return ""


def local_day(time: str) -> date:
    """Return the local day of a time of the journal."""
    return datetime.fromisoformat(time).astimezone().date()


def _counted(stories: Sequence[Sequence[Record]], day: date | None) -> list[Spending]:
    spending = [spent for records in stories for spent in spending_of(records)]
    return [spent for spent in spending if day is None or local_day(spent.time) == day]


def _before_grants(budget: str, stories: Sequence[Sequence[Record]], day: date | None) -> list[Budget]:
    """Return the spending before each grant of more budget, oldest first."""
    # The journal's times are in whole seconds: of one story, its order tells.
    happened = sorted(
        (record.time, index, record.seq, record) for index, some in enumerate(stories) for record in some
    )
    budgets = []
    for at, (time, _, _, record) in enumerate(happened):
        event = record.event
        if isinstance(event, Answered) and budget in event.grants and (day is None or local_day(time) == day):
            earlier = [[past for _, of, _, past in happened[:at] if of == index] for index in range(len(stories))]
            budgets.append(spent_as_budget(sum_of(_counted(earlier, day))))
    return budgets


def _amount(name: str, amount: float) -> str:
    return {"usd": f"${amount:.2f}", "tokens": f"{short_count(amount)} tokens", "minutes": f"{amount:g} minutes"}[
        name
    ]
