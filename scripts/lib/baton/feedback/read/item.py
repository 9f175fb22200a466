"""An item: one piece of feedback, with its state and what it is about."""

import hashlib
from typing import NamedTuple

NEW, ANSWERED, PENDING = "new", "answered", "resolution-pending"
DROPPED, QUARANTINED, UNVERIFIED = "dropped", "quarantined", "unverified"
# In the order they are counted and told.
STATES = (NEW, ANSWERED, PENDING, DROPPED, QUARANTINED, UNVERIFIED)


class Item(NamedTuple):
    """One piece of feedback; `text` is what it says, empty where its author is not trusted."""

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
    category: str = "other"
    severity: str | None = None
    title: str = ""
    text: str = ""
    body_bytes: int = 0
    sure: bool = True  # False: prose of which a program cannot tell whether it asks for anything
    sure_category: bool = True
    repeated: bool = False  # the bot says itself that it was found before
    review: str = ""  # the review it is part of
    label: str = ""  # the bot's own word for what kind it is
    key: str = ""  # the bot's own name for the finding
    flags: tuple[str, ...] = ()


def part_id(bot: str, path: str | None, title: str, number: int = 1) -> str:
    """Name a finding in a review's body: the same in the next review, on whatever line it is then."""
    name = "\0".join((bot.lower(), path or "", plain(title), str(number)))
    return f"PART_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def plain(title: str) -> str:
    """Give the words of a title alone: letters and digits in small letters."""
    return " ".join("".join(one if one.isalnum() else " " for one in title.lower()).split())
