"""The stories that lie in a tree of another tool: their documents, and what its index says of them."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from baton.artifacts.front_matter import YamlFault, load_yaml
from baton.artifacts.outline import read_sections
from baton.errors import BatonError
from baton.layouts.layout import Index, SpecLayout, heading_pattern, path_pattern, story_id

# What an index may be long: some list a thousand stories.
INDEX_LENGTH = 1_000_000
NUMBERS = re.compile(r"\d+")
STATUS = re.compile(r"\[?([A-Za-z][A-Za-z _-]*)\]?")
FIELD = r"(?:[-*+]\s+)?\*\*{name}\*\*:\s*(?P<value>.*)"
NONE = ("", "none", "null", "-")

Read = Callable[[str], str]


class IndexEntry(NamedTuple):
    """What an index says of a story: words as they stand there, the state in lower case with `_`."""

    title: str = ""
    text: str = ""
    status: str = ""
    depends_on: tuple[str, ...] = ()
    file: str = ""


class FoundSpec(NamedTuple):
    """A story of another tool: all paths from the root of the repository, the newest of a kind first."""

    id: str
    layout: SpecLayout
    root: str
    home: str  # its folder or document, or the index that alone names it, with `#id`
    documents: Mapping[str, tuple[str, ...]]
    entry: IndexEntry
    rivals: tuple[str, ...] = ()  # other folders of the same id

    @property
    def is_over(self) -> bool:
        return self.entry.status in self.layout.over

    def newest(self, kind: str) -> str:
        """The newest document of a kind; empty for none."""
        return next(iter(self.documents.get(kind, ())), "")


def find_specs(layout: SpecLayout, root: str, names: Sequence[str], read: Read) -> list[FoundSpec]:
    """Find the stories of a layout below a root, among the paths there are; a BatonError for a broken index."""
    inside = f"{root}/" if root else ""
    below = [name.removeprefix(inside) for name in names if name.startswith(inside)]
    below = [name for name in below if not any(name.startswith(f"{one}/") for one in layout.without)]
    documents: dict[str, dict[str, list[str]]] = {}
    homes: dict[str, dict[str, bool]] = {}  # each home, and whether it is a folder
    for kind, home, written, name in _documents(layout, below):
        known = story_id(layout, written)
        documents.setdefault(known, {}).setdefault(kind, []).append(inside + name)
        homes.setdefault(known, {})[inside + home] = home != name
    entries = _entries(layout, inside, below, read)
    return [
        FoundSpec(
            one, layout, root, next(iter(homes.get(one, ())), "") or f"{entries[one].file}#{one}",
            {kind: tuple(paths) for kind, paths in documents.get(one, {}).items()}, entries.get(one, IndexEntry()),
            tuple(home for home, is_folder in homes.get(one, {}).items() if is_folder)[1:],
        )
        for one in sorted(documents.keys() | entries.keys(), key=age)
    ]  # fmt: skip


def _documents(layout: SpecLayout, below: Sequence[str]) -> Iterator[tuple[str, str, str, str]]:
    """Return kind, home, id and path of each document, the newest of a kind first; none of a story of baton's."""
    own = {name.removesuffix("/story.md") for name in below if name.endswith("/story.md")}
    newest_first = sorted(below, key=age, reverse=True)
    for kind, globs in layout.documents.items():
        for pattern in (path_pattern(glob, layout.id) for glob in globs):
            for name in newest_first:
                found = pattern.fullmatch(name)
                if found and ((home := _home(name, found)) not in own or kind == "story"):
                    yield kind, home, found["id"], name


def age(name: str) -> tuple[list[int], str]:
    """A sort key by the numbers in a name: versions, dates and times of one tool are counted up."""
    return [int(one) for one in NUMBERS.findall(name)], name


def _home(name: str, found: re.Match[str]) -> str:
    """Return the folder that is the story's own; the document where its id stands in a file's name."""
    end = name.find("/", found.end("id"))
    return name if end < 0 else name[:end]


def _entries(layout: SpecLayout, inside: str, below: Sequence[str], read: Read) -> dict[str, IndexEntry]:
    """Return what the indexes say of each story; of two, the first that says something counts."""
    found: dict[str, IndexEntry] = {}
    for index in layout.indexes:
        for name in (one for one in below if path_pattern(index.file, layout.id).fullmatch(one)):
            for known, entry in read_index(layout, index, inside + name, read(inside + name)):
                before = found.get(known, IndexEntry())
                found[known] = entry._replace(**{name: old for name, old in before._asdict().items() if old})
    return {one: entry for one, entry in found.items() if entry.title}


def read_index(layout: SpecLayout, index: Index, path: str, text: str) -> Iterator[tuple[str, IndexEntry]]:
    """Read the stories a file lists: each id with what is said of it; a BatonError for a file that is none."""
    rows = _sections(index, text) if index.entry else _mappings(index, path, text)
    for row in rows:
        values = {field: _first(row, names) for field, names in index.fields.items()}
        written = str(row.get("{id}") or values.get("id") or "")
        if re.fullmatch(r"[A-Za-z0-9][\w.-]*", written):
            status = STATUS.match(str(values.get("status") or ""))
            yield (
                story_id(layout, written),
                IndexEntry(
                    title=_as_title(str(row.get("{title}") or values.get("title") or "")),
                    text=str(values.get("text") or "").strip(),
                    status=re.sub(r"[ -]+", "_", status[1].strip().lower()) if status else "",
                    depends_on=_ids(layout, values.get("depends_on")),
                    file=path,
                ),
            )


def _first(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    return next((row[name] for name in names if row.get(name) not in (None, "")), None)


def _as_title(text: str) -> str:
    """Return a title; a name such as `fix_the_lexer` in words."""
    words = " ".join(text.split())
    return words if " " in words else words.replace("_", " ").capitalize()


def _ids(layout: SpecLayout, value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        value = [one.strip(" `#[]") for one in value.split(",")]
    ids = value if isinstance(value, list) else []
    return tuple(story_id(layout, str(one)) for one in ids if str(one).strip().lower() not in NONE)


def _mappings(index: Index, path: str, text: str) -> list[Mapping[str, Any]]:
    try:
        value = json.loads(text) if path.endswith(".json") else load_yaml(text, INDEX_LENGTH)
    except (ValueError, RecursionError) as fault:
        said = str(fault) if isinstance(fault, YamlFault) else f"not readable as JSON: {fault}"
        raise BatonError(said, path, "fix it there: nothing of it can be begun before") from fault
    listed = value.get(index.list) if isinstance(value, dict) else value
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _sections(index: Index, text: str) -> Iterator[Mapping[str, Any]]:
    """Read a heading for each story, and below it lines such as `- **Status**: [PLANNED]`; others are no story."""
    pattern = heading_pattern(index.entry)
    for section in read_sections(text):
        found = pattern.fullmatch(section.title)
        body = [line.text for line in section.body]
        values = {one: _field(body, one) for names in index.fields.values() for one in names}
        if found and any(values.values()):
            yield {**values, "{id}": found["id"], "{title}": found["title"]}


def _field(body: Sequence[str], name: str) -> str:
    """Return the value of a field: its line, and the lines below it up to the next field or rule."""
    pattern = re.compile(FIELD.format(name=re.escape(name)), re.I)
    for at, line in enumerate(body):
        if found := pattern.fullmatch(line.strip()):
            rest = body[at + 1 :]
            ends = (
                i for i, one in enumerate(rest) if one.strip() == "---" or re.match(r"\s*(?:[-*+] )?\*\*", one)
            )
            return "\n".join([found["value"], *rest[: next(ends, len(rest))]]).strip()
    return ""


def name_of(found: FoundSpec) -> str:
    """Return what a story's folder is called, in words and without its id; the id where that is all."""
    name = found.home.rpartition("/")[2].partition(".")[0]
    words = re.sub(r"[-_]+", " ", re.sub(rf"^0*{re.escape(found.id)}[-_]?", "", name)).strip()
    return words.capitalize() or found.id


def without_kind(title: str) -> str:
    """Return a document's title without `Feature Specification:` and the like in front."""
    return re.sub(r"^(?:[A-Z][\w-]*(?: [A-Z][\w-]*){0,2}|[A-Za-z0-9-]+): ", "", title)
