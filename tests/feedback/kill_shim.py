"""The points at which a landing can be killed: before a program starts, as it has begun, and at its end."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from faults.child import walk
from faults.shim import SENT, Call, Family

FAMILIES: tuple[Family, ...] = ("process", "begun", "end")
# More often than that no file vanishes while it is looked at.
LOOKS = 100
# What git does that leaves something: when it is killed as one of these has begun, that goes on by itself.
CHANGES = (" worktree add ", " commit-tree ", " push ", " merge ")


class Point(NamedTuple):
    """A call at which a landing can be killed, and the name of the place as it is there."""

    call: Call
    place: str

    @property
    def changes(self) -> bool:
        """Whether something was changed by what has just ended, or is by what has just begun."""
        words = CHANGES if self.call.name == "begun" else (*CHANGES, SENT)
        return self.call.name != "start" and any(word in self.call.subject for word in words)


def points(work: Callable[[], Any], look: Callable[[], str]) -> tuple[list[Point], Any]:
    """Do some work unstruck; gives each point of it, and what it came to."""

    def point(call: Call) -> Point:
        # Neither what the host did is to be seen in a place, nor what a program that has begun will do.
        made = Point(call, looked(look))
        is_sent = call.subject.startswith("gh ") and call.name == "end of"
        return made._replace(place=f"{made.place} {call.number if is_sent or made.changes else ''}")

    return walk(work, point, FAMILIES)


def looked(look: Callable[[], str]) -> str:
    """Look once more where a file was gone before it was read: a program that has begun makes and removes some."""
    for _ in range(LOOKS):
        with suppress(FileNotFoundError):
            return look()
    return look()
