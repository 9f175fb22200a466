"""Processes that end in the middle: what is called here ends as if its process were killed there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch


class Killed(BaseException):
    """The end of a process, which nothing in it can catch."""


@contextmanager
def killed_at(place: str) -> Iterator[None]:
    """Have what is called in here end as if its process were killed where it calls a function of the program."""
    with patch(f"baton.{place}", side_effect=Killed), suppress(Killed):
        yield
        raise AssertionError(f"{place} was not called")


class Killer:
    """Counts the calls of some functions, and ends the process before or after one of them (0: at none)."""

    def __init__(self, number: int, after: bool = False) -> None:
        self.number, self.after = number, after
        self.calls: list[str] = []
        self.struck = ""

    def around(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same, and counts under this name."""

        def struck(*words: Any, **named: Any) -> Any:
            self.calls.append(name)
            strikes = len(self.calls) == self.number
            if strikes and not self.after:
                self.strike(name)
            result = call(*words, **named)
            if strikes:
                self.strike(name)
            return result

        return struck

    def strike(self, name: str) -> None:
        self.struck = name
        raise Killed
