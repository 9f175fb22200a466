"""Cluster items that belong together: of one category, in one file or one directory below the root."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

# What each gate lets into a cluster: new items, and those that were resolved before.
GATE_SCOPE = {
    "gate/targeted": (False, False),
    "gate/none": (False, False),
    "gate/volume": (True, False),
    "gate/cross": (True, True),
}

# Of more items a cluster is divided: on 300 items in one folder a round takes 1.05 times the least time with this
# many, and 1.38 times undivided (`makespan` of `scripts/bench`).
MOST_ITEMS = 8


class ClusterItem(NamedTuple):
    """An item as clustering sees it."""

    id: str
    path: str | None
    category: str
    resolved: bool = False
    concern: str = ""  # what it is grouped by, where that is not its category


class Cluster(NamedTuple):
    """Items that share a concern and a place; the resolved ones are there to be read, never to be worked on."""

    theme: str
    area: str  # a directory, with a slash at its end; a file where that lies in the root
    new: tuple[ClusterItem, ...]
    resolved: tuple[ClusterItem, ...]

    @property
    def files(self) -> tuple[str, ...]:
        """The files of all members."""
        return tuple(sorted({member.path for member in (*self.new, *self.resolved) if member.path}))


class Clusters(NamedTuple):
    """All new items: in clusters, and those that are a unit of their own."""

    clusters: tuple[Cluster, ...]
    singletons: tuple[ClusterItem, ...]


class Cycle(NamedTuple):
    """The items a cycle of fixes left: how many are new, and how many of those are self-inflicted or repeated."""

    new: int
    recurring: int


def cluster_items(new: Iterable[ClusterItem], resolved: Iterable[ClusterItem], gate: str) -> Clusters:
    """Sort new items into clusters as far as the gate lets them; the order of what is given makes no difference.

    Tightest first: in a file, then in the deepest directory that has two, one of them new; whoever is alone inside
    the area of a group joins it. The root is no place.
    """
    let_new, let_resolved = GATE_SCOPE[gate]
    items, before = _in_order(new, resolved=False), _in_order(resolved, resolved=True)
    concerns: dict[str, list[ClusterItem]] = defaultdict(list)
    for item in [*(items if let_new else ()), *(before if let_resolved else ())]:
        if item.path:
            concerns[item.concern or item.category].append(item)
    clusters = [
        part
        for theme, members in concerns.items()
        for area, members in _group_by_place(members).items()
        for part in _parts(theme, area, members)
    ]
    taken = {member.id for group in clusters for member in group.new}
    clusters.sort(key=lambda group: (group.area, group.theme, group.new))
    return Clusters(tuple(clusters), tuple(item for item in items if item.id not in taken))


def is_converging(history: Sequence[Cycle]) -> bool:
    """Tell from what each cycle of fixes left, oldest first, whether another one is likely to be the last.

    It is not when a second cycle still left something new, or when most of what is new came from our own fixes or
    was found before: then each round makes the next one's work, and what helps is one decision, not more fixes.
    """
    # Long reviews go on like that: in rjmurillo/ai-agents#5487 the fix of the round before made some 17 of 20
    # findings, in bentleypark/aiwatch#1299 all of two rounds; in joshuaswarren/remnic#2296 only two were real.
    if not history or not history[-1].new:
        return True
    last = history[-1]
    return len(history) < 2 and 2 * last.recurring <= last.new


def area_of(file: str) -> str:
    """Return the directory of a file, with a slash at its end; the file itself where that lies in the root."""
    directory, slash, _ = file.rpartition("/")
    return directory + slash or file


def _in_order(members: Iterable[ClusterItem], resolved: bool) -> list[ClusterItem]:
    """Return members with their paths as git has them; sorted, so that the order they came in is forgotten."""
    normalized = (member._replace(path=_plain(member.path), resolved=resolved) for member in members)
    return sorted(normalized, key=_order)


def _plain(path: str | None) -> str | None:
    """Return a path as git writes it; None for what cannot be a file of the repository."""
    parts = [part for part in (path or "").split("/") if part not in ("", ".")]
    return None if ".." in parts else "/".join(parts) or None


def _parts(theme: str, area: str, members: list[ClusterItem]) -> Iterator[Cluster]:
    """Return a cluster, or several by file where it has more than `MOST_ITEMS` new items."""
    members = sorted(members, key=_order)
    before = tuple(member for member in members if member.resolved)
    parts: list[list[ClusterItem]] = [[]]
    for _, group in groupby((member for member in members if not member.resolved), lambda member: member.path):
        items = list(group)
        if len(parts[-1]) + len(items) > MOST_ITEMS:
            parts.append([])
        parts[-1] += items
    for part in filter(None, parts):
        count = -(-len(part) // MOST_ITEMS)  # more than one where a file has too many by itself
        for at in range(count):
            new = part[at * len(part) // count : (at + 1) * len(part) // count]
            yield Cluster(theme, area, tuple(new), before)


def _group_by_place(members: list[ClusterItem]) -> dict[str, list[ClusterItem]]:
    """Return the groups of one category by their areas; an item that stays alone inside an area joins it."""
    inside: dict[str, list[ClusterItem]] = defaultdict(list)
    for item in members:
        for place in _places(item):
            inside[place].append(item)
    areas: dict[str, list[ClusterItem]] = defaultdict(list)
    grouped: set[str] = set()
    for place in sorted(inside, key=lambda place: (place.endswith("/"), -place.count("/"), place)):
        group = [item for item in inside[place] if item.id not in grouped]
        if _is_group(group):
            areas[area_of(place)] += group
            grouped.update(item.id for item in group)
    for item in members:
        area = next((place for place in _places(item) if place in areas), "")
        if area and item.id not in grouped:
            areas[area].append(item)
    return areas


def _places(item: ClusterItem) -> Iterator[str]:
    """Return an item's file and the directories that is in, the deepest first; the root is no place."""
    place = item.path or ""
    while place:
        yield place
        directory = place.rstrip("/").rpartition("/")[0]
        place = f"{directory}/" if directory else ""


def _order(member: ClusterItem) -> tuple[bool, str, str]:
    return member.path is None, member.path or "", member.id


def _is_group(members: list[ClusterItem]) -> bool:
    return len(members) > 1 and not all(member.resolved for member in members)
