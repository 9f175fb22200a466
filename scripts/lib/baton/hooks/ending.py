"""Note a run's end and its usage, as the client's transcripts tell, and the conversation's usage meanwhile."""

import re
from collections.abc import Mapping
from datetime import datetime
from time import sleep
from typing import Any

from baton.journal.events import Ended, Spent
from baton.journal.journal import Record
from baton.journal.paths import Project
from baton.story.run.spent import note_run_end, spent_of
from baton.story.session.session import StorySession, open_story
from baton.usage.today import journals_of_day
from baton.usage.transcript import read_transcript

Payload = Mapping[str, Any]
AGENT = re.compile(r"[A-Za-z0-9_-]+")
FAILED = "<status>failed</status>"
LOOKS, LOOK_SECONDS = 20, 0.1


def note_end(project: Project, story_id: str, end: Ended, agent: str, payload: Payload) -> bool:
    """Note the end of a run that is neither ended nor judged, and what it used; whether it is yet to be judged."""
    path = transcript_of(agent, payload)
    usage = read_transcript(path, agent)
    failed = payload.get("hook_event_name") == "StopFailure" or FAILED in str(payload.get("prompt") or "")
    for _ in range(LOOKS if failed else 0):  # the client may tell of it before it has written why
        if usage and usage.failure:
            break
        sleep(LOOK_SECONDS)
        usage = read_transcript(path, agent)
    return note_run_end(project, story_id, end, str(payload.get("session_id") or ""), usage)


def note_conversation(project: Project, story_id: str, payload: Payload) -> None:
    """Note what the conversation used since it was last counted, for any story, or since this one's first run."""
    session = str(payload.get("session_id") or "")
    today = journals_of_day(project, datetime.now().date())
    with open_story(project, story_id, "hook on the conversation") as story:
        records = [*story.journal.records, *(record for other in today.values() for record in other)]
        usage = read_transcript(str(payload.get("transcript_path") or ""), after=_counted(story, session, records))
        if usage and usage.models:
            story.note(spent_of("", session, usage)._replace(seconds=0, newest=usage.newest))


def transcript_of(agent: str, payload: Payload) -> str:
    """Return the path of an agent's transcript: as the client says, else beside that of its conversation."""
    named = str(payload.get("agent_transcript_path") or "")
    if named or not AGENT.fullmatch(agent):
        return named
    return f"{str(payload.get('transcript_path') or '').removesuffix('.jsonl')}/subagents/agent-{agent}.jsonl"


def _counted(story: StorySession, session: str, records: list[Record]) -> str:
    """Return the time up to which a conversation's requests are counted, by the newest of all journals."""
    spent = [record.event for record in records if isinstance(record.event, Spent) and not record.event.run]
    counted = [event.newest for event in spent if event.session == session]
    began = story.state.runs[0].time.rstrip("Z") if story.state.runs else ""
    return max([began, *counted])
