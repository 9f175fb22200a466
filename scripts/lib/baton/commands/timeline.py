"""The events of a story: timeline."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import click

from baton.commands.arguments import completed_by, json_option, run_names, story_argument
from baton.commands.output import count_fitting, in_client, in_columns, print_result, show_clock
from baton.commands.wrap_lines import wrapped
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.events import NAMES, MemoryTriaged, Spent
from baton.journal.journal import Journal, Record
from baton.rules.all_tables import skill_stage_of_rule
from baton.story.session.open_story import read_journal
from baton.text import clip, span
from baton.usage.spending import CONVERSATION, Spending, models_of, spending_of, sum_of
from baton.usage.spending_words import spending_words, sum_words

# The ends of the rules of steps that the story failed.
TO_BE_FIXED = ("/conflict", "/introduced")
# What is shown of an event of each kind, with the fields that it has.
DETAILS = {
    "created": "{title}",
    "started": "{branch} from {base}",
    "options-set": "plan only: {plan_only}, no loop: {no_loop}, iterations: {max_iterations}",
    "dispatched": "{role} {run}, attempt {attempt}",
    "begun": "in {tree}",
    "run-started": "agent {agent} in client session {client_session}",
    "handed-in": "{artifact}: {path}",
    "rejected": "{artifact}: {findings}",
    "ended": "{run}, reported by {how}",
    "spent": "{used}",
    "judged": "{action} {then}: {reason}",
    "kept": "the work is in {commit}",
    "adopted": "{head}: {reason}",
    "run-archived": "committed {commit}",
    "question-asked": "{action}: {reason}",
    "shown": "to the user in client session {session}",
    "said": "{option}, by {how}: {words}",
    "answered": "{option}{said}: {note}",
    "question-closed": "no answer is needed: {evidence}",
    "edited": "{artifact}: {path}",
    "confirmed": "the criteria, by {how}: {criteria}",
    "memory-triaged": "{triaged}",
    "integration-step-done": "{reason}",
    "effect-intended": "{effect} {about}: begun",
    "effect-done": "{effect} done: {commit}",
    "completed": "{commit}, {report}",
}
# What is shown instead where this holds.
INSTEAD: dict[str, tuple[Callable[[Any], bool], str]] = {
    "handed-in": (lambda event: bool(event.taken), "{artifact}: {taken}"),
    "run-started": (lambda event: not event.agent, "by its first hand-in"),
    "judged": (lambda event: event.then in ("", event.action), "{action}: {reason}"),
    "kept": (lambda event: bool(event.refused), "the work is in {commit}, which a commit hook refuses"),
    "run-archived": (lambda event: not event.commit, "nothing to commit"),
    "integration-step-done": (lambda event: event.rule.endswith(TO_BE_FIXED), "to be fixed: {reason}"),
    "effect-done": (lambda event: bool(event.refused), "{effect} refused: {about}"),
}
# What is shown unless more is asked for: what was decided. Settings that name no command decide nothing.
DECISIONS = (
    "created",
    "adopted",
    "judged",
    "question-asked",
    "answered",
    "question-closed",
    "edited",
    "confirmed",
    "memory-triaged",
    "integration-step-done",
    "completed",
    "spent",
)
STAGE_OF = {
    "created": "preflight",
    "confirmed": "plan",
    "spent": "delegate",
    "memory-triaged": "summary",
    "integration-step-done": "integrate",
    "completed": "summary",
}
COMMIT = re.compile(r"\b[0-9a-f]{40}\b")
# In the client, characters of a line.
LINE_LENGTH = 240


class TimelineRow(NamedTuple):
    """An event: its time, its stage, its run, the rule that decided, and what happened."""

    seq: int
    time: str
    kind: str
    rule: str
    guard: str
    run: str
    detail: str
    stage: str

    @property
    def is_decision(self) -> bool:
        decides = (
            self.kind in DECISIONS
            and not self.rule.endswith("/unset")
            and (self.kind != "spent" or bool(self.run))
        )
        return decides or self.detail.startswith("revert done")


@click.command()
@story_argument()
@click.option("--all", "whole", is_flag=True, help="Every event, not the decisions alone.")
@click.option(
    "--run",
    default="",
    metavar="RUN",
    help="The events of this run alone.",
    shell_complete=completed_by(run_names),
)
@click.option("--kind", default="", metavar="KIND", help="The events of this kind alone, as judged.")
@json_option
@click.pass_obj
def timeline(start: Path, story_id: str, whole: bool, run: str, kind: str, as_json: bool) -> None:
    """Show what was decided about a story, or all that happened.

    Each line has its time, and how long after the line before it. In the client, the newest are shown.

    Example: baton timeline 42
    """
    journal: Journal = read_journal(find_project(start), story_id)
    if journal.torn:
        remedy = "it was never acknowledged; the next step removes it"
        click.echo(f"baton: {BatonError('an incomplete last line', str(journal.path), remedy)}", err=True)
    rows = [describe_record(record) for record in journal.records]
    chosen = [row for row in rows if run in ("", row.run) and kind in ("", row.kind)]
    if not chosen:
        kinds = f"its kinds are {', '.join(dict.fromkeys(row.kind for row in rows))}"
        remedy = f"`baton timeline {story_id}` shows all: {kinds}"
        raise BatonError("no such event", f"story {story_id}", remedy)
    log = f"baton timeline {story_id} --all"
    as_log = whole or bool(run or kind)
    shown = [row for row in chosen if as_log or row.is_decision]
    spending = spending_of(journal.records)
    lines = in_columns(
        _cells(row, before, as_log) for row, before in zip(shown, [*shown[:1], *shown], strict=False)
    )
    if any(spent.models for spent in spending) and not as_log:
        lines.append(f"in all: {sum_words(sum_of(spending))}")
    if left_out := len(chosen) - len(shown):
        lines.append(f"… and {left_out} other events: {log}")
    if in_client() and not whole:
        lines = [clip(line, LINE_LENGTH) for line in lines]
        if left_out := len(lines) - count_fitting(reversed(lines)):
            lines = [f"… {left_out} earlier events: {log}", *lines[left_out:]]
    print_result(as_json, {"events": [row._asdict() for row in chosen]}, "\n".join(wrapped(lines)), log, whole)


def _cells(row: TimelineRow, before: TimelineRow, as_log: bool) -> tuple[str, ...]:
    """Return when and how long after the row before; the stage of a decision and its rule; what happened."""
    what = (row.kind, row.rule) if as_log else (row.stage, row.rule or row.kind)
    return f"{row.seq:>3} {show_clock(row.time)}", f"+{span(before.time, row.time)}", *what, row.detail


def describe_record(record: Record) -> TimelineRow:
    """Return a journal record as a row of the timeline."""
    event, kind = record.event, NAMES[type(record.event)]
    rule, guard, run = (str(getattr(event, name, "")) for name in ("rule", "guard", "run"))
    holds, text = INSTEAD.get(kind, (None, ""))
    template = text if holds and holds(event) else DETAILS[kind]
    values = {name: _shown(value) for name, value in event._asdict().items()}
    used = _used(event) if isinstance(event, Spent) else ""
    triaged = _triaged(event) if isinstance(event, MemoryTriaged) else ""
    detail = template.format_map({**values, "used": used, "triaged": triaged})
    line = detail.partition("\n")[0].rstrip(": ")
    return TimelineRow(
        record.seq, record.time, kind, rule, guard, run, line, STAGE_OF.get(kind) or skill_stage_of_rule(rule)
    )


def _triaged(event: MemoryTriaged) -> str:
    entries = [
        f"{row.get('decision') or row.get('verdict')}: {row.get('text') or row.get('what') or row.get('commit')}"
        for row in event.entries
    ]
    return "; ".join([f"{event.how}{f': {event.why}' if event.why else ''}", *entries])


def _used(spent: Spent) -> str:
    seconds = max(0, spent.seconds)
    return spending_words(Spending(spent.run, CONVERSATION, "", models_of(spent), seconds, spent.unknown))


def _shown(value: object) -> str:
    """Return the value of a field on a line: a list joined, how something was said in brackets, a commit short."""
    match value:
        case list():
            return "; ".join(map(str, value))
        case dict():
            return f" ({', '.join(map(str, value.values()))})" if value else ""
        case None:
            return "as configured"
    return COMMIT.sub(lambda commit: commit[0][:12], str(value))
