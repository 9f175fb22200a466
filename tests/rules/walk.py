"""Every way a story can take without the user: an adversary picks the facts, what is counted is counted."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import pytest

from baton.artifacts.config import RETRIES, Config
from baton.journal.events import Dispatched, Event, Judged
from baton.journal.run import ROLES
from baton.rules.budgets import attempts_allowed, attempts_used
from baton.rules.engine import Row, Table, may_decide
from baton.rules.pages import story_tables
from rules.domains import domain, every_state

LIMITS = {**RETRIES, "iterations": Config().max_iterations}
ENDS = {"ask": "question", "escalate": "question", "complete": "complete", "refuse": "new"}
# Steps of the program, pauses, and what reviewers say: no run is made, and a next row of these tables follows.
PASSING = ("next-check", "wait", "feedback")
# What takes somebody else: commits on the story branch; agents that cannot begin or are refused, until a row asks;
# the user who stops a run.
LEFT_ALONE = {"begun": True, "moved": False, "stopped": False, "refused": "no"}
OF_OTHERS = ("merge/head-moved", "merge/head-moved-small")
BOUND = "longest story"

Runs = tuple[str, ...]
Events = tuple[Event, ...]
Key = tuple[object, ...]


class Endless(Exception):
    """A way that comes back to where it was, with nothing used up in between."""


class Outcome(NamedTuple):
    """A row the adversary can choose (none: no row fits), and all the facts that choose it."""

    row: Row | None
    states: tuple[Any, ...]


class Entry(NamedTuple):
    """How a way came into the integration: by which facts, and after which events."""

    states: tuple[Any, ...]
    events: Events


def budget_of(table: Table, fact: str) -> tuple[str, bool]:
    """Give the budget whose end a fact tells, and whether the run that is being judged is charged to it."""
    charged = {row.charges for row in table.rows if fact in row.facts and row.charges}
    assert len(charged) < 2, f"{fact} of the {table.phase} table tells of {charged}"
    return (charged.pop(), True) if charged else (fact.removesuffix("_used_up"), False)


@lru_cache
def counted(facts: type) -> list[str]:
    """Name the facts that no adversary picks."""
    return [fact for fact in domain(facts) if fact.endswith("used_up")]


@dataclass
class Walk:
    """All ways through the tables, with budgets of these sizes; `entries` and `chosen` are what was met there."""

    tables: Sequence[Table] = story_tables()
    limits: Mapping[str, int] = field(default_factory=lambda: LIMITS)
    entries: list[Entry] = field(default_factory=list)
    chosen: set[int] = field(default_factory=set)
    ends: set[str] = field(default_factory=set)
    _walked: dict[Key, Runs] = field(default_factory=dict)
    _open: dict[Key, str] = field(default_factory=dict)
    _outcomes: dict[Key, list[Outcome]] = field(default_factory=dict)

    def longest(self) -> Runs:
        """Walk all ways from the start; gives the roles of the longest one's runs, or raises Endless."""
        self._call("new")
        # What is waited for ends by itself, after five minutes at most.
        begun = [choice for choice in self._choices("start", ()) if choice.row and choice.row.action != "wait"]
        return max((self._follow(choice, ()) for choice in begun), key=len)

    def never_chosen(self) -> list[str]:
        """Name the rules of the rows that no way came to."""
        return [row.rule for table in self.tables for row in table.rows if id(row) not in self.chosen]

    def _follow(self, outcome: Outcome, events: Events) -> Runs:
        """Go where a row leads; gives the longest rest of the way."""
        row = outcome.row
        assert row is not None
        if row.action in ENDS:
            self.ends.add(row.action)
            self._call(ENDS[row.action])
            return ()
        self._call("ready")
        if row.action == "integrate":
            self.entries.append(Entry(outcome.states, events))
            small = isinstance(sent := events[-2], Dispatched) and sent.role == "micro-delivery"
            return self._once(row, "integrate small" if small else "integrate", events, self._integrate)
        assert row.action == "spawn", f"{row.rule} leads nowhere"
        chosen = self._choices("spawn-limits", events, role=row.then)
        guards = [(one, one.row) for one in chosen if one.row and one.row.action not in PASSING]
        return max((self._send(row, guard.rule, events) if guard.action == "proceed" else self._follow(one, events)
                    for one, guard in guards), key=len)  # fmt: skip

    def _send(self, due: Row, guard: str, events: Events) -> Runs:
        sent = Dispatched(f"{due.then}{len(events)}", due.then, 1, 1, "head", due.rule, guard, "because")
        self._call("running")
        return (due.then, *self._once(due, due.then, (*events, sent), self._run))

    def _once(self, due: Row, what: str, events: Events, walk: Callable[[Events], Runs]) -> Runs:
        """Walk on from here, but only once: what is still to come depends on no more than what is used up."""
        key = (what, *(min(attempts_used(name, events), most) for name, most in self.limits.items()))
        if key in self._open:
            rules = [*list(self._open.values())[list(self._open).index(key) :], due.rule]
            raise Endless(" → ".join(rules))
        if key not in self._walked:
            self._open[key] = due.rule
            self._walked[key] = walk(events)
            del self._open[key]
        return self._walked[key]

    def _integrate(self, events: Events) -> Runs:
        sent, found = events[-2], list[Runs]([()])
        assert isinstance(sent, Dispatched)
        tables = ("integration", "delivery", "checks")
        for one in [choice for table in tables for choice in self._choices(table, events)]:
            if one.row and one.row.action == "goto":
                fixes = self._choices(one.row.then, events, small=sent.role == "micro-delivery")
                found += [self._follow(fix, (*events, _judged("", fix.row))) for fix in fixes if fix.row]
            elif one.row and one.row.action not in PASSING and one.row.rule not in OF_OTHERS:
                found.append(self._follow(one, events))
        return max(found, key=len)

    def _run(self, events: Events) -> Runs:
        """Judge the run that is running in every way there is."""
        sent = events[-1]
        assert isinstance(sent, Dispatched)
        found = []
        for judgment in self._judgments(ROLES[sent.role].phase, events):
            assert judgment.row is not None
            found.append(self._follow(judgment, (*events, _judged(sent.run, judgment.row))))
        return max(found, key=len)

    def _judgments(self, phase: str, events: Events) -> list[Outcome]:
        """Give what a run's end can be judged to be: by the rows for any phase, else by those of its own."""
        found: list[Outcome] = []
        for choice in [*self._choices("run", events), *self._choices(phase, events)]:
            if choice.row and choice.row.action == "goto":
                found += self._choices(choice.row.then, events)
            elif choice.row:
                found.append(choice)
        return found

    def _choices(self, phase: str, events: Events, /, **known: object) -> list[Outcome]:
        """Give the rows the adversary can choose in a table after these events."""
        table = self._table(phase)
        for fact in counted(table.facts):
            budget, charged = budget_of(table, fact)
            if budget in self.limits:
                known[fact] = attempts_used(budget, events) + charged >= attempts_allowed(
                    budget, self.limits[budget], events
                )
        known |= {fact: value for fact, value in LEFT_ALONE.items() if fact in domain(table.facts)}
        return self._chosen_by(table, known)

    def _call(self, stage: str) -> None:
        """Ask for the next step at a stage: what is answered there changes nothing."""
        self._chosen_by(self._table("in-progress"), {"stage": stage})

    def _table(self, phase: str) -> Table:
        return next(table for table in self.tables if table.phase == phase)

    def _chosen_by(self, table: Table, known: Mapping[str, object]) -> list[Outcome]:
        key = (table.phase, *known.items())
        if key not in self._outcomes:
            self._outcomes[key] = outcomes(table, known)
            self.chosen.update(id(outcome.row) for outcome in self._outcomes[key])
        return self._outcomes[key]


def _judged(run: str, row: Row) -> Judged:
    return Judged(run, row.rule, row.action, row.then, "because", row.charges)


def outcomes(table: Table, known: Mapping[str, object]) -> list[Outcome]:
    """Give each row that some facts choose, where the known ones are given and any others can be."""
    states: dict[int, list[Any]] = defaultdict(list)
    rows: dict[int, Row | None] = {}
    for facts in every_state(table):
        if all(getattr(facts, name) == value for name, value in known.items()):
            decision = may_decide(table, facts, defaultdict(str))
            row = decision.row if decision else None
            states[id(row)].append(facts)
            rows[id(row)] = row
    return [Outcome(rows[one], tuple(found)) for one, found in states.items()]


def told(runs: Runs) -> str:
    """Say how long the longest story is."""
    by_role = ", ".join(f"{number} {role}" for role, number in Counter(runs).items())
    return f"without an answer every story ends after at most {len(runs)} runs: {by_role}"


def say_bound(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how long the longest story is, if it was computed in this test run."""
    for report in terminalreporter.getreports("passed"):
        for name, text in report.user_properties:
            if name == BOUND:
                terminalreporter.line(str(text))
