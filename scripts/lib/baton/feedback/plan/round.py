"""The current round: which units were made of a pull request's feedback, and when each begins."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.item import Item
from baton.feedback.plan.cluster import Cycle
from baton.feedback.store.kept_files import read_as, write_as
from baton.journal.paths import Project
from baton.text import plural

BEGIN_ANEW = "remove it, then `baton pr fetch` and `baton pr plan`: a new round begins"


class Unit(NamedTuple):
    """The work of one resolver: an item, or the new items of a cluster."""

    id: str
    items: tuple[str, ...]
    files: tuple[str, ...]
    area: str = ""  # of a cluster
    theme: str = ""  # of a cluster
    prior: tuple[str, ...] = ()  # threads that were resolved before, for a cluster to read
    after: tuple[str, ...] = ()  # units on the same lines: it begins when they are in, on what they did
    brief: str = ""
    base: str = ""  # the commit it is made on; empty until it begins
    again: str = ""  # why it was started once more
    lines: str = ""  # of one item in a file

    @property
    def is_cluster(self) -> bool:
        """Whether it is several items that share a concern and a place."""
        return bool(self.theme)

    @property
    def is_out(self) -> bool:
        """Whether it was told to be started."""
        return bool(self.base)


class Round(NamedTuple):
    """One pass over a pull request's feedback, from its plan to its landing."""

    id: str
    number: int  # of the pull request
    cycle: int
    head: str  # the commit it is made on
    targeted: bool
    units: tuple[Unit, ...]  # those that began, in the order in which they did; then the others
    parallel: int = 4  # how many are out at a time
    item_versions: tuple[str, ...] = ()  # how each item of each unit read: id, time, comments heard
    skipped_units: tuple[str, ...] = ()  # units that handed nothing in, and are waited for no more
    history: tuple[Cycle, ...] = ()  # what each cycle before this one left
    not_read: tuple[str, ...] = ()  # the addresses of what was taken as it stands, since its reader failed
    miscounted: tuple[str, ...] = ()  # the addresses of bodies that count more findings than were read there
    landed: str = ""  # what was decided when it had landed

    @property
    def heard(self) -> dict[str, int]:
        """The number of others' comments on each item when the round was planned."""
        parts = (version.split(" ") for version in self.item_versions)
        return {item: int(count) for item, _, count in parts}

    def commits_in(self, made: Mapping[str, str]) -> list[str]:
        """Return its commits among all that were made: what each is about begins with its round."""
        return [commit for about, commit in made.items() if about.partition(" ")[0] == self.id]

    def missing_units(self, results: Collection[str]) -> frozenset[str]:
        """Return the names of the units that were neither handed in nor given up."""
        return frozenset(unit.id for unit in self.units).difference(results, self.skipped_units)

    def unit(self, name: str) -> Unit:
        """Return a unit; a BatonError where there is none of this name."""
        unit = next((unit for unit in self.units if unit.id == name), None)
        if unit is None or self.landed:
            state = "this round has landed" if unit else f"out: {plural(len(self.units), 'unit')}"
            raise BatonError(
                f"unit {name[:80]} is not at work ({state})", f"pr-{self.number}", "use the one in your brief"
            )
        return unit


def save_round(project: Project, folder: Path, current: Round) -> None:
    """Keep a round, in place of the one before."""
    write_as(project, folder / "round.json", current)


def load_round(project: Project, folder: Path) -> Round | None:
    """Return the current round; None when none was planned."""
    return read_as(project, folder / "round.json", Round, BEGIN_ANEW, _upgraded)


def _upgraded(data: dict[str, Any]) -> dict[str, Any]:
    # As older versions kept it: a unit had a wave, and a base only where that was not the head; a cycle: a list.
    started = max(data.pop("started_waves", 0), 1)
    for unit in data["units"]:
        if unit.pop("wave", started + 1) <= started:
            unit["base"] = unit["base"] or data["head"]
    history = data.get("history", ())
    cycles = [
        dict(zip(Cycle._fields, cycle, strict=True)) if isinstance(cycle, list) else cycle for cycle in history
    ]
    return {**data, "history": cycles}


def largest_first(units: Iterable[Unit]) -> list[Unit]:
    """Return units in the order in which they are to begin: large ones first."""
    return sorted(units, key=lambda unit: (-len(unit.items), unit.id))


def chain_same_lines(units: Iterable[Unit], items: Iterable[Item]) -> Iterator[Unit]:
    """Return units, in their order, each with those before it that have items on the same lines.

    Two changes to the same lines do not merge: the second is better made on top of the first.
    """
    lines = {item.id: set(_lines(item)) for item in items}
    last: dict[tuple[str, int], str] = {}
    for unit in units:
        own = {line for name in unit.items for line in lines[name]}
        yield unit._replace(after=tuple(sorted({last[line] for line in own if line in last})))
        last.update(dict.fromkeys(own, unit.id))


def _lines(item: Item) -> Iterator[tuple[str, int]]:
    if item.path and item.line:
        for line in range(item.start_line or item.line, item.line + 1):
            yield item.path, line


def next_units(units: Sequence[Unit], missing: Set[str], parallel: int) -> list[Unit]:
    """Return the units that begin now; `missing` names those that are waited for, out or not.

    Free files come first, but a file that another unit is at excludes nothing: each works in a tree of its own.
    """
    left = [unit for unit in units if unit.id in missing]
    out = [unit for unit in left if unit.is_out]
    ready = [unit for unit in left if not unit.is_out and missing.isdisjoint(unit.after)]
    taken = {file for unit in out for file in unit.files}
    begun: list[Unit] = []
    while ready and len(out) + len(begun) < parallel:
        unit = next((unit for unit in ready if taken.isdisjoint(unit.files)), ready[0])
        ready.remove(unit)
        begun.append(unit)
        taken.update(unit.files)
    return begun
