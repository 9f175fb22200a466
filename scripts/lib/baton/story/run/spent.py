"""Note in the journal, once, how a run ended and what it used, as its transcripts tell."""

from datetime import UTC, datetime

from baton.journal.events import Ended, Spent
from baton.journal.paths import Project
from baton.journal.run import Run
from baton.story.session.open_story import open_story
from baton.story.session.session import StorySession
from baton.usage.service_refusal import read_refusal
from baton.usage.transcript import Usage

GONE = "its transcript is not there, or cannot be read"
EMPTY = "its transcript holds no answer of this agent"


def note_run_end(project: Project, story_id: str, end: Ended, session: str, usage: Usage | None) -> bool:
    """Note how a run ended, if it is neither noted nor judged, and its use; returns whether it is to be judged."""
    with open_story(project, story_id, f"the end of {end.run}") as story:
        run = story.state.find_run(end.run)
        if run and not run.judged and not run.ended:
            story.note(_with_refusal(story, end, usage))
        if run and (not run.judged or (usage and usage.models)):
            _note_once(story, spent_of(end.run, session, usage))
        return run is not None and run.judged is None


def spent_of(run: str, session: str, usage: Usage | None) -> Spent:
    """Return the use of a run as an event for the journal."""
    unknown = GONE if usage is None else "" if usage.models else EMPTY
    if usage and usage.damaged:
        unknown = f"{usage.damaged} lines of its transcript cannot be read"
    models = {name: list(tokens) for name, tokens in usage.models.items()} if usage else {}
    return Spent(run, session, models, usage.seconds if usage else 0, unknown)


def _note_once(story: StorySession, spent: Spent) -> None:
    """Note what a run used, unless just that is known, or more: a transcript that is gone takes nothing back."""
    known = [event for event in story.state.events if isinstance(event, Spent) and event.run == spent.run]
    if not known or (known[-1] != spent and (spent.models or not known[-1].models)):
        story.note(spent)


def _with_refusal(story: StorySession, end: Ended, usage: Usage | None) -> Ended:
    refusal = read_refusal(usage.failure if usage else None, datetime.now(UTC), refused_in_a_row(story.state.runs))
    return end._replace(refused=refusal.kind, until=refusal.until) if refusal else end


def refused_in_a_row(runs: list[Run]) -> int:
    """Count the last runs that the service refused, but for the one that is running."""
    ends = [bool(run.end and run.end.refused) for run in reversed(runs[:-1])]
    return next((count for count, refused in enumerate(ends) if not refused), len(ends))
