"""GitHub Markdown: what is fenced, hidden in comments, or folded away.

What is not surely closed is text: a wrong guess leaves noise in, and takes nothing out.
"""

import html
import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

LONGEST_SUMMARY = 300  # characters: what is longer is no summary anyone reads
MOST_MARKS = 1_000  # fences, comments or tags: nobody writes more
MOST_DOUBTS = 20
DEEPEST = 9  # quotes, or columns of a list
QUOTE = r"(?P<quote>(?: {0,3}>)*)"
BLOCK = re.compile(
    rf"^{QUOTE}(?: {{0,3}}<!--|(?P<indent>[ \t]*)(?P<item>(?:[-*+]|[0-9]{{1,9}}[.)])[ \t]+)?"
    r"(?P<mark>`{3,}(?=[^`\n]*$)|~{3,})(?P<info>[^\n]*)$)",
    re.M,
)
COMMENT_END = re.compile(r"-->|(?<!<!)--!>")
BLANK_LINE = re.compile(r"\n[ \t>]*\n|\Z")
# An escape, code that ends on its line, a backtick that does not, or a comment.
INLINE = re.compile(r"\\[\\`<]|(?<!`)(`{1,3})(?!`)[^\n]*?[^`\n]\1(?!`)|`+|<!--")
TAG = re.compile(r"<(/?)details(?=[\s/>])[^<>]*>", re.I)
SUMMARY_TAG = r"[\s>]*<summary(?=[\s/>])[^<>]*>"
CLOSED_SUMMARY = re.compile(rf"{SUMMARY_TAG}(.{{0,{LONGEST_SUMMARY}}}?)</summary\s*>", re.I | re.S)
ANY_TAG = re.compile(r"<[/!A-Za-z][^<>]*>")


class Span(NamedTuple):
    """A part of a text, as half-open offsets."""

    start: int
    end: int


class Fence(NamedTuple):
    """A fenced block from its first line to its closing mark, and its lines as they stand in the text."""

    start: int
    end: int
    info: str
    content: Span
    closed: bool


class Code(NamedTuple):
    """Code within a line, or an escape; not `sure`: from a backtick without its pair to the paragraph's end."""

    start: int
    end: int
    sure: bool


class ParsedMarkdown(NamedTuple):
    """The parts of a text; in `prose`, of the same length, fences and comments are blank."""

    fences: list[Fence]
    comments: list[Span]
    prose: str
    code: list[Code]


def fences_in(text: str) -> list[Fence]:
    """Return the fenced blocks of a text in order, those in quotes and lists too."""
    return list(parse_markdown(text).fences) if "```" in text or "~~~" in text else []


def comments_in(text: str) -> list[Span]:
    """Return the HTML comments of a text in order, code aside; one that is not closed is text."""
    return list(parse_markdown(text).comments) if "<!--" in text else []


def replace_spans(text: str, cuts: Iterable[tuple[int, int, str]]) -> str:
    """Return a text with each of these spans, which follow each other, as the words that stand for it."""
    pieces, position = [], 0
    for start, end, instead in cuts:
        pieces += [text[position:start], instead]
        position = end
    return "".join([*pieces, text[position:]])


def blank_spans(text: str, spans: Iterable[Span]) -> str:
    """Return a text with those spans as spaces, so that offsets and line ends stay."""
    pieces, position = [], 0
    for start, end in spans:
        if end > position:
            begin = max(start, position)
            pieces += [text[position:begin], "\n".join(" " * len(line) for line in text[begin:end].split("\n"))]
            position = end
    return "".join([*pieces, text[position:]])


@lru_cache(maxsize=8)
def parse_markdown(text: str) -> ParsedMarkdown:
    """Return the fences, comments, prose and code of a text."""
    text = text.replace("\r\n", " \n").replace("\r", "\n")
    blocks, hidden = _blocks(text)
    prose = blank_spans(text, sorted([*hidden, *(Span(block.start, block.end) for block in blocks)]))
    code, more = parse_inline(prose) if "<" in prose else ([], [])
    return ParsedMarkdown(blocks, sorted([*hidden, *more]), blank_spans(prose, more), code)


def _blocks(text: str) -> tuple[list[Fence], list[Span]]:
    """Return the fences, and the comments that begin a line: the first mark to begin wins."""
    blocks: list[Fence] = []
    hidden: list[Span] = []
    position, doubts, is_open = 0, 0, False
    while len(blocks) + len(hidden) < MOST_MARKS and (opening := BLOCK.search(text, position)):
        position = opening.end()
        if not opening["mark"]:
            end = None if is_open else COMMENT_END.search(text, position - 2)
            is_open = end is None
            if end:
                hidden.append(Span(position - len("<!--"), end.end()))
                position = end.end()
        elif doubts < MOST_DOUBTS:
            fence = _fence(text, opening)
            # So far to the right it may be a list's, or code without a fence.
            if fence.closed or opening["item"] or len(opening["indent"].expandtabs(4)) < 4:
                blocks.append(fence)
                position = max(position, fence.end)
            else:
                doubts += 1
    return blocks, hidden


def _fence(text: str, opening: re.Match[str]) -> Fence:
    """Return the fence that begins there; it ends with its closing mark, its quote or its item, or the text."""
    first, depth = min(opening.end() + 1, len(text)), min(opening["quote"].count(">"), DEEPEST)
    width = len(opening["indent"]) + len(opening["item"] or "")
    inside = rf"(?: {{0,3}}>){{{depth}}}" if depth else rf"[ \t]{{{min(width, DEEPEST)}}}|[ \t]*$"
    outside = rf"(?!{inside})|" if depth or opening["item"] else ""
    mark = rf"{opening['mark'][0]}{{{len(opening['mark'])},}}"
    closing = rf"(?: {{0,3}}>){{{depth}}}[ \t]{{0,{min(width, 99) + 3}}}(?P<mark>{mark})[ \t]*$"
    last = re.compile(rf"^(?:{outside}{closing})", re.M).search(text, first)
    content = Span(first, last.start() if last else len(text))
    end = last.end("mark") if last and last["mark"] else content.end
    start = opening.start("mark") if opening["item"] else opening.start()
    return Fence(start, end, opening["info"].strip(), content, bool(last and last["mark"]))


def parse_inline(prose: str) -> tuple[list[Code], list[Span]]:
    """Return the code and the comments within the paragraphs of a text without fences: the first to begin wins.

    From a backtick without its pair on the line, the rest of the paragraph is code that is not sure.
    """
    code: list[Code] = []
    hidden: list[Span] = []
    position, gap = 0, -1
    end = COMMENT_END.search(prose)
    while match := INLINE.search(prose, position):
        begin, position = match.span()
        if gap < position:
            gap = next(BLANK_LINE.finditer(prose, position)).start()
        if match[0] == "<!--":
            while end and end.start() < begin + 2:
                end = COMMENT_END.search(prose, begin + 2)
            if end and end.end() <= gap and len(hidden) < MOST_MARKS:
                hidden.append(Span(begin, position := end.end()))
            continue
        is_sure = match[0][0] == "\\" or bool(match[1])
        position = position if is_sure else gap
        code.append(Code(begin, position, is_sure))
    return code, hidden


def is_in(spans: Sequence[Code | Fence], position: int) -> bool:
    """Whether a position lies in one of these spans, which are in order."""
    number = bisect_right(spans, position, key=lambda span: span.start) - 1
    return number >= 0 and spans[number].end > position


def plain_summary(head: re.Match[str]) -> str:
    """Return the words of a summary, without its tags."""
    return " ".join(html.unescape(ANY_TAG.sub("", head[1])).split())
