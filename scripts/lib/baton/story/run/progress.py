"""Tell of a story in plain words while it goes on: from its state alone, and from nothing slow."""

import os
import re
from collections.abc import Iterable

from baton.journal.events import Completed, Dispatched, IntegrationStepDone, RunArchived
from baton.journal.run import Run, events_since_anew
from baton.journal.state import OVER, State
from baton.text import clip, one_line, seconds_between, visible

TASKS = {"planner": "plan", "implementer": "implement", "qa": "QA", "micro-delivery": "implement in one run"}
# Characters of a label.
LABEL_LENGTH = 60
RESTS = "nothing goes on until you say so"
# How long a step may take of which nothing is known yet.
STEP_S = 180
# How a story that is complete ended.
ENDS = {"integrate/branch": "ready on its branch", "integrate/pr": "its pull request is open"}
IDS = ((re.compile(r"\bsess_\w+"), "a run"), (re.compile(r"\b([0-9a-f]{7})[0-9a-f]{3,33}\b"), r"\1"))


def label_of(story_id: str, title: str, task: str) -> str:
    """Return the label of a run, such as `42 dark mode: implement, phase 3 of 4`: one short line."""
    return label_line(f"{story_id} {title}", task)


def label_line(name: str, task: str) -> str:
    """Return a name and what is done for it, as one short line in which nothing is hidden."""
    who, what = in_plain(name), in_plain(task)
    what = clip(what, max(LABEL_LENGTH // 2, LABEL_LENGTH - len(who) - 2))
    return f"{clip(who, LABEL_LENGTH - len(what) - 2)}: {what}"


def task_of(run: Run) -> str:
    """Return what a run is for, such as `implement, phase 3 of 4`."""
    return run.dispatched.task or TASKS[run.role]


def runs_anew(state: State) -> list[Run]:
    """Return the runs since the story was begun anew; all of them where it never was."""
    begun = {event.run for event in events_since_anew(state.events) if isinstance(event, Dispatched)}
    return [run for run in state.runs if run.id in begun]


def starts_seen(runs: Iterable[Run]) -> str:
    """Say who saw runs being started, each with its runs; of all of them, who alone."""
    by = dict[str, list[str]]()
    for run in runs:
        by.setdefault(run.start_seen_by, []).append(one_line(task_of(run)))
    if len(by) == 1:
        return next(iter(by))
    return "; ".join(f"{who} ({'; '.join(tasks)})" for who, tasks in by.items())


def run_label(state: State, run: Run) -> str:
    return label_of(state.created.story, state.created.title, task_of(run))


def in_plain(text: str) -> str:
    """Return a text as a part of one line: nothing in it is hidden, and long ids are short or gone."""
    line = visible(" ".join(text.split()))
    for pattern, shown in IDS:
        line = pattern.sub(shown, line)
    return line


def reason_lines(reason: str) -> list[str]:
    """Return a reason as a person reads it: its first line in plain words, what it quotes as it stands."""
    because, *quoted = reason.split("\n")
    return [in_plain(because), *quoted]


def how_it_ended(state: State, completed: Completed) -> str:
    """Say how a story was completed."""
    base = state.started.base if state.started else "its base"
    return ENDS.get(completed.rule, f"merged into {in_plain(base)}")


def trees_left(state: State) -> list[str]:
    """Say which work trees of a story's runs stay, and why."""
    filed = {event.run: event.stays for event in state.events if isinstance(event, RunArchived)}
    trees = {run.id: run.begun.tree for run in state.runs if run.begun}
    return [stays for run, stays in filed.items() if stays and os.path.isdir(trees.get(run, ""))]


def waits_for(state: State, now: str) -> str:
    """Say what a story that no run works on waits for; nothing where a run does."""
    if state.question:
        return f"asks: {in_plain(state.question.text.get('question', ''))}"
    if state.stage == "running" and state.run and not state.run.has_ended:
        return ""
    last = state.events[-1]
    if state.stage == "ready" and isinstance(last, IntegrationStepDone):
        return f"waits: {in_plain(last.reason)}"
    end = state.run.end if state.stage == "ready" and state.run else None
    if end and end.until > now:
        return f"waits until {end.until} for the service to take requests"
    if seconds_between(state.updated, now) < STEP_S:
        return "being judged" if state.stage == "running" else "starting the next step"
    return f"waits for its next step; if it stays so: /implement {state.created.story}"


def is_under_way(state: State) -> bool:
    """Whether a story was begun, or asks something before that, and is not over."""
    return state.stage not in ("new", *OVER)
