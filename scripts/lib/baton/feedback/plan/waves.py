"""Which units run side by side: no two of a wave have a file in common."""

from collections import Counter
from collections.abc import Sequence

from baton.feedback.plan.round import Unit


def plan_waves(units: Sequence[Unit], parallel: int) -> list[list[Unit]]:
    """Return the units by wave, at most `parallel` in each: large ones first, then those that share their files.

    A unit may change other files as well: each works in a tree of its own, and what does not apply when the units
    are combined is started once more.
    """
    shared = Counter(file for unit in units for file in unit.files)

    def rank(unit: Unit) -> tuple[int, int, str]:
        return -len(unit.items), -max((shared[file] for file in unit.files), default=0), unit.id

    waves: list[list[Unit]] = []
    taken: list[set[str]] = []
    unfilled: list[int] = []
    for unit in sorted(units, key=rank):
        number = next((wave for wave in unfilled if taken[wave].isdisjoint(unit.files)), len(waves))
        if number == len(waves):
            waves.append([])
            taken.append(set())
            unfilled.append(number)
        waves[number].append(unit)
        taken[number].update(unit.files)
        if len(waves[number]) == parallel:
            unfilled.remove(number)
    return waves
