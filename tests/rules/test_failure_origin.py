"""Whose failure it is, by what the same command does on base and does once more."""

import pytest

from baton.rules.failure_origin import Ran, Triage, triage

PASSED, MUTE = Ran(True), Ran(False, mute="`test` was killed")


def ran(*failed: str) -> Ran:
    return Ran(False, frozenset(failed))


OWN = ran("a")._replace(own=frozenset("a"))
CASES = {
    "it passes": ([PASSED], ("pass", "")),
    "it says nothing of the commit": ([MUTE], ("unclear", "")),
    "a file it only names was changed": ([ran("a")._replace(vague=frozenset("a")), ran("a")], ("unclear", "")),
    "base must be looked at first": ([ran("a")], ("unclear", "base")),
    "base cannot be compared with": ([ran("a"), MUTE], ("unclear", "")),
    "base must fail twice": ([ran("a"), ran("a")], ("unclear", "base again")),
    "base fails the same": ([ran("a"), ran("a"), None, ran("a")], ("preexisting", "")),
    "base fails more": ([ran("a"), ran("a", "b"), None, ran("a")], ("preexisting", "")),
    "base fails so only once": ([ran("a"), ran("a"), None, PASSED], ("unclear", "again")),
    "base fails so only once, and the head again": ([ran("a"), ran("a"), ran("a"), PASSED], ("unclear", "")),
    "base and the head fail so only once": ([ran("a"), ran("a"), PASSED, PASSED, PASSED], ("flaky", "")),
    "base fails so at times, as the head": ([ran("a"), ran("a"), PASSED, PASSED, ran("a")], ("flaky", "")),
    "base fails so at times, and the story changed that test": (
        [OWN, ran("a"), PASSED, PASSED, ran("a")],
        ("unclear", ""),
    ),
    "base says nothing the second time": ([ran("a"), ran("a"), None, MUTE], ("unclear", "")),
    "a second failure must be seen twice": ([ran("a", "b"), ran("a")], ("unclear", "again")),
    "a second failure comes back": ([ran("a", "b"), ran("a"), ran("a", "b")], ("introduced", "")),
    "a second failure does not come back": ([ran("a", "b"), ran("a"), ran("a")], ("unclear", "third")),
    "a second failure was seen once of three": (
        [ran("a", "b"), ran("a"), ran("a"), None, ran("a")],
        ("flaky", ""),
    ),
    "on a red base nothing is named": ([ran(), ran("a")], ("unclear", "")),
    "a red base names nothing": ([ran("a"), ran()], ("unclear", "")),
    "on a green base it comes back, unnamed": ([ran(), PASSED, ran()], ("introduced", "")),
    "on a green base it is named once": ([ran(), PASSED, ran("a")], ("introduced", "")),
    "on a green base it comes back": ([ran("a"), PASSED, ran("a")], ("introduced", "")),
    "on a green base it passes the second time": ([ran("a"), PASSED, PASSED], ("unclear", "third")),
    "it passes twice of three times": ([ran("a"), PASSED, PASSED, None, PASSED], ("flaky", "")),
    "it fails twice of three times": ([ran("a"), PASSED, PASSED, None, ran("a")], ("unclear", "base again")),
    "it fails twice of three times, and base passed twice": (
        [ran("a"), PASSED, PASSED, PASSED, ran("a")],
        ("unclear", "base third"),
    ),
    "it fails twice of three times, and never on base": (
        [ran("a"), PASSED, PASSED, PASSED, ran("a"), PASSED],
        ("introduced", ""),
    ),
    "it fails twice of three times, and once on base": (
        [ran("a"), PASSED, PASSED, PASSED, ran("a"), ran("a")],
        ("flaky", ""),
    ),
    "it fails twice of three times, and base at once": (
        [ran("a"), PASSED, PASSED, ran("a"), ran("a")],
        ("flaky", ""),
    ),
    "it fails twice of three times, and another on base": (
        [ran("a"), PASSED, PASSED, ran("b"), ran("a"), ran("c")],
        ("introduced", ""),
    ),
    "it fails twice of three times, and base says nothing": (
        [ran("a"), PASSED, PASSED, MUTE, ran("a")],
        ("unclear", ""),
    ),
    "a second failure comes and goes, on base as well": (
        [ran("a", "b"), ran("a"), ran("a"), ran("a", "b"), ran("a", "b")],
        ("flaky", ""),
    ),
    "the story changed the test that fails twice of three times": (
        [OWN, PASSED, PASSED, None, OWN],
        ("introduced", ""),
    ),
    "the third time it says nothing": ([ran("a"), PASSED, PASSED, None, MUTE], ("unclear", "")),
    "it passes the second time, unnamed": ([ran(), PASSED, PASSED], ("unclear", "")),
    "the third time it is unnamed": ([ran("a"), PASSED, PASSED, None, ran()], ("unclear", "")),
    "the story changed that test": ([OWN, PASSED, PASSED, None, PASSED], ("introduced", "")),
    "the second time another fails": ([ran("a"), PASSED, ran("b")], ("unclear", "third")),
    "another each time": ([ran("a"), PASSED, ran("b"), None, ran("c")], ("flaky", "")),
    "the second of them comes back": (
        [ran("a"), PASSED, ran("b"), PASSED, ran("b"), PASSED],
        ("introduced", ""),
    ),
    "the second time it says nothing": ([ran("a"), PASSED, MUTE], ("unclear", "")),
}


def told(*runs: Ran | None) -> Triage:
    head, *others = runs
    assert head
    return triage(head, *others, *[None] * (5 - len(others)))


@pytest.mark.parametrize(("runs", "expected"), CASES.values(), ids=CASES)
def test_a_failure_is_told_by_base_and_more_runs(runs: list[Ran | None], expected: tuple[str, str]) -> None:
    found = told(*runs)
    assert (found.provenance, found.need) == expected


def test_what_is_introduced_is_only_what_came_back_and_base_lacks() -> None:
    assert told(ran("a", "b", "c"), ran("a"), ran("a", "b")).failed == {"b"}
    assert told(ran("a", "b"), PASSED, PASSED, ran("a"), ran("a", "b"), PASSED).failed == {"b"}


def test_why_it_is_unclear_is_said() -> None:
    assert told(ran("a"), MUTE).why.endswith("on base `test` was killed")
    assert told(ran(), PASSED, PASSED).why == "run once more on the same commit, it passed"


def test_a_flaky_test_is_named_with_how_often_it_failed() -> None:
    found = told(ran("a"), PASSED, PASSED, None, PASSED)
    assert found.failed == {"a"}
    assert found.why == "failed once and passed twice on the same commit"
