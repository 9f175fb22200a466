"""All stories of a repository, as far as their journals can be read."""

from collections.abc import Iterable
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.journal import Journal
from baton.journal.paths import Project
from baton.journal.state import State, fold


class Stories(NamedTuple):
    """The state of each story, and what is wrong with the journals that cannot be read."""

    states: list[State]
    faults: list[BatonError]


def read_stories(project: Project, names: Iterable[str] | None = None) -> Stories:
    """Read the journals of `names`, else all; a damaged one hides no other, and an empty one is no story's."""
    found = Stories([], [])
    for story_id in project.story_ids() if names is None else filter(project.is_story, names):
        try:
            if records := Journal(project.journal(story_id)).records:
                found.states.append(fold(records))
        except BatonError as error:
            found.faults.append(error)
    return found
