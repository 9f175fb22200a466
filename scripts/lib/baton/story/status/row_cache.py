"""The rows of the backlog, kept beside the journals: a row holds as long as its journal is as it was."""

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from baton import __version__
from baton.journal.paths import Project

NAME = ".rows.json"


class KeptRow(NamedTuple):
    """The stamp of a story's journal, the story's folder, and the fields of its row."""

    stamp: tuple[int, ...]
    folder: str
    fields: Sequence[Any]


def read_rows(project: Project, fields: Sequence[str]) -> dict[str, KeptRow]:
    """Return the row of each story that this version kept, with these fields; none where they cannot be read."""
    try:
        data = json.loads((project.state / NAME).read_text())
        rows = {name: KeptRow(tuple(stamp), *others) for name, (stamp, *others) in data["rows"].items()}
        return rows if data["made_by"] == [__version__, *fields] else {}
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return {}


def write_rows(project: Project, fields: Sequence[str], rows: dict[str, KeptRow]) -> None:
    """Keep the rows; where that cannot be, the journals are read again next time."""
    path = project.state / NAME
    new = path.with_name(f"{NAME}.{os.getpid()}")
    with suppress(OSError):
        new.write_text(json.dumps({"made_by": [__version__, *fields], "rows": rows}, separators=(",", ":")))
        new.replace(path)
