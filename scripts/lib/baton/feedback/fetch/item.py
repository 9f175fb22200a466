"""An item: one piece of feedback, with its state and what it is about."""

import hashlib
from typing import NamedTuple

NEW, UNREAD, ANSWERED, PENDING = "new", "unread", "answered", "resolution-pending"
DROPPED, QUARANTINED, UNVERIFIED = "dropped", "quarantined", "unverified"
# In the order they are counted and printed.
STATES = (NEW, UNREAD, ANSWERED, PENDING, DROPPED, QUARANTINED, UNVERIFIED)
# As a person reads those whose name in data is no plain word.
STATE_WORDS = {PENDING: "answered, still to be resolved", QUARANTINED: "ignored"}


class Item(NamedTuple):
    """One piece of feedback; nothing it says is in it where its author is not trusted."""

    id: str
    surface: str  # review_thread, pr_comment, review_body or review_body_part
    state: str
    why: str
    author: str
    trust: str
    url: str
    at: str
    path: str | None = None
    line: int | None = None
    start_line: int | None = None
    outdated: bool = False
    category: str | None = None  # None: nobody read it
    severity: str | None = None
    title: str = ""  # the words it is known by: those a reader quoted, or its first ones
    text: str = ""  # of a part of a body alone: of all others the comments are
    body_bytes: int = 0
    heard: int = 0  # how many comments of others are in its thread, bots aside
    repeated: bool = False  # it was found before
    review: str = ""  # the body it is part of
    flags: tuple[str, ...] = ()
    spoke_again: bool = False  # its bot, after it was heard once: that is not read

    @property
    def version(self) -> str:
        """A key that changes when it is edited: times alone hide what came in the same second."""
        return f"{self.id} {self.at} {self.heard}"

    @property
    def lines(self) -> str:
        """The lines it is on, `17-26` or `26`; empty where it is on none."""
        if not self.line or self.start_line in (None, self.line):
            return str(self.line or "")
        return f"{self.start_line}-{self.line}"

    @property
    def place(self) -> str:
        """Its file and the lines there, `src/a.py:17-26`; empty for one that is about no file."""
        return f"{self.path}{self.lines and f':{self.lines}'}" if self.path else ""

    @property
    def is_part(self) -> bool:
        """Whether it is a finding within the body of a review or of a comment."""
        return self.surface == "review_body_part"


def part_id(author: str, path: str | None, quote: str, number: int = 1) -> str:
    """Return the id of a finding in a body: the same in the next review, on whatever line."""
    name = "\0".join((author.lower(), path or "", plain_words(quote), str(number)))
    return f"PART_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def plain_words(text: str) -> str:
    """Return the words of a text alone: letters and digits in small letters."""
    return " ".join("".join(character if character.isalnum() else " " for character in text.lower()).split())
