"""Which units run side by side: never two with a claim in common, and none later than it need."""

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.scale import QUICKLY
from baton.feedback.plan.cluster import Member, cluster
from baton.feedback.plan.waves import EVERYTHING, Unit, by_business, units, waves

CLAIMS = ("a.py", "src/", "src/a.py", "src/auth/", "src/auth/a.py", "src/auth/b.py", "src/auth2/", EVERYTHING)
UNITS = st.lists(st.lists(st.sampled_from(CLAIMS), max_size=3), max_size=12).map(
    lambda made: [Unit(f"U{number:02}", tuple(claims)) for number, claims in enumerate(made)]
)


def wanting(*claims: str) -> list[Unit]:
    """Make units, A, B …, that claim one place each."""
    return [Unit(chr(ord("A") + number), (claim,)) for number, claim in enumerate(claims)]


def named(planned: list[list[Unit]]) -> list[str]:
    """Give each wave as the names of its units."""
    return ["".join(one.name for one in wave) for wave in planned]


# What is in the way of what


def in_conflict(one: Unit, other: Unit) -> bool:
    """Whether two units cannot run side by side."""
    return len(waves([one, other])) == 2


@pytest.mark.parametrize(("one", "other"), [
    ("src/a.py", "src/a.py"), ("src/auth/", "src/auth/a.py"), ("src/", "src/auth/jwt/a.py"), ("src/", "src/auth/"),
    ("src/auth/", "src/auth/"), (EVERYTHING, "a.py"), (EVERYTHING, "src/"), (EVERYTHING, EVERYTHING),
    ("../a.py", "src/a.py"), ("./a.py", "a.py"), ("", "a.py"),
], ids=[
    "one file", "a file in an area", "a file deep in it", "an area in an area", "one area",
    "everything and a file", "everything and an area", "everything twice",
    "a path out of the repository", "a path in two ways", "no path",
])  # fmt: skip
def test_a_claim_is_in_the_way_of_what_it_holds(one: str, other: str) -> None:
    first, second = wanting(one, other)
    assert in_conflict(first, second)
    assert in_conflict(second, first)


@pytest.mark.parametrize(("one", "other"), [
    ("src/a.py", "src/b.py"), ("src/auth/", "src/auth.py"), ("src/auth/", "src/auth2/a.py"),
    ("src/auth/", "src/db/"), ("src/auth/", "src/a.py"), ("a.py", "src/a.py"),
], ids=[
    "two files", "an area and a file named like it", "an area whose name begins alike", "areas beside each other",
    "a file above an area", "files of one name",
])  # fmt: skip
def test_a_claim_is_not_in_the_way_of_what_lies_beside_it(one: str, other: str) -> None:
    first, second = wanting(one, other)
    assert not in_conflict(first, second)
    assert not in_conflict(second, first)


def test_a_unit_is_not_in_its_own_way() -> None:
    assert len(waves([Unit("A", ("src/", "src/a.py", "src/a.py"))])) == 1


# Units


def test_a_cluster_claims_its_area_and_an_item_its_file() -> None:
    found = cluster(
        [Member("T1", "src/a.py", "style"), Member("T2", "src/b.py", "style"), Member("T3", "src/a.py", "naming")],
        [Member("R1", "src/c.py", "style")],
        "gate/cross",
    )
    assert units(found) == [Unit("T1", ("src/",)), Unit("T3", ("src/a.py",))]
    assert named(waves(units(found))) == ["T1", "T3"]


def test_an_item_without_a_path_runs_by_itself_after_the_others() -> None:
    found = cluster([Member("T1", None, "other"), Member("T2", "a.py", "other")], [], "gate/none")
    assert named(waves(units(found))) == ["T2", "T1"]


# Waves


@pytest.mark.parametrize(("claims", "parallel", "expected"), [
    ("abcde", 4, ["ABCD", "E"]),
    ("abcde", 2, ["AB", "CD", "E"]),
    ("abc", 1, ["A", "B", "C"]),
    ("aabc", 4, ["ACD", "B"]),
    ("bcaaa", 4, ["CAB", "D", "E"]),
    ("", 4, []),
], ids=[
    "no more than four", "no more than is allowed", "one after the other", "filled past what conflicts",
    "the busiest first", "none",
])  # fmt: skip
def test_waves_are_full_and_begin_with_the_busiest_claim(claims: str, parallel: int, expected: list[str]) -> None:
    assert named(waves(wanting(*claims), parallel)) == expected


def test_an_area_is_as_busy_as_what_lies_in_it() -> None:
    made = wanting("a.py", "a.py", "src/a.py", "src/b.py", "src/")
    assert [one.name for one in by_business(made)] == ["E", "A", "B", "C", "D"]
    assert named(waves(made)) == ["EA", "BCD"]


def test_the_order_units_come_in_makes_no_difference() -> None:
    made = wanting("src/", "src/a.py", "b.py", "b.py", EVERYTHING)
    assert {tuple(named(waves(list(order)))) for order in permutations(made)} == {("AC", "BD", "E")}


@QUICKLY
@given(UNITS, st.integers(1, 5))
def test_any_units_are_sorted_so_that_none_is_in_anothers_way_and_none_waits_in_vain(
    made: list[Unit], parallel: int
) -> None:
    planned = waves(made, parallel)
    assert sorted(one for wave in planned for one in wave) == made
    assert all(0 < len(wave) <= parallel for wave in planned)
    assert not any(in_conflict(*pair) for wave in planned for pair in combinations(wave, 2))
    for index, wave in enumerate(planned[1:]):
        for earlier in planned[: index + 1]:
            assert all(len(earlier) == parallel or any(in_conflict(one, each) for each in earlier) for one in wave)
