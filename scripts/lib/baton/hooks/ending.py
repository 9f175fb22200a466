"""How a run ended and what it used, as the client's transcripts tell; and what the conversation used meanwhile."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from baton.journal.events import Ended, Spent
from baton.journal.journal import Record
from baton.journal.paths import Project
from baton.journal.run import Run
from baton.story.session import StorySession, open_story
from baton.usage.refusal import read_refusal
from baton.usage.today import journals_of_day
from baton.usage.transcript import Usage, read_transcript

Payload = Mapping[str, Any]
AGENT = re.compile(r"[A-Za-z0-9_-]+")
GONE = "its transcript is not there, or cannot be read"
EMPTY = "its transcript holds no answer of this agent"


def note_end(project: Project, story_id: str, end: Ended, agent: str, payload: Payload) -> bool:
    """Note the end of a run that is neither ended nor judged, and what it used; whether it is yet to be judged."""
    usage = read_transcript(transcript_of(agent, payload), agent)
    with open_story(project, story_id, f"hook on the end of {end.run}") as story:
        run = story.state.find_run(end.run)
        if run and not run.judged and not run.ended:
            story.note(_with_refusal(story, end, usage))
        if run and (not run.judged or (usage and usage.models)):
            _note_once(story, _spent(end.run, payload, usage))
        return run is not None and run.judged is None


def note_conversation(project: Project, story_id: str, payload: Payload) -> None:
    """Note what the conversation used since it was last counted, for any story, or since this one's first run."""
    session = str(payload.get("session_id") or "")
    today = journals_of_day(project, datetime.now().date())
    with open_story(project, story_id, "hook on the conversation") as story:
        records = [*story.journal.records, *(one for other in today.values() for one in other)]
        usage = read_transcript(str(payload.get("transcript_path") or ""), after=_counted(story, session, records))
        if usage and usage.models:
            story.note(_spent("", payload, usage)._replace(seconds=0, newest=usage.newest))


def transcript_of(agent: str, payload: Payload) -> str:
    """Return the path of an agent's transcript: as the client says, else beside that of its conversation."""
    named = str(payload.get("agent_transcript_path") or "")
    if named or not AGENT.fullmatch(agent):
        return named
    return f"{str(payload.get('transcript_path') or '').removesuffix('.jsonl')}/subagents/agent-{agent}.jsonl"


def _counted(story: StorySession, session: str, records: list[Record]) -> str:
    """Return up to when a conversation's requests are counted, by the newest of all journals."""
    spent = [one.event for one in records if isinstance(one.event, Spent) and not one.event.run]
    counted = [one.newest for one in spent if one.session == session]
    began = story.state.runs[0].time.rstrip("Z") if story.state.runs else ""
    return max([began, *counted])


def _spent(run: str, payload: Payload, usage: Usage | None) -> Spent:
    unknown = GONE if usage is None else "" if usage.models else EMPTY
    if usage and usage.damaged:
        unknown = f"{usage.damaged} lines of its transcript cannot be read"
    models = {name: list(tokens) for name, tokens in usage.models.items()} if usage else {}
    return Spent(run, str(payload.get("session_id") or ""), models, usage.seconds if usage else 0, unknown)


def _note_once(story: StorySession, spent: Spent) -> None:
    """Note what a run used, unless just that is known, or more: a transcript that is gone takes nothing back."""
    known = [one for one in story.state.events if isinstance(one, Spent) and one.run == spent.run]
    if not known or (known[-1] != spent and (spent.models or not known[-1].models)):
        story.note(spent)


def _with_refusal(story: StorySession, end: Ended, usage: Usage | None) -> Ended:
    refusal = read_refusal(usage.failure if usage else None, datetime.now(UTC), refused_in_a_row(story.state.runs))
    return end._replace(refused=refusal.kind, until=refusal.until) if refusal else end


def refused_in_a_row(runs: list[Run]) -> int:
    """Count the last runs that the service refused, but for the one that is running."""
    ends = [bool(run.end and run.end.refused) for run in reversed(runs[:-1])]
    return next((count for count, refused in enumerate(ends) if not refused), len(ends))
