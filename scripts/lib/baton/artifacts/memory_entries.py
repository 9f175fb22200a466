"""The entries of a memory delta, as agents write them: bullets, tables, sub-headings, also in a YAML fence."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from baton.artifacts.front_matter import split_front_matter
from baton.artifacts.memory_delta import SECTIONS
from baton.artifacts.outline import (
    FENCE,
    HEADING,
    ITEM,
    Line,
    plain,
    read_outline,
    read_sections,
    without_comments,
)
from baton.errors import BatonError
from baton.text import clip

Kind = Literal["confirmed", "contradicted", "new"]
KINDS: tuple[Kind, ...] = ("confirmed", "contradicted", "new")

FENCED_LIST = re.compile(
    r"^ {0,3}```(?:ya?ml|markdown|md)?[ \t]*\n(?=\s*[-*+] )(.*?)^ {0,3}```[ \t]*$", re.M | re.S
)
FIELD = re.compile(r"[*_`]*([A-Za-z][A-Za-z _-]{1,40}?)[*_`]*:[*_`]*(?:\s+(.*))?$")
TITLED = re.compile(r"^(?:\*\*|__)([^*_\n]+)(?:\*\*|__):?[ \t]*$", re.M)
TEXTS = frozenset((
    "actually", "candidate", "claim", "contradiction", "description", "detail", "details", "entry", "fact",
    "finding", "is", "knowledge", "new", "note", "now", "proposal", "reality", "statement", "summary", "text",
    "what",
))  # fmt: skip
EVIDENCE = frozenset(
    (
        "evidence",
        "files",
        "files involved",
        "proof",
        "seen",
        "seen in",
        "shown by",
        "source",
        "verified",
        "verified by",
        "where",
    )
)
NAMES = frozenset(("file", "id", "memory", "memory file", "memory id", "memory says", "path", "place", "says"))
OTHERS = frozenset((
    "action", "action required", "candidate id", "category", "confidence", "ingestion priority", "priority",
    "severity", "status", "suggested last verified at", "suggested tags", "suggested verified against story",
    "tags",
))  # fmt: skip
INLINE = re.compile(
    r"(?:[\s(\[;,.–—-]*\b(?:evidence|seen in|verified in|verified by)|[(\[;,.–—-]\s*source):\s*(.+?)[)\]]?\.?$",
    re.I,
)
NOTHING = re.compile(
    r"[\W_]*(?:(?:none|nothing|nil|n/?a|not applicable)"
    r"(?: (?:new|yet|found|so far|to (?:add|report)|identified|observed|noted|here))*[\W_]*(?:\(.{0,80}\)[\W_]*)?"
    r"|no (?:\w+ ){0,2}(?:entr(?:y|ies)|contradictions?|candidates?|knowledge|memory|patterns?)"
    r"(?: (?:was|were|is|are))?(?: (?:found|identified|observed|noted|loaded|contradicted|confirmed))?[\W_]*)?",
    re.I,
)
RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$")
CELL = re.compile(r"(?<!\\)\|")
CODE = re.compile(r"`[^`]*`")
SPAN = re.compile(r"(\d{1,4})(?:\s*-\s*(\d{1,4}))?")
LONGEST = 2_000


class MemoryEntry(NamedTuple):
    """What a delta says in one place: its text on one line, what shows it, and what of memory it names."""

    kind: Kind
    text: str
    evidence: str = ""
    names: str = ""
    category: str = ""

    @property
    def digest(self) -> str:
        """Its name, which stays while what it says does."""
        return hashlib.sha256(
            "\0".join((self.kind, self.text, self.names)).encode(errors="surrogatepass")
        ).hexdigest()[:16]


def read_entries(text: str) -> tuple[MemoryEntry, ...]:
    """Return the entries of a memory delta in order, each once; the front matter must be readable."""
    _, body = split_front_matter(text)
    found: dict[str, MemoryEntry] = {}
    sections = read_sections(body)
    for kind, name in zip(KINDS, SECTIONS, strict=True):
        for section in (one for one in sections if plain(one.title) == name.lower()):
            for fields in _read_group(_lines("\n".join(line.text for line in section.body))):
                entry = _made(kind, _filled(fields))
                if entry.text and not NOTHING.fullmatch(entry.text):
                    found.setdefault(entry.digest, entry)
    return tuple(found.values())


def read_numbers(text: str) -> list[int]:
    """Return the numbers of a list such as `1,3-5`; a BatonError for another text."""
    parts = [SPAN.fullmatch(part.strip()) for part in text.split(",")]
    spans = [(int(part[1]), int(part[2] or part[1])) for part in parts if part]
    if len(spans) < len(parts) or any(first > last for first, last in spans):
        raise BatonError("no list of numbers", repr(text), "give the numbers of entries, as in 1,3-5")
    return [number for first, last in spans for number in range(first, last + 1)]


# What stands in one place: lines by what they are called; what is called nothing is the text.
Fields = list[tuple[str, str]]


def _lines(text: str) -> list[Line]:
    bare = FENCED_LIST.sub(r"\1", without_comments(text))
    # A line in bold alone is a heading to who wrote it, unless it begins a field.
    return list(read_outline(TITLED.sub(lambda one: one[0] if _field(one[0])[0] else f"###### {one[1]}", bare)))


def _read_group(lines: list[Line], title: str = "") -> Iterator[Fields]:
    """Read what stands below a heading; one whose items only say more about it is an entry itself."""
    heads = [index for index, line in enumerate(lines) if not line.fenced and HEADING.match(line.text)]
    own = lines[: heads[0]] if heads else lines
    tables, left = _tables(own)
    first = next((at for at, one in enumerate(left) if not one.fenced and ITEM.match(one.text)), len(left))
    items, before = [*_items(left[first:])], left[:first]
    prose = _prose(before)
    if prose and prose[-1][0] and not prose[-1][1]:  # `Evidence:`, and then its list
        items = [[(label or prose[-1][0], words), *more] for (label, words), *more in items]
    labels = [label for item in items for label, _ in item if label in TEXTS | NAMES]
    yield from tables
    if all(len(item) == 1 and item[0][0] for item in items) and len({*labels}) == len(labels) and (title or items):
        begin = f"{title}:" if title and (items or prose) else title
        yield [("", begin), *prose, *(field for item in items for field in item)]
    else:
        yield from (
            [("", f"{title}: {words}" if title else words)]
            for words in _paragraphs(before)
            if not items or words.rstrip()[-1] != ":"
        )
        yield from items
    for start, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        head = HEADING.match(lines[start].text)
        yield from _read_group(lines[start + 1 : end], head[2].strip(" #\t") if head else "")


def _prose(lines: list[Line]) -> Fields:
    return [_field(line.text.strip()) for line in lines if line.text.strip()]


def _paragraphs(lines: list[Line]) -> list[str]:
    return [part for part in re.split(r"\n\s*\n", "\n".join(line.text for line in lines)) if part.strip()]


def _items(lines: list[Line]) -> Iterator[Fields]:
    """Read a list: an item, with all that is indented below it, is an entry."""
    item: Fields = []
    left = -1
    for line in lines:
        marked = None if line.fenced else ITEM.match(line.text)
        indent = len(line.text) - len(line.text.lstrip())
        if marked and (left < 0 or indent <= left):
            if item:
                yield item
            item, left = [_field(line.text[marked.end() :])], indent
        elif item and line.text.strip() and not FENCE.match(line.text):
            item.append(_field(line.text[marked.end() if marked else 0 :].strip()))
    if item:
        yield item


def _tables(lines: list[Line]) -> tuple[list[Fields], list[Line]]:
    """Read tables: a row is an entry, its cells called as their columns are; gives the other lines too."""
    rows, found, taken = [line.text for line in lines], list[Fields](), set[int]()
    for start in [index for index, row in enumerate(rows) if index and RULE.match(row) and "|" in rows[index - 1]]:
        names = [_called(name) for name in _cells(rows[start - 1])]
        if not TEXTS & {*names}:  # then what comes last and is nothing else is the text
            free = [name for name in names if name not in EVIDENCE | OTHERS and name not in ("#", "id", "no")]
            names = ["" if name in free[-1:] else name for name in names]
        taken |= {start - 1, start}
        for at, row in enumerate(rows[start + 1 :], start + 1):
            if "|" not in row:
                break
            taken.add(at)
            found.append([(name, cell) for name, cell in zip(names, _cells(row), strict=False) if cell])
    return found, [line for at, line in enumerate(lines) if at not in taken]


def _cells(row: str) -> list[str]:
    whole = CODE.sub(lambda code: CELL.sub(r"\\|", code[0]), row.strip().removeprefix("|").removesuffix("|"))
    return [cell.strip().replace("\\|", "|") for cell in CELL.split(whole)]


def _field(text: str) -> tuple[str, str]:
    """Return what a line says, and what that is called; nothing where it is called nothing known."""
    bare = re.sub(r"^\[[ xX]\] ", "", text)
    match = FIELD.match(bare)
    label = _called(match[1]) if match else ""
    known = label in TEXTS | EVIDENCE | NAMES | OTHERS
    return (label, match[2] or "") if match and known else ("", bare)


def _filled(fields: Fields) -> Fields:
    """Return the fields of an entry; what follows a label that stands alone is called so."""
    found, label = list[tuple[str, str]](), ""
    for called, words in fields:
        label = (called if not words.strip() else "") if called else label
        found.append((called or label, words))
    return found


def _called(label: str) -> str:
    return re.sub(r"[\s_-]+", " ", re.sub(r"[*_`]+(?=\W|$)|(?<!\w)[*_`]+", "", label)).strip().lower()


def _made(kind: Kind, fields: Fields) -> MemoryEntry:
    def those(labels: Iterable[str]) -> str:
        return " ".join(" ".join(words.split()) for label, words in fields if label in labels and words.strip())

    said = those({"", *TEXTS})
    shown = those(EVIDENCE)
    if not shown and (found := INLINE.search(said)) and found.start():
        said, shown = said[: found.start()], found[1]
    names = those(NAMES)
    text = said.rstrip(" :") or names or those(OTHERS)
    return MemoryEntry(
        kind, clip(text, LONGEST), clip(shown, LONGEST), clip(names, LONGEST), those({"category"}).lower()[:40]
    )
