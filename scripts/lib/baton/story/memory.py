"""The memory delta of a story: its entries, and which of them the user has decided on."""

from collections.abc import Iterable
from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.findings import faults
from baton.artifacts.memory_delta import check_memory_delta
from baton.artifacts.memory_entries import MemoryEntry, read_entries
from baton.errors import BatonError
from baton.journal.events import EffectDone, EffectIntended, Event, MemoryTriaged
from baton.journal.journal import Record
from baton.journal.paths import Folder
from baton.journal.state import State

ACCEPTED, REJECTED = "accepted", "rejected"
# How drafts go: those who made an event with another word are people.
DRAFTED, FAILED, TRIPPED = DRAFTS = ("drafted", "failed", "tripped")


class EntryDecision(NamedTuple):
    """What the user decided on an entry, on which day; `text` is what is written of it."""

    entry: MemoryEntry
    decision: str
    text: str
    day: str


def read_delta(folder: Folder) -> tuple[MemoryEntry, ...]:
    """Return the entries of a story's memory delta, if it has one; a BatonError for an invalid one."""
    path = folder.artifact("memory-delta")
    if not path.exists():
        return ()
    text = read_document(path)
    if found := faults(check_memory_delta(text, path.name)):
        raise BatonError(f"its memory delta is not valid ({found[0].message})", str(path), "put it right there")
    return read_entries(text)


def delta_entries(folder: Folder) -> tuple[MemoryEntry, ...]:
    """Return the entries of a story's memory delta; none where it has no valid one."""
    try:
        return read_delta(folder)
    except BatonError:
        return ()


def decisions_of(records: Iterable[Record]) -> dict[str, EntryDecision]:
    """Return what was decided, by the entries' digests, in the order in which it was."""
    found: dict[str, EntryDecision] = {}
    for record in records:
        if isinstance(record.event, MemoryTriaged) and record.event.how not in DRAFTS:
            for one in record.event.entries:
                entry = MemoryEntry(one["kind"], one["said"], "", one["names"], one["category"])  # type: ignore[arg-type]
                found[one["entry"]] = EntryDecision(entry, one["decision"], one["text"], record.time[:10])
    return found


def count_waiting(folder: Folder, state: State) -> int:
    """Return how many entries of a story's delta nobody has decided on; none of an abandoned one."""
    if state.stage == "abandoned":
        return 0
    events = (one for one in state.events if isinstance(one, MemoryTriaged) and one.how not in DRAFTS)
    known = {one["entry"] for event in events for one in event.entries}
    return sum(one.digest not in known for one in delta_entries(folder))


def accepted_unwritten(events: Iterable[Event]) -> list[str]:
    """Return the digests of entries that were accepted and are in no commit that was brought anywhere."""
    left: list[str] = []
    covered: dict[str, list[str]] = {}
    for one in events:
        match one:
            case MemoryTriaged(entries=entries):
                left += [each["entry"] for each in entries if each.get("decision") == ACCEPTED]
            case EffectIntended(effect="memory", about=about):
                covered[about] = list(left)
            case EffectDone(effect="memory", about=about):
                gone = covered.get(about, left)
                left = [each for each in left if each not in gone]
    return left


def find_draft(state: State) -> MemoryTriaged | None:
    """Return how the draft of a story's triage went; None for none."""
    found = (one for one in state.events if isinstance(one, MemoryTriaged) and one.how in DRAFTS)
    return next(found, None)


def waiting_line(count: int, story_id: str, accepted: int = 0) -> str:
    """Say how many entries wait, how many are accepted and not written, and the commands; nothing for none."""
    noun, verb = ("entry", "waits") if count == 1 else ("entries", "wait")
    waits = f"{count} {noun} {verb}: baton memory triage {story_id}" if count else ""
    unwritten = f"{accepted} accepted, not written: baton next {story_id}" if accepted else ""
    said = "; ".join(filter(None, (waits, unwritten)))
    return f"memory: {said}" if said else ""
