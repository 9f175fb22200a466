"""What is printed: bounded, and the same things as JSON."""

import json
from collections.abc import Mapping
from typing import Any

import click

LIMIT_BYTES = 6_000


def say(text: str, more: str) -> None:
    """Print text for a person and a model, at most 6 KB of it; `more` says where the rest is."""
    data = text.rstrip("\n").encode("utf-8", "backslashreplace")
    if len(data) > LIMIT_BYTES:
        kept = data[: LIMIT_BYTES - len(more.encode()) - 20].decode("utf-8", "ignore")
        text = f"{kept.rsplit(chr(10), 1)[0]}\n… the rest: {more}"
    click.echo(printable(text.rstrip("\n")))


def say_json(value: Mapping[str, Any]) -> None:
    """Print one JSON object, whole."""
    click.echo(json.dumps(value, ensure_ascii=False, indent=1))


def printable(text: str) -> str:
    """Show control characters instead of sending them to the terminal."""
    return "".join(
        one if one in "\n\t" or (ord(one) >= 32 and ord(one) != 127) else repr(one)[1:-1] for one in text
    )
