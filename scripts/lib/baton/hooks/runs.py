"""Which run an agent of the client's was bound to: asked of the journals, kept nowhere else."""

from collections.abc import Iterator
from typing import NamedTuple

from baton.story.journal import Journal
from baton.story.places import Project
from baton.story.state import State, fold


class Bound(NamedTuple):
    """A run and its story."""

    story: str
    run: str


def _states(project: Project) -> Iterator[State]:
    for story_id in project.story_ids():
        records = Journal(project.journal(story_id)).records
        if records:
            yield fold(records)


def find_bound_run(project: Project, agent: str) -> Bound | None:
    """Find the newest run `agent` was started for, judged or not; none for an agent that is not ours."""
    bound = [
        Bound(state.created.story, run.id)
        for state in _states(project)
        for run in state.runs
        if agent and any(start.agent == agent for _, start in run.starts)
    ]
    return bound[-1] if bound else None


def find_out_run(project: Project, agent: str) -> Bound | None:
    """Find the run `agent` was started for, if it is still out."""
    bound = find_bound_run(project, agent)
    if bound is None:
        return None
    state = fold(Journal(project.journal(bound.story)).records)
    return bound if state.stage == "out" and state.run and state.run.id == bound.run else None


def waiting_stories(project: Project) -> list[State]:
    """Give the stories that were begun and are neither complete nor abandoned."""
    return [state for state in _states(project) if state.started and state.stage not in ("complete", "abandoned")]
