"""JSON as the program reads it: a key stands once, numbers are numbers, text is text, depth is bounded."""

import json
import math
import re
from typing import Any

DEPTH = 64
DIGITS = 18
# A string, closed or not, or a bracket outside strings.
TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.S)


class JsonFault(ValueError):
    """A fault in a piece of JSON, in one line."""


def load_json(text: str) -> Any:
    """Read one JSON value; JsonFault for anything else, duplicate keys and NaN included."""
    if _depth(text) > DEPTH:
        raise JsonFault(f"nested deeper than {DEPTH} levels")
    try:
        value = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_no_constant, parse_int=_int, parse_float=_float
        )
        json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise JsonFault(f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except UnicodeEncodeError as error:
        raise JsonFault("half of a surrogate pair: escape a character whole, or write it as it is") from error
    return value


def _depth(text: str) -> int:
    depth = deepest = 0
    for match in TOKEN.finditer(text):
        if match[0] in ("[", "{"):
            depth += 1
            deepest = max(deepest, depth)
        elif match[0] in ("]", "}"):
            depth -= 1
    return deepest


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    for key, value in pairs:
        if key in mapping:
            raise JsonFault(f"`{key}` stands twice")
        mapping[key] = value
    return mapping


def _int(digits: str) -> int:
    count = len(digits.lstrip("-"))
    if count > DIGITS:
        raise JsonFault(f"a number of {count} digits")
    return int(digits)


def _float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise JsonFault(f"`{digits[:DIGITS]}` is too large a number")
    return number


def _no_constant(name: str) -> Any:
    raise JsonFault(f"`{name}` is not a JSON number")
