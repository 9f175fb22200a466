"""JSON as the program reads it: a key stands once, numbers are numbers, depth and size are bounded."""

import json
from typing import Any

DEPTH = 64


class JsonFault(ValueError):
    """What is wrong with a piece of JSON, in one line."""


def load_json(text: str) -> Any:
    """Read one JSON value; JsonFault for anything else, duplicate keys and NaN included."""
    if _depth(text) > DEPTH:
        raise JsonFault(f"nested deeper than {DEPTH} levels")
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise JsonFault(f"line {error.lineno}, column {error.colno}: {error.msg}") from error


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        if character in "[{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in "]}":
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in pairs:
        if key in made:
            raise JsonFault(f"`{key}` stands twice")
        made[key] = value
    return made


def _no_constant(name: str) -> Any:
    raise JsonFault(f"`{name}` is not a JSON number")
