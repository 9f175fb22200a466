"""The folder and files of a pull request, beside the journals; what is kept there is named tuples as JSON.

It lies under the host, repository and number. A field at its default is left out.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from baton.errors import BatonError
from baton.journal.atomic_file import read_plain, write_durably
from baton.journal.paths import PULLS_FOLDER, Project

Kept = TypeVar("Kept")
ASK_AGAIN = "remove it; you will be asked again"
RECORD_FILE = "feedback.json"  # what was fetched


def kept_fields(value: Any) -> dict[str, Any]:
    """Return the fields of a named tuple that are kept, as they are."""
    defaults, fields = value._field_defaults, zip(value._fields, value, strict=True)
    return {name: field for name, field in fields if name not in defaults or field != defaults[name]}


def to_data(value: Any) -> Any:
    """Return a value as JSON has it: a named tuple as an object, a path as its text."""
    if hasattr(value, "_asdict"):
        return {name: to_data(field) for name, field in kept_fields(value).items()}
    if isinstance(value, Mapping):
        return {name: to_data(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_data(entry) for entry in value]
    return str(value) if isinstance(value, Path) else value


def from_data(kind: type[Kept], data: Any) -> Kept:
    """Return the value of type `kind` that JSON holds; a TypeError or a LookupError if it holds something else."""
    return cast(Kept, _value_of(kind, data))


def _value_of(kind: Any, data: Any) -> Any:
    origin, inner = get_origin(kind), get_args(kind)
    if kind is Any:
        return data
    if origin in (Union, UnionType):
        [other] = [member for member in inner if member is not NoneType]
        return None if data is None else _value_of(other, data)
    if origin is tuple and inner[-1] is Ellipsis:
        return tuple(_value_of(inner[0], entry) for entry in _checked(list, data))
    if origin is tuple:
        return tuple(_value_of(part, entry) for part, entry in zip(inner, _checked(list, data), strict=True))
    if origin is list:
        return [_value_of(inner[0], entry) for entry in _checked(list, data)]
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {name: _value_of(inner[1], entry) for name, entry in _checked(dict, data).items()}
    if hasattr(kind, "_fields"):
        kinds = _hints(kind)
        return kind(**{name: _value_of(kinds[name], field) for name, field in _checked(dict, data).items()})
    return Path(_checked(str, data)) if kind is Path else _checked(kind, data)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


def _checked(kind: type, data: Any) -> Any:
    # By `type`: for isinstance, True is an int.
    if type(data) is not kind:
        raise TypeError(f"{data!r:.80} where {kind.__name__} was kept")
    return data


def folder_of(project: Project, host: str, repository: str, number: int) -> Path:
    """Return the folder of a pull request."""
    return project.state / PULLS_FOLDER / host / repository.lower() / str(number)


def owner_of(folder: Path) -> str:
    """Return a short name of a pull request that is unique over repositories, for its trees and its refs."""
    where = "/".join(folder.parts[-4:-1]).lower()
    return f"pr-{folder.name}-{sha256(where.encode()).hexdigest()[:6]}"


def read_as(
    project: Project, path: Path, kind: type[Kept], remedy: str, upgrade: Callable[[Any], Any] = lambda data: data
) -> Kept | None:
    """Read a named tuple that was kept; None if none was, a BatonError for damage.

    `upgrade` brings JSON that an older version wrote into the present form.
    """
    try:
        text = read_plain(path, project.common)
        return None if text is None else from_data(kind, upgrade(json.loads(text)))
    except OSError as error:
        raise BatonError(f"unreadable ({error})", str(path), remedy) from error
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise BatonError(f"not as it was written ({error})", str(path), remedy) from error


def write_as(project: Project, path: Path, value: Any) -> None:
    """Keep a named tuple, in place of what was kept before."""
    write_durably(path, json.dumps(to_data(value), indent=1) + "\n", project.common)


def find_folder(project: Project, number: int) -> Path:
    """Find the folder of a pull request that was fetched here; of several with this number, the last fetched."""
    records = (project.state / PULLS_FOLDER).glob(f"*/*/*/{number}/{RECORD_FILE}")
    newest = max(records, key=lambda path: path.stat().st_mtime_ns, default=None)
    if newest is None:
        what = f"pull request {number} was not fetched here"
        raise BatonError(what, f"pr-{number}", f"`baton pr fetch {number}`")
    return newest.parent
