"""The structure of a body, found once: fences, comments, collapsed blocks, and the noise to leave out."""

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from baton.feedback.text.markdown import Details, Fence, Span, comments, details, fences, unquoted, without

QUOTED_RUN = re.compile(r"(?m)^ {0,3}>[^\n]*(?:\n {0,3}>[^\n]*)*")
CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)")
NOT_NEWLINE = re.compile(r"[^\n]+")


def blanked(text: str, spans: Iterable[Span]) -> str:
    """Return the text with those spans as spaces, so that offsets stay; line ends stay too."""
    pieces, position = [], 0
    for start, end in spans:
        if end > position:
            pieces.append(text[position : max(start, position)])
            part = text[max(start, position) : end]
            pieces.append(NOT_NEWLINE.sub(lambda match: " " * len(match[0]), part))
            position = end
    return "".join([*pieces, text[position:]])


@dataclass(frozen=True)
class Layout:
    """A text with one kind of line end and its structure, as offsets into it."""

    text: str

    @cached_property
    def fences(self) -> list[Fence]:
        return fences(self.text)

    @cached_property
    def comments(self) -> list[Span]:
        return comments(self.text)

    @cached_property
    def details(self) -> list[Details]:
        return details(self.text)

    @cached_property
    def unfenced(self) -> str:
        """The text with its fences as spaces."""
        return blanked(self.text, [Span(fence.start, fence.end) for fence in self.fences])

    @cached_property
    def prose(self) -> str:
        """The text with its fences and comments as spaces."""
        return blanked(self.unfenced, self.comments)

    @cached_property
    def bare(self) -> str:
        """The prose with its code spans as spaces."""
        return CODE.sub(lambda match: " " * len(match[0]), self.prose)

    def inside(self, outer: Span) -> list[Details]:
        """Return the collapsed blocks that begin in a span."""
        starts = self.starts
        return self.details[bisect_left(starts, outer.start) : bisect_left(starts, outer.end)]

    @cached_property
    def starts(self) -> list[int]:
        return [block.start for block in self.details]

    def first_fence(self, outer: Span) -> Fence | None:
        """Return the first fence that begins in a span."""
        index = bisect_left(self.fences, outer.start, key=lambda fence: fence.start)
        return self.fences[index] if index < len(self.fences) and self.fences[index].start < outer.end else None


def lay_out(body: str) -> Layout:
    """Return the layout of a body; a quote that holds collapsed blocks is read as if it were none."""
    text = body.replace("\r\n", "\n").replace("\r", "\n")
    runs = [run for run in QUOTED_RUN.finditer(text) if "<details" in run[0].lower()] if ">" in text else []
    if not runs:
        return Layout(text)
    pieces, position = [], 0
    fenced = fences(text) if "```" in text or "~~~" in text else []
    open_fences = [one for one in fenced if not text[one.start : one.start + 4].lstrip().startswith(">")]
    for run in runs:
        if not _within(open_fences, run.start()):
            pieces += [text[position : run.start()], unquoted(run[0])]
            position = run.end()
    return Layout("".join([*pieces, text[position:]]))


def _within(open_fences: list[Fence], position: int) -> bool:
    index = bisect_left(open_fences, position, key=lambda fence: fence.start) - 1
    return index >= 0 and position < open_fences[index].end


def within(spans: list[Span], outer: Span) -> list[Span]:
    """Return those of the spans (sorted, none overlapping) that reach into another span."""
    first = bisect_left(spans, outer.start, key=lambda span: span.start)
    first -= first > 0 and spans[first - 1].end > outer.start
    return spans[first : bisect_left(spans, outer.end, key=lambda span: span.start)]


def joined(text: str, outer: Span, spans: list[Span]) -> str:
    """Return that part of the text without the spans in it."""
    moved = [Span(max(start - outer.start, 0), end - outer.start) for start, end in spans]
    return without(text[outer.start : outer.end], moved).strip()


def merged(spans: Iterable[Span]) -> list[Span]:
    """Return the spans sorted, with those that touch or overlap as one."""
    result: list[Span] = []
    for span in sorted(spans):
        if result and span.start <= result[-1].end:
            result[-1] = Span(result[-1].start, max(result[-1].end, span.end))
        elif span.end > span.start:
            result.append(span)
    return result
