"""Break the lines of a table for a terminal; apart from other output, which goes without what this loads."""

from collections.abc import Iterable
from shutil import get_terminal_size
from textwrap import TextWrapper

from baton.commands import output


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
