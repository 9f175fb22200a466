"""Which records of a journal its state is folded of: the others were replaced by later ones."""

from collections.abc import Sequence

from baton.story.events import Event, HandedIn, Rejected
from baton.story.journal import Record


def counting(records: Sequence[Record]) -> list[Record]:
    """Give the records a state is folded of: all but the hand-ins and rejections that later ones replace."""
    newest: dict[tuple[object, ...], int] = {}
    for number, (_, _, event) in enumerate(records):
        newest[_replaces(event) or (number,)] = number
    return [records[number] for number in sorted({*newest.values(), len(records) - 1})]


def _replaces(event: Event) -> tuple[object, ...]:
    """Name what later events of a kind replace; nothing for those of which each counts."""
    match event:
        case HandedIn(run=run, artefact=artefact) | Rejected(run=run, artefact=artefact):
            return type(event), run, artefact
    return ()
