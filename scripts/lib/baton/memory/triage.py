"""The triage of a story's memory delta: each entry with what memory holds about it, and the user's decisions."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baton.artifacts.memory_entries import MemoryEntry
from baton.delivery.base import fetch_renamed
from baton.delivery.place import find_destination
from baton.errors import BatonError
from baton.journal.events import MemoryTriaged
from baton.memory.learn import with_replaced
from baton.memory.lines import inert_line
from baton.memory.matches import MemoryLine, find_matches
from baton.memory.place import find_place, read_memory
from baton.secrets.scan import secrets_in
from baton.story.memory import ACCEPTED, REJECTED, EntryDecision, decisions_of, find_draft, read_delta
from baton.story.session import StorySession


class Choice(NamedTuple):
    """What the user says: which entries they accept, which they reject, which they accept in other words."""

    accept: Sequence[int] = ()
    reject: Sequence[int] = ()
    edits: Mapping[int, str] = {}


class TriageRow(NamedTuple):
    """An entry by its number: what memory holds about it, and what was decided, if anything was."""

    number: int
    entry: MemoryEntry
    held: list[MemoryLine]
    decided: EntryDecision | None = None
    draft: Mapping[str, str] = {}
    replaces: bool = False  # what memory holds would give way to it

    def to_data(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        entry = {name: getattr(self.entry, name) for name in ("kind", "text", "evidence")}
        held = [one._asdict() for one in self.held]
        draft = {name: self.draft.get(name, "") for name in ("verdict", "text", "why")} if self.draft else None
        decision = self.decided.decision if self.decided else None
        said = {"decision": decision, "draft": draft, "replaces": self.replaces}
        return {"number": self.number, **entry, "held": held, **said}


class DeltaTriage(NamedTuple):
    """All entries of a story's delta, and where memory is kept: empty, with why, where that is nowhere."""

    rows: list[TriageRow]
    keep: str
    why: str = ""

    @property
    def seen(self) -> str:
        """The name of the entries as they are listed now."""
        return digest_of_all([one.entry for one in self.rows])

    @property
    def waiting(self) -> list[int]:
        return [one.number for one in self.rows if one.decided is None]


def read_triage(story: StorySession) -> DeltaTriage:
    """Return a story's entries as they stand."""
    entries, known = read_delta(story.folder), decisions_of(story.journal.records)
    made = find_draft(story.state)
    drafts = {one["entry"]: one for one in made.entries} if made else {}
    files, place, why = dict[str, str](), None, ""
    try:
        base = base_now(story)
        place = find_place(story.git, base, story.config.keep)
        files = read_memory(story.git, base, place)
    except BatonError as error:
        why = str(error)
    rows = list[TriageRow]()
    for number, one in enumerate(entries, 1):
        held = find_matches(one, files)
        replaces = bool(place and with_replaced(place, files, one, held))
        draft = drafts.get(one.digest, {})
        rows.append(TriageRow(number, one, held, known.get(one.digest), draft, replaces))
    return DeltaTriage(rows, place.path if place and not why else "", why)


def base_now(story: StorySession) -> str:
    """Return the base that memory is read from: of a story that is delivered, the remote's as it is now."""
    if not story.is_delivered:
        return story.git.branch_commit(story.base)
    place = find_destination(story.git, story.branch)
    return fetch_renamed(story, place)


def digest_of_all(entries: Sequence[MemoryEntry]) -> str:
    """Name a list of entries by their order and content: numbers mean the same only where this is the same."""
    return hashlib.sha256("\n".join(one.digest for one in entries).encode()).hexdigest()[:8]


def decide_entries(story: StorySession, choice: Choice, how: str, seen: str = "") -> list[str]:
    """Journal what the user decided, all of it or nothing; says which of it was decided so before.

    `seen` names the entries as they were listed, as a call in the client has to; a BatonError where they are
    others by now.
    """
    if story.state.stage == "abandoned":
        raise BatonError("the story is abandoned", f"story {story.id}", "nothing is taken from it")
    entries, known = read_delta(story.folder), decisions_of(story.journal.records)
    if seen != digest_of_all(entries) and (seen or how == "client"):
        changed, unnamed = "what waits has changed since it was listed", "no `--seen HASH` of what is decided on"
        what = changed if seen else unnamed
        raise BatonError(what, f"story {story.id}", f"`baton memory triage {story.id}` lists it as it is now")
    made, again = list[dict[str, str]](), list[str]()
    for number, decision, text in _spread(choice):
        if not 0 < number <= len(entries):
            remedy = f"`baton memory triage {story.id}` lists what there is"
            raise BatonError(f"no entry {number}", f"story {story.id}", remedy)
        entry = entries[number - 1]
        new = EntryDecision(entry, decision, text or entry.text, "")
        before = known.get(entry.digest)
        if before and (before.decision, before.text) != (decision, new.text):
            what = f"entry {number} was {before.decision} on {before.day}"
            raise BatonError(what, f"story {story.id}", "leave it out; memory is yours to edit")
        if before:
            again.append(f"entry {number} was {before.decision} before")
        else:
            _check_secrets(number, new)
            made.append(_decision(new))
    if any(one["decision"] == ACCEPTED for one in made):
        find_place(story.git, base_now(story), story.config.keep)  # where there is none, nothing is accepted
    if made:
        story.note(MemoryTriaged(how, made))
    return again


def _check_secrets(number: int, one: EntryDecision) -> None:
    if one.decision == ACCEPTED and (found := secrets_in(one.text, os.environ)):
        what = f"what looks like a secret ({found[0].kind})"
        raise BatonError(what, f"entry {number}", f"say it without, as in --edit '{number}=TEXT', or reject it")


def _decision(one: EntryDecision) -> dict[str, str]:
    entry = one.entry
    about = {"entry": entry.digest, "kind": entry.kind, "said": entry.text, "names": entry.names}
    return {**about, "category": entry.category, "decision": one.decision, "text": one.text}


def _spread(choice: Choice) -> list[tuple[int, str, str]]:
    """Return each number once, with its decision and the user's own text; a BatonError for one that has two."""
    found = [(number, ACCEPTED, "") for number in dict.fromkeys(choice.accept)]
    found += [(number, REJECTED, "") for number in dict.fromkeys(choice.reject)]
    for number, text in choice.edits.items():
        if not inert_line(text):
            raise BatonError(f"no text for entry {number}", "--edit", f"as in --edit '{number}=TEXT'")
        found.append((number, ACCEPTED, " ".join(text.split())))
    numbers = [number for number, _, _ in found]
    if twice := [number for number in numbers if numbers.count(number) > 1]:
        raise BatonError(f"entry {twice[0]} is decided in two ways", "the command line", "name it once")
    return sorted(found)
