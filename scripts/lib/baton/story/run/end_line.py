"""Tell in one line what came of a run, and what follows."""

from baton.journal.events import Judged
from baton.journal.run import Run
from baton.journal.state import State
from baton.rules.all_tables import run_words
from baton.story.ask.step import Step
from baton.story.run.progress import RESTS, TASKS, how_it_ended, in_plain, run_label, task_of
from baton.text import clip, lasting, seconds_between

# Characters of all that is said at the end of a run, and of its parts.
LINE_LENGTH, CAME_LENGTH, FOLLOWS_LENGTH = 280, 100, 90


def outcome_of(judged: Judged) -> str:
    """Say what came of a run that was judged."""
    words = run_words(judged.rule)
    return words.format(closed=judged.closed, total=judged.total) if words else in_plain(judged.reason).rstrip(".")


def run_end_line(state: State, run: Run, step: Step) -> str:
    """Say in one line what came of a run that was judged, and what follows."""
    ended = f"{run_label(state, run)} ended in {lasting(seconds_between(run.time, run.ended_at or state.updated))}"
    came = clip(outcome_of(run.judged), CAME_LENGTH) if run.judged else "nothing is known of it"
    return clip(f"{ended} — {came}; {_what_follows(state, run, step)}", LINE_LENGTH)


def _what_follows(state: State, run: Run, step: Step) -> str:
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
