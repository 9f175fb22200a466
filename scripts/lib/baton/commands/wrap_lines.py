"""Break the lines of a table for a terminal; apart from other output, which goes without what this loads."""

import re
from collections.abc import Iterable
from shutil import get_terminal_size
from textwrap import TextWrapper

from baton.commands import output

# A table of Markdown: its header, the line below it, its rows.
TABLE = re.compile(r"^(\|.+)\n\|[-:| ]+\|\n((?:\|.*(?:\n|\Z))*)", re.MULTILINE)
# A block of code; code in a line, or what a backslash stands before (CommonMark 2.4): in code it is one.
FENCED = re.compile(r"(^```.*?^`{3,}$)", re.MULTILINE | re.DOTALL)
CODE_OR_ESCAPED = re.compile(r"`[^`\n]+`|\\([!-/:-@\[-`{-~])")
CELL_END = re.compile(r"(?<!\\)\|")


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return the lines of a table: on a terminal as they fit it, broken between words; elsewhere as they are."""
    if not output.on_terminal():
        return list(lines)
    return fit_width(lines, get_terminal_size().columns)


def fit_width(lines: Iterable[str], columns: int) -> list[str]:
    """Return lines broken between words so that they fit so many columns, as far as their words do."""
    wrapper = TextWrapper(columns, break_on_hyphens=False, break_long_words=False)
    fitting = list[str]()
    for line in lines:
        wrapper.subsequent_indent = " " * (len(line) - len(line.lstrip()) + 4)
        fitting += wrapper.wrap(line) or [""]
    return fitting


def wrap_markdown(text: str) -> str:
    """Return Markdown as it fits a terminal, each row of a table as its cells in a line; elsewhere as it is."""
    if not output.on_terminal():
        return text
    parts = FENCED.split(text)
    parts[::2] = [CODE_OR_ESCAPED.sub(_as_read, TABLE.sub(_rows_as_lines, part)) for part in parts[::2]]
    return "\n".join(wrapped("".join(parts).split("\n")))


def _as_read(found: re.Match[str]) -> str:
    return found[1] or found[0]


def _rows_as_lines(table: re.Match[str]) -> str:
    rows = (CELL_END.split(row)[1:-1] for row in [table[1], *table[2].splitlines()])
    return "".join(f"- {' · '.join(filter(None, map(str.strip, row)))}\n" for row in rows)
