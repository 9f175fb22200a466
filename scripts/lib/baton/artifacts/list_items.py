"""The items of a passage: of its lists, its numbered paragraphs and its tables, with the words they say."""

from collections.abc import Collection, Iterator

from baton.artifacts.demanded import BOX, MARK, TABLE_LINE, longest_cell
from baton.artifacts.outline import HEADING
from baton.text import one_line


def items_in(lines: list[str]) -> list[tuple[int, str]]:
    """Return the items of a list with the index of the line each begins in; what is deeper goes with them."""
    items, margin = list[tuple[int, list[str]]](), -1
    for at, line in enumerate(lines):
        if is_rule := "-" in line and TABLE_LINE.fullmatch(line):  # below the head of a table
            items, margin = items[:-1], -1
        indent = len(line) - len(line.lstrip())
        is_item = _is_item(line)
        if is_rule:
            continue
        if is_item and (margin < 0 or indent <= margin + 1):
            margin = indent if margin < 0 else margin
            items.append((at, [line]))
        elif items and line.strip() and not HEADING.match(line):
            items[-1][1].append(line)
    return [(at, words) for at, held in items if (words := words_in(held))]


def words_in(lines: list[str]) -> str:
    """Return the words of some lines on one, without marks, boxes and the frames of tables."""
    parts = list[str]()
    for line in map(str.strip, lines):
        heading = HEADING.match(line)
        bare = longest_cell(line) if line.startswith("|") else heading[2] if heading else line
        bare = MARK.sub("", bare, count=1) if MARK.match(bare) else bare
        parts.append(BOX.sub("", bare, count=1) if BOX.match(bare) else bare)
    return one_line(" ".join(filter(None, parts)))


def items_beside(text: str, numbers: Collection[int]) -> list[int]:
    """Return the lines, from 1, of all items of the lists in which these lines stand."""
    beside = list[int]()
    for first, lines in _lists(text):
        items = [first + at for at, _ in items_in(lines)]
        if items and any(items[0] <= number < first + len(lines) for number in numbers):
            beside += items
    return beside


def _lists(text: str) -> Iterator[tuple[int, list[str]]]:
    """Return the parts that headings, labels and paragraphs divide a text into: first line, and lines."""
    first, part, was_blank = 1, list[str](), False
    for number, line in enumerate(text.split("\n"), 1):
        is_item = _is_item(line)
        is_prose = bool(line.strip()) and not is_item and not line.startswith((" ", "\t"))
        divides = was_blank or line.rstrip().endswith(":") or line.startswith("<")
        if HEADING.match(line) or (is_prose and divides):
            yield first, part
            first, part = number, []
        part.append(line)
        was_blank = not line.strip()
    yield first, part


def _is_item(line: str) -> bool:
    return line.lstrip().startswith("|") or bool(MARK.match(line.lstrip()))
