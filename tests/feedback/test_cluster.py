"""Which items belong together: one concern, one place, tightest first, and one of them new."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.feedback.plan.cluster import ClusterItem, Clusters, Cycle, area_of, cluster_items, is_converging
from scale import QUICKLY

LOGIN, RESET, TOKEN = "src/auth/login.py", "src/auth/reset.py", "src/auth/jwt/token.py"
Paths = tuple[str | None, ...]
PATHS = ("a.py", "b.py", "d/a.py", "d/b.py", "d/e/a.py", "d/e/b.py", "d/e/f/a.py", "d.e/a.py", "de/a.py", None)


def items(*paths: str | None, category: str = "naming", first: int = 1) -> list[ClusterItem]:
    """Make items at these paths, named T1, T2 … in their order."""
    return [ClusterItem(f"T{number}", path, category) for number, path in enumerate(paths, first)]


def old(*paths: str | None, category: str = "naming") -> list[ClusterItem]:
    """Make threads that were resolved before, named R1, R2 …."""
    return [one._replace(id=f"R{one.id[1:]}", resolved=True) for one in items(*paths, category=category)]


def told(found: Clusters) -> list[tuple[str, str]]:
    """Give each cluster as its area and the ids of its members."""
    return [
        (cluster.area, " ".join(each.id for each in (*cluster.new, *cluster.resolved)))
        for cluster in found.clusters
    ]


# Where, and with what was resolved before

CROSS, VOLUME = "gate/cross", "gate/volume"
CLUSTERS: dict[str, tuple[Paths, Paths, str, str]] = {
    "one file": ((LOGIN, LOGIN), (), VOLUME, "src/auth/ T1 T2"),
    "one directory": ((LOGIN, RESET), (), VOLUME, "src/auth/ T1 T2"),
    "a directory in the other's": ((LOGIN, TOKEN), (), VOLUME, "src/auth/ T2 T1"),
    "a directory further up": ((LOGIN, "src/db/pool.py"), (), VOLUME, "src/ T1 T2"),
    "one file in the root": (("a.py", "a.py"), (), VOLUME, "a.py T1 T2"),
    "a third inside the area joins": ((LOGIN, LOGIN, RESET), (), VOLUME, "src/auth/ T1 T2 T3"),
    "two files in one directory are one area": (
        (LOGIN, LOGIN, RESET, RESET), (), VOLUME, "src/auth/ T1 T2 T3 T4",
    ),
    "two directories are two": (
        (LOGIN, RESET, "src/db/a.py", "src/db/b.py"), (), VOLUME, "src/auth/ T1 T2, src/db/ T3 T4",
    ),
    "the deepest comes first": (
        (LOGIN, "src/auth/jwt/a.py", "src/auth/jwt/b.py"), (), VOLUME, "src/auth/jwt/ T2 T3",
    ),
    "one file, in two ways": (("./src/auth/login.py", "src//auth/login.py"), (), VOLUME, "src/auth/ T1 T2"),
    "the root is no place": (("a.py", "b.py"), (), CROSS, ""),
    "no directory in common": (("src/a.py", "lib/a.py"), (), CROSS, ""),
    "a directory and a file named like it": (("src/a.py", "src.py"), (), CROSS, ""),
    "a directory whose name begins alike": (("auth/a.py", "auth2/a.py"), (), CROSS, ""),
    "one": ((LOGIN,), (), CROSS, ""),
    "no path": ((None, None), (), CROSS, ""),
    "one without a path": ((LOGIN, None), (), CROSS, ""),
    "an empty path": (("", ""), (), CROSS, ""),
    "out of the repository": (("../a.py", "../a.py"), (), CROSS, ""),
    "a way out of a directory": (("src/../a.py", "src/b.py"), (), CROSS, ""),
    "none": ((), (), CROSS, ""),
    "a closed gate": ((LOGIN, LOGIN), (LOGIN,), "gate/none", ""),
    "a gate that lets resolved ones in": ((LOGIN,), (LOGIN, RESET), CROSS, "src/auth/ T1 R1 R2"),
    "one that does not": ((LOGIN,), (LOGIN, RESET), VOLUME, ""),
    "resolved ones in the directory": ((RESET,), (LOGIN, LOGIN), CROSS, "src/auth/ T1 R1 R2"),
    "resolved ones wait for one further up": (("src/db/a.py",), (LOGIN, LOGIN), CROSS, "src/ T1 R1 R2"),
    "only the root is above them": (("a.py",), (LOGIN, LOGIN), CROSS, ""),
    "no new one at all": ((), (LOGIN, LOGIN), CROSS, ""),
    "resolved ones that nothing matches": ((LOGIN, None), ("a.py", "b.py"), CROSS, ""),
}  # fmt: skip


@pytest.mark.parametrize(("new", "resolved", "gate", "expected"), CLUSTERS.values(), ids=CLUSTERS)
def test_items_of_a_category_are_grouped_by_place(new: Paths, resolved: Paths, gate: str, expected: str) -> None:
    found = cluster_items(items(*new), old(*resolved), gate)
    assert ", ".join(f"{area} {members}" for area, members in told(found)) == expected
    alone = [one.id for one in items(*new) if one.id not in expected]
    assert sorted(singleton.id for singleton in found.singletons) == alone


def test_items_of_different_categories_are_never_together() -> None:
    found = cluster_items([*items(LOGIN), *items(LOGIN, category="style", first=2)], [], "gate/volume")
    assert told(found) == []
    both = [*items(LOGIN, LOGIN), *items(LOGIN, RESET, category="style", first=3)]
    assert [one.theme for one in cluster_items(both, [], "gate/volume").clusters] == ["naming", "style"]


@pytest.mark.parametrize(("file", "area"), [("src/auth/a.py", "src/auth/"), ("a.py", "a.py"), ("s/a", "s/")])
def test_the_area_of_a_file_is_its_directory_but_for_the_root(file: str, area: str) -> None:
    assert area_of(file) == area


def test_a_gate_that_is_none_is_a_bug() -> None:
    with pytest.raises(KeyError):
        cluster_items([], [], "gate/open")


def test_one_new_item_after_two_that_were_resolved_is_the_only_one_to_be_worked_on() -> None:
    [one] = cluster_items(items(LOGIN), old(RESET, TOKEN), "gate/cross").clusters
    assert ([each.id for each in one.new], [each.id for each in one.resolved]) == (["T1"], ["R2", "R1"])
    assert all(each.resolved for each in one.resolved)
    assert one.files == (TOKEN, LOGIN, RESET)


@pytest.mark.parametrize(("count", "sizes"), [(8, [8]), (9, [4, 5]), (20, [6, 7, 7])])
def test_a_cluster_of_more_than_eight_items_is_divided(count: int, sizes: list[int]) -> None:
    found = cluster_items(items(*[LOGIN] * count), old(RESET), "gate/cross")
    assert sorted(len(cluster.new) for cluster in found.clusters) == sizes
    assert {cluster.resolved for cluster in found.clusters} == {tuple(old(RESET))}


def test_a_large_cluster_is_divided_by_file() -> None:
    found = cluster_items(items(*[LOGIN] * 4, *[RESET] * 5, *["src/auth/a.py"] * 3), [], "gate/volume")
    assert [(cluster.files, len(cluster.new)) for cluster in found.clusters] == [
        (("src/auth/a.py", LOGIN), 7),
        ((RESET,), 5),
    ]


# Recurrence


@pytest.mark.parametrize(("history", "expected"), [
    ([], True), ([Cycle(0, 0)], True), ([Cycle(4, 0)], True), ([Cycle(4, 2)], True), ([Cycle(4, 3)], False),
    ([Cycle(1, 1)], False), ([Cycle(9, 0), Cycle(1, 0)], False), ([Cycle(9, 8), Cycle(0, 0)], True),
    ([Cycle(2, 0), Cycle(0, 0), Cycle(1, 0)], False), ([Cycle(20, 17)], False),
], ids=[
    "nothing yet", "clean", "new ones after the first", "half came back", "most came back", "all came back",
    "new ones after the second", "clean after the second", "new ones after the third", "a review that never ended",
])  # fmt: skip
def test_rounds_converge_until_the_second_leaves_some_or_most_return(history: list[Cycle], expected: bool) -> None:
    assert is_converging(history) is expected


# Whatever is given


def test_the_order_of_what_is_given_makes_no_difference() -> None:
    new, before = items(LOGIN, RESET, TOKEN, "a.py", None), old(LOGIN, TOKEN)
    first = cluster_items(new, before, "gate/cross")
    assert all(cluster_items(order, before[::-1], "gate/cross") == first for order in permutations(new))
    assert [singleton.id for singleton in first.singletons] == ["T4", "T5"]


def test_clusters_are_told_by_their_areas() -> None:
    new = [*items("c/a.py", "c/a.py", "b/a.py", "b/b.py"), *items("a/a.py", "a/a.py", category="style", first=5)]
    assert told(cluster_items(new, [], "gate/volume")) == [("a/", "T5 T6"), ("b/", "T3 T4"), ("c/", "T1 T2")]


@QUICKLY
@given(st.lists(st.sampled_from(PATHS), max_size=12), st.lists(st.sampled_from(PATHS), max_size=6))
def test_an_item_is_in_one_place_and_not_alone_in_an_area(new: list[str | None], before: list[str | None]) -> None:
    found = cluster_items(items(*new), old(*before), "gate/cross")
    members = [item for group in found.clusters for item in (*group.new, *group.resolved)]
    worked_on = [item for item in members if not item.resolved]
    assert sorted([*worked_on, *found.singletons]) == sorted(items(*new))
    for group in found.clusters:
        assert all(str(item.path).startswith(group.area) for item in (*group.new, *group.resolved))
        assert not any(str(item.path).startswith(group.area) for item in found.singletons)
