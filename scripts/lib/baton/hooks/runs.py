"""Find the run an agent of the client's was bound to, by the index and the journals."""

from collections.abc import Iterable
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.store.kept_files import PULLS_FOLDER
from baton.feedback.store.question_replies import QuestionReplies
from baton.journal import index
from baton.journal.events import Dispatched, Event, RunStarted, Said, Shown
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.journal.state import OVER, State
from baton.rules.row_marks import waiting_rules


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
            shown = QuestionReplies(project, words.parent).shown
        except BatonError:  # whoever opens the question says what is wrong with it
            continue
        sessions += [f"{session} {words.parent.relative_to(project.state).as_posix()}" for session in shown]
    under_way = [state.created.story for state in states]
    lists = {index.AGENTS: agents, index.SESSIONS: sessions, index.DRIVEN: driven, index.UNDER_WAY: under_way}
    index.replace_lists(str(project.state), lists)


def _waited_in(state: State) -> Iterable[str]:
    """Return the sessions that waited for GitHub, where they were told of."""
    return (step.evidence for step in state.checked if step.rule in waiting_rules() and step.evidence)
