"""A layout as a table: where its documents are, what its headings mean, and how its tool writes a status."""

import hashlib
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.front_matter import load_yaml

# What an id is in the name of a file or folder: a number without its zeros, digits as they are written, or a name.
LONGEST = 32
IDS = {
    "number": r"[0-9]{1,9}",
    "digits": r"[0-9]{3,8}(?:-[0-9]{6})?",
    "name": r"[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?",
}
PARTS = re.compile(r"\{id\}|\*\*/|\*|[^*{]+|.")
HEADING_PARTS = {
    "id": r"(?P<id>[A-Za-z0-9][\w-]*)",
    "n": r"(?P<n>\d{1,4})",
    "name": r"(?P<name>.+)",
    "title": r"(?P<title>.+)",
}


class Index(NamedTuple):
    """A file that lists stories: JSON or YAML with a list of mappings, or Markdown with a heading for each."""

    file: str
    list: str = ""
    entry: str = ""
    fields: Mapping[str, tuple[str, ...]] = {}
    write: Mapping[str, str] = {}


class SpecLayout(NamedTuple):
    """What one tool's tree looks like; the same shape in `built_in.yaml` and in `.baton.yaml`."""

    name: str
    roots: tuple[str, ...]
    id: str
    documents: Mapping[str, tuple[str, ...]]  # kind → globs, each with `{id}`
    indexes: tuple[Index, ...] = ()
    headings: Mapping[str, tuple[str, ...]] = {}  # field → plain titles; `*` at the end stands for anything
    phase: str = ""  # how its plan's headings name a phase, where they do not say `Phase 1`
    over: tuple[str, ...] = ()  # the states of a story that nothing is left to do of
    without: tuple[str, ...] = ()  # folders that hold what is over


def read_layouts(own: Mapping[str, Any]) -> list[SpecLayout]:
    """Return the layouts a project has, those of its `.baton.yaml` first; one of a built-in name replaces it."""
    tables = {**own, **{name: table for name, table in built_in().items() if name not in own}}
    return [_layout(name, table) for name, table in tables.items()]


@cache
def built_in() -> dict[str, Any]:
    """Return the tables that come with baton."""
    found: dict[str, Any] = load_yaml(Path(__file__).with_name("built_in.yaml").read_text(encoding="utf-8"))
    return found


def _layout(name: str, table: Mapping[str, Any]) -> SpecLayout:
    return SpecLayout(
        name=name,
        roots=tuple(one.strip("/") for one in table["roots"]),
        id=table["id"],
        documents={kind: tuple(globs) for kind, globs in table["documents"].items()},
        indexes=tuple(_index(one) for one in table.get("index", ())),
        headings={field: tuple(titles) for field, titles in table.get("headings", {}).items()},
        phase=table.get("phase", ""),
        over=tuple(table.get("over", ())),
        without=tuple(one.strip("/") for one in table.get("without", ())),
    )


def _index(table: Mapping[str, Any]) -> Index:
    fields = {name: (one,) if isinstance(one, str) else tuple(one) for name, one in table["fields"].items()}
    given = {name: table[name] for name in ("list", "entry", "write") if name in table}
    return Index(table["file"], fields=fields, **given)


@cache
def path_pattern(glob: str, id_rule: str) -> re.Pattern[str]:
    """Return what a path matches; `{id}` once more stands for the same id."""
    words, known = "", False
    for part in PARTS.findall(glob):
        if part == "{id}":
            words += r"(?P=id)" if known else f"(?P<id>{IDS[id_rule]})"
            known = True
        else:
            words += {"**/": "(?:.*/)?", "*": "[^/]*"}.get(part) or re.escape(part)
    return re.compile(words)


@cache
def heading_pattern(form: str) -> re.Pattern[str]:
    """Return what a heading matches that is written as `{n}. {name}` or `{id}. {title}`."""
    parts = re.split(r"\{(id|n|name|title)\}", form)
    return re.compile(
        "".join(HEADING_PARTS[one] if at % 2 else re.escape(one) for at, one in enumerate(parts)), re.I
    )


def story_id(layout: SpecLayout, written: str) -> str:
    """Return an id as baton has it: a number without leading zeros; of a long name its beginning, and a digest."""
    if layout.id == "number" and written.isdecimal():
        return str(int(written))
    if len(written) <= LONGEST:
        return written
    return f"{written[: LONGEST - 5].rstrip('-_.')}-{hashlib.sha256(written.encode()).hexdigest()[:4]}"
