"""What is printed: bounded, and the same things as JSON."""

import json
from collections.abc import Mapping
from typing import Any

import click

from baton.text import is_hidden, printable

LIMIT_BYTES = 6_000


def say(text: str, more: str) -> None:
    """Print text for a person and a model, at most 6 KB of it; `more` says where the rest is."""
    click.echo(bounded(text, more))


def say_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object, whole."""
    text = json.dumps(value, ensure_ascii=False, indent=1)
    click.echo(text.translate({ord(one): json.dumps(one)[1:-1] for one in set(text) if is_hidden(one)}))


def bounded(text: str, more: str) -> str:
    """Give what can be printed of a text, at most 6 KB of it; `more` says where the rest is."""
    shown = printable(text.rstrip("\n"))
    return clipped(shown, LIMIT_BYTES, f"\n… the rest: {more}")


def clipped(text: str, limit: int, rest: str) -> str:
    """Give a text whole, or its beginning and `rest`: together at most `limit` bytes."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) <= limit:
        return text
    return data[: max(0, limit - len(rest.encode()))].decode("utf-8", "ignore") + rest


def newest(lines: list[str]) -> list[str]:
    """Give the last lines of a long list, as many as can be printed with a line of explanation."""
    kept: list[str] = []
    left = LIMIT_BYTES - 200
    for line in reversed(lines):
        left -= len(printable(line).encode("utf-8", "backslashreplace")) + 1
        if left < 0:
            break
        kept.insert(0, line)
    return kept
