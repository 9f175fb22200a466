"""Which items belong together: one concern, one place, tightest first, and one of them new."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from artifacts.scale import QUICKLY
from baton.feedback.plan.cluster import ClusterItem, Clusters, Cycle, area_of, cluster_items, is_converging

LOGIN, RESET, TOKEN = "src/auth/login.py", "src/auth/reset.py", "src/auth/jwt/token.py"
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


# Where


@pytest.mark.parametrize(("paths", "expected"), [
    ((LOGIN, LOGIN), [("src/auth/", "T1 T2")]),
    ((LOGIN, RESET), [("src/auth/", "T1 T2")]),
    ((LOGIN, TOKEN), [("src/auth/", "T2 T1")]),
    ((LOGIN, "src/db/pool.py"), [("src/", "T1 T2")]),
    (("a.py", "a.py"), [("a.py", "T1 T2")]),
    ((LOGIN, LOGIN, RESET), [("src/auth/", "T1 T2 T3")]),
    ((LOGIN, LOGIN, RESET, RESET), [("src/auth/", "T1 T2 T3 T4")]),
    ((LOGIN, RESET, "src/db/a.py", "src/db/b.py"), [("src/auth/", "T1 T2"), ("src/db/", "T3 T4")]),
    ((LOGIN, "src/auth/jwt/a.py", "src/auth/jwt/b.py"), [("src/auth/jwt/", "T2 T3")]),
    (("./src/auth/login.py", "src//auth/login.py"), [("src/auth/", "T1 T2")]),
], ids=[
    "one file", "one directory", "a directory in the other's", "a directory further up", "one file in the root",
    "a third inside the area joins",
    "two files in one directory are one area", "two directories are two", "the deepest comes first",
    "one file, written in two ways",
])  # fmt: skip
def test_items_of_a_category_are_grouped_by_their_place(
    paths: tuple[str, ...], expected: list[tuple[str, str]]
) -> None:
    found = cluster_items(items(*paths), [], "gate/volume")
    assert told(found) == expected
    assert len(found.singletons) == len(paths) - sum(len(ids.split()) for _, ids in expected)


@pytest.mark.parametrize("paths", [
    ("a.py", "b.py"), ("src/a.py", "lib/a.py"), ("src/a.py", "src.py"), ("auth/a.py", "auth2/a.py"),
    (LOGIN,), (None, None), (LOGIN, None), ("", ""), ("../a.py", "../a.py"), ("src/../a.py", "src/b.py"), (),
], ids=[
    "the root is no place", "no directory in common", "a directory and a file named like it",
    "a directory whose name begins alike", "one", "no path", "one without a path", "an empty path",
    "out of the repository", "a way out of a directory", "none",
])  # fmt: skip
def test_items_that_share_no_place_are_units_of_their_own(paths: tuple[str | None, ...]) -> None:
    found = cluster_items(items(*paths), [], "gate/cross")
    assert (found.clusters, len(found.singletons)) == ((), len(paths))


def test_items_of_different_categories_are_never_together() -> None:
    found = cluster_items([*items(LOGIN), *items(LOGIN, category="style", first=2)], [], "gate/volume")
    assert told(found) == []
    both = [*items(LOGIN, LOGIN), *items(LOGIN, RESET, category="style", first=3)]
    assert [one.theme for one in cluster_items(both, [], "gate/volume").clusters] == ["naming", "style"]


@pytest.mark.parametrize(("file", "area"), [("src/auth/a.py", "src/auth/"), ("a.py", "a.py"), ("s/a", "s/")])
def test_the_area_of_a_file_is_its_directory_but_for_the_root(file: str, area: str) -> None:
    assert area_of(file) == area


# The gate, and what was resolved before


def test_closed_gate_makes_every_item_a_unit_of_its_own() -> None:
    found = cluster_items(items(LOGIN, LOGIN), old(LOGIN), "gate/none")
    assert (found.clusters, [singleton.id for singleton in found.singletons]) == ((), ["T1", "T2"])


def test_resolved_ones_count_only_when_the_gate_lets_them_in() -> None:
    assert told(cluster_items(items(LOGIN), old(LOGIN, RESET), "gate/cross")) == [("src/auth/", "T1 R1 R2")]
    assert told(cluster_items(items(LOGIN), old(LOGIN, RESET), "gate/volume")) == []


def test_a_gate_that_is_none_is_a_bug() -> None:
    with pytest.raises(KeyError):
        cluster_items([], [], "gate/open")


def test_one_new_item_after_two_that_were_resolved_is_the_only_one_to_be_worked_on() -> None:
    [one] = cluster_items(items(LOGIN), old(RESET, TOKEN), "gate/cross").clusters
    assert ([each.id for each in one.new], [each.id for each in one.resolved]) == (["T1"], ["R2", "R1"])
    assert all(each.resolved for each in one.resolved)
    assert one.files == (TOKEN, LOGIN, RESET)


@pytest.mark.parametrize(("new", "resolved", "expected"), [
    ((RESET,), (LOGIN, LOGIN), [("src/auth/", "T1 R1 R2")]),
    (("src/db/a.py",), (LOGIN, LOGIN), [("src/", "T1 R1 R2")]),
    (("a.py",), (LOGIN, LOGIN), []),
    ((), (LOGIN, LOGIN), []),
    ((LOGIN, None), ("a.py", "b.py"), []),
], ids=["in the directory", "further up", "only the root is above", "no new one at all", "unmatched"])  # fmt: skip
def test_resolved_ones_wait_for_a_new_one_further_up(
    new: tuple[str | None, ...], resolved: tuple[str, ...], expected: list[tuple[str, str]]
) -> None:
    found = cluster_items(items(*new), old(*resolved), "gate/cross")
    assert told(found) == expected
    assert not any(singleton.resolved for singleton in found.singletons)


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
def test_rounds_converge_until_a_second_one_leaves_something_or_most_came_back(
    history: list[Cycle], expected: bool
) -> None:
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
def test_any_item_is_in_one_place_and_none_alone_inside_an_area(
    new: list[str | None], before: list[str | None]
) -> None:
    found = cluster_items(items(*new), old(*before), "gate/cross")
    members = [item for group in found.clusters for item in (*group.new, *group.resolved)]
    worked_on = [item for item in members if not item.resolved]
    assert sorted([*worked_on, *found.singletons]) == sorted(items(*new))
    for group in found.clusters:
        assert all(str(item.path).startswith(group.area) for item in (*group.new, *group.resolved))
        assert not any(str(item.path).startswith(group.area) for item in found.singletons)
