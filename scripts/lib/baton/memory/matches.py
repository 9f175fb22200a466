"""What memory holds about an entry now: the lines it names, quotes, or shares most of its words with."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

from baton.artifacts.memory_entries import MemoryEntry

WORD = re.compile(r"\w{3,}")
COMMON = frozenset((
    "and", "are", "any", "but", "does", "for", "from", "has", "have", "its", "more", "not", "now", "one", "only",
    "says", "still", "such", "than", "that", "the", "then", "there", "this", "use", "used", "uses", "when", "with",
    "story",
))  # fmt: skip
QUOTE = re.compile(r"`([^`\n]{3,120})`|\"([^\"\n]{4,120})\"|“([^”\n]{4,120})”")
ID = re.compile(r"(?<![\w-])[A-Z][A-Z0-9]*-(?:[A-Z0-9]+-)*\d+(?![\w-])")
# The id of a line begins it: elsewhere `UTF-8` and `DEC-3` are only mentioned.
BEGINS = re.compile(rf"[\W\d_]*(?:id:\W*)?({ID.pattern})", re.I)
PLACE = re.compile(r"([\w./-]+\.\w+):(\d{1,6})\b")
# From which share of the words on two lines are about the same, or say the same; of how many words at least.
ABOUT, SAME, LEAST = 0.6, 0.8, 3
MOST = 3


class MemoryLine(NamedTuple):
    """A line of memory: in which file, its number, and what it says."""

    path: str
    line: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def find_matches(entry: MemoryEntry, files: Mapping[str, str], but: str = "") -> list[MemoryLine]:
    """Return the lines of memory that an entry is about, the likeliest first; nothing where there are none.

    What is only quoted counts for a contradiction alone: another entry may say something else about the same.
    Lines that end with `but` do not count.
    """
    about = f"{entry.text}\n{entry.names}"
    lines = [one for one in _lines(files) if not (but and one.text.endswith(but))]
    if named := [one for path, number in PLACE.findall(about) for one in lines if _is_at(one, path, int(number))]:
        return named[:MOST]
    if found := [one for name in ID.findall(about) for one in lines if _id_of(one.text) == name]:
        return found[:MOST]
    paths = {
        path for path in files if re.search(rf"(?<![\w.-]){re.escape(path.rpartition('/')[2])}(?![\w-])", about)
    }
    lines = [one for one in lines if one.path in paths] if paths else lines
    for quote in _quotes(about) if entry.kind == "contradicted" else ():
        if len(found := [one for one in lines if quote in one.text]) == 1:
            return found
    scored = [(max(likeness(entry.text, one.text), likeness(entry.names, one.text)), one) for one in lines]
    least = ABOUT if entry.kind == "contradicted" else SAME
    best = sorted((one for one in scored if one[0] >= least), key=lambda one: -one[0])
    return [one for _, one in best][:MOST]


def likeness(one: str, other: str) -> float:
    """Return which share of the words of the shorter of two lines the longer has too; 0 for too few words."""
    words, others = _words(one), _words(other)
    both = len(words & others)
    return both / min(len(words), len(others)) if both >= LEAST else 0.0


def covers(entry: MemoryEntry, line: str) -> bool:
    """Whether an entry has most words of a line, so that it can take its place; a short one it must quote."""
    about, words = f"{entry.text} {entry.names}", _words(line)
    is_named = words <= _words(entry.names) or any(quote in line for quote in _quotes(about))
    said = len(words & _words(about))
    return bool(words) and said >= ABOUT * len(words) and (len(words) > LEAST or is_named)


def _quotes(text: str) -> list[str]:
    return [next(filter(None, groups)) for groups in QUOTE.findall(text)]


def _id_of(line: str) -> str:
    found = BEGINS.match(line)
    return found[1] if found else ""


@lru_cache(maxsize=100_000)  # each line is held against each entry
def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in WORD.findall(text)) - COMMON


def _is_at(held: MemoryLine, path: str, number: int) -> bool:
    return held.line == number and (held.path == path or held.path.endswith(f"/{path}"))


def _lines(files: Mapping[str, str]) -> Iterator[MemoryLine]:
    for path, text in files.items():
        for number, line in enumerate(text.split("\n"), 1):
            if line.strip():
                yield MemoryLine(path, number, line.rstrip("\r"))
