"""A story's spending, on each run and on the conversation, added up from its journal."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from baton.journal.events import Dispatched, Ended, Judged, Spent
from baton.journal.journal import Record
from baton.journal.run import ROLES
from baton.text import seconds_between
from baton.usage.prices import cost_of
from baton.usage.transcript import Tokens

CONVERSATION = "conversation"
NOT_REPORTED = "no hook of the client has reported it"
# The names a model may be asked by that say nothing about which it is.
ANY_MODEL = ("inherit", "default", "best", "opusplan")


class Spending(NamedTuple):
    """The spending of a run, or of the conversation, and the time it was last counted."""

    run: str
    phase: str
    time: str
    models: dict[str, Tokens]
    seconds: int
    unknown: str = ""
    asked: str = ""

    @property
    def other_models(self) -> list[str]:
        """The models that ran in place of the one that was asked for."""
        wanted = self.asked.lower().partition("[")[0]
        if wanted in ("", *ANY_MODEL):
            return []
        # What is asked for may be a part of the name, but another version is another model.
        version = r"(?!-?\d{1,2}(?!\d))" if wanted[-1].isdigit() else ""
        return [name for name in self.models if not re.search(re.escape(wanted) + version, name.lower())]


class Total(NamedTuple):
    """A sum: tokens, US dollars at least and at most, seconds of runs, and the number of runs not known."""

    tokens: Tokens
    low: float
    high: float
    seconds: int
    unknown: int = 0
    unpriced: tuple[str, ...] = ()


def spending_of(records: Iterable[Record]) -> list[Spending]:
    """Return the spending of each run, in the order they were sent, then of the conversation, each time."""
    runs: dict[str, Spending] = {}
    talk: list[Spending] = []
    for _, time, event in records:
        match event:
            case Dispatched(run=run, role=role, model=model):
                runs[run] = Spending(run, ROLES[role].phase, time, {}, 0, NOT_REPORTED, model)
            case Ended(run=run) | Judged(run=run) if run in runs and not runs[run].seconds:
                runs[run] = runs[run]._replace(seconds=seconds_between(runs[run].time, time))
            case Spent(run="") as spent:
                talk.append(Spending("", CONVERSATION, time, models_of(spent), 0, spent.unknown))
            case Spent(run=run) as spent if run in runs:
                seconds = spent.seconds or runs[run].seconds
                runs[run] = runs[run]._replace(
                    time=time, models=models_of(spent), seconds=seconds, unknown=spent.unknown
                )
    return [*runs.values(), *talk]


def models_of(spent: Spent) -> dict[str, Tokens]:
    """Return the tokens of an event, by model."""
    return {name: Tokens(*counts) for name, counts in spent.models.items()}


def add_models(every: Iterable[Mapping[str, Tokens]]) -> dict[str, Tokens]:
    """Return the sum for each model."""
    added: dict[str, Tokens] = {}
    for models in every:
        for name, tokens in models.items():
            added[name] = Tokens(*map(sum, zip(added.get(name, Tokens()), tokens, strict=True)))
    return added


def sum_of(spending: Sequence[Spending]) -> Total:
    """Add up spending; a run whose use is not known adds nothing, but is counted as unknown."""
    models = add_models(spent.models for spent in spending)
    cost = cost_of(models)
    tokens = Tokens(*map(sum, zip(Tokens(), *models.values(), strict=True)))
    unknown = sum(1 for spent in spending if spent.unknown and not spent.models)
    return Total(tokens, cost.low, cost.high, sum(spent.seconds for spent in spending), unknown, cost.unpriced)


def by_phase(spending: Sequence[Spending]) -> dict[str, Total]:
    """Add up the spending of each phase, and of the conversation."""
    phases = dict.fromkeys(spent.phase for spent in spending)
    return {phase: sum_of([spent for spent in spending if spent.phase == phase]) for phase in phases}


def join_conversation(spending: Sequence[Spending]) -> list[Spending]:
    """Return the spending of the runs, and that of the conversation as one."""
    talk = [spent for spent in spending if not spent.run]
    whole = [talk[-1]._replace(models=add_models(spent.models for spent in talk))] if talk else []
    return [*(spent for spent in spending if spent.run), *whole]
