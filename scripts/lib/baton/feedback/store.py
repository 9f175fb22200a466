"""Where what was read is kept: beside the journals, under the host, the repository and the number it is of."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

from baton.errors import BatonError
from baton.feedback.read.address import Address
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import Project

Made = TypeVar("Made")
ASK_AGAIN = "remove it; you will be asked again"
# No story can have this name: those begin with a letter or a digit.
FOLDER = ".pull-requests"
# What a record has, whatever was read.
WHOLE = (
    "pr", "viewer", "pending_review", "review_threads", "outdated_threads", "pr_comments", "review_bodies",
    "cross_invocation", "items", "counts", "unverified", "not_reviewed", "problems", "file",
)  # fmt: skip
AGAIN = "`baton pr fetch` reads it anew"


def folder_of(project: Project, host: str, repository: str, number: int) -> Path:
    """Give the folder of a pull request."""
    return project.state / FOLDER / host / repository.lower() / str(number)


def owner_of(folder: Path) -> str:
    """Name a pull request, by its folder, in short and for every repository apart: for its trees and its refs."""
    where = "/".join(folder.parts[-4:-1]).lower()
    return f"pr-{folder.name}-{sha256(where.encode()).hexdigest()[:6]}"


def save(project: Project, record: dict[str, Any]) -> None:
    """Keep a record at the place it names in `file`, as what was read last."""
    path = Path(record["file"])
    write_durably(path, pieces(record), project.common)
    write_durably(project.state / FOLDER / "last", f"{path}\n", project.common)


def save_text(project: Project, record: dict[str, Any], name: str, text: str) -> Path:
    """Keep a text that is too long to print beside the record; gives its place."""
    # The name is GitHub's: it may hold what a file's may not.
    path = Path(record["file"]).parent / "shown" / f"{sha256(name.encode()).hexdigest()[:16]}.txt"
    write_durably(path, text.encode("utf-8", "backslashreplace"), project.common)
    return path


def pieces(record: dict[str, Any]) -> Iterator[bytes]:
    """Give a record as JSON, an entry of a list in each line; of a long one the whole is never held at once."""
    yield b"{"
    for number, (name, value) in enumerate(record.items()):
        yield f"{',' if number else ''}\n{json.dumps(name)}: ".encode()
        if not isinstance(value, list):
            yield json.dumps(value).encode()
            continue
        yield b"["
        for place, one in enumerate(value):
            yield f"{',' if place else ''}\n {json.dumps(one)}".encode()
        yield b"]"
    yield b"\n}\n"


def load(project: Project, address: Address | None) -> dict[str, Any]:
    """Read what was kept of a pull request, or of the one that was read last; a BatonError when nothing was."""
    if address:
        path = folder_of(project, address.host, address.repository, address.number) / "feedback.json"
    else:
        path = _last(project)
    return load_of(project, path.parent)


def _last(project: Project) -> Path:
    path = project.state / FOLDER / "last"
    try:
        last = read_plain(path, project.common)
    except OSError as error:
        raise BatonError(f"unreadable ({error})", str(path), AGAIN) from error
    if last is None:
        raise BatonError("no pull request was read here", str(project.root), "read one: `baton pr fetch 123`")
    return Path(last.decode(errors="surrogateescape").rstrip("\n"))


def load_of(project: Project, folder: Path) -> dict[str, Any]:
    """Read what was kept in the folder of a pull request."""
    path = folder / "feedback.json"
    record = read_kept(project, path, _whole, AGAIN)
    if record is None:
        raise BatonError("this pull request was not read yet", str(path), "read it: `baton pr fetch 123`")
    return record


def _whole(value: dict[str, Any]) -> dict[str, Any]:
    for name in WHOLE:
        value[name]
    return value


def read_kept(project: Project, path: Path, make: Callable[[Any], Made], remedy: str) -> Made | None:
    """Read what was kept as JSON, and what `make` makes of it; None where nothing was, a BatonError for damage."""
    try:
        data = read_plain(path, project.common)
        return None if data is None else make(json.loads(data))
    except OSError as error:
        raise BatonError(f"unreadable ({error})", str(path), remedy) from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BatonError(f"not as it was written ({error})", str(path), remedy) from error


def find_folder(project: Project, number: int) -> Path:
    """Find the folder of a pull request that was read here; of several with this number, the one read last."""
    found = (project.state / FOLDER).glob(f"*/*/*/{number}/feedback.json")
    newest = max(found, key=lambda one: one.stat().st_mtime_ns, default=None)
    if newest is None:
        raise BatonError(f"pull request {number} was not read here", f"pr-{number}", f"`baton pr fetch {number}`")
    return newest.parent


def write_answers(project: Project, path: Path, known: dict[str, Any]) -> None:
    """Keep what a person said, in place of what was kept before."""
    write_durably(path, json.dumps(known, indent=1) + "\n", project.common)
