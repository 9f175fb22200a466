"""A Markdown document as its headings and the lines under them; what is fenced is no heading."""

import re
from functools import lru_cache
from typing import NamedTuple

FENCE_LINE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)$")
HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
ITEM = re.compile(r" *(?:[-*+]|\d{1,3}[.)]) +(?=\S)")
# What is longer is no heading anyone reads.
TITLE_LENGTH = 500
LEADING_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*|[ivx]+)[.):]?\s+", re.I)
TRAILING_PARENTHESIS = re.compile(r" ?\([^()]*\)$")


class Line(NamedTuple):
    """A line, its number from 1, and whether it stands in a code fence."""

    number: int
    text: str
    fenced: bool


class Section(NamedTuple):
    """A heading and all lines up to the next heading of its level or a higher one."""

    level: int
    title: str
    line: int
    body: tuple[Line, ...]

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.body).strip()

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands under the heading but a template's comments."""
        return not without_comments(self.text).strip()


def read_outline(text: str) -> tuple[Line, ...]:
    """Split a document into lines that know whether they are fenced (an open fence runs to the end)."""
    return read_fences(text).lines


class Fences(NamedTuple):
    """A document's lines, the line of a fence that is never closed, and of one that others were read inside of."""

    lines: tuple[Line, ...]
    open_line: int = 0
    nested_line: int = 0


def read_fences(text: str) -> Fences:
    """Read which lines are fenced; where a fence stays open, fences with a language are tried as nested ones.

    So write agents who quote a document that has code in it. A fence that is never closed hides all that follows.
    """
    plain_reading = _read(text, nests=False)
    if not plain_reading.open_line:
        return plain_reading
    nested = _read(text, nests=True)
    return plain_reading if nested.open_line else nested


def _read(text: str, nests: bool) -> Fences:
    lines = []
    fences: list[tuple[str, int]] = []
    nested = 0
    for number, content in enumerate(text.split("\n"), 1):
        match = FENCE_LINE.match(content)
        closes = bool(match and fences and match[1].startswith(fences[-1][0]) and not match[2].strip())
        inner = bool(fences and nests and match and match[2].strip() and match[1].startswith(fences[-1][0]))
        opens = bool(match and (inner or not fences) and not (match[1][0] == "`" and "`" in match[2]))
        lines.append(Line(number, content, bool(fences) or opens))
        if opens and match:
            nested = nested or (fences[0][1] if fences else 0)
            fences.append((match[1], number))
        elif closes:
            fences.pop()
    return Fences(tuple(lines), fences[0][1] if fences else 0, nested)


def without_comments(text: str) -> str:
    """Leave out HTML comments; one that is not closed is text."""
    kept = []
    position = 0
    while (begin := text.find("<!--", position)) >= 0 and (end := text.find("-->", begin)) >= 0:
        kept.append(text[position:begin])
        position = end + len("-->")
    return "".join(kept) + text[position:]


# One document is asked for its sections, and a section for its title, by several checks in a row.
@lru_cache(maxsize=4)
def read_sections(text: str) -> tuple[Section, ...]:
    """Return the sections of a document in order, each with its whole body, sub-sections included."""
    lines = read_outline(text)
    heads = []
    within = 0  # the column of the text of the list item a line stands in
    for index, line in enumerate(lines):
        match = None if line.fenced else HEADING.match(line.text)
        indent = len(line.text) - len(line.text.lstrip(" "))
        item = ITEM.match(line.text)
        within = len(item[0]) if item else within if indent >= within or not line.text.strip() else 0
        if match and not (within and indent >= within) and len(match[2]) <= TITLE_LENGTH:
            heads.append((index, len(match[1]), _without_closing_marks(match[2])))
    sections = []
    for position, (index, level, title) in enumerate(heads):
        later = (heads[after] for after in range(position + 1, len(heads)))
        end = next((start for start, depth, _ in later if depth <= level), len(lines))
        sections.append(Section(level, title, lines[index].number, lines[index + 1 : end]))
    return tuple(sections)


def is_heading(line: Line) -> bool:
    """Whether a line is a heading."""
    return not line.fenced and bool(HEADING.match(line.text))


def _without_closing_marks(title: str) -> str:
    bare = title.strip(" \t")
    open_title = bare.rstrip("#")
    return bare if open_title and open_title[-1] not in " \t" else open_title.rstrip(" \t")


@lru_cache(maxsize=1024)
def plain_title(title: str) -> str:
    """Reduce a heading to what it says: no emphasis, emoji, number or trailing parenthesis, lower case."""
    words = re.sub(r"\s+", " ", re.sub(r"[*_`]", "", title)).strip()
    words = re.sub(r"^[^\w(\[]+", "", words)
    words = re.sub(r"^[^\w(\[]+", "", LEADING_NUMBER.sub("", words))
    words = TRAILING_PARENTHESIS.sub("", words.rstrip(" :.-–—"))
    return words.strip(" :.-–—").lower()


def find_section(sections: tuple[Section, ...], *names: str) -> Section | None:
    """Find the first section whose plain title is one of `names`."""
    return next((section for section in sections if plain_title(section.title) in names), None)
