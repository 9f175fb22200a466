"""A repository's own name, by which a journal that was copied from another one is known."""

import os

from baton.errors import BatonError
from baton.journal.atomic_file import os_error_reason, read_plain, write_durably
from baton.journal.lock import hold_lock
from baton.journal.paths import Project


def read_repository_id(project: Project) -> str:
    """Give the repository's name; nothing when it has none yet."""
    path = project.state / "repository"
    try:
        return (read_plain(path, project.common) or b"").decode(errors="replace").strip()
    except OSError as error:
        raise BatonError("cannot read", str(path), os_error_reason(error, path, project.common)) from error


def ensure_repository_id(project: Project) -> str:
    """Give the repository's name, a new one when it has none."""
    with hold_lock(project.state / "repository.lock", "naming the repository"):
        name = read_repository_id(project)
        if not name:
            name = os.urandom(8).hex()
            write_durably(project.state / "repository", f"{name}\n", project.common)
    return name
