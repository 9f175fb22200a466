"""Decide when units begin: large ones first, those on the same lines one after the other, others side by side."""

from collections.abc import Iterable, Iterator, Sequence, Set

from baton.feedback.fetch.item import Item
from baton.feedback.plan.round import Unit


def in_order(units: Iterable[Unit]) -> list[Unit]:
    """Return units in the order in which they are to begin: large ones first."""
    return sorted(units, key=lambda unit: (-len(unit.items), unit.id))


def one_after_another(units: Iterable[Unit], items: Iterable[Item]) -> Iterator[Unit]:
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
