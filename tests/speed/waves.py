"""How long a pull request's waves take over the least time there is, on made-up items through the real clustering.

Files are hot by Zipf's law, how long an item takes is lognormal; the least is all work shared evenly, or the work
on the busiest file.
"""

from collections import defaultdict
from collections.abc import Sequence
from random import Random
from statistics import fmean

from baton.feedback.plan.build_round import plan_waves, units_of
from baton.feedback.plan.cluster import ClusterItem, cluster

PARALLEL = 4
SIGMA = 0.8
CATEGORIES = [f"category-{number}" for number in range(9)]
# Items, and in how many directories their files lie.
SIZES = ((6, 3), (20, 5), (50, 10), (100, 20))


def items(random: Random, number: int, directories: int) -> list[ClusterItem]:
    """Make the items of a pull request that has as many files as items."""
    files = [f"src/part_{index % directories}/file_{index}.py" for index in range(number)]
    weights = [1 / (index + 1) for index in range(number)]
    return [
        ClusterItem(f"T{index:04}", random.choices(files, weights)[0], random.choice(CATEGORIES))
        for index in range(number)
    ]


def makespan(members: Sequence[ClusterItem], seconds: dict[str, float]) -> float:
    """Return how long the planned waves take, each as long as its longest unit."""
    units = units_of(cluster(list(members), [], "gate/volume"))
    return sum(
        max(sum(seconds[item] for item in unit.items) for unit in wave) for wave in plan_waves(units, PARALLEL)
    )


def bound(members: Sequence[ClusterItem], seconds: dict[str, float]) -> float:
    """Return the least time there is for these items."""
    busy: dict[str | None, float] = defaultdict(float)
    for member in members:
        busy[member.path] += seconds[member.id]
    return max(sum(seconds.values()) / PARALLEL, *busy.values())


def over_the_bound(number: int, directories: int, instances: int = 30) -> float:
    """Return the mean of makespan over bound, on the same random instances whenever it is called."""
    random = Random(f"{number} {directories}")
    ratios = []
    for _ in range(instances):
        members = items(random, number, directories)
        seconds = {member.id: random.lognormvariate(0, SIGMA) for member in members}
        ratios.append(makespan(members, seconds) / bound(members, seconds))
    return fmean(ratios)


def table() -> dict[str, float]:
    """Return the figure of each size by its name."""
    return {f"waves, {number} items": over_the_bound(number, directories) for number, directories in SIZES}
