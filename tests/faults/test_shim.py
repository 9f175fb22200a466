"""The harness notices what it is there for: a careless write is torn by a kill, a careful one never."""

import errno
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from baton.journal.atomic_file import write_durably
from faults.child import FIRST_MOMENT, Done, Fault, failer, forked, killer

Write = Callable[[Path, str], object]


def carelessly(path: Path, text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def carefully(path: Path, text: str) -> None:
    write_durably(path, text, path.parent)


def contents_after_a_kill(path: Path, write: Write) -> set[str]:
    """Kill a write at every call; gives all that the file then held."""
    found: set[str] = set()
    for number in count(1):
        path.write_text("old")
        ended = forked(lambda: write(path, "new"), FIRST_MOMENT, killer(number))
        found.add(path.read_text())
        if isinstance(ended, Done):
            return found
    raise AssertionError


@pytest.mark.parametrize(("write", "found"), [
    (carelessly, {"old", "", "new"}),
    (carefully, {"old", "new"}),
], ids=["torn", "whole"])  # fmt: skip
def test_a_write_is_whole_wherever_it_is_killed(tmp_path: Path, write: Write, found: set[str]) -> None:
    assert contents_after_a_kill(tmp_path / "file", write) == found


def test_the_call_that_fails_is_named_and_the_parent_is_left_alone(tmp_path: Path) -> None:
    def work() -> str:
        try:
            carelessly(tmp_path / "file", "new")
        except OSError as error:
            return str(error.strerror)
        return "nothing failed"

    ended = forked(work, FIRST_MOMENT, failer(Fault(1, errno.ENOSPC, False), ("file",)))
    assert ended.value == "No space left on device"
    assert str(ended.struck) == f"call 1 (open {tmp_path / 'file'})"
    assert work() == "nothing failed"
