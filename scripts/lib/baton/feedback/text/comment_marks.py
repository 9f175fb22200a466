"""What a comment says to baton: a line `/baton OPTION`, or the hidden mark in a reply of ours."""

import re
from typing import NamedTuple

from baton.feedback.text.markdown import parse_markdown

# As phones write it, too: capitals, a space or a list's mark before it, a dot behind it.
BEFORE = r" {0,3}(?:(?:[-*+]|\d{1,2}[.)]) {1,3})?"
LINE = re.compile(rf"{BEFORE}/baton[ \t]+(\S+)(?:[ \t]+(.*))?", re.I)
TO_BATON = re.compile(rf"{BEFORE}[*_]*/baton(?![\w/.-]).*", re.I)
MARK = re.compile(
    r"<!-- baton:reply id=([A-Za-z0-9_.=-]{1,200}) verdict=([a-z-]{1,30})(?: round=([A-Za-z0-9_.-]{1,64}))?"
    r"(?: heard=(\d{1,6}))? -->"
)
# A reply with one of these says that the code was changed; a verdict of those, that the thread is to be closed.
FIXING = ("fixed", "fixed-differently")
CLOSING = (*FIXING, "replied", "not-addressing", "asks-nothing")


class TextCommand(NamedTuple):
    """The option that a line names, and the note behind it and below."""

    option: str
    note: str


def commands_in(text: str) -> list[TextCommand]:
    """Return the commands in a comment: lines of their own, in no quote, no code and no hidden comment."""
    written = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    # Of the same lines; what is fenced or hidden is blank there.
    return [
        TextCommand(match[1].lower().removesuffix("."), _note([match[2] or "", *written[number + 1 :]]))
        for number, line in enumerate(_plain_lines(text))
        if (match := LINE.fullmatch(line.rstrip()))
    ]


def is_to_baton(text: str) -> bool:
    """Whether a line of a comment speaks to baton, as one it understands or not."""
    return any(TO_BATON.fullmatch(line) for line in _plain_lines(text))


def _plain_lines(text: str) -> list[str]:
    return parse_markdown(text).prose.split("\n") if "/baton" in text.lower() else []


def _note(lines: list[str]) -> str:
    """Return the note in these lines, without the lines they quote, as in an answer by mail."""
    return "\n".join(line.rstrip() for line in lines if not line.startswith(">")).strip()


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


def make_mark(item: str, verdict: str, round: str, heard: int | None = None) -> str:
    """Return the mark for the reply to an item in a round."""
    count = "" if heard is None else f" heard={heard}"
    marker = f"<!-- baton:reply id={item} verdict={verdict} round={round}{count} -->"
    assert MARK.fullmatch(marker), marker
    return marker
