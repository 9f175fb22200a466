"""How often a hook has sent a turn or a run back: one line each time, beside the journal."""

import os

from baton.journal.paths import Project

NAME = "sent-back"


def times_sent_back(project: Project, story_id: str, about: str) -> int:
    """Return how often something was sent back."""
    try:
        text = (project.state / story_id / NAME).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return text.splitlines().count(about)


def note_sent_back(project: Project, story_id: str, about: str) -> bool:
    """Note that something is sent back once more; returns whether it could be noted."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        descriptor = os.open(project.state / story_id / NAME, flags, 0o644)
    except OSError:
        return False
    with os.fdopen(descriptor, "ab", buffering=0) as file:
        try:
            return bool(file.write(f"{about}\n".encode()))
        except OSError:
            return False
