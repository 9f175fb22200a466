"""Permits for calls that the client asks the user about: each holds once, with the token put into that call."""

import hashlib
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import Project

# No story can have this name.
PERMITS_FOLDER = ".permits"
KEPT_SECONDS = 86400.0
# The client's dialog has two options at least: the second where a question has one, which answers nothing.
STAYS_OPEN = ("later", "leaves it open")


class Permit(NamedTuple):
    """A call the user is asked to allow, the client's session, and the question it answers."""

    session: str
    call: str
    question: str = ""


def leave_permit(project: Project, permit: Permit, token: str) -> None:
    """Keep a permit under a digest of its token; the token itself is kept nowhere."""
    write_durably(_path(project, token), json.dumps(permit._asdict()) + "\n", project.common)


def use_permit(project: Project, permit: Permit, token: str) -> bool:
    """Use up the permit of a token; return whether it permits this call."""
    path = _path(project, token)
    kept = _read(project, path) if token else None
    if kept is not None:
        path.unlink(missing_ok=True)
    return kept == permit


def withdraw_permits(project: Project, session: str) -> None:
    """Remove a session's permits, and those that are too old or cannot be read."""
    for path in (project.state / PERMITS_FOLDER).glob("*"):
        with suppress(OSError, BatonError):
            kept = _read(project, path)
            if kept is None or kept.session == session or time.time() - path.stat().st_mtime > KEPT_SECONDS:
                path.unlink()


def _path(project: Project, token: str) -> Path:
    return project.state / PERMITS_FOLDER / hashlib.sha256(token.encode()).hexdigest()


def _read(project: Project, path: Path) -> Permit | None:
    """Read a permit; None where there is none, or no valid one."""
    try:
        data = read_plain(path, project.common)
        return Permit(**json.loads(data)) if data else None
    except (ValueError, TypeError):
        return None
    except OSError as error:
        raise BatonError(f"unreadable ({error.strerror})", str(path), "remove it") from error
