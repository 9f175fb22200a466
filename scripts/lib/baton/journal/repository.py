"""A repository's own name, by which a journal that was copied from another one is known."""

import os

from baton.errors import BatonError
from baton.journal.atomic_file import read_plain, why, write_durably
from baton.journal.lock import held
from baton.journal.paths import Project


def repository_name(project: Project) -> str:
    """Give the repository's name; nothing when it has none yet."""
    path = project.state / "repository"
    try:
        return (read_plain(path, project.common) or b"").decode(errors="replace").strip()
    except OSError as error:
        raise BatonError("cannot read", str(path), why(error, path, project.common)) from error


def name_repository(project: Project) -> str:
    """Give the repository's name, a new one when it has none."""
    with held(project.state / "repository.lock", "naming the repository"):
        name = repository_name(project)
        if not name:
            name = os.urandom(8).hex()
            write_durably(project.state / "repository", f"{name}\n", project.common)
    return name
