"""What somebody wrote as a few words on one line, without its markup."""

import re

from baton.feedback.text.markdown import Span, blank_spans, comments_in, fences_in
from baton.text import visible

IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])?")
LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
LEADING = re.compile(r"^[ \t]*(?:#{1,6}[ \t]|>[ \t]?|[-*+][ \t]|\[![A-Za-z]+\])[ \t]*", re.M)
EMPHASIS = re.compile(r"\*{1,3}|(?<!\w)_(?=[^\w\s`])|(?<=\w)_(?=\s*(?:\||$))", re.M)
CUT_MARK = re.compile(r"\[U?\+?[0-9A-F]{0,6}$")
# An excerpt looks no further: what comes first is seldom longer than this in badges and state.
LOOKED_AT = 20_000


def excerpt(body: str, limit: int) -> str:
    """Return the first words of a text on one line, at most so many characters, without its markup."""
    start = body[:LOOKED_AT]
    prose = blank_spans(
        start, sorted([*comments_in(start), *(Span(fence.start, fence.end) for fence in fences_in(start))])
    )
    words = _words(prose) or _words(start)
    line = visible(words[: 4 * limit + 4])
    if len(line) <= limit and len(words) <= 4 * limit + 4:
        return line
    cut = line[: max(0, limit - 1)]
    space = cut.rfind(" ")
    if space > limit // 2:
        cut = cut[:space]
    return CUT_MARK.sub("", cut).rstrip(" ,;:") + "…"


def _words(text: str) -> str:
    """Return the text on one line, without images, tags and marks of Markdown."""
    bare = TAG.sub("", LINK.sub(r"\1", IMAGE.sub("", text)))
    bare = EMPHASIS.sub("", LEADING.sub("", bare))
    return re.sub(r"[ \t\r\n]+", " ", bare).strip(" |")
