"""The rows of the backlog, kept beside the journals: a row holds as long as its journal is as it was."""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from baton import __version__
from baton.journal.paths import Project

NAME = ".rows.json"


class RowCache:
    """For each story a stamp of its journal (size, time of change, inode), the story's folder, and its row."""

    def __init__(self, project: Project, width: int) -> None:
        self._project = project
        self._width = width
        self._stamps = dict[str, list[int]]()
        self._rows = _read(project.state / NAME)
        self._changed = False

    def find(self, story_id: str) -> tuple[str, list[Any]] | None:
        """Return the folder and the fields of the row of a story whose journal is as it was; else None."""
        try:
            found = os.lstat(self._project.journal(story_id))
        except OSError:
            return None
        stamp = self._stamps[story_id] = [found.st_size, found.st_mtime_ns, found.st_ino]
        match self._rows.get(story_id):
            case [kept, str(folder), list(fields)] if kept == stamp and len(fields) == self._width:
                return folder, fields
        return None

    def keep(self, story_id: str, folder: str, row: tuple[Any, ...]) -> None:
        """Keep a row whose journal was read after it was looked for."""
        if story_id in self._stamps:
            self._rows[story_id] = [self._stamps[story_id], folder, row]
            self._changed = True

    def write(self) -> None:
        """Write what is new; where that cannot be, the journals are read again next time."""
        path = self._project.state / NAME
        new = path.with_name(f"{NAME}.{os.getpid()}")
        if self._changed:
            with suppress(OSError):
                new.write_text(json.dumps({"version": __version__, "rows": self._rows}, separators=(",", ":")))
                new.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
        return dict(data["rows"]) if data["version"] == __version__ else {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
