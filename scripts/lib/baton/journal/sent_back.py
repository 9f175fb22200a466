"""Count how often a hook has sent a turn or a run back: a line each time, beside the journal."""

from baton.journal.index import append_line
from baton.journal.paths import Project

NAME = "sent-back"


def times_sent_back(project: Project, story_id: str, about: str) -> int:
    """Return the number of times that a turn or run was sent back."""
    try:
        text = (project.state / story_id / NAME).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 0
    return text.splitlines().count(about)


def note_sent_back(project: Project, story_id: str, about: str) -> bool:
    """Note that something is sent back once more; returns whether it could be noted."""
    return append_line(str(project.state / story_id / NAME), about)
