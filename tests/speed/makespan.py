"""How long a round takes over the least time there is, on made-up items through the real clusters and schedule.

Files are hot by Zipf's law, how long an item takes is lognormal; the least is all work shared evenly among the
agents, or the longest unit.
"""

import heapq
from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean

from baton.feedback.fetch.item import Item
from baton.feedback.plan.build_round import units_of
from baton.feedback.plan.cluster import ClusterItem, cluster_items
from baton.feedback.plan.round import Unit, chain_same_lines, largest_first, next_units

PARALLEL = 4
SIGMA = 0.8
LINES = 300
CATEGORIES = [f"category-{number}" for number in range(9)]
# Items, and in how many folders their files lie: all in one, or some five in each.
SHAPES = [(number, folders) for number in (6, 20, 50, 100, 300) for folders in (1, number // 5 + 1)]


def items(random: Random, number: int, folders: int) -> list[Item]:
    """Make the items of a pull request that has as many files as items."""
    files = [f"src/part_{index % folders}/file_{index}.py" for index in range(number)]
    weights = [1 / (index + 1) for index in range(number)]
    paths = random.choices(files, weights, k=number)
    blank = Item("", "review_thread", "new", "", "alice", "trusted", "", "")
    return [
        blank._replace(id=f"T{at}", path=path, line=random.randint(1, LINES), category=random.choice(CATEGORIES))
        for at, path in enumerate(paths)
    ]


def planned(found: Sequence[Item]) -> list[Unit]:
    """Return the units of items, as `pr plan` makes them."""
    members = [ClusterItem(one.id, one.path, one.category or "other") for one in found]
    return [*chain_same_lines(largest_first(units_of(cluster_items(members, [], "gate/volume"))), found)]


def makespan(units: Sequence[Unit], seconds: Mapping[str, float]) -> float:
    """Return when the last of these units ends, where the next ones begin whenever one ends."""
    now, missing, ends = 0.0, {unit.id for unit in units}, list[tuple[float, str]]()
    while missing:
        out = {name for _, name in ends}
        begun = next_units([unit._replace(base="head" * (unit.id in out)) for unit in units], missing, PARALLEL)
        for unit in begun:
            heapq.heappush(ends, (now + seconds[unit.id], unit.id))
        now, name = heapq.heappop(ends)
        missing.remove(name)
    return now


def over_the_bound(number: int, folders: int, instances: int = 30) -> float:
    """Return the mean of makespan over bound, on the same random instances whenever it is called."""
    random = Random(f"{number} {folders}")
    ratios = []
    for _ in range(instances):
        found = items(random, number, folders)
        takes = {one.id: random.lognormvariate(0, SIGMA) for one in found}
        units = planned(found)
        seconds = {unit.id: sum(takes[item] for item in unit.items) for unit in units}
        bound = max(sum(seconds.values()) / PARALLEL, *seconds.values())
        ratios.append(makespan(units, seconds) / bound)
    return fmean(ratios)


def table() -> dict[str, float]:
    """Return the figure of each shape by its name."""
    return {
        f"makespan, {number} items in {folders}": over_the_bound(number, folders) for number, folders in SHAPES
    }
