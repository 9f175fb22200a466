"""The hidden mark in a reply of ours: its item, verdict and round. Believed only in what the viewer wrote."""

import re
from typing import NamedTuple

MARK = re.compile(
    r"<!-- baton:reply id=([A-Za-z0-9_.=-]{1,200}) verdict=([a-z-]{1,30})(?: round=([A-Za-z0-9_.-]{1,64}))?"
    r"(?: heard=(\d{1,6}))? -->"
)
# A reply with one of these says that the code was changed; a verdict of those, that the thread is to be closed.
FIXING = ("fixed", "fixed-differently")
CLOSING = (*FIXING, "replied", "not-addressing", "asks-nothing")


class ReplyMark(NamedTuple):
    """The item a reply answers, the verdict on it, and the round it was given in; older marks tell no round.

    `heard` is how many comments of others its thread had when the round was planned, None where that is not known.
    """

    item: str
    verdict: str
    round: str = ""
    heard: int | None = None


def marks_in(body: str) -> list[ReplyMark]:
    """Return the marks in a text."""
    return [
        ReplyMark(item, verdict, round, int(heard) if heard else None)
        for item, verdict, round, heard in MARK.findall(body)
    ]


def mark(item: str, verdict: str, round: str, heard: int | None = None) -> str:
    """Return the mark for the reply to an item in a round."""
    count = "" if heard is None else f" heard={heard}"
    marker = f"<!-- baton:reply id={item} verdict={verdict} round={round}{count} -->"
    assert MARK.fullmatch(marker), marker
    return marker
