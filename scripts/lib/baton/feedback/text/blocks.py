"""GitHub Markdown as blocks: code fences, quotes, and the pieces of text within which inline marks pair up."""

import re
from dataclasses import dataclass, field

from baton.feedback.text.marks import (
    ALONE,
    ALWAYS,
    BLANK,
    BLANKS,
    CLOSING,
    CLOSING_HERE,
    CONTAINER,
    DULL,
    FRESH,
    HEAD,
    HTML,
    LONE_TAG,
    OPENING,
    PLAIN,
    QUOTE_MARK,
    RULE,
    UNTIL,
    Fence,
    Piece,
    Span,
)  # fmt: skip

QUOTE = 0  # any other number in `containers` is a list item: the columns by which its lines are indented
# What nests deeper is text: nobody writes it, and each line would cost as much as it is deep.
DEEPEST = 16
# A text with more fences than that is no comment anyone wrote: what follows them is one piece.
MOST = 1_000


@dataclass
class Blocks:
    """Read a text into its fences, quotes and pieces, line by line, in linear time."""

    text: str
    fences: list[Fence] = field(default_factory=list)
    quotes: list[Span] = field(default_factory=list)
    pieces: list[Piece] = field(default_factory=list)
    containers: list[int] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)  # where each container began
    piece: int = -1  # where the piece began that is being read
    tried: int = 0  # up to where `skip` found nothing to skip
    raw: bool = False
    until: re.Pattern[str] | None = None  # what ends the HTML that is being read

    def __post_init__(self) -> None:
        # As long as the text, so that offsets fit both, with one kind of line end.
        self.text = self.text.replace("\r\n", " \n").replace("\r", "\n")
        position = 0
        while position < len(self.text) and len(self.fences) < MOST:
            position = self.read(position)
        self.piece = position if self.piece < 0 and position < len(self.text) else self.piece
        self.cut(len(self.text))
        self.leave(0, len(self.text))

    def read(self, start: int) -> int:
        """Read a line, or as many as are alike; give where the next one begins."""
        if not self.containers and not self.raw:
            if self.text[start] in "`~<":
                return self.read_block(start, start)
            if blank := BLANKS.match(self.text, start):
                self.cut(start)
                return blank.end()
            if plain := PLAIN.match(self.text, start):
                self.piece = start if self.piece < 0 else self.piece
                return plain.end()
            start = self.skip(start)
        kept, position = self.entered(start)
        if kept < len(self.containers):
            if self.piece >= 0 and not self.raw and self.is_lazy(position):
                return self.end_of(position) + 1
            self.cut(start)
            self.leave(kept, start)
        if self.raw:
            return self.read_html(start, position)
        return self.read_block(start, self.enter(position, start))

    def skip(self, start: int) -> int:
        """Skip lines that hold nothing to find, up to the last that no line before it has a say in."""
        if start < self.tried or self.piece >= 0:
            return start
        if dull := DULL.match(self.text, start):
            self.tried = dull.end()
            lines = self.text[start : dull.end() - 1]
            last = lines.rfind("\n") + 1
            while last > 0 and not FRESH.match(lines, last):
                last = lines.rfind("\n", 0, last - 1) + 1
            return start + max(last, 0)
        return start

    def entered(self, position: int) -> tuple[int, int]:
        """Give how many of the open containers this line is in, and where what they hold begins."""
        for number, width in enumerate(self.containers):
            if width == QUOTE:
                mark = QUOTE_MARK.match(self.text, position)
                if not mark:
                    return number, position
                position = mark.end()
            elif self.text.startswith(" " * width, position):
                position += width
            else:
                columns, after = self.indent(position, width)
                if columns >= width:
                    position = after
                elif not BLANK.match(self.text, position):
                    return number, position
        return len(self.containers), position

    def indent(self, position: int, most: int) -> tuple[int, int]:
        """Give the columns of white space there, at most so many, and where they end."""
        columns, end = 0, position
        while columns < most and end < len(self.text) and self.text[end] in " \t":
            columns += 4 if self.text[end] == "\t" else 1
            end += 1
        return columns, end

    def enter(self, position: int, start: int) -> int:
        """Open the containers that begin in this line; give where what they hold begins."""
        while len(self.containers) < DEEPEST and (found := CONTAINER.match(self.text, position)):
            width = QUOTE
            if item := found["item"]:
                if self.piece >= 0 and (item not in ALWAYS or BLANK.match(self.text, found.end())):
                    break  # these do not end a paragraph
                if self.is_rule(found.start("item")):
                    break
                gap = found.end() - found.end("item")
                width = found.end("item") - position + (gap if 0 < gap < 5 else 1)
                after = found.end("item") + min(gap, 1 if gap > 4 else gap)
            self.cut(start)
            self.containers.append(width)
            self.begun.append(start)
            position = after if item else found.end()
        return position

    def leave(self, kept: int, position: int) -> None:
        """Close all containers but the first so many."""
        for width, begun in zip(self.containers[kept:], self.begun[kept:], strict=True):
            if width == QUOTE:
                self.quotes.append(Span(begun, position))
        del self.containers[kept:], self.begun[kept:]

    def cut(self, position: int) -> None:
        """End the piece that is being read."""
        if 0 <= self.piece < position:
            self.pieces.append(Piece(self.piece, position, self.raw))
        self.piece, self.raw, self.until = -1, False, None

    def end_of(self, position: int) -> int:
        """Give where the line ends, before its line end."""
        end = self.text.find("\n", position)
        return len(self.text) if end < 0 else end

    def read_html(self, start: int, position: int) -> int:
        """Read a line of a block of HTML."""
        end = self.end_of(position)
        if self.until is None and BLANK.match(self.text, position):
            self.cut(start)
        elif self.until and not self.containers:
            found = self.until.search(self.text, position)
            end = self.end_of(found.end() if found else len(self.text))
            self.cut(end)
        elif self.until and self.until.search(self.text, position, end):
            self.cut(end)
        return end + 1

    def read_block(self, start: int, position: int) -> int:
        """Read a line outside of fences and HTML: the first of either, or text."""
        end = self.end_of(position)
        head = HEAD.match(self.text, position)
        first = head[1] if head else ""
        if not head and BLANK.match(self.text, position):
            self.cut(start)
            return end + 1
        if head and first in "`~" and (opening := OPENING.match(self.text, head.start(1))):
            self.cut(start)
            return self.read_fence(start, opening)
        if head and first == "<" and self.opens_html(head.start(1)):
            return self.read_html(start, position)
        alone = head and (first in "#|" or (first in "=-_*" and ALONE.match(self.text, head.start(1))))
        if alone:
            self.cut(start)
        self.piece = position if self.piece < 0 else self.piece
        if alone:
            self.cut(end)
        return end + 1

    def opens_html(self, mark: int) -> bool:
        """Begin a block of HTML if one begins there."""
        known = HTML.match(self.text, mark)
        if not known and (self.piece >= 0 or not LONE_TAG.match(self.text, mark)):
            return False
        self.cut(mark)
        self.piece, self.raw = mark, True
        self.until = UNTIL[(known.lastindex or 0) - 1] if known else None
        return True

    def is_lazy(self, position: int) -> bool:
        """Tell whether a line without the marks of its containers goes on with the paragraph in them."""
        head = HEAD.match(self.text, position)
        if not head:
            return not BLANK.match(self.text, position)
        opens = head[1] in "#`~" or CONTAINER.match(self.text, position) or self.is_rule(head.start(1))
        return not (opens or (head[1] == "<" and HTML.match(self.text, head.start(1))))

    def is_rule(self, position: int) -> bool:
        """Tell whether the line is a thematic break, `* * *`, and no list item."""
        found = RULE.match(self.text, position)
        bare = found[0].replace(" ", "").replace("\t", "") if found else ""
        return len(bare) > 2 and bare.count(bare[0]) == len(bare)

    def read_fence(self, start: int, opening: re.Match[str]) -> int:
        """Read a fence to its closing mark or the end of what holds it; give where the next line begins."""
        begin = opening.start() if self.text[start : opening.start()].strip(" \t>") else start
        first = min(opening.end() + 1, len(self.text))
        find = self.closing_inside if self.containers else self.closing
        position, closing = find(first, opening[1])
        end = closing.end(1) if closing else position
        self.fences.append(Fence(begin, end, opening[2].strip(), Span(first, position), bool(closing)))
        return closing.end() if closing else position

    def closing(self, position: int, mark: str) -> tuple[int, re.Match[str] | None]:
        """Find the line that closes a fence which nothing holds, or the end of the text."""
        for found in CLOSING.finditer(self.text, position):
            if found[1].startswith(mark):
                return found.start(), found
        return len(self.text), None

    def closing_inside(self, position: int, mark: str) -> tuple[int, re.Match[str] | None]:
        """Find the line that closes a fence in a quote or list item, or the line where that ends."""
        while position < len(self.text):
            kept, after = self.entered(position)
            if kept < len(self.containers):
                break
            found = CLOSING_HERE.match(self.text, after)
            if found and found[1].startswith(mark):
                return position, found
            position = min(self.end_of(position) + 1, len(self.text))
        return position, None
