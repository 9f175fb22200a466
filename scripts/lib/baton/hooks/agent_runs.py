"""The client's agents and the runs they work on: find the run of an agent, note its end and what it used."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from time import sleep
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.store.questions import QuestionReplies
from baton.journal import index
from baton.journal.events import Dispatched, Ended, Event, RunStarted, Said, Shown, Spent
from baton.journal.journal import Record
from baton.journal.paths import PULLS_FOLDER, Project
from baton.journal.repository import journals_of_day, read_stories
from baton.journal.state import OVER, State
from baton.rules.all_tables import waiting_rules
from baton.story.run.spent import note_run_end, spent_of
from baton.story.session.open_story import open_story
from baton.story.session.session import StorySession
from baton.usage.transcript import read_transcript

Payload = Mapping[str, Any]
AGENT_ID = re.compile(r"[A-Za-z0-9_-]+")
FAILED_STATUS = "<status>failed</status>"
LOOKS, LOOK_SECONDS = 20, 0.1


def sessions_of(events: Iterable[Event]) -> list[str]:
    """Return the sessions of the client a story was driven in, oldest first; an empty one for outside of any."""
    named = [event for event in events if isinstance(event, Dispatched | RunStarted | Shown | Said)]
    sessions = [event.session if isinstance(event, Shown | Said) else event.client_session for event in named]
    # A run that started by its first hand-in tells nothing new.
    return [name for name, event in zip(sessions, named, strict=True) if name or isinstance(event, Dispatched)]


class Bound(NamedTuple):
    """A run, its story, the agent of the client that was started for it, and whether that works on it.

    It does not where another has begun it.
    """

    story: str
    run: str
    agent: str
    works: bool = True


def find_bound_run(project: Project, agent: str) -> Bound | None:
    """Return the newest run `agent` was started for, judged or not; None for an agent that is not ours.

    A damaged journal is a BatonError only when no other story knows the agent.
    """
    states, faults = read_stories(project, index.find_words(str(project.state), index.AGENTS, agent))
    bound = [
        Bound(state.created.story, run.id, agent, run.begun is None or run.begun.agent in ("", agent))
        for state in states
        for run in state.runs
        if any(start.agent == agent for _, start in run.starts)
    ]
    if faults and not bound:
        raise faults[0]
    return bound[-1] if bound else None


def stories_under_way(project: Project) -> list[State]:
    """Return the stories that were begun and are neither complete nor abandoned; the index forgets the others."""
    place = str(project.state)
    states, faults = read_stories(project, index.read_lines(place, index.UNDER_WAY))
    if faults and not states:
        raise faults[0]
    over = {state.created.story for state in states if state.stage in OVER}
    if over:
        listed = index.read_lines(place, index.UNDER_WAY)  # as it is by now: a story may have begun meanwhile
        index.replace_lists(place, {index.UNDER_WAY: [name for name in listed if name not in over]})
    return [state for state in states if state.started and state.created.story not in over]


def ensure_index(project: Project) -> None:
    """Build the index from the journals where there is none."""
    if index.index_exists(str(project.state)) or not project.state.is_dir():
        return
    states = read_stories(project).states
    agents = [
        f"{start.agent} {state.created.story}" for state in states for run in state.runs for _, start in run.starts
    ]
    sessions = [f"{session} {state.created.story}" for state in states for session in state.shown]
    driven = [
        f"{name} {state.created.story}"
        for state in states
        for name in (*sessions_of(state.events), *_waited_in(state))
    ]
    for words in sorted((project.state / PULLS_FOLDER).glob("*/*/*/*/words.json")):
        try:
            shown = QuestionReplies(project, words.parent).kept.shown
        except BatonError:  # whoever opens the question says what is wrong with it
            continue
        sessions += [f"{session} {words.parent.relative_to(project.state).as_posix()}" for session in shown]
    under_way = [state.created.story for state in states]
    lists = {index.AGENTS: agents, index.SESSIONS: sessions, index.DRIVEN: driven, index.UNDER_WAY: under_way}
    index.replace_lists(str(project.state), lists)


def _waited_in(state: State) -> Iterable[str]:
    """Return the sessions that waited for GitHub, where they were told of."""
    return (step.evidence for step in state.checked if step.rule in waiting_rules() and step.evidence)


def note_end(project: Project, story_id: str, end: Ended, agent: str, payload: Payload) -> bool:
    """Note the end of a run that is neither ended nor judged, and what it used; whether it is yet to be judged."""
    path = transcript_of(agent, payload)
    usage = read_transcript(path, agent)
    failed = payload.get("hook_event_name") == "StopFailure" or FAILED_STATUS in str(payload.get("prompt") or "")
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
        usage = read_transcript(
            str(payload.get("transcript_path") or ""), after=_counted_until(story, session, records)
        )
        if usage and usage.models:
            story.note(spent_of("", session, usage)._replace(seconds=0, newest=usage.newest))


def transcript_of(agent: str, payload: Payload) -> str:
    """Return the path of an agent's transcript: as the client says, else beside that of its conversation."""
    named = str(payload.get("agent_transcript_path") or "")
    if named or not AGENT_ID.fullmatch(agent):
        return named
    return f"{str(payload.get('transcript_path') or '').removesuffix('.jsonl')}/subagents/agent-{agent}.jsonl"


def _counted_until(story: StorySession, session: str, records: list[Record]) -> str:
    """Return the time up to which a conversation's requests are counted, by the newest of all journals."""
    spent = [record.event for record in records if isinstance(record.event, Spent) and not record.event.run]
    counted = [event.newest for event in spent if event.session == session]
    began = story.state.runs[0].time.rstrip("Z") if story.state.runs else ""
    return max([began, *counted])
