"""Whose failure it is, by what the same command does on base and does once more."""

import pytest

from baton.decide.triage import Ran, triage

PASSED, MUTE = Ran(True), Ran(False, mute="`test` was killed")


def ran(*failed: str) -> Ran:
    return Ran(False, frozenset(failed))


CASES = {
    "it passes": ((PASSED, None, None), ("pass", "")),
    "it says nothing of the commit": ((MUTE, None, None), ("unclear", "")),
    "base must be looked at first": ((ran("a"), None, None), ("unclear", "base")),
    "base cannot be compared with": ((ran("a"), MUTE, None), ("unclear", "")),
    "base fails the same": ((ran("a"), ran("a"), None), ("preexisting", "")),
    "base fails more": ((ran("a"), ran("a", "b"), None), ("preexisting", "")),
    "a second failure must be seen twice": ((ran("a", "b"), ran("a"), None), ("unclear", "again")),
    "a second failure comes back": ((ran("a", "b"), ran("a"), ran("a", "b")), ("introduced", "")),
    "a second failure does not come back": ((ran("a", "b"), ran("a"), ran("a")), ("unclear", "")),
    "on a green base it comes back": ((ran("a"), PASSED, ran("a")), ("introduced", "")),
    "on a green base it passes the second time": ((ran("a"), PASSED, PASSED), ("unclear", "")),
    "the second time another fails": ((ran("a"), PASSED, ran("b")), ("unclear", "")),
    "the second time it says nothing": ((ran("a"), PASSED, MUTE), ("unclear", "")),
}


@pytest.mark.parametrize(("runs", "told"), CASES.values(), ids=CASES)
def test_a_failure_is_told_by_what_base_and_a_second_run_do(
    runs: tuple[Ran, Ran | None, Ran | None], told: tuple[str, str]
) -> None:
    found = triage(*runs)
    assert (found.provenance, found.need) == told


def test_what_is_introduced_is_only_what_came_back_and_base_lacks() -> None:
    assert triage(ran("a", "b", "c"), ran("a"), ran("a", "b")).failed == {"b"}


def test_why_it_is_unclear_is_said() -> None:
    assert triage(ran("a"), MUTE, None).why.endswith("on base `test` was killed")
    assert triage(ran("a"), PASSED, PASSED).why == "run once more on the same commit, it passed"
