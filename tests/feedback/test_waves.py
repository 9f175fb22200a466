"""Which units run side by side: never two with a file in common, and none later than it need."""

from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.scale import QUICKLY
from baton.feedback.plan.build_round import plan_waves, units_of
from baton.feedback.plan.cluster import ClusterItem, cluster
from baton.feedback.plan.round import Unit

UNITS = st.lists(st.lists(st.sampled_from("abcd"), max_size=3), max_size=12).map(
    lambda wanted: [Unit(f"U{number:02}", (), tuple(files)) for number, files in enumerate(wanted)]
)


def named(planned: list[list[Unit]]) -> list[str]:
    """Return each wave as the names of its units."""
    return ["".join(unit.id for unit in wave) for wave in planned]


@pytest.mark.parametrize(("files", "parallel", "expected"), [
    ("a b c d e", 4, ["ABCD", "E"]),
    ("a b c d e", 2, ["AB", "CD", "E"]),
    ("a b c", 1, ["A", "B", "C"]),
    ("a a b c", 4, ["ACD", "B"]),
    ("b c a a a", 4, ["CAB", "D", "E"]),
    ("ab bc cd", 4, ["AC", "B"]),
    ("", 4, []),
], ids=[
    "no more than four", "no more than is allowed", "one after the other", "filled past what conflicts",
    "the busiest file first", "a file in common", "none",
])  # fmt: skip
def test_waves_are_full_and_begin_with_the_busiest_file(files: str, parallel: int, expected: list[str]) -> None:
    units = [Unit(chr(ord("A") + number), (), tuple(names)) for number, names in enumerate(files.split())]
    assert {tuple(named(plan_waves(order, parallel))) for order in permutations(units)} == {tuple(expected)}


def test_a_large_unit_begins_before_a_small_one() -> None:
    units = [Unit("A", ("T1",), ("a.py",)), Unit("B", ("T2", "T3"), ("b.py",))]
    assert named(plan_waves(units, 1)) == ["B", "A"]


def test_a_unit_claims_its_files_and_no_folder() -> None:
    paths = {"T1": "src/a.py", "T2": "src/b.py", "T3": "src/a.py", "T4": None}
    found = cluster([ClusterItem(name, path, "style") for name, path in paths.items()], [], "gate/none")
    assert named(plan_waves(units_of(found), 8)) == ["T1T2T4", "T3"]


@QUICKLY
@given(UNITS, st.integers(1, 5))
def test_no_two_of_a_wave_share_a_file_and_none_waits_in_vain(units: list[Unit], parallel: int) -> None:
    planned = plan_waves(units, parallel)
    assert sorted(unit for wave in planned for unit in wave) == units
    assert all(0 < len(wave) <= parallel for wave in planned)
    for wave in planned:
        assert not any({*unit.files} & {*other.files} for unit, other in combinations(wave, 2))
    for index, wave in enumerate(planned):
        for earlier in planned[:index]:
            taken = {file for unit in earlier for file in unit.files}
            assert all(len(earlier) == parallel or taken.intersection(unit.files) for unit in wave)
