"""What happened to a story: timeline."""

from pathlib import Path
from typing import NamedTuple

import click

from baton.commands.arguments import completed_by, json_option, run_names, story_argument
from baton.commands.render import in_client, newest, say, say_json, show_clock, span
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.events import (
    Adopted,
    Answered,
    Begun,
    Completed,
    Created,
    Dispatched,
    Edited,
    EffectDone,
    EffectIntended,
    Ended,
    Event,
    HandedIn,
    IntegrationStepDone,
    Judged,
    Kept,
    OptionsSet,
    QuestionAsked,
    Rejected,
    RunArchived,
    RunStarted,
    Said,
    Shown,
    Started,
    kind_of,
)
from baton.journal.journal import Journal, Record
from baton.story.session import read_journal

# In the client, characters of a line.
LINE_LENGTH = 240


class TimelineRow(NamedTuple):
    """What happened, when, to which run, by which rule."""

    seq: int
    time: str
    kind: str
    rule: str
    guard: str
    run: str
    detail: str


@click.command()
@story_argument()
@click.option("--all", "whole", is_flag=True, help="Every event, in the client too.")
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
    """Show what happened to a story, event by event.

    Each event has its time, and how long after the one before it came. In the client, the newest are shown.

    Example: baton timeline 42
    """
    journal: Journal = read_journal(find_project(start), story_id)
    if journal.torn:
        remedy = "it was never acknowledged; the next step cuts it off"
        click.echo(f"baton: {BatonError('a torn last line', str(journal.path), remedy)}", err=True)
    rows = [describe_record(record) for record in journal.records]
    chosen = [row for row in rows if run in ("", row.run) and kind in ("", row.kind)]
    if as_json:
        say_json({"events": [row._asdict() for row in chosen]})
        return
    before = dict(zip([row.seq for row in rows[1:]], rows, strict=False))
    lines = [_line(row, before.get(row.seq, row)) for row in chosen]
    more = f"baton timeline {story_id} --all"
    shown = lines if whole or not in_client() else newest([line[:LINE_LENGTH] for line in lines])
    if len(shown) < len(lines):
        shown = [f"… {len(lines) - len(shown)} earlier events: {more}", *shown]
    say("\n".join(shown), more, whole)


def _line(row: TimelineRow, before: TimelineRow) -> str:
    passed = f"+{span(before.time, row.time)}"
    return f"{row.seq:>3} {show_clock(row.time)} {passed:<8} {row.kind:<15} {row.rule:<22} {row.detail}"


# The ends of the rules of steps that the story failed.
TO_BE_FIXED = ("/conflict", "/introduced")


def describe_record(record: Record) -> TimelineRow:
    """Return a journal record as a row of the timeline."""
    event = record.event
    rule, guard = (str(getattr(event, name, "")) for name in ("rule", "guard"))
    run = str(getattr(event, "run", ""))
    return TimelineRow(record.seq, record.time, kind_of(event), rule, guard, run, _detail(event))


def _detail(event: Event) -> str:
    match event:
        case Created(title=title):
            return title
        case Started(branch=branch, base=base):
            return f"{branch} from {base}"
        case OptionsSet(plan_only=plan_only, max_iterations=most, no_loop=no_loop):
            return f"plan only: {plan_only}, no loop: {no_loop}, iterations: {most or 'as configured'}"
        case Dispatched(role=role, run=run, attempt=attempt):
            return f"{role} {run}, attempt {attempt}"
        case Begun(tree=tree):
            return f"in {tree}"
        case RunStarted(agent=agent, client_session=session):
            return f"agent {agent} in client session {session}" if agent else "by its first hand-in"
        case HandedIn(artifact=artifact, path=path) | Edited(artifact=artifact, path=path):
            return f"{artifact}: {path}"
        case Rejected(artifact=artifact, findings=findings):
            return f"{artifact}: {'; '.join(findings)}"
        case Ended(run=run, how=how):
            return f"{run}, reported by {how}"
        case Shown(session=session):
            return f"to the user in client session {session}"
        case Said(how=how, option=option, words=words):
            return f"{option}, by {how}: {words}"
        case Answered(option=option, note=note, said=said):
            by = f" ({', '.join(said.values())})" if said else ""
            return option + by + (f": {note}" if note else "")
        case _:
            return _outcome(event)


def _outcome(event: Event) -> str:
    match event:
        case EffectIntended(effect=effect, about=about):
            return f"{effect} started: {about}"
        case EffectDone(effect=effect, about=about, commit=commit, refused=refused):
            outcome = "refused" if refused else f"done {commit[:12]}".rstrip()
            return f"{effect} {outcome}: {about}"
        case Kept(commit=commit, refused=refused):
            return f"kept {commit[:12]}" + (": a commit hook refuses it" if refused else "")
        case Adopted(head=head, reason=reason):
            return f"{head[:12]}: {reason}"
        case RunArchived(commit=commit):
            return f"committed {commit[:12]}" if commit else "nothing to commit"
        case Judged() | QuestionAsked() | IntegrationStepDone() as decided:
            text = getattr(
                decided, "action", "to be fixed" if decided.rule.endswith(TO_BE_FIXED) else "next check"
            )
            return f"{text}: {decided.reason}".splitlines()[0]
        case Completed(commit=commit, report=report):
            return f"{commit[:12]}, {report}"
    raise AssertionError(kind_of(event))
