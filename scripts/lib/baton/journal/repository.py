"""A repository's own id, which shows that a journal was copied from elsewhere, and the journals of its stories."""

import os
from collections.abc import Iterable
from datetime import date, datetime
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.atomic_file import os_error_reason, read_plain, write_durably
from baton.journal.journal import Journal, Record
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.state import State, fold


def read_repository_id(project: Project) -> str:
    """Return the repository's name; empty when it has none yet."""
    return next(iter(known_repositories(project)), "")


def known_repositories(project: Project) -> list[str]:
    """Return the repository's own name, then those of the clones from which stories came here."""
    path = project.state / "repository"
    try:
        return (read_plain(path, project.common) or b"").decode(errors="replace").split()
    except OSError as error:
        raise BatonError("cannot read", str(path), os_error_reason(error, path, project.common)) from error


def ensure_repository_id(project: Project) -> str:
    """Return the repository's name, a new one when it has none."""
    with hold_lock(project.state / "repository.lock", "naming the repository"):
        name = read_repository_id(project)
        if not name:
            name = os.urandom(8).hex()
            write_durably(project.state / "repository", f"{name}\n", project.common)
    return name


def know_repository(project: Project, name: str) -> None:
    """Accept journals of another clone of this repository."""
    own = ensure_repository_id(project)
    with hold_lock(project.state / "repository.lock", "naming the repository"):
        names = dict.fromkeys([own, *known_repositories(project), name])
        write_durably(project.state / "repository", "".join(f"{name}\n" for name in names), project.common)


class Stories(NamedTuple):
    """The state of each story, and the errors of the journals that cannot be read."""

    states: list[State]
    faults: list[BatonError]


def read_stories(project: Project, names: Iterable[str] | None = None) -> Stories:
    """Read the journals of `names`, else all; a damaged one hides no other, and an empty one is no story's."""
    stories = Stories([], [])
    for story_id in project.story_ids() if names is None else filter(project.is_story, names):
        try:
            if records := Journal(project.journal(story_id)).records:
                stories.states.append(fold(records))
        except BatonError as error:
            stories.faults.append(error)
    return stories


def journals_of_day(project: Project, day: date) -> dict[str, list[Record]]:
    """Return the records of every story whose journal was written to on a day or since, if it can be read."""
    journals: dict[str, list[Record]] = {}
    for story_id in project.story_ids():
        path = project.journal(story_id)
        try:
            if datetime.fromtimestamp(path.stat().st_mtime).date() >= day:
                journals[story_id] = Journal(path).records
        except (OSError, BatonError):  # whoever asks about that story is told what is wrong with it
            continue
    return journals
