"""Which units may run side by side: those of a wave claim nothing in common."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from baton.feedback.plan.cluster import Clusters, parts_of

PARALLEL = 4
# An item without a path may lead anywhere: whatever else runs could be in its way.
EVERYTHING = "/"


class Unit(NamedTuple):
    """What one resolver gets; it claims files, and areas with a slash at their end."""

    name: str
    claims: tuple[str, ...]


class _Claim(NamedTuple):
    """A file or an area, and the areas it lies in."""

    place: str
    is_area: bool
    outer: tuple[str, ...]


class _Taken:
    """In which waves something is claimed: of each place a number whose bits are the waves."""

    def __init__(self) -> None:
        self._here: dict[str, int] = defaultdict(int)
        self._within: dict[str, int] = defaultdict(int)

    def take(self, claim: _Claim, wave: int) -> None:
        """Note a claim."""
        self._here[claim.place] |= 1 << wave
        for area in claim.outer:
            self._within[area] |= 1 << wave

    def waves(self, claim: _Claim) -> int:
        """Give the waves in which something is claimed that is in the way of a claim."""
        found = self._here[claim.place] | (self._within[claim.place] if claim.is_area else 0)
        for area in claim.outer:
            found |= self._here[area]
        return found


def units(clusters: Clusters) -> list[Unit]:
    """Give the units, each named by the first of its items: a cluster claims its area, an item its file."""
    made = [Unit(one.new[0].id, (one.area,)) for one in clusters.clusters]
    return made + [Unit(one.id, (one.path or EVERYTHING,)) for one in clusters.alone]


def waves(units: Iterable[Unit], parallel: int = PARALLEL) -> list[list[Unit]]:
    """Sort units into waves of at most `parallel`, so that no two of a wave share a claim.

    The busiest claim comes first, and each unit goes into the first wave that has room for it.
    """
    made: list[list[Unit]] = []
    taken, full = _Taken(), 0
    for unit in by_business(units):
        claims = [_claim(one) for one in unit.claims]
        blocked = full
        for claim in claims:
            blocked |= taken.waves(claim)
        wave = (~blocked & (blocked + 1)).bit_length() - 1
        if wave == len(made):
            made.append([])
        made[wave].append(unit)
        for claim in claims:
            taken.take(claim, wave)
        if len(made[wave]) == parallel:
            full |= 1 << wave
    return made


def by_business(units: Iterable[Unit]) -> list[Unit]:
    """Sort units by how many claim what they do, most first; one that claims everything comes after all others."""
    here, within = Counter[str](), Counter[str]()
    wanted = [(unit, [_claim(one) for one in unit.claims]) for unit in units]
    for _, claims in wanted:
        here.update({one.place for one in claims})
        within.update({area for one in claims for area in one.outer})

    def load(claim: _Claim) -> int:
        inside = within[claim.place] if claim.is_area else 0
        return here[claim.place] + inside + sum(here[area] for area in claim.outer)

    def rank(one: tuple[Unit, list[_Claim]]) -> tuple[bool, int, Unit]:
        unit, claims = one
        return any(claim.place == EVERYTHING for claim in claims), -max(map(load, claims), default=0), unit

    return [unit for unit, _ in sorted(wanted, key=rank)]


def _claim(name: str) -> _Claim:
    parts = parts_of(name)
    place = "/".join(parts) + ("/" if name.endswith("/") and parts else "")
    return _Claim(place or EVERYTHING, not place or place.endswith("/"), tuple(_outer(parts)))


def _outer(parts: tuple[str, ...]) -> Iterator[str]:
    if parts:
        yield EVERYTHING
    for length in range(1, len(parts)):
        yield "/".join(parts[:length]) + "/"
