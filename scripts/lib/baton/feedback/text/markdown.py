"""GitHub Markdown, scanned in linear time: what is fenced, hidden in comments, or folded away."""

import html
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from baton.feedback.text.marks import Fence, Span
from baton.feedback.text.scan import scan

__all__ = ["Details", "Fence", "Span", "comments", "details", "fences", "unquoted", "without"]

BLANK = " \t\r\n"
# What is longer is no summary anyone reads.
SUMMARY = 300
# Nobody writes more: of tags that follow nothing is made, they are text.
MOST = 1_000
TAG = re.compile(r"<(/?)(details|summary)(?=[\s/>])[^<>]*>", re.I)
ANY_TAG = re.compile(r"<[/!A-Za-z][^<>]*>")
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
QUOTE_MARK = re.compile(r"^ {0,3}> ?", re.M)


class Details(NamedTuple):
    """A folded block: its summary as plain text, and what it folds away."""

    start: int
    end: int
    summary: str
    content: Span
    closed: bool
    depth: int


def fences(text: str) -> list[Fence]:
    """Give the fenced blocks of a text, those in quotes and lists too; none that HTML or a comment holds."""
    return list(scan(text).fences)


def comments(text: str) -> list[Span]:
    """Give the HTML comments of a text, code aside; one left open in a paragraph hides nothing: only its mark."""
    return list(scan(text).comments)


def details(text: str) -> list[Details]:
    """Give the `<details>` of a text in order, code and comments aside; one left open ends with what holds it."""
    found: list[Details] = []
    open_ones: list[_Open] = []
    quotes = _Quotes(text)
    for tag in islice(_tags(text), MOST):
        while open_ones and open_ones[-1].limit <= tag.start():
            found.append(open_ones.pop().ended(text, None, len(open_ones)))
        if tag[2].lower() == "summary":
            if open_ones:
                open_ones[-1].read_summary(tag, text)
        elif not tag[1]:
            open_ones.append(_Open(tag, quotes.end_at(tag.start())))
        elif open_ones:
            found.append(open_ones.pop().ended(text, tag, len(open_ones)))
    while open_ones:
        found.append(open_ones.pop().ended(text, None, len(open_ones)))
    return sorted(found)


def unquoted(text: str) -> str:
    """Take one level of `> ` from each line that has it."""
    return QUOTE_MARK.sub("", text)


def without(text: str, spans: Iterable[Span]) -> str:
    """Give a text without parts of it; where blank lines meet around one, a single one stays."""
    kept = list(_kept(text, spans))
    if len(kept) == 1:
        return text
    first, *others = kept
    result, gap = [first.rstrip(BLANK)], [first[len(first.rstrip(BLANK)) :]]
    for piece in others:
        bare = piece.strip(BLANK)
        after = len(piece.rstrip(BLANK))
        gap.append(piece[: after - len(bare)])
        if bare:
            result += [_seam("".join(gap), bool(result[0] or len(result) > 1)), bare]
            gap = []
        gap.append(piece[after:])
    return "".join(result) + ("".join(gap) if kept[-1].strip(BLANK) else "")


def _kept(text: str, spans: Iterable[Span]) -> Iterator[str]:
    position = 0
    for start, end in sorted(spans):
        if end > position and end > start:
            yield text[position : max(start, position)]
            position = end
    yield text[position:]


def _seam(gap: str, inside: bool) -> str:
    """Give the white space that stays where something was taken out."""
    lines = gap.count("\n")
    if lines < (2 if inside else 1):
        return gap
    end = ("\r\n" if "\r\n" in gap else "\n") * (2 if inside else 0)
    return end + gap[gap.rindex("\n") + 1 :]


class _Open:
    """A `<details>` whose end is not yet read."""

    def __init__(self, tag: re.Match[str], limit: int) -> None:
        self.tag, self.limit = tag, limit
        self.begin = self.content = tag.end()
        self.summary: str | None = None
        self.in_summary = False

    def read_summary(self, tag: re.Match[str], text: str) -> None:
        if not tag[1] and self.summary is None and not self.in_summary:
            self.begin, self.in_summary = tag.end(), True
        elif tag[1] and self.in_summary:
            self.summary, self.content, self.in_summary = (
                _plain(text[self.begin : min(tag.start(), self.begin + SUMMARY)]),
                tag.end(),
                False,
            )

    def ended(self, text: str, tag: re.Match[str] | None, depth: int) -> Details:
        last = tag.start() if tag else min(self.limit, len(text))
        if self.in_summary:  # never closed: it is the line
            line = text.find("\n", self.begin, min(last, self.begin + SUMMARY))
            self.content = line if line >= 0 else last
            self.summary = _plain(text[self.begin : min(self.content, self.begin + SUMMARY)])
        content = Span(min(self.content, last), last)
        end = tag.end() if tag else last
        return Details(self.tag.start(), end, self.summary or "", content, bool(tag), depth)


def _tags(text: str) -> Iterator[re.Match[str]]:
    """Give the tags of folded blocks that stand in no code and no comment."""
    read = scan(text)
    hidden = sorted([*((one.start, one.end) for one in read.fences), *read.comments, *read.literal])
    number, until = 0, 0
    for tag in TAG.finditer(text):
        while number < len(hidden) and hidden[number][0] <= tag.start():
            until = max(until, hidden[number][1])
            number += 1
        if tag.start() >= until:
            yield tag


class _Quotes:
    """The quotes of a text, asked for places in order."""

    def __init__(self, text: str) -> None:
        self.left = list(reversed(scan(text).quotes))
        self.ends = [len(text)]

    def end_at(self, position: int) -> int:
        """Give the end of the innermost quote that a place is in, or of the text."""
        while self.left and self.left[-1].start <= position:
            self.close(self.left[-1].start)
            self.ends.append(self.left.pop().end)
        self.close(position)
        return self.ends[-1]

    def close(self, position: int) -> None:
        while len(self.ends) > 1 and self.ends[-1] <= position:
            self.ends.pop()


def _plain(text: str) -> str:
    """Give the words of HTML on one line."""
    if "<" not in text and "&" not in text:
        return " ".join(text.split())
    bare = ENTITY.sub(lambda entity: html.unescape(entity[0]), ANY_TAG.sub("", text))
    return " ".join(bare.split())
