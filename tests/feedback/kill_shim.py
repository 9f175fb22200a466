"""Kills a landing at a program it starts: just before, as that has begun, or when it has ended."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple

from faults.child import FIRST_MOMENT, Done, Make, forked, killer
from faults.shim import Call, Family, Shim

FAMILIES: tuple[Family, ...] = ("process", "end")
# More often than that no file vanishes while it is looked at.
LOOKS = 100
BEGUN = "begun"
# What git does that leaves something: when it is killed as one of these has begun, that goes on by itself.
CHANGES = (" worktree add ", " commit-tree ", " push ", " merge ")
MUTATION, SENT = b"mutation ", " --method POST"


@dataclass
class Programs(Shim):
    """Counts programs alone. `lasts` is a pipe that what was begun holds open until it ends."""

    lasts: int = -1

    def install(self) -> None:
        """Patch this process, which never goes back."""
        subprocess.Popen = self._programs()  # type: ignore[misc]

    def _programs(self) -> type[Any]:
        shim = self

        class Popen(subprocess.Popen):  # type: ignore[type-arg]
            def __init__(self, args: Any, *more: Any, **named: Any) -> None:
                self.told = False
                self.words = " ".join(map(os.fsdecode, args))
                shim.tick("process", "start", self.words)
                super().__init__(args, *more, **named, pass_fds=(shim.lasts,))
                shim.tick("process", BEGUN, self.words)

            def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
                if input and MUTATION in input:
                    self.words += SENT
                return super().communicate(input, timeout)

            def wait(self, timeout: float | None = None) -> int:
                code = super().wait(timeout)
                if not self.told:
                    self.told = True
                    shim.tick("end", "end of", self.words)
                return code

        return Popen


class Point(NamedTuple):
    """A call at which a landing can be killed, and the name of the place as it is there."""

    call: Call
    place: str

    @property
    def changes(self) -> bool:
        """Whether something was changed by what has just ended, or is by what has just begun."""
        words = CHANGES if self.call.name == BEGUN else (*CHANGES, SENT)
        return self.call.name != "start" and any(one in self.call.subject for one in words)


def points(work: Callable[[], Any], look: Callable[[], str]) -> tuple[list[Point], Any]:
    """Do some work unstruck; gives each point of it, and what it came to."""
    found: list[Point] = []

    def strike(call: Call) -> tuple[str, ...]:
        # Neither what the host did is to be seen in a place, nor what a program that has begun will do.
        made = Point(call, looked(look))
        is_sent = made.call.subject.startswith("gh ") and call.name == "end of"
        found.append(made._replace(place=f"{made.place} {call.number if is_sent or made.changes else ''}"))
        return ()

    def walk() -> tuple[list[Point], Any]:
        return found, work()

    done = forked(walk, FIRST_MOMENT, lambda writing: Programs(strike, FAMILIES, lasts=writing))
    assert isinstance(done, Done)
    met: tuple[list[Point], Any] = done.value
    return met


def looked(look: Callable[[], str]) -> str:
    """Look once more where a file was gone before it was read: a program that has begun makes and removes some."""
    for _ in range(LOOKS):
        with suppress(FileNotFoundError):
            return look()
    return look()


def kill(number: int) -> Make:
    """Give the maker of a shim that kills at the call of a number."""

    def make(writing: int) -> Shim:
        made = killer(number, FAMILIES)(writing)
        return Programs(made.strike, made.families, lasts=writing)

    return make
