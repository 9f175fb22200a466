"""Runs that repeat themselves: what counts as the same, and what breaks a streak."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artifacts.metadata import RunError
from baton.journal.events import Event
from baton.rules.repetition import (
    BACKOFF_MOST,
    IterationResult,
    backoff_seconds,
    error_signature,
    is_oscillating,
    new_blocked_phases,
    no_progress_count,
    results_since_answer,
    same_error_count,
)
from journal.happenings import answered, dispatched, judged
from tables import named_cases


def runs(signatures: str = "", trees: str = "", closed: str = "") -> list[IterationResult]:
    """Runs by one letter or digit each; a dot is a run without errors."""
    most = max(len(signatures), len(trees), len(closed))
    signatures, trees, closed = signatures.ljust(most, "."), trees or "abcdefghij"[:most], closed or "0" * most
    return [
        IterationResult(int(done), 4, "" if error == "." else error, tree, True)
        for error, tree, done in zip(signatures, trees, closed, strict=True)
    ]


@pytest.mark.parametrize(("one", "other"), [
    ("line 3 of /a/b.py", "Line 17 of /x/y/b.py"),
    ("object at 0x7f3a9c", "object at 0x81bb02"),
    ("commit 1a2b3c4d5e", "commit 9f8e7d6c5b"),
], ids=["lines and paths", "addresses", "commits"])  # fmt: skip
def test_numbers_and_places_do_not_make_another_error(one: str, other: str) -> None:
    signatures = {error_signature([RunError("e", message, True)]) for message in (one, other)}
    assert len(signatures) == 1


def test_words_types_and_sets_do() -> None:
    errors = [RunError("e", "not found", True), RunError("f", "not found", True), RunError("e", "refused", True)]
    assert len({error_signature([error]) for error in errors} | {error_signature(errors)}) == 4
    assert error_signature([]) == ""


@given(st.lists(st.tuples(st.text(), st.text())))
def test_the_order_and_the_number_of_errors_do_not_count(pairs: list[tuple[str, str]]) -> None:
    errors = [RunError(kind, message, True) for kind, message in pairs]
    assert error_signature(errors) == error_signature([*reversed(errors), *errors])


@pytest.mark.parametrize(("signatures", "expected"), [
    ("aaa", True), ("baaa", True), ("aa", False), ("aba", False), ("a.a", False), ("...", False),
])  # fmt: skip
def test_the_same_error_is_one_without_a_break(signatures: str, expected: bool) -> None:
    assert (same_error_count(runs(signatures)) >= 3) is expected


@named_cases("signatures, trees, closed, expected", {
    "the tree is back": ("...", "aba", "000", True),
    "the tree of a while ago is back": ("....", "abca", "0111", True),
    "a new tree": ("...", "aab", "000", False),
    "the tree of the run before": ("...", "abb", "000", False),
    "the tree is back, but a phase was gained": ("...", "aba", "001", False),
    "the error is back": ("aba", "abc", "000", True),
    "the error is back after a while": ("ab.a", "abcd", "0000", True),
    "no other error between": ("a.a", "abc", "000", False),
    "the same error only": ("aaa", "abc", "000", False),
    "the error is back, but a phase was gained": ("aba", "abc", "001", False),
    "too few runs": ("ab", "aa", "00", False),
})  # fmt: skip
def test_a_circle_is_a_return_without_a_gain(signatures: str, trees: str, closed: str, expected: bool) -> None:
    assert is_oscillating(runs(signatures, trees, closed)) is expected


@pytest.mark.parametrize(("closed", "expected"), [("0", 1), ("000", 3), ("0111", 3), ("01", 1), ("10", 1)])
def test_only_equal_counts_in_a_row_are_a_standstill(closed: str, expected: int) -> None:
    assert no_progress_count(runs(closed=closed)) == expected
    assert no_progress_count([*runs(closed=closed), IterationResult(int(closed[-1]), 4, "", "z", False)]) == 0


@pytest.mark.parametrize(("signatures", "expected"), [
    ("a", 0), ("aa", 5), ("aaa", 10), ("baaa", 10), ("ab", 0), ("..", 0), ("a" * 9, BACKOFF_MOST),
])  # fmt: skip
def test_the_pause_doubles_with_each_repetition_up_to_a_minute(signatures: str, expected: float) -> None:
    assert backoff_seconds(runs(signatures), 5) == expected
    assert (same_error_count(runs(signatures)) > 1) is (expected > 0)


def test_an_answer_clears_the_streaks() -> None:
    lap = judged("i1", "implementer", "implementation/continue")._replace(lap=True, signature="a", unfinished=True)
    assert len(results_since_answer([lap, lap])) == 2
    assert len(results_since_answer([lap, answered("x", "implementer"), lap])) == 1
    assert results_since_answer([judged("q1", "qa", "qa/fail")]) == []


@named_cases("story, expected", {
    "first seen now": ("", ["2"]), "seen, and nothing was answered": ("b", ["2"]), "an answer since": ("bA", []),
    "opened since the answer": ("bA.", ["2"]), "blocked still": ("bAb", []), "blocked for long": ("bAbb", []),
    "answered before it was blocked": ("Ab", ["2"]), "planned anew since": ("bAP", ["2"]),
})  # fmt: skip
def test_a_block_is_news_until_an_answer_has_come(story: str, expected: list[str]) -> None:
    lap = judged("i1", "implementer", "implementation/continue")._replace(lap=True)
    events: dict[str, Event] = {
        "b": lap._replace(blocked=["2"]),
        ".": lap,
        "A": answered("limit/iterations", "implementer"),
        "P": dispatched("p2", "planner"),
    }
    assert new_blocked_phases([events[one] for one in story], ["2"]) == expected
