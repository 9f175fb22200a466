"""What the demo prints: short lines, each at once."""

import textwrap

import click

from baton.text import printable

WIDTH = 100
LABEL_WIDTH = 10


def tell(text: str = "") -> None:
    """Print a paragraph, wrapped; a further line of it stands under the first."""
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        _print_wrapped(line.strip(), indent, indent + "  ")


def tell_item(label: str, text: str, depth: int = 1) -> None:
    """Print what was done under a label, `depth` steps in."""
    first = "  " * depth + label.ljust(LABEL_WIDTH)
    _print_wrapped(" ".join(text.split()), first, " " * len(first))


def tell_raw(text: str) -> None:
    """Print lines as they are: commands to copy, a graph."""
    click.echo(printable(text))


def _print_wrapped(text: str, first: str, rest: str) -> None:
    lines = textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    click.echo(printable("\n".join(lines)))
