"""What is shown of a story that goes on: what runs, since when, what is waited for, what was decided last."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from baton.commands import render
from baton.journal import events as event
from baton.journal.journal import Record
from baton.journal.paths import stamp_of
from baton.journal.run import Run
from baton.journal.state import State
from baton.journal.transcript import find_transcript
from baton.story.progress import how_it_ended, in_plain, is_under_way, outcome_of, task_of, waits_for
from baton.story.step import stage_of
from baton.text import one_line, printable, span

NOTHING = "nothing is under way: `baton status` lists all stories"
# How many decisions are shown.
DECISIONS = 3


class Watched(NamedTuple):
    """A story as its journal was when last read, and until when it waits; or why it cannot be read."""

    stamp: tuple[int, ...]
    records: list[Record]
    state: State | None
    until: str = ""
    fault: str = ""

    @property
    def goes_on(self) -> bool:
        return self.state is not None and is_under_way(self.state)


def frame(seen: Iterable[Watched], now: str) -> list[str]:
    """Return the lines that show these stories at this time."""
    lines = list[str]()
    for one in seen:
        lines += [*([""] if lines else []), *(_story(one, one.state, now) if one.state else [one_line(one.fault)])]
    return [printable(line) for line in lines] or [NOTHING]


def _story(one: Watched, state: State, now: str) -> list[str]:
    judged = [run.judged for run in state.runs if run.judged and run.judged.total]
    done = f", {judged[-1].closed} of {judged[-1].total} phases done" if judged else ""
    head = in_plain(f"{state.created.story} {state.created.title}")
    if not one.goes_on:
        over = how_it_ended(state, state.completed) if state.completed else state.status
        return [f"{head}: {over} {_when(state.updated, now)}", *_decisions(one.records, state, now)]
    return [f"{head}: {_stage(state)}{done}", *_run(one.records, state, now), *_waits(one, state, now),
            *_decisions(one.records, state, now)]  # fmt: skip


def _stage(state: State) -> str:
    if question := state.question:
        return stage_of(state.phase, question.action, question.rule)
    return stage_of(state.phase, "spawn" if state.stage == "running" else "judge", "")


def _run(records: list[Record], state: State, now: str) -> list[str]:
    """Say what the run that is under way is for, since when it runs, and when it was last heard of."""
    run = state.run
    if state.stage != "running" or run is None:
        return []
    heard = sorted(_signs(records, run), key=lambda sign: sign[0])[-1:]
    last = [f"  last sign of life {_when(time, now)}: {what}" for time, what in heard]
    return [f"  runs: {task_of(run)}, since {_when(run.time, now)}", *last]


def _signs(records: list[Record], run: Run) -> Iterator[tuple[str, str]]:
    """Yield when a run was heard of, and what of it."""
    for record in records:
        match record.event:
            case event.RunStarted(run=run.id):
                yield record.time, "its agent was started"
            case event.Begun(run=run.id):
                yield record.time, "it began"
            case event.HandedIn(run=run.id, artifact=artifact):
                yield record.time, f"it handed in its {artifact}"
            case event.Rejected(run=run.id, artifact=artifact):
                yield record.time, f"its {artifact} was sent back"
    yield from ((time, "its agent wrote to its log") for time in map(_log_time, run.starts) if time)


def _log_time(start: tuple[str, event.RunStarted]) -> str:
    """Return when the client last wrote to the log of an agent; nothing where that log is not found."""
    log = find_transcript(start[1].client_session, start[1].agent)
    stamp = stamp_of(Path(log)) if log else ()
    return datetime.fromtimestamp(stamp[1] / 1e9, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if stamp else ""


def _waits(one: Watched, state: State, now: str) -> list[str]:
    waits = waits_for(state, now)
    if not waits:
        return []
    how = [f"  answer: `baton question {state.created.story}` shows it whole"] if state.question else []
    until = f"; you are asked at {_clock(one.until, now)} at the latest" if one.until else ""
    return [f"  {waits}, since {_when(state.updated, now)}{until}", *how]


def _decisions(records: list[Record], state: State, now: str) -> list[str]:
    told = [(record.time, words) for record in records if (words := _decision(record.event, state))]
    return [f"    {_clock(time, now)}  {words}" for time, words in told[-DECISIONS:]]


def _decision(happened: event.Event, state: State) -> str:
    """Say in plain words what was decided; nothing for what decided nothing."""
    match happened:
        case event.Judged(run=run_id) as judged:
            run = state.find_run(run_id)
            return f"{task_of(run)}: {outcome_of(judged)}" if run else outcome_of(judged)
        case event.QuestionAsked(question=question):
            return in_plain(f"asked: {question.get('question', '')}")
        case event.Answered(option=option):
            return in_plain(f"answered: {option}")
        case event.QuestionClosed(evidence=evidence):
            return in_plain(f"answered by GitHub: {evidence}")
        case event.IntegrationStepDone(rule=rule, reason=reason) if not rule.endswith("/unset"):
            return in_plain(reason)
        case event.Completed() as completed:
            return how_it_ended(state, completed)
    return ""


def _when(then: str, now: str) -> str:
    return f"{_clock(then, now)} ({span(then, now)} ago)" if render.on_terminal() else then


def _clock(then: str, now: str) -> str:
    """Show a time: on a terminal in the local zone, and today's without the date."""
    day, _, hour = render.show_clock(then).partition(" ")
    return hour if hour and day == render.show_clock(now).partition(" ")[0] else render.show_clock(then)
