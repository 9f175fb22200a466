"""An item: one piece of feedback, with its state and what it is about."""

import hashlib
from typing import Any, NamedTuple

from baton.text import restored, visible

NEW, ANSWERED, PENDING = "new", "answered", "resolution-pending"
DROPPED, QUARANTINED, UNVERIFIED = "dropped", "quarantined", "unverified"
# In the order they are counted and printed.
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
    text: str = ""  # kept for a part of a review alone: of all others the comments are
    body_bytes: int = 0
    heard: int = 0  # how many comments of others are in its thread, bots aside
    sure: bool = True  # False: prose of which a program cannot tell whether it asks for anything
    sure_category: bool = True
    repeated: bool = False  # the bot says itself that it was found before
    review: str = ""  # the review it is part of
    label: str = ""  # the bot's own word for what kind it is
    key: str = ""  # the bot's own name for the finding
    flags: tuple[str, ...] = ()

    @property
    def version(self) -> str:
        """What tells it as it reads now from how it read before: times alone hide what came in the same second."""
        return f"{self.id} {self.at} {self.heard}"

    @property
    def lines(self) -> str:
        """The lines it is on, `17-26` or `26`; empty where it is on none."""
        if not self.line or self.start_line in (None, self.line):
            return str(self.line or "")
        return f"{self.start_line}-{self.line}"

    @property
    def is_part(self) -> bool:
        """Whether it is a finding within the body of a review."""
        return self.surface == "review_body_part"

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        data = {name: getattr(self, name) for name in ITEM_FIELDS}
        data |= {name: visible(getattr(self, name)) for name in ITEM_TEXTS}
        data |= {"flags": list(self.flags), "body_bytes": self.body_bytes}
        return {**data, "body": visible(self.text)} if self.is_part else data

    @classmethod
    def from_data(cls, data: dict[str, Any]) -> "Item":
        """Return the item that JSON holds."""
        return cls(
            **{name: data[name] for name in ITEM_FIELDS},
            **dict[str, Any]({name: restored(data[name]) for name in ITEM_TEXTS}),
            flags=tuple(data["flags"]), body_bytes=data["body_bytes"], text=restored(data.get("body", "")),
        )  # fmt: skip


ITEM_FIELDS = (
    "id", "surface", "state", "why", "path", "line", "start_line", "outdated", "author", "trust", "category",
    "severity", "url", "at", "sure", "sure_category", "repeated", "review",
    "heard",
)  # fmt: skip
ITEM_TEXTS = ("title", "label", "key")


def part_id(bot: str, path: str | None, title: str, number: int = 1) -> str:
    """Return the id of a finding in a review's body: the same in the next review, on whatever line."""
    name = "\0".join((bot.lower(), path or "", plain_words(title), str(number)))
    return f"PART_{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def plain_words(title: str) -> str:
    """Return the words of a title alone: letters and digits in small letters."""
    return " ".join("".join(one if one.isalnum() else " " for one in title.lower()).split())
