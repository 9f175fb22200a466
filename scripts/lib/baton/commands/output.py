"""Printing: bounded in the client, whole elsewhere, colored on a terminal; and the same as JSON."""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from baton.errors import BatonError
from baton.text import is_hidden, printable, span

LIMIT_BYTES = 6_000
# How what a line says first is colored on a terminal, and verdicts wherever they stand.
RED = r"^(?:PROBLEM|FAILED|ERRORS?|FOUND|rejected)\b|\b(?:FAIL|ESCALATE)\b"
GREEN = r"^(?:ok|passed|accepted|taken)\b|\bPASS\b"
BOLD = r"^(?:(?:DO|WHY|QUESTION|OPTION|ADVICE|WARNING|THEN|IF|REPORT)\b|(?:[A-Z]{2,} )+\(\d+\)$|#+ .*)"
STYLES: tuple[tuple[str, dict[str, Any]], ...] = (
    (RED, {"fg": "red", "bold": True}), (GREEN, {"fg": "green"}), (BOLD, {"bold": True}),
)  # fmt: skip


def in_client() -> bool:
    """Whether a model reads what is printed, and its context is to be spared."""
    return "CLAUDECODE" in os.environ or sys.argv[1:2] == ["hook"]


def on_terminal() -> bool:
    """Whether the user reads it, now."""
    return sys.stdout.isatty() and not in_client()


def say(text: str, more: str, whole: bool = False) -> None:
    """Print text; in the client, unless asked for as a whole, at most 6 KB; `more` says where the rest is."""
    is_cut = in_client() and not whole
    click.echo(bounded(text, more) if is_cut else colored(printable(text.rstrip("\n"))))


def say_json(value: Mapping[str, Any], indent: int | None = 1) -> None:
    """Print one JSON object, whole; without `indent` on one line."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    unseen = filter(is_hidden, set(text))
    click.echo(text.translate({ord(character): json.dumps(character)[1:-1] for character in unseen}))


def print_result(as_json: bool, data: Mapping[str, Any], text: str, more: str, whole: bool = False) -> None:
    """Print what a verb has found: as one JSON object, or as text; `more` says where the rest of that is."""
    if as_json:
        say_json(data)
    else:
        say(text, more, whole)


def colored(text: str) -> str:
    """Color a text for the terminal it is printed on; any other gets it as it is."""
    if not on_terminal() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    for pattern, style in STYLES:
        text = re.sub(pattern, click.style(r"\g<0>", **style), text, flags=re.MULTILINE)
    return text


def show_time(time: str) -> str:
    """Show a time of the journal: on a terminal how long ago it was, elsewhere as it is, in UTC."""
    if not on_terminal():
        return time
    passed = span(time, datetime.now().astimezone().isoformat())
    return "now" if passed.startswith("0 ") else f"{passed} ago"


def show_clock(time: str) -> str:
    """Show a time of the journal: on a terminal in the local zone, elsewhere as it is, in UTC."""
    return f"{datetime.fromisoformat(time).astimezone():%Y-%m-%d %H:%M:%S}" if on_terminal() else time


def in_columns(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Return a line for each row, all cells but the last as wide as the widest of their column."""
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)][:-1]
    padded = ([cell.ljust(width) for cell, width in zip(row, widths, strict=False)] + [row[-1]] for row in table)
    return ["  ".join(cells).rstrip() for cells in padded]


def bounded(text: str, more: str) -> str:
    """Return a text as it can be printed, at most 6 KB of it; `more` says where the rest is."""
    shown = printable(text.rstrip("\n"))
    return clipped(shown, LIMIT_BYTES, f"\n… the rest: {more}")


def fitted(text: str, limit: int, rest: str) -> str:
    """Return a text whole; in the client its beginning and `rest`, together at most `limit` bytes."""
    return clipped(text, limit, rest) if in_client() else text


def clipped(text: str, limit: int, rest: str) -> str:
    """Return a text whole, or its beginning and `rest`: together at most `limit` bytes."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return text
    return data[: max(0, limit - len(rest.encode()))].decode("utf-8", "ignore") + rest


def count_fitting(lines: Iterable[str]) -> int:
    """Return how many of the first lines can be printed in the client, with one that says where the rest is."""
    left, count = LIMIT_BYTES - 200, 0
    for line in lines:
        left -= len(printable(line).encode("utf-8", "backslashreplace")) + 1
        if left < 0:
            break
        count += 1
    return count


def write_out(path: Path, data: bytes) -> None:
    """Write a file the user named; `-` is the name of none."""
    if path.name == "-":
        raise BatonError("no name of a file", "--out -", "name one, or leave --out out: then it is printed")
    try:
        path.write_bytes(data)
    except OSError as error:
        raise BatonError(f"cannot write ({error.strerror})", str(path), "name another file with --out") from error
