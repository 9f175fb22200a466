"""The folder and files of a pull request: beside the journals, under its host, repository and number."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from baton.errors import BatonError
from baton.feedback.store.codec import from_data, to_data
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import Project

Made = TypeVar("Made")
ASK_AGAIN = "remove it; you will be asked again"
# No story can have this name: those begin with a letter or a digit.
FOLDER = ".pull-requests"


def folder_of(project: Project, host: str, repository: str, number: int) -> Path:
    """Return the folder of a pull request."""
    return project.state / FOLDER / host / repository.lower() / str(number)


def owner_of(folder: Path) -> str:
    """Return a short name of a pull request that is unique over repositories, for its trees and its refs."""
    where = "/".join(folder.parts[-4:-1]).lower()
    return f"pr-{folder.name}-{sha256(where.encode()).hexdigest()[:6]}"


def read_kept(project: Project, path: Path, make: Callable[[Any], Made], remedy: str) -> Made | None:
    """Read a JSON file, and return what `make` makes of it; None if there is none, a BatonError for damage."""
    try:
        data = read_plain(path, project.common)
        return None if data is None else make(json.loads(data))
    except OSError as error:
        raise BatonError(f"unreadable ({error})", str(path), remedy) from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BatonError(f"not as it was written ({error})", str(path), remedy) from error


def read_as(project: Project, path: Path, kind: type[Made], remedy: str) -> Made | None:
    """Read a named tuple that was kept; None if none was, a BatonError for damage."""
    return read_kept(project, path, lambda data: from_data(kind, data), remedy)


def write_as(project: Project, path: Path, value: Any) -> None:
    """Keep a named tuple, in place of what was kept before."""
    write_durably(path, json.dumps(to_data(value), indent=1) + "\n", project.common)


def find_folder(project: Project, number: int) -> Path:
    """Find the folder of a pull request that was fetched here; of several with this number, the last fetched."""
    records = (project.state / FOLDER).glob(f"*/*/*/{number}/feedback.json")
    newest = max(records, key=lambda path: path.stat().st_mtime_ns, default=None)
    if newest is None:
        what = f"pull request {number} was not fetched here"
        raise BatonError(what, f"pr-{number}", f"`baton pr fetch {number}`")
    return newest.parent


def write_answers(project: Project, path: Path, known: dict[str, Any]) -> None:
    """Keep the user's answers, in place of what was kept before."""
    write_durably(path, json.dumps(known, indent=1) + "\n", project.common)
