"""Break the lines of a table for a terminal; apart from other output, which goes without what this loads."""

from collections.abc import Iterable
from shutil import get_terminal_size
from textwrap import TextWrapper

from baton.commands import output


def wrapped(lines: Iterable[str]) -> list[str]:
    """Return the lines of a table: on a terminal as they fit it, broken between words; elsewhere as they are."""
    if not output.on_terminal():
        return list(lines)
    wrapper = TextWrapper(get_terminal_size().columns, subsequent_indent="    ", break_on_hyphens=False)
    wrapper.break_long_words = False
    return [part for line in lines for part in wrapper.wrap(line)]
