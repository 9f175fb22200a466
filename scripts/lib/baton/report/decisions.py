"""Every decision as a row: the facts, the rule, the action, the reason in words."""

from collections.abc import Iterator, Sequence

from baton.journal.events import (
    Adopted,
    Answered,
    Completed,
    Dispatched,
    Edited,
    EffectDone,
    Event,
    IntegrationStepDone,
    Judged,
    QuestionAsked,
    QuestionClosed,
)
from baton.journal.journal import Record
from baton.report.data import DecisionRow
from baton.rules.engine import Row
from baton.rules.tables.all_tables import ALL_TABLES

ROWS: dict[str, list[Row]] = {}
for _table in ALL_TABLES:
    for _row in _table.rows:
        ROWS.setdefault(_row.rule, []).append(_row)


def decisions_of(records: Sequence[Record]) -> Iterator[DecisionRow]:
    """Give what was decided, in order; what only carries out the decision before it is none of its own."""
    before: Event | None = None
    for record in records:
        event = record.event
        made = None if _carries_out(event, before) else _decision(record.time, event)
        before = event if hasattr(event, "rule") else before
        if made:
            yield made


def _carries_out(event: Event, before: Event | None) -> bool:
    """Whether an event has the rule of the one before, and is what follows from it."""
    follows = isinstance(event, Dispatched | Completed) or (
        isinstance(event, Judged) and isinstance(before, IntegrationStepDone)
    )
    return follows and getattr(event, "rule", "") == getattr(before, "rule", "")


def _decision(time: str, event: Event) -> DecisionRow | None:
    match event:
        case Dispatched():
            return _by_rule(time, event.rule, f"spawn {event.role}", event.reason)
        case Judged():
            then = event.then if event.then != event.action else ""
            return _by_rule(time, event.rule, f"{event.action} {then}".strip(), event.reason)
        case QuestionAsked():
            return _by_rule(time, event.rule, event.action, event.reason)
        case IntegrationStepDone():
            return _by_rule(time, event.rule, "", event.reason)
        case Completed():
            return _by_rule(time, event.rule, "complete", f"at {event.commit[:12]}")
        case Answered():
            deferred = [f"deferred: {one}" for one in event.deferred]
            note = "; ".join(filter(None, (event.note, *deferred)))
            return DecisionRow(
                time, "you answered", "", event.rule, event.option, note, event.said.get("who", "you")
            )
        case QuestionClosed():
            return DecisionRow(time, "GitHub answered", "", event.rule, "look again", event.evidence)
        case Edited():
            return DecisionRow(time, "you changed it", "", "edit", event.artifact, event.path, "you")
        case Adopted():
            return DecisionRow(time, "commits of others on its branch", "", "adopt", event.head[:12], event.reason)
        case EffectDone(effect="revert"):
            return DecisionRow(time, "you took it back", "", "undo", event.commit[:12], event.refused, "you")
    return None


def _by_rule(time: str, rule: str, action: str, reason: str) -> DecisionRow:
    """Return a decision with the words and the facts of its row: of several, the one with this action."""
    rows = ROWS.get(rule, [])
    chosen = next(
        (one for one in rows if action in (one.action, f"{one.action} {one.then}")), next(iter(rows), None)
    )
    if chosen is None:
        return DecisionRow(time, "", "", rule, action, reason)
    facts = "; ".join(
        f"{name} = {' or '.join(map(str, values))}" for name, values in chosen.facts.items() if name != "outcome"
    )
    does = action or f"{chosen.action} {chosen.then if chosen.then != chosen.action else ''}".strip()
    return DecisionRow(time, chosen.when, facts, rule, does, reason)
