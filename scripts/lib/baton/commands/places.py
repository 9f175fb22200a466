"""Where a call is made from: a person's checkout, or the work tree of a run, in which few verbs work."""

from pathlib import Path

from baton.errors import BatonError
from baton.outside.git import find_project
from baton.outside.worktrees import read_mark
from baton.story.places import Project


def persons_project(start: Path) -> Project:
    """Find the work tree a verb is called in; a BatonError in a run's, where no run decides or starts anything."""
    project = find_project(start)
    if mark := read_mark(project):
        remedy = "a run calls begin, check, hand-in, validate, explain, status, timeline, show and pr show alone"
        raise BatonError(f"this is the work tree of run {mark.run}", str(project.root), remedy)
    return project
