"""Tell of a story in plain words while it goes on: from its state alone, and from nothing slow."""

import os
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from baton.journal.events import Completed, IntegrationStepDone, Judged, RunArchived
from baton.journal.run import Run
from baton.journal.state import OVER, State
from baton.text import clip, one_line, seconds_between, span, visible

if TYPE_CHECKING:
    from baton.story.ask.step import Step

TASKS = {"planner": "plan", "implementer": "implement", "qa": "QA", "micro-delivery": "implement in one run"}
# Characters of a label, of all that is said at the end of a run, and of its parts.
LABEL_LENGTH, LINE_LENGTH, CAME_LENGTH, FOLLOWS_LENGTH = 60, 280, 100, 90
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


def starts_seen(runs: Iterable[Run]) -> str:
    """Say who saw runs being started, each with its runs."""
    by = dict[str, list[str]]()
    for run in runs:
        by.setdefault(run.start_seen_by, []).append(one_line(task_of(run)))
    return "; ".join(f"{who} ({'; '.join(tasks)})" for who, tasks in by.items())


def run_label(state: State, run: Run) -> str:
    return label_of(state.created.story, state.created.title, task_of(run))


def in_plain(text: str) -> str:
    """Return a text as a part of one line: nothing in it is hidden, and long ids are short or gone."""
    line = visible(" ".join(text.split()))
    for pattern, shown in IDS:
        line = pattern.sub(shown, line)
    return line


def outcome_of(judged: Judged) -> str:
    """Say what came of a run that was judged."""
    from baton.rules.row_marks import told_of  # which waits and labels do without

    words = told_of(judged.rule)
    return words.format(closed=judged.closed, total=judged.total) if words else in_plain(judged.reason).rstrip(".")


def run_end_line(state: State, run: Run, step: "Step") -> str:
    """Say in one line what came of a run that was judged, and what follows."""
    ended = f"{run_label(state, run)} ended in {span(run.time, run.ended_at or state.updated)}"
    came = clip(outcome_of(run.judged), CAME_LENGTH) if run.judged else "nothing is known of it"
    return clip(f"{ended} — {came}; {_what_follows(state, run, step)}", LINE_LENGTH)


def _what_follows(state: State, run: Run, step: "Step") -> str:
    new = state.run
    if state.question:
        return f"it asks you: {clip(in_plain(state.question.text.get('question', '')), FOLLOWS_LENGTH)}"
    if state.completed:
        return how_it_ended(state, state.completed)
    if step.action == "spawn" and new and new is not run:
        again = ", once more" if task_of(new) == task_of(run) else ""
        because = "" if _is_known(run, new) else f"{clip(in_plain(new.dispatched.reason), FOLLOWS_LENGTH)}; "
        return f"{because}next: {task_of(new)}{again}"
    if step.action == "wait" and state.pending and not (step.seconds or step.until or run.was_stopped):
        return f"next: {TASKS.get(state.pending.then, 'integrate')}"  # sent out once its story may go on
    if step.action == "feedback":
        return "next: settle what was said on its pull request"
    if run.was_stopped:
        return f"it waits: {RESTS}"
    return f"it waits: {clip(in_plain(step.reason), FOLLOWS_LENGTH)}"


def _is_known(run: Run, new: Run) -> bool:
    """Whether what came of a run says why the next is started."""
    return run.judged is not None and run.judged.rule == new.dispatched.rule


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
        return "being judged" if state.stage == "running" else "being taken on"
    return f"waits for its next step; if it stays so: /implement {state.created.story}"


def is_under_way(state: State) -> bool:
    """Whether a story was begun, or asks something before that, and is not over."""
    return state.stage not in ("new", *OVER)
