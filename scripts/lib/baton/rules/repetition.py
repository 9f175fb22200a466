"""Detect runs that repeat themselves: the same error, a tree that comes back, no progress."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from baton.artifacts.metadata import RunError
from baton.journal.events import Answered, Dispatched, Event, Judged

# What differs between two reports of one error: places, addresses, counts.
PATH = re.compile(r"(?:[a-z]:)?(?:[\w.~+-]*[/\\])+[\w.~+-]*")
HEX = re.compile(r"\b(?:0x)?(?=[0-9a-f]*\d)[0-9a-f]{6,}\b")
DIGITS = re.compile(r"\d+")
BACKOFF_MOST = 60


class IterationResult(NamedTuple):
    """The result of an implementation run, as needed to detect repetition."""

    closed: int
    total: int
    signature: str
    tree: str
    unfinished: bool


def error_signature(errors: Iterable[RunError]) -> str:
    """Return a hash of the errors of a run, regardless of order and numbers in them; empty without errors."""
    kinds = sorted({(error.type.lower(), normalize_message(error.message)) for error in errors})
    return hashlib.sha256(repr(kinds).encode()).hexdigest()[:16] if kinds else ""


def normalize_message(message: str) -> str:
    """Reduce a message to the part that stays the same when the error recurs."""
    words = DIGITS.sub("#", HEX.sub("#", PATH.sub("<path>", message.lower())))
    return " ".join(words.split())


def results_since_answer(events: Sequence[Event]) -> list[IterationResult]:
    """Return the results of implementation runs since the last answer, which ends streaks; oldest first."""
    results: list[IterationResult] = []
    for event in events:
        if isinstance(event, Answered):
            results = []
        elif isinstance(event, Judged) and event.lap:
            results.append(
                IterationResult(event.closed, event.total, event.signature, event.tree, event.unfinished)
            )
    return results


def same_error_count(runs: Sequence[IterationResult]) -> int:
    """Count the last runs in a row with the errors of the newest one; 0 without errors."""
    same = takewhile(lambda run: run.signature and run.signature == runs[-1].signature, reversed(runs))
    return len(list(same))


def is_oscillating(runs: Sequence[IterationResult]) -> bool:
    """Whether the newest run made no progress and returned to an earlier tree or error."""
    if len(runs) < 3 or runs[-1].closed > runs[-2].closed:
        return False
    *earlier, before, now = runs
    tree_is_back = bool(now.tree) and now.tree != before.tree and now.tree in {run.tree for run in earlier}
    return tree_is_back or _error_is_back([run.signature for run in runs])


def _error_is_back(signatures: Sequence[str]) -> bool:
    now = signatures[-1]
    if not now or now not in signatures[:-1]:
        return False
    last_seen = len(signatures) - 2 - signatures[-2::-1].index(now)
    return any(between not in ("", now) for between in signatures[last_seen + 1 : -1])


def no_progress_count(runs: Sequence[IterationResult]) -> int:
    """Count the unfinished runs at the end that all closed the same number."""
    same = takewhile(lambda run: run.unfinished and run[:2] == runs[-1][:2], reversed(runs))
    return len(list(same))


def new_blocked_phases(events: Sequence[Event], blocked: Iterable[str]) -> list[str]:
    """Return the phases marked BLOCKED since the last answer, of which the user has not heard."""
    seen: set[str] = set()
    heard: set[str] = set()
    for event in events:
        if isinstance(event, Judged) and (event.lap or event.blocked):
            seen = set(event.blocked)
            heard &= seen
        elif isinstance(event, Answered):
            heard |= seen
        elif isinstance(event, Dispatched) and event.role == "planner":
            seen, heard = set(), set()
    return [phase for phase in blocked if phase not in heard]


def backoff_seconds(runs: Sequence[IterationResult], seconds: float) -> float:
    """Return the pause before the next run where the last ones had the same errors; else 0."""
    times = same_error_count(runs)
    return min(seconds * 2 ** (times - 2), BACKOFF_MOST) if times > 1 else 0
