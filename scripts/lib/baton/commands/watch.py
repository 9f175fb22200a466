"""A screen that is drawn anew while something goes on."""

import os
import sys
import time
from collections.abc import Callable, Iterable
from shutil import get_terminal_size

from baton.commands.wrap_lines import fit_width
from baton.text import fit_columns

# How often it is looked what goes on.
LOOK_S = 1.0
CLEAR, HOME, END_OF_LINE, END_OF_SCREEN = "\x1b[2J", "\x1b[H", "\x1b[K", "\x1b[J"


def _print_now(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


class Screen:
    """A terminal on which frames are drawn over one another: cleared once, and only when something changed."""

    def __init__(
        self,
        write: Callable[[str], object] = _print_now,
        size: Callable[[], os.terminal_size] = get_terminal_size,
    ) -> None:
        self._write = write
        self._size = size
        self._before: tuple[object, ...] = ()

    def draw(self, lines: list[str]) -> None:
        """Show these lines, broken where they are too long, as far as they fit."""
        size = self._size()
        lines = fit_width(lines, size.columns - 1)
        shown = lines if len(lines) < size.lines else [*lines[: size.lines - 2], "…"]
        fitting = [fit_columns(line, size.columns - 1) for line in shown]
        if self._before == (size, fitting):
            return
        first = "" if self._before[:1] == (size,) else CLEAR
        self._before = (size, fitting)
        self._write("".join([first, HOME, *(f"{line}{END_OF_LINE}\n" for line in fitting), END_OF_SCREEN]))


def watch(
    looks: Iterable[tuple[list[str], bool]], screen: Screen, pause: Callable[[float], object] = time.sleep
) -> None:
    """Draw one look after another, its lines and whether something goes on, until nothing does."""
    for lines, goes_on in looks:
        screen.draw(lines)
        if not goes_on:
            return
        pause(LOOK_S)
