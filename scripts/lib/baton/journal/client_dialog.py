"""The client's own dialog about what an agent may do: noted by a hook, over once the agent goes on."""

import json
import os
from pathlib import Path
from typing import NamedTuple

from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project
from baton.text import seconds_between, visible


class ClientDialog(NamedTuple):
    """What the client asks for a run's agent, and the length of the agent's transcript as it asked.

    A transcript does not grow while its dialog is open (seen in Claude Code 2.1.330).
    """

    run: str
    time: str
    what: str
    transcript: str
    size: int


def note_dialog(project: Project, story_id: str, dialog: ClientDialog) -> None:
    """Keep the newest dialog of a story."""
    write_durably(_path(project, story_id), json.dumps(dialog), project.state)


def open_dialog(project: Project, story_id: str, run_id: str) -> ClientDialog | None:
    """Return the dialog for a run whose agent has not gone on since; None for any other."""
    try:
        dialog = ClientDialog(*json.loads(_path(project, story_id).read_bytes()))
        seconds_between(dialog.time, dialog.time)  # an agent's shell could have written anything there
        is_open = dialog.run == run_id and os.path.getsize(str(dialog.transcript)) == dialog.size
    except (OSError, ValueError, TypeError):
        return None
    return dialog._replace(what=visible(str(dialog.what))) if is_open else None


def _path(project: Project, story_id: str) -> Path:
    return project.state / story_id / "dialog.json"
