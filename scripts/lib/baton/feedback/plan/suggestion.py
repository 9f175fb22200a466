"""Suggestions of those who are trusted, as exact edits of today's file: offered to a resolver, never applied."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from baton.artifacts.file_name import name_fault
from baton.feedback.read.trust import TRUSTED
from baton.feedback.text.flags import flags
from baton.feedback.text.markdown import Fence, fences
from baton.project.protected import protection
from baton.unicode import restored, visible

NAME = "suggestion"
DOUBTFUL = frozenset({"malformed suggestion", "unclosed fence"})
MOST_INDENTED = 3  # what is further in is code, or belongs to a list
# What a file was at a commit; None where the commit or the file is not known here.
Blob = Callable[[str, str], bytes | None]


class Block(NamedTuple):
    """A suggestion as it stands in a text: the lines it wants, or why it is none that can be taken exactly."""

    lines: tuple[str, ...]
    fault: str = ""


class Edit(NamedTuple):
    """Lines `first` to `last` of a file are to be exactly `lines`; without any, they are to go."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]
    crlf: bool = False  # the file's lines end in CR LF

    @property
    def text(self) -> str:
        """The lines as the file would have them."""
        end = "\r\n" if self.crlf else "\n"
        return "".join(line + end for line in self.lines)


class Offer(NamedTuple):
    """A suggestion: the edit, or why it is not offered; `number` counts those of its thread."""

    item: str
    number: int
    edit: Edit | None
    why_not: str = ""


def suggestions_in(body: str) -> list[Block]:
    """Give the suggestions of a text in order."""
    text = body.replace("\r\n", "\n")
    found = [one for one in fences(text) if one.info.split()[:1] == [NAME]]
    if found and DOUBTFUL.intersection(flags(text)):
        return [Block((), "it is not clear where it ends")] * len(found)
    return [_block(text, one) for one in found]


def _block(text: str, fence: Fence) -> Block:
    opening = text[text.rfind("\n", 0, fence.start) + 1 : fence.content.start]
    indent = opening.partition(opening.lstrip(" "))[0]
    if len(indent) > MOST_INDENTED or not opening.lstrip(" ").startswith(("```", "~~~")):
        return Block((), "it stands in a quote or a list")
    inside = text[fence.content.start : fence.content.end]
    lines = tuple(_outdented(line, len(indent)) for line in inside.split("\n")[:-1])
    if visible("\n".join(lines)) != "\n".join(lines):
        return Block((), "it holds characters that nobody would see")
    return Block(lines)


def _outdented(line: str, width: int) -> str:
    """Take from a line as many blanks as its fence is indented by, as far as it has them."""
    return line[min(width, len(line) - len(line.lstrip(" "))) :]


def offers(thread: Mapping[str, Any], blob: Blob, hunk: str = "") -> list[Offer]:
    """Give the suggestions of a thread as a record has it, each with its edit of the file at HEAD or why not.

    `hunk` is the piece of diff the thread was begun on, where that is known.
    """
    blocks = [
        block
        for comment in thread["comments"]
        if comment["trust"] == TRUSTED and comment["body"]
        for block in suggestions_in(restored(comment["body"]))
    ]
    if not blocks:
        return []
    place = _place(thread, blob, hunk)
    return [_offer(thread["id"], number, block, place) for number, block in enumerate(blocks, 1)]


class _Place(NamedTuple):
    """The lines a thread is on, as they are at HEAD; or why they cannot be told."""

    path: str = ""
    first: int = 0
    lines: tuple[str, ...] = ()
    crlf: bool = False
    fault: str = ""


def _offer(item: str, number: int, block: Block, place: _Place) -> Offer:
    if block.fault or place.fault:
        return Offer(item, number, None, block.fault or place.fault)
    if block.lines == place.lines:
        return Offer(item, number, None, "the lines are so already")
    last = place.first + len(place.lines) - 1
    return Offer(item, number, Edit(place.path, place.first, last, block.lines, place.crlf))


def _place(thread: Mapping[str, Any], blob: Blob, hunk: str) -> _Place:
    path, last = thread["path"], thread["line"]
    first = thread["start_line"] or last
    if name_fault(path):
        return _Place(fault="its path is none of the project")
    if what := protection(path):
        return _Place(fault=f"the file is {what}")
    if not last or first > last or first < 1:
        return _Place(fault="the thread is on no lines of today's file")
    now = _lines(blob("HEAD", path))
    if now is None or last > len(now):
        return _Place(fault="the file, as it is at HEAD, has no such lines")
    chosen = now[first - 1 : last]
    lines = tuple(line.removesuffix("\r") for line in chosen)
    # The last line of a file may have no end at all.
    ends = {line.endswith("\r") for line in (chosen[:-1] if last == len(now) else chosen)}
    if len(ends) > 1 or any("\r" in line for line in lines):
        return _Place(fault="the lines end in several ways")
    crlf = True in ends or (not ends and any(line.endswith("\r") for line in now))
    if fault := _drift(thread, blob, hunk, lines):
        return _Place(fault=fault)
    return _Place(path, first, lines, crlf)


def _drift(thread: Mapping[str, Any], blob: Blob, hunk: str, now: tuple[str, ...]) -> str:
    """Say that the lines are not, or cannot be shown to be, those that the comment was made on."""
    was = _original(thread, blob)
    if was is None and hunk:
        was = _end_of_hunk(hunk, len(now))
    if was is None:
        return "the thread is outdated" if thread["outdated"] else ""
    return "" if tuple(was) == now else "the lines have changed since"


def _original(thread: Mapping[str, Any], blob: Blob) -> list[str] | None:
    """Give the lines the thread was begun on; None where its commit is not here."""
    last = thread["original_line"]
    first = thread["original_start_line"] or last
    commit = thread.get("commit")
    lines = _lines(blob(commit, thread["path"])) if commit and last and first <= last else None
    return [line.removesuffix("\r") for line in lines[first - 1 : last]] if lines else None


def _end_of_hunk(hunk: str, count: int) -> list[str] | None:
    """Give the last lines of the new side of a piece of diff, which ends where the comment was made."""
    sides = [line for line in hunk.replace("\r\n", "\n").split("\n") if line[:1] in ("+", " ")]
    return [line[1:] for line in sides[-count:]] if len(sides) >= count else None


def _lines(data: bytes | None) -> list[str] | None:
    """Give the lines of a file, without what ends them but for a CR; None for no file, and for no text."""
    if data is None or b"\0" in data:
        return None
    try:
        return list(_split(data.decode()))
    except UnicodeDecodeError:
        return None


def _split(text: str) -> Iterator[str]:
    yield from text.removesuffix("\n").split("\n") if text else ()
