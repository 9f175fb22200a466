"""Named tuples as JSON by their fields, and back; a field at its default is left out."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

Kept = TypeVar("Kept")


def to_data(value: Any) -> Any:
    """Return a value as JSON has it: a named tuple as an object, a path as its text."""
    if hasattr(value, "_asdict"):
        defaults = value._field_defaults
        fields = zip(value._fields, value, strict=True)
        return {name: to_data(field) for name, field in fields if name not in defaults or field != defaults[name]}
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
