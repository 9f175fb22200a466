"""A text of somebody else's made inert, to be posted in our name: it reads the same, and does nothing."""

import re
from collections.abc import Iterator

from baton.feedback.text.inert_line import CONTAINERS, inert_code, inert_line
from baton.unicode import MARK, SPACES, visible

LINE_ENDS = re.compile("\r\n?|[\u2028\u2029]")
OPENING = re.compile(rf"({CONTAINERS})(`{{3,}}(?=[^`]*\Z)|~{{3,}})(.*)\Z")
CLOSING = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*\Z")
QUOTE_MARK = re.compile(r"[ \t]{0,3}> ?")
RUN = re.compile("`+")
# GitHub's parser counts the backticks of a fence to 255 only.
LONG_RUN = re.compile("(`{100})(?=`)")
LANGUAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9+#.-]{0,29}")
# A fence of these is more than code: a button that commits, or a picture that is drawn.
DOES_MORE = frozenset(("suggestion", "mermaid", "math", "geojson", "topojson", "stl"))
# Bots find these in a fence, too.
COMMAND = re.compile(
    r"[ \t]*(?:/[A-Za-z][\w-]*(?=\s|\Z)|!\w|(?:bors|homu|jenkins|azp|recheck|retest)\b|r[+?=])", re.I
)


def inert(text: str) -> str:
    """Give a text as Markdown that does nothing: no mention, reference, command, image or HTML; twice is once."""
    lines = clean(text).strip().split("\n")
    made: list[str] = []
    position = 0
    while position < len(lines):
        opening = OPENING.match(lines[position])
        position += 1
        if opening:
            fence = _Fence(opening)
            position = fence.read(lines, position)
            made += fence.made()
        else:
            made.append(inert_line(lines[position - 1]))
    return "\n".join(made)


def clean(text: str) -> str:
    """Give a text with one kind of line end and of space, what nobody would see as `[U+200B]`; twice is once."""
    text = SPACES.sub(" ", LINE_ENDS.sub("\n", text))
    return MARK.join(visible(part) for part in text.split(MARK))


class _Fence:
    """A code fence, written anew: at the line's start, closed, and behind `> ` when a line of it is a command."""

    def __init__(self, opening: re.Match[str]) -> None:
        before, self.mark, info = opening.groups()
        self.depth = before.count(">")
        self.indent = len(before.rpartition(">")[2].removeprefix(" ") if self.depth else before)
        words = info.split()
        known = words and LANGUAGE.fullmatch(words[0]) and words[0].lower() not in DOES_MORE
        self.language = words[0] if known else ""
        self.lines: list[str] = []

    def read(self, lines: list[str], position: int) -> int:
        """Read the lines up to the closing mark; give where the next one is."""
        while position < len(lines):
            line = lines[position]
            for _ in range(self.depth):
                mark = QUOTE_MARK.match(line)
                if not mark:
                    return position
                line = line[mark.end() :]
            closing = CLOSING.match(line)
            position += 1
            if closing and closing[1].startswith(self.mark):
                break
            indent = len(line) - len(line.lstrip(" \t"))
            self.lines.append(inert_code(LONG_RUN.sub(r"\1 ", line[min(indent, self.indent) :])))
        return position

    def made(self) -> Iterator[str]:
        longest = max((len(run) for line in self.lines for run in RUN.findall(line)), default=0)
        mark = "`" * max(3, longest + 1)
        side = "> " if self.depth or any(map(COMMAND.match, self.lines)) else ""
        for line in (f"{mark}{self.language}", *self.lines, mark):
            yield f"{side}{line}" if line else side.rstrip()
