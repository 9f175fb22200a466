"""Which run an agent of the client's was bound to: asked of the journals, kept nowhere else."""

from typing import NamedTuple

from baton.journal.journal import Journal
from baton.journal.paths import Project
from baton.journal.state import State, fold
from baton.journal.stories import read_stories


class Bound(NamedTuple):
    """A run and its story."""

    story: str
    run: str


def find_bound_run(project: Project, agent: str) -> Bound | None:
    """Find the newest run `agent` was started for, judged or not; none for an agent that is not ours.

    A damaged journal is told only when no other story knows the agent.
    """
    states, faults = read_stories(project)
    bound = [
        Bound(state.created.story, run.id)
        for state in states
        for run in state.runs
        if agent and any(start.agent == agent for _, start in run.starts)
    ]
    if faults and not bound:
        raise faults[0]
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
    states, faults = read_stories(project)
    if faults and not states:
        raise faults[0]
    return [state for state in states if state.started and state.stage not in ("complete", "abandoned")]
