"""Which findings in a review's body say again what a thread or a later review says."""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from baton.feedback.land.reply_marker import FIXING
from baton.feedback.read.item import DROPPED, NEW, Item, plain_words
from baton.feedback.read.models import Thread
from baton.feedback.read.threads import our_verdict, thread_item

LONG = 4  # letters: shorter words stand in any two texts
# How many of the words of the shorter text the other one has: on one line, and on another one, where lines moved.
ALIKE, SAME = 0.6, 0.9


class ThreadWords(NamedTuple):
    """What a thread says, on which lines it was and is, in which review, and how it was settled."""

    item: Item
    lines: frozenset[int]
    review: str
    resolved: bool
    fixed: bool  # we answered that it is fixed


class Known:
    """What bots say in threads, by bot and file."""

    def __init__(self, threads: Iterable[Thread]) -> None:
        self._by_place: dict[tuple[str, str | None], list[ThreadWords]] = {}
        for thread in threads:
            if thread.comments and thread.comments[0].is_bot:
                known_thread = _known_thread(thread)
                self._by_place.setdefault((thread.comments[0].author.login, thread.path), []).append(known_thread)

    def find(self, part: Item) -> ThreadWords | None:
        """Return the thread that says what a finding says, an open one first."""
        near = self._by_place.get((part.author, part.path), ())
        return min((one for one in near if _says(one, part)), key=lambda one: one.resolved, default=None)


def without_repeats(known: Known, prose: Iterable[Item]) -> Iterator[Item]:
    """Return the items beside the threads; dropped are findings that a thread or a later review says as well."""
    items, newest = list(prose), dict[str, Item]()
    for item in items:
        if item.is_part and item.at >= newest.get(item.id, item).at:
            newest[item.id] = item
    for item in items:
        if not item.is_part or item.state != NEW:
            yield item
        elif known_thread := known.find(item):
            yield _told_by(known_thread, item)
        elif newest[item.id] is not item:
            yield item._replace(state=DROPPED, why="said again in a later review")
        else:
            yield item


def _told_by(known_thread: ThreadWords, part: Item) -> Item:
    """Return a finding that a thread says: new only where its bot finds again what was settled."""
    if not known_thread.resolved:
        return part._replace(state=DROPPED, why=f"says what {known_thread.item.id} says")
    if part.repeated or (known_thread.fixed and part.at > known_thread.item.at):
        return part._replace(why=f"said again after {known_thread.item.id} was resolved")
    return part._replace(state=DROPPED, why=f"says what {known_thread.item.id} says, which is resolved")


def _known_thread(thread: Thread) -> ThreadWords:
    first = thread.comments[0]
    places = ((thread.start_line, thread.line), (thread.original_start_line, thread.original_line))
    ranges = [range(start or end, end + 1) for start, end in places if end]
    item = thread_item(thread)._replace(at=thread.last_at, title=first.parsed.title, text=first.text)
    lines = frozenset(line for numbers in ranges for line in numbers)
    return ThreadWords(item, lines, first.review, thread.resolved, our_verdict(thread) in FIXING)


def _says(known_thread: ThreadWords, part: Item) -> bool:
    """Whether a thread says what a finding says: in the same place in like words, elsewhere in the same words."""
    title, other = plain_words(known_thread.item.title), plain_words(part.title)
    common = _common(_words(known_thread.item.text), _words(part.text))
    there = range(part.start_line or part.line, part.line + 1) if part.line else ()
    if not known_thread.lines or not there or not known_thread.lines.isdisjoint(there):
        return common >= ALIKE or (title != "" and title == other)
    return known_thread.review != part.review and title == other and common >= SAME


def _common(one: frozenset[str], other: frozenset[str]) -> float:
    """Return how many of the words of the shorter text the longer one has, 0 to 1."""
    shorter = min(len(one), len(other))
    return len(one & other) / shorter if shorter else float(one == other)


@lru_cache(maxsize=4096)
def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in plain_words(text).split() if len(word) >= LONG)
