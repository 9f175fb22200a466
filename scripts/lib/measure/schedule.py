"""What sorting units into waves costs in time, against other ways to hand them out, on made-up pull requests.

Files are hot by Zipf's law, a unit has one to three of them, how long it takes is lognormal. Each figure is the
mean of a makespan over the least that is possible: all work shared evenly, or the work on the busiest file.
"""

import sys
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean
from typing import NamedTuple

PARALLEL = 4
SIGMA = 0.8
FILES_MOST = 3
INSTANCES = 300
SEED = 1
# How many units, and how many files there are for each.
SIZES = ((6, 3.0), (10, 3.0), (20, 3.0), (50, 3.0), (100, 3.0), (20, 1 / 3), (100, 1 / 3))


class Work(NamedTuple):
    """A unit with the files it claims and how long it takes, which no policy may look at beforehand."""

    name: str
    files: tuple[str, ...]
    seconds: float


Policy = Callable[[Sequence[Work], int], float]


def instance(random: Random, number: int, files: int) -> list[Work]:
    """Make the units of a pull request, in the order in which they were read."""
    weights = [1 / rank for rank in range(1, files + 1)]
    made = []
    for index in range(number):
        chosen = {random.choices(range(files), weights)[0] for _ in range(random.randint(1, FILES_MOST))}
        names = tuple(f"src/{one}.py" for one in sorted(chosen))
        made.append(Work(f"unit-{index:04}", names, random.lognormvariate(0, SIGMA)))
    return made


def bound(work: Sequence[Work], parallel: int) -> float:
    """Give the least time there is: for all work shared evenly, and for that on the busiest file."""
    busy: dict[str, float] = defaultdict(float)
    for one in work:
        for file in one.files:
            busy[file] += one.seconds
    return max(sum(one.seconds for one in work) / parallel, *busy.values())


def in_waves(work: Sequence[Work], parallel: int) -> float:
    """Take the waves that baton plans, each as long as its longest unit."""
    from baton.feedback.waves import Unit, waves

    known = {one.name: one.seconds for one in work}
    planned = waves([Unit(one.name, one.files) for one in work], parallel)
    return sum(max(known[one.name] for one in wave) for wave in planned)


def in_batches(work: Sequence[Work], parallel: int) -> float:
    """Take so many at a time as they come; those of a batch that conflict wait for each other."""
    total = 0.0
    for start in range(0, len(work), parallel):
        rounds: list[list[Work]] = []
        for one in work[start : start + parallel]:
            free = (each for each in rounds if not any(set(one.files) & set(other.files) for other in each))
            found = next(free, None)
            if found is None:
                rounds.append([one])
            else:
                found.append(one)
        total += sum(max(one.seconds for one in each) for each in rounds)
    return total


def in_a_list(work: Sequence[Work], parallel: int) -> float:
    """Begin a unit as soon as a slot and its files are free, those of the busiest file first."""
    claimed: dict[str, int] = defaultdict(int)
    for one in work:
        for file in one.files:
            claimed[file] += 1
    waiting = sorted(work, key=lambda one: (-max(claimed[file] for file in one.files), one.name))
    running: list[tuple[float, Work]] = []
    now = 0.0
    while waiting or running:
        for one in list(waiting):
            locked = {file for _, other in running for file in other.files}
            if len(running) < parallel and not locked & set(one.files):
                running.append((now + one.seconds, one))
                waiting.remove(one)
        now, ended = min(running)
        running.remove((now, ended))
    return now


POLICIES: Mapping[str, Policy] = {
    "waves": in_waves,
    "list with file locks": in_a_list,
    "batches in order": in_batches,
}


def simulate(number: int, files: int, instances: int = INSTANCES, parallel: int = PARALLEL) -> dict[str, float]:
    """Give the mean of makespan over bound of each policy, on the same random instances whenever it is called."""
    random = Random(f"{SEED} {number} {files}")
    works = [instance(random, number, files) for _ in range(instances)]
    return {
        name: fmean(policy(work, parallel) / bound(work, parallel) for work in works)
        for name, policy in POLICIES.items()
    }


def table(instances: int = INSTANCES, parallel: int = PARALLEL) -> str:
    """Give the figures of all sizes, a line for each."""
    lines = [f"{'units':>5}{'files':>7}" + "".join(f"{name:>22}" for name in POLICIES)]
    for number, each in SIZES:
        files = round(number * each)
        found = simulate(number, files, instances, parallel)
        lines.append(f"{number:5}{files:7}" + "".join(f"{one:22.3f}" for one in found.values()))
    return "\n".join(lines)


def main(words: Sequence[str]) -> None:
    """Print the table; a number says how many instances of each size."""
    print(table(int(words[0]) if words else INSTANCES))


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    main(sys.argv[1:])
