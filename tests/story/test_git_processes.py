"""What a call costs is mostly the processes of git that it starts: their number is bounded."""

import subprocess
from typing import Any

import pytest

from bench import Bench

# To judge a run, put its work on the branch, remove its tree and send the next one.
MOST = 18


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what each git was asked that the program started in the newest call of `next`."""
    found, popen, ask = list[str](), subprocess.Popen, Bench.next

    def start(words: Any, *more: Any, **named: Any) -> Any:
        if "--no-replace-objects" in words:  # a test's own git has no such word
            found.append(" ".join(words))
        return popen(words, *more, **named)

    def counted(bench: Bench, *flags: str) -> Any:
        found.clear()
        return ask(bench, *flags)

    monkeypatch.setattr(subprocess, "Popen", start)
    monkeypatch.setattr(Bench, "next", counted)
    return found


def test_a_run_is_judged_and_the_next_one_sent_by_few(implementing: Bench, started: list[str]) -> None:
    implementing.work(1)  # what was noted before lies in the folder that this one was copied from
    assert implementing.implement()["action"] == "spawn"
    assert 0 < len(started) <= MOST, "\n".join(started)
