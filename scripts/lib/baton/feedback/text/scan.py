"""What a text hides in HTML comments, and what of it is code: the first mark to begin wins."""

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from baton.feedback.text.blocks import Blocks
from baton.feedback.text.marks import Fence, Piece, Span

CLOSE = re.compile("--!?>")
BACKTICKS = re.compile("`+")
INLINE = re.compile(r"\\[\\`<]|`+|<!--")
MARKED = re.compile("<(?:!--|/?(?:details|summary))", re.I)
Closes = list[tuple[int, int]]
# Nobody writes more comments: those that follow are text.
MOST = 1_000


class Scan(NamedTuple):
    """What a text is made of; `literal`: inline code and escaped marks."""

    fences: tuple[Fence, ...]
    quotes: tuple[Span, ...]
    comments: tuple[Span, ...]
    literal: tuple[Span, ...]


@lru_cache(maxsize=8)
def scan(text: str) -> Scan:
    """Read what a text is made of."""
    blocks = Blocks(text)
    closes = [found.span() for found in CLOSE.finditer(text) if not text.startswith("<!--!>", found.start() - 2)]
    hidden: list[Span] = []
    literal: list[Span] = []
    for piece in blocks.pieces:
        if len(hidden) >= MOST:
            break
        begin = max(piece.start, hidden[-1].end if hidden else 0)
        if MARKED.search(text, begin, piece.end):
            read = _read_html if piece.raw else _read_inline
            read(text, Piece(begin, piece.end, piece.raw), closes, hidden, literal)
    return Scan(
        tuple(blocks.fences),
        tuple(sorted(blocks.quotes, key=lambda one: (one.start, -one.end))),
        tuple(hidden),
        tuple(literal),
    )


def _close(closes: Closes, position: int, before: int) -> int:
    """Give the end of the first mark from there on that closes a comment, or -1."""
    number = bisect_right(closes, (position, 0))
    return closes[number][1] if number < len(closes) and closes[number][1] <= before else -1


def _read_html(text: str, piece: Piece, closes: Closes, hidden: list[Span], literal: list[Span]) -> None:
    """Find the comments of a block of HTML: one that is left open hides all that follows."""
    position = piece.start
    while len(hidden) < MOST and (begin := text.find("<!--", position, piece.end)) >= 0:
        position = _close(closes, begin + 2, len(text))
        position = len(text) if position < 0 else position
        hidden.append(Span(begin, position))


def _read_inline(text: str, piece: Piece, closes: Closes, hidden: list[Span], literal: list[Span]) -> None:
    """Find the comments, inline code and escaped marks of a paragraph, the first to begin first."""
    end_of_code = _following(text, piece)
    position, open_before = piece.start, False
    for token in INLINE.finditer(text, piece.start, piece.end):
        begin, end = token.span()
        if begin < position:
            continue
        position = end
        if token[0][0] == "\\":
            literal.append(Span(begin, end))
        elif token[0][0] == "`":
            position = end_of_code(begin, end)
            literal.append(Span(begin, position))
        elif not open_before and len(hidden) < MOST:
            close = _close(closes, begin + 2, piece.end)
            open_before = close < 0
            position = end if open_before else close
            hidden.append(Span(begin, position))


def _following(text: str, piece: Piece) -> Callable[[int, int], int]:
    """Give what finds the end of the next run of backticks as long as the one given."""
    starts: dict[int, list[int]] = {}
    for run in BACKTICKS.finditer(text, piece.start, piece.end):
        starts.setdefault(run.end() - run.start(), []).append(run.start())

    def end_of_code(begin: int, end: int) -> int:
        runs = starts.get(end - begin, [])
        number = bisect_right(runs, end - 1)
        return runs[number] + end - begin if number < len(runs) else end

    return end_of_code
