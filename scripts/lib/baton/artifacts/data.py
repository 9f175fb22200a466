"""Data as agents hand it in, YAML or JSON; a text, by its schema, is the rest of its line as it stands.

Models write `evidence: it says: 1 # 2`, which YAML reads otherwise or not at all: texts are put into quotes first.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from baton.artifacts.findings import Finding
from baton.artifacts.schema import check_schema, schema_text
from baton.artifacts.strict_json import JsonFault, load_json
from baton.artifacts.strict_yaml import YamlFault, load_yaml

KEY = re.compile(r"(?P<head> *(?:- +)*)(?P<key>[A-Za-z_][\w-]*):(?:[ \t]+(?P<value>\S.*))?[ \t]*")
ITEM = re.compile(r"(?P<head> *- +)(?P<value>\S.*?)[ \t]*")
BLOCK = re.compile(r"[|>][0-9+-]{0,2}(?:[ \t]+#.*)?")
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\']|\'\')*\'')
# A text that was cut off is no text.
CUT_OFF = re.compile(r'"[^"]*$')
# What YAML alone reads, or refuses: lists and objects in one line, aliases, anchors, tags.
STRUCTURE = "[{*&!"
FENCED = re.compile(r"\s*(?P<fence>`{3,}|~{3,})(?:json|ya?ml)?[ \t]*\n(?P<text>.*?)\n(?P=fence)\s*", re.S)
# So says an agent that has nothing to say.
NULLS = ("null", "~")
# What is raised for a text that is no data.
DATA_FAULTS = (JsonFault, YamlFault)


class TextKeys(NamedTuple):
    """The keys of a schema by what their values are: text, one of some words, a list of texts, or of objects."""

    texts: frozenset[str]
    words: frozenset[str]
    text_lists: frozenset[str]
    lists: frozenset[str]


def load_data(text: str, schema: str) -> Any:
    """Load one value, YAML or JSON, in a code fence or without; JsonFault or YamlFault for anything else."""
    if fenced := FENCED.fullmatch(text):
        text = fenced["text"]
    if text.lstrip().startswith(("{", "[")):
        return load_json(text)
    return load_yaml(with_quotes(text, text_keys(schema)))


def load_object(text: str, schema: str) -> dict[str, Any]:
    """Load data as `load_data` does; JsonFault for what has no keys."""
    value = load_data(text, schema)
    if not isinstance(value, dict):
        raise JsonFault("not an object: write keys and their values, no prose")
    return value


def check_by_schema(kind: str, text: str, path: str) -> list[Finding]:
    """Find every fault of form in an artifact of which nothing else is checked here."""
    try:
        return check_schema(load_object(text, kind), kind, path)
    except DATA_FAULTS as fault:
        return [unreadable(fault, kind, path)]


def unreadable(fault: ValueError, kind: str, path: str) -> Finding:
    """Return the finding on a text that is no data."""
    form = "JSON" if isinstance(fault, JsonFault) else "YAML"
    return Finding(path, "$", f"{kind}/{form.lower()}", f"not readable as {form}: {fault}")


@cache
def text_keys(schema: str) -> TextKeys:
    """Return the keys of a schema whose values, or whose items, are text."""
    by_kind: dict[str, set[str]] = {name: set() for name in TextKeys._fields}
    for name, value in _properties(json.loads(schema_text(schema))):
        if kind := _kind_of(value):
            by_kind[kind].add(name)
    return TextKeys(**{name: frozenset(keys) for name, keys in by_kind.items()})


def _kind_of(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return "words"
    if "items" in schema:
        return "text_lists" if _kind_of(schema["items"]) else "lists"
    return "texts" if "string" in schema.get("type", ()) else ""


def _properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, value in schema.get("properties", {}).items():
        yield name, value
        yield from _properties(value)
        yield from _properties(value.get("items", {}))


class _OpenList(NamedTuple):
    """A list that a line may stand in: the column of its key, and whether its items are texts."""

    column: int
    of_texts: bool

    def is_over(self, line: str, column: int) -> bool:
        """Whether a line, which begins in a column, stands behind it: its items may begin below its key."""
        return column < self.column or (column == self.column and line[column] != "-")


def with_quotes(text: str, keys: TextKeys) -> str:
    """Return YAML with its texts in quotes; blocks, what is quoted, lists in one line and all else stay."""
    lines, quoted, within = text.split("\n"), list[str](), list[_OpenList]()
    index = 0
    while index < len(lines):
        line = lines[index]
        column = len(line) - len(line.lstrip(" "))
        while line.strip() and within and within[-1].is_over(line, column):
            within.pop()
        key, item = KEY.fullmatch(line), ITEM.fullmatch(line) if within else None
        end = index + 1
        is_key = key is not None and any(key["key"] in names for names in keys)
        if item and (within[-1].of_texts or (item["value"][0] not in STRUCTURE and not is_key)):
            end = _end(lines, index + 1, column)
            quoted.append(_quoted(item["head"], item["value"], lines[index + 1 : end]))
        elif key and BLOCK.fullmatch(key["value"] or ""):
            end = _end(lines, index + 1, len(key["head"]))
            quoted += lines[index:end]
        elif key and (key["key"] in keys.texts or _is_text_in_place_of_a_list(key, keys)):
            end = _end(lines, index + 1, len(key["head"]))
            quoted.append(_quoted(f"{key['head']}{key['key']}: ", key["value"] or "", lines[index + 1 : end]))
        elif key and key["key"] in keys.words and key["value"] and key["value"][0] not in f"{STRUCTURE}\"'":
            quoted.append(_quoted(f"{key['head']}{key['key']}: ", re.sub(r"\s+#.*", "", key["value"]), []))
        else:
            if key and not key["value"] and key["key"] in keys.text_lists | keys.lists:
                within.append(_OpenList(len(key["head"]), key["key"] in keys.text_lists))
            quoted.append(line)
        index = end
    return "\n".join(quoted)


def _is_text_in_place_of_a_list(key: re.Match[str], keys: TextKeys) -> bool:
    return bool(key["value"]) and key["key"] in keys.text_lists | keys.lists and key["value"][0] not in STRUCTURE


def _end(lines: list[str], start: int, column: int) -> int:
    """Return the index of the first line from `start` on that no more belongs to what begins in a column."""
    end = start
    while end < len(lines) and (not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip(" ")) > column):
        end += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _quoted(head: str, value: str, more: list[str]) -> str:
    """Return a value with the lines it goes on in, in quotes; as it stands where YAML reads it right."""
    as_it_stands = "\n".join([head + value, *more])
    if (
        BLOCK.fullmatch(value)
        or value in NULLS
        or CUT_OFF.match(value)
        or QUOTED.fullmatch(" ".join([value, *map(str.strip, more)]))
    ):
        return as_it_stands
    words = "\n".join([value, *map(str.strip, more)]).strip()
    return head + json.dumps(words, ensure_ascii=False) if words else head.rstrip()
