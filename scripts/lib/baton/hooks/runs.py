"""Which run an agent of the client's was bound to: asked of the journals, kept nowhere else."""

from typing import NamedTuple

from baton.errors import BatonError
from baton.story.journal import Journal
from baton.story.places import Project
from baton.story.state import State, fold


class Bound(NamedTuple):
    """A run and its story."""

    story: str
    run: str


def _states(project: Project) -> tuple[list[State], BatonError | None]:
    """Fold every journal that can be read; gives the first fault of the others, too."""
    states, fault = [], None
    for story_id in project.story_ids():
        try:
            if records := Journal(project.journal(story_id)).records:
                states.append(fold(records))
        except BatonError as error:
            fault = fault or error
    return states, fault


def find_bound_run(project: Project, agent: str) -> Bound | None:
    """Find the newest run `agent` was started for, judged or not; none for an agent that is not ours.

    A damaged journal is told only when no other story knows the agent.
    """
    states, fault = _states(project)
    bound = [
        Bound(state.created.story, run.id)
        for state in states
        for run in state.runs
        if agent and any(start.agent == agent for _, start in run.starts)
    ]
    if fault and not bound:
        raise fault
    return bound[-1] if bound else None


def find_out_run(project: Project, agent: str) -> Bound | None:
    """Find the run `agent` was started for, if it is still out."""
    bound = find_bound_run(project, agent)
    if bound is None:
        return None
    state = fold(Journal(project.journal(bound.story)).records)
    return bound if state.stage == "out" and state.run and state.run.id == bound.run else None


def waiting_stories(project: Project) -> list[State]:
    """Give the stories that were begun and are neither complete nor abandoned; the fault when none can be read."""
    states, fault = _states(project)
    if fault and not states:
        raise fault
    return [state for state in states if state.started and state.stage not in ("complete", "abandoned")]
