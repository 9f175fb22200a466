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
from baton.rules.tables.all_tables import ALL_TABLES

# Of each event that decides something: when, the rule, the action, the reason, and who it was. Where nothing is
# said of when, the row of the rule says it.
DECIDED: dict[type[Event], tuple[str, str, str, str, str]] = {
    Dispatched: ("", "{rule}", "spawn {role}", "{reason}", "baton"),
    Judged: ("", "{rule}", "{does}", "{reason}", "baton"),
    QuestionAsked: ("", "{rule}", "{action}", "{reason}", "baton"),
    IntegrationStepDone: ("", "{rule}", "", "{reason}", "baton"),
    Completed: ("", "{rule}", "complete", "at {commit:.12}", "baton"),
    Answered: ("you answered", "{rule}", "{option}", "{notes}", "{who}"),
    QuestionClosed: ("GitHub answered", "{rule}", "look again", "{evidence}", "baton"),
    Edited: ("you changed it", "edit", "{artifact}", "{path}", "you"),
    Adopted: ("commits of others on its branch", "adopt", "{head:.12}", "{reason}", "baton"),
    EffectDone: ("you took it back", "undo", "{commit:.12}", "{refused}", "you"),
}


def decisions_of(records: Sequence[Record]) -> Iterator[DecisionRow]:
    """Give what was decided, in order; what only carries out the decision before it is none of its own."""
    before: Event | None = None
    for record in records:
        event = record.event
        is_effect = isinstance(event, EffectDone) and event.effect != "revert"
        if type(event) in DECIDED and not is_effect and not _carries_out(event, before):
            yield _decision(record.time, event)
        before = event if hasattr(event, "rule") else before


def _carries_out(event: Event, before: Event | None) -> bool:
    """Whether an event has the rule of the one before, and is what follows from it."""
    follows = isinstance(event, Dispatched | Completed) or (
        isinstance(event, Judged) and isinstance(before, IntegrationStepDone)
    )
    return follows and getattr(event, "rule", "") == getattr(before, "rule", "")


def _decision(time: str, event: Event) -> DecisionRow:
    """Return a decision, with the words and the facts of its rule; of several rows, of the one that does this."""
    values = event._asdict()
    if isinstance(event, Judged):
        values["does"] = " ".join(dict.fromkeys(filter(None, (event.action, event.then))))
    if isinstance(event, Answered):
        deferred = [f"deferred: {one}" for one in event.deferred]
        values |= {"notes": "; ".join(filter(None, (event.note, *deferred))), "who": event.said.get("who", "you")}
    when, *rest = (one.format_map(values) for one in DECIDED[type(event)])
    told = DecisionRow(time, when, "", *rest)
    rows = [row for table in ALL_TABLES for row in table.rows if row.rule == told.rule]
    if told.when or not rows:
        return told
    row = next((one for one in rows if told.action in (one.action, one.does)), rows[0])
    named = {name: " or ".join(map(str, values)) for name, values in row.facts.items() if name != "outcome"}
    facts = "; ".join(f"{name} = {values}" for name, values in named.items())
    return told._replace(when=row.when, facts=facts, action=told.action or row.does)
