"""The hidden mark in a reply of ours: what it answers, and how. Believed only of what the viewer wrote."""

import re
from typing import NamedTuple

MARK = re.compile(r"<!-- baton:reply id=([A-Za-z0-9_.=-]{1,200}) verdict=([a-z-]{1,30}) -->")
# A reply with one of these says that the code was changed; with one of those, that its thread is to be closed.
FIXING = ("fixed", "fixed-differently")
CLOSING = (*FIXING, "replied", "not-addressing")


class Mark(NamedTuple):
    """The item a reply answers, and the verdict on it."""

    item: str
    verdict: str


def marks_in(body: str) -> list[Mark]:
    """Give the marks in a text."""
    return [Mark(*match) for match in MARK.findall(body)]


def mark(item: str, verdict: str) -> str:
    """Give the mark for a reply to an item."""
    made = f"<!-- baton:reply id={item} verdict={verdict} -->"
    assert MARK.fullmatch(made), made
    return made
