"""The memory delta of a story: its text, how its drafts went, and what the user decided."""

from typing import NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.findings import faults
from baton.artifacts.memory_delta import check_memory_delta
from baton.errors import BatonError
from baton.journal.events import EffectDone, MemoryTriaged
from baton.journal.paths import Folder
from baton.journal.state import State

ACCEPTED, REJECTED = "accepted", "rejected"
# How drafts go: those who made an event with another word are people.
DRAFTED, FAILED, TRIPPED = DRAFTS = ("drafted", "failed", "tripped")
# What brings an accepted commit where the story went.
LANDS = "memory"


class DeltaDecision(NamedTuple):
    """The user's decision on a delta, and the commit that they were shown, if there was one."""

    word: str
    commit: str


def read_delta(folder: Folder) -> str:
    """Return a story's memory delta, empty for none; a BatonError for an invalid one."""
    path = folder.artifact("memory-delta")
    text = read_document(path) if path.exists() else ""
    if text and (problems := faults(check_memory_delta(text, path.name))):
        raise BatonError(f"its memory delta is not valid ({problems[0].message})", str(path), "fix it there")
    return text


def _newest(state: State, *, drafts: bool) -> MemoryTriaged | None:
    events = (event for event in reversed(state.events) if isinstance(event, MemoryTriaged))
    return next((event for event in events if (event.how in DRAFTS) == drafts), None)


def find_draft(state: State) -> MemoryTriaged | None:
    """Return how the newest draft went; None for none."""
    return _newest(state, drafts=True)


def find_decision(state: State) -> DeltaDecision | None:
    """Return the user's decision; None while it is open, as when an accepted commit no longer fits base."""
    if (last := _newest(state, drafts=False)) is None:
        return None
    first = last.entries[0]
    if "commit" not in first:  # it was taken entry by entry, and counts once it is written
        wanted = any(entry.get("decision") == ACCEPTED for entry in last.entries)
        later = state.events[state.events.index(last) :]
        is_written = not wanted or any(isinstance(event, EffectDone) for event in later)
        return DeltaDecision("decided on", "") if is_written else None
    sent = state.outbox.get((LANDS, first["commit"]))
    return None if sent and sent.refused else DeltaDecision(first["decision"], first["commit"])


def unlanded_commit(state: State) -> str:
    """Return the commit that was accepted and has not landed yet; empty for none."""
    decision = find_decision(state)
    commit = decision.commit if decision and decision.word == ACCEPTED else ""
    sent = state.outbox.get((LANDS, commit))
    return "" if sent and sent.done else commit


def delta_stands(folder: Folder, state: State) -> str:
    """Say how a complete story's delta stands: `waits`, `accepted` and not landed; empty where nothing is due."""
    if state.stage != "complete":
        return ""
    if find_decision(state):
        return ACCEPTED if unlanded_commit(state) else ""
    try:
        return "waits" if read_delta(folder) else ""
    except BatonError:
        return ""


def delta_line(stands: str, story_id: str) -> str:
    """Say what is due of a delta, with the command; empty for nothing."""
    due = {"waits": f"what it taught waits: baton memory triage {story_id}"}
    due[ACCEPTED] = f"accepted, not landed: baton next {story_id}"
    return f"memory: {due[stands]}" if stands else ""
