"""JSON Schemas are files; this is where a value meets one."""

import hashlib
import json
import re
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from baton import __version__
from baton.artifacts.findings import Finding
from baton.text import join_words

if TYPE_CHECKING:
    from jsonschema import ValidationError

SHOWN = 100  # characters of a value that is refused
# What a schema's types are called where a user reads of them.
TYPES = {
    "string": "text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
    "array": "a list", "object": "a mapping", "null": "empty",
}  # fmt: skip


def schema_path(name: str) -> Path:
    """Return the place of the schema file `name`: what it says is what is checked."""
    return Path(__file__).with_name("schemas") / f"{name}.json"


@cache
def schema_text(name: str) -> str:
    """Return the text of the schema file `name`."""
    return schema_path(name).read_text(encoding="utf-8")


def digest_with_schema(text: str, name: str) -> str:
    """Name a text together with what reads and checks it: found valid under this name once, it stays so."""
    whole = f"{__version__}\0{schema_text(name)}\0{text}"
    return hashlib.sha256(whole.encode(errors="surrogatepass")).hexdigest()


def check_schema(value: Any, name: str, path: str) -> list[Finding]:
    """Return one finding for each place where `value` departs from the schema; no network is ever asked."""
    # Both load slowly, and most texts were found valid before.
    from jsonschema import Draft202012Validator
    from referencing import Registry

    registry: Registry[Any] = Registry()
    validator = Draft202012Validator(json.loads(schema_text(name)), registry=registry)
    faults = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.absolute_path)))
    return [Finding(path, error.json_path, f"{name}/{error.validator}", _message(error)) for error in faults]


def _message(error: "ValidationError") -> str:
    """Return the fault in one line; a pattern is told in words where the schema has some."""
    schema: Any = error.schema
    value = repr(error.instance)
    shown = value if len(value) <= SHOWN else f"{value[:SHOWN]}…"
    message, wanted = error.message.replace(value, shown, 1), schema.get(error.validator)
    if error.validator == "type":
        types = [wanted] if isinstance(wanted, str) else wanted
        message = f"{shown} is not {' or '.join(TYPES[name] for name in types)}"
    elif error.validator == "enum":
        message = f"{shown} is none of: {', '.join(map(str, wanted))}"
    elif error.validator == "additionalProperties" and wanted is False:
        message = _unknown_keys(error.instance, schema)
    if error.validator == "maxLength":
        message = f"{message}: {len(str(error.instance)):,} characters, at most {error.validator_value:,}"
    words = schema.get("description", "") if error.validator == "pattern" else ""
    line = " ".join((f"{shown}: {words}" if words else message).split())
    return line if len(line) <= 300 else line[:297] + "…"


def _unknown_keys(value: Any, schema: dict[str, Any]) -> str:
    known, patterns = list(schema.get("properties", ())), schema.get("patternProperties", ())
    unknown = [key for key in value if key not in known and not any(re.search(words, key) for words in patterns)]
    meant = [like for key in unknown for like in get_close_matches(key, known, 1)]
    names = ", ".join(f"`{key}`" for key in unknown)
    return f"no such key: {names}" + (
        f"; did you mean {join_words([f'`{name}`' for name in meant])}?" if meant else ""
    )
