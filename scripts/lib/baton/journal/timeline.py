"""A journal as a person reads it: one line an event."""

from typing import NamedTuple

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
from baton.journal.journal import Record

# The ends of the rules of steps that the story failed.
TO_BE_FIXED = ("/conflict", "/introduced")


class TimelineRow(NamedTuple):
    """What happened, when, to which run, by which rule."""

    seq: int
    time: str
    kind: str
    rule: str
    guard: str
    run: str
    detail: str


def describe_record(record: Record) -> TimelineRow:
    """Give a journal record as a row of the timeline."""
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
            return f"{run}, told by {how}"
        case Shown(session=session):
            return f"to the person in client session {session}"
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
            return f"{effect} of {about}, about to be made"
        case EffectDone(effect=effect, about=about, commit=commit, refused=refused):
            told = "refused" if refused else commit[:12] or "nothing to do"
            return f"{effect} of {about}: {told}"
        case Kept(commit=commit, refused=refused):
            return f"{commit[:12]}, which a commit hook refuses" if refused else commit[:12]
        case Adopted(head=head, reason=reason):
            return f"{head[:12]}: {reason}"
        case RunArchived(commit=commit):
            return f"committed {commit[:12]}" if commit else "nothing to commit"
        case Judged() | QuestionAsked() | IntegrationStepDone() as decided:
            text = getattr(decided, "action", "to be fixed" if decided.rule.endswith(TO_BE_FIXED) else "on")
            return f"{text}: {decided.reason}".splitlines()[0]
        case Completed(commit=commit, report=report):
            return f"{commit[:12]}, {report}"
    raise AssertionError(kind_of(event))
