"""One line for the client's status line: which stories and rounds are under way, and what they do or ask.

The client calls it often: the standard library alone, and only the journals of stories that are under way.
"""

import json
import os
import select
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from baton.errors import BatonError
from baton.git.command import find_project
from baton.git.discover import plain_work_tree
from baton.journal import index
from baton.journal.client_dialog import open_dialog
from baton.journal.journal import utc_now
from baton.journal.paths import PULLS_FOLDER, Project
from baton.journal.repository import read_stories
from baton.journal.state import State
from baton.story.run.progress import in_plain, is_under_way, task_of, waits_for
from baton.text import fit_columns, span

if TYPE_CHECKING:
    from baton.feedback.open_rounds import OpenRound

COLUMNS = 80
# Columns of a story's name, beside what it does.
NAME_LENGTH = 32
# What the client says at most, and how long it is waited for: where nobody writes, the folder is known anyway.
MOST_BYTES, PATIENCE_S = 1 << 20, 0.2


def main() -> int:
    """Print the line for the folder that the client names on stdin, else this one; nothing where there is none."""
    if line := next(filter(None, map(line_for, _folders(_read_client()))), ""):
        print(line)
    return 0


def line_for(folder: Path) -> str:
    """Return the line for the repository a folder lies in; empty outside of one, and with nothing under way."""
    project = _find(folder)
    if project is None or not project.state.is_dir():
        return ""
    place = str(project.state)
    names = index.read_lines(place, index.UNDER_WAY) if index.index_exists(place) else None
    states, faults = read_stories(project, names)
    shown, (rounds, unread) = list(filter(is_under_way, states)), read_rounds(project)
    parts = [(state.question is None, _story(project, state, len(shown) + len(rounds))) for state in shown]
    parts += [(row.stage != "question", _round(row)) for row in rounds]
    parts.sort(key=lambda part: part[0])  # first those that ask
    texts = [text for _, text in parts]
    texts += ["a story cannot be read: see `baton doctor`"] * bool(faults)
    texts += ["a pull request cannot be read: see `baton status`"] * bool(unread)
    kind = "under way" if rounds or unread else "stories"
    count = f"{len(texts)} {kind}: " if len(texts) > 1 else ""
    return fit_columns(count + " · ".join(texts), COLUMNS)


def read_rounds(project: Project) -> tuple[list["OpenRound"], list[BatonError]]:
    """Read where the feedback on pull requests stands, and what of it cannot be read."""
    if not (project.state / PULLS_FOLDER).is_dir():
        return [], []
    from baton.feedback.open_rounds import open_rounds  # most repositories have no pull request

    return open_rounds(project)


def _round(row: "OpenRound") -> str:
    return f"{row.id} asks: {in_plain(row.says)}" if row.stage == "question" else f"{row.id}: {row.says}"


def _story(project: Project, state: State, count: int) -> str:
    title = "" if count > 1 else state.created.title
    name = fit_columns(in_plain(f"{state.created.story} {title}").strip(), NAME_LENGTH)
    now = utc_now()
    run, waits = state.run, waits_for(state, now)
    does = waits if waits or run is None else f"{task_of(run)}, {span(run.time, now)}"
    if run and not waits and (dialog := open_dialog(project, state.created.story, run.id)):
        does = f"asked in the client {span(dialog.time, now)} ago: {dialog.what}"
    return f"{name} {does}" if state.question or count > 1 else f"{name}: {does}"


def _find(folder: Path) -> Project | None:
    try:
        if project := plain_work_tree(folder):
            return project
        return find_project(folder)
    except (BatonError, OSError):
        return None


def _folders(given: dict[str, object]) -> Iterator[Path]:
    """Name the folders the client may mean, the nearest first."""
    place = given.get("workspace")
    named = [place.get("current_dir"), place.get("project_dir")] if isinstance(place, dict) else []
    texts = [text for text in (*named, given.get("cwd")) if isinstance(text, str) and os.path.isdir(text)]
    yield from map(Path, dict.fromkeys(texts or [os.getcwd()]))


def _read_client() -> dict[str, object]:
    """Read the client's JSON about its session; empty at a terminal, or where none comes."""
    data = b""
    try:
        while not os.isatty(0) and len(data) < MOST_BYTES and select.select([0], [], [], PATIENCE_S)[0]:
            if not (part := os.read(0, MOST_BYTES)):
                break
            data += part
        given = json.loads(data or b"{}")
    except (OSError, ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}
