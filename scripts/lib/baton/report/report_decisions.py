"""The decisions of a story as rows: facts, rule, action, and reason in words."""

from collections.abc import Iterator, Sequence

from baton.journal.events import NAMES, Answered, Event, Judged
from baton.journal.journal import Record
from baton.report.report_data import DecisionRow
from baton.rules.all_tables import rows_by_rule

# Of each kind of event that decides something: when, the rule, the action, the reason, and who it was.
# Where nothing is said of when, the row of the rule says it.
DECIDED = {
    "dispatched": ("", "{rule}", "spawn {role}", "{reason}", "baton"),
    "judged": ("", "{rule}", "{does}", "{reason}", "baton"),
    "question-asked": ("", "{rule}", "{action}", "{reason}", "baton"),
    "integration-step-done": ("", "{rule}", "", "{reason}", "baton"),
    "completed": ("", "{rule}", "complete", "at {commit:.12}", "baton"),
    "answered": ("you answered", "{rule}", "{option}", "{notes}", "{who}"),
    "question-closed": ("GitHub answered", "{rule}", "look again", "{evidence}", "baton"),
    "confirmed": ("criteria confirmed", "confirm", "{how}", "{criteria}", "you"),
    "edited": ("you changed it", "edit", "{artifact}", "{path}", "you"),
    "adopted": ("commits of others on its branch", "adopt", "{head:.12}", "{reason}", "baton"),
    "effect-done": ("you took it back", "undo", "{commit:.12}", "{refused}", "you"),
}


def decisions_of(records: Sequence[Record]) -> Iterator[DecisionRow]:
    """Give the decisions in order; an event that only carries out the one before it is skipped."""
    before = rule_before = ""
    for record in records:
        event, kind = record.event, NAMES[type(record.event)]
        rule = getattr(event, "rule", "")
        follows = kind in ("dispatched", "completed") or (before, kind) == ("integration-step-done", "judged")
        is_other_effect = getattr(event, "effect", "revert") != "revert"
        if kind in DECIDED and not is_other_effect and not (follows and rule == rule_before):
            yield _decision(record.time, event)
        if rule:
            before, rule_before = kind, rule


def _decision(time: str, event: Event) -> DecisionRow:
    """Return a decision, with the words and facts of its rule; of several rows, of the one with its action."""
    values = event._asdict()
    if isinstance(event, Judged):
        values["does"] = " ".join(dict.fromkeys(filter(None, (event.action, event.then))))
    if isinstance(event, Answered):
        deferred = [f"deferred: {criterion}" for criterion in event.deferred]
        values |= {"notes": "; ".join(filter(None, (event.note, *deferred))), "who": event.said.get("who", "you")}
    when, *rest = (template.format_map(values) for template in DECIDED[NAMES[type(event)]])
    decision = DecisionRow(time, when, "", *rest)
    rows = rows_by_rule().get(decision.rule, [])
    if when or not rows:
        return decision
    fitting = (row for row in rows if decision.action in (row.action, row.does))
    row = next(fitting, None if decision.action else rows[0])
    if row is None:  # an older baton's, whose rule shared its name with another
        return decision
    named = {name: " or ".join(map(str, values)) for name, values in row.facts.items() if name != "outcome"}
    facts = "; ".join(f"{name} = {values}" for name, values in named.items())
    return decision._replace(when=row.when, facts=facts, action=decision.action or row.does)
