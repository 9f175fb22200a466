"""The roles of a story's runs, and a run as the journal knows it."""

from collections.abc import Sequence
from typing import NamedTuple

from baton.journal.events import (
    Answered,
    Begun,
    Dispatched,
    Ended,
    Event,
    HandedIn,
    Judged,
    Kept,
    Rejected,
    RunArchived,
    RunStarted,
)
from baton.journal.journal import Record


class Run:
    """A run: its dispatch, its hand-ins, its end, and its work."""

    def __init__(self, dispatched: Dispatched, time: str) -> None:
        self.dispatched = dispatched
        self.time = time
        self.starts: list[tuple[str, RunStarted]] = []
        self.handed_in: dict[str, HandedIn] = {}
        self.ended = ""
        self.ended_at = ""
        self.end: Ended | None = None
        self.stopped_by = ""
        self.metadata_in_chat = False
        self.judged: Judged | None = None
        self.archived = False
        self.refused = ""
        self.begun: Begun | None = None
        self.kept: Kept | None = None
        self.commit = ""
        self.rejected: Rejected | None = None
        self.ends_with = ""

    @property
    def id(self) -> str:
        return self.dispatched.run

    @property
    def role(self) -> str:
        return self.dispatched.role

    @property
    def phase(self) -> str:
        return ROLES[self.role].phase

    @property
    def start_seen_by(self) -> str:
        """The one that saw it start; "nobody" for a run that only began and handed in."""
        starts = [start for _, start in self.starts]
        if any(start.agent for start in starts):
            return "a hook"
        if any(start.by for start in starts) or self.ended == "process":
            return "baton run"
        return "the client's module" if self.dispatched.driven else "nobody"

    @property
    def is_withheld(self) -> bool:
        """Whether its work must not go on the story branch as it is."""
        kept = self.kept
        return kept is not None and bool(kept.refused or kept.risky or kept.message_refused or kept.broken)

    @property
    def has_reported(self) -> bool:
        """Whether it handed in what ends it."""
        return any(hand_in.final for hand_in in self.handed_in.values())

    @property
    def refused_by_service(self) -> str:
        """The reason the service ended it before it reported, `limit` or `overloaded`; empty for any other end."""
        return self.end.refused if self.end and not self.has_reported else ""

    @property
    def was_stopped(self) -> bool:
        """Whether the user stopped it, or its client failed, before its final hand-in."""
        return self.ended == STOPPED and not self.has_reported

    @property
    def has_ended(self) -> bool:
        return bool(self.ended) or self.has_reported

    def apply_event(self, record: Record) -> None:
        """Apply an event of the run."""
        self._take(record)
        if self.has_ended and not self.ended_at:
            self.ended_at = record.time

    def _take(self, record: Record) -> None:
        match record.event:
            case RunStarted() as start:
                self.starts.append((record.time, start))
            case HandedIn() as handed:
                self.handed_in[handed.artifact] = handed
                learned = handed.artifact in LEARNED
                self.ends_with = self.ends_with if learned else handed.artifact
                again = self.rejected is not None and self.rejected.artifact == handed.artifact
                reported = handed.final and handed.artifact != RETURN
                self.rejected = None if again or reported else self.rejected
            case Rejected() as rejected:
                self.rejected = rejected
            case Ended(how=how, printed=printed, why=why) as end:
                self.stopped_by = self.stopped_by or why
                # The client reports the end of an agent it stops, too.
                self.ended = how if how == STOPPED else self.ended or how
                self.end = self.end or end
                self.metadata_in_chat = self.metadata_in_chat or printed
            case Begun() as begun:
                self.begun = begun
            case Kept() as kept:
                self.kept = kept
            case RunArchived(commit=commit, refused=refused):
                self.archived, self.commit, self.refused = True, commit, refused


class Role(NamedTuple):
    """A role: its phase, its name in a backlog, and the artifacts of its runs.

    `suffix` is in its runs' ids; `artifact` is what the user looks at; `filed` are the artifacts of earlier
    runs that move to history/ when one of its runs is started.
    """

    phase: str
    status: str
    suffix: str
    artifact: str
    hands_in: tuple[str, ...]
    filed: tuple[str, ...]
    changes_code: bool


MICRO_REPORT = "micro-delivery-report"
ROLES = {
    "planner": Role(
        "planning", "planning", "plan", "plan", ("criteria", "plan", "plan-blocked"),
        ("criteria", "plan", "plan-blocked"), changes_code=False,
    ),
    "implementer": Role(
        "implementation", "implementing", "iter", "impl-report", ("impl-report", "handoff"),
        ("impl-report", "qa-report"), changes_code=True,
    ),
    "qa": Role(
        "qa", "qa", "qa", "qa-report", ("qa-report", "memory-delta"), ("qa-report",), changes_code=False,
    ),
    "micro-delivery": Role(
        "micro", "implementing", "micro", MICRO_REPORT, (MICRO_REPORT,), (MICRO_REPORT,), changes_code=True
    ),
}  # fmt: skip
ROLE_OF = {role.phase: name for name, role in ROLES.items()}
# After these a QA run fixes its memory delta alone: the report that passed the work stays.
FIXES_DELTA = ("qa/delta-invalid", "qa/delta-exhausted")
# How a run ended that the user stopped, or whose client failed.
STOPPED = "stopped"
# What every role ends with, and the file of agents that write it and do not hand it in.
RETURN, WRITTEN = "return-meta", ".return-meta.json"
# What a run leaves for others: its last word counts, also one that was refused or never handed in.
LEARNED = ("memory-delta", "handoff")


def events_since_anew(events: Sequence[Event]) -> Sequence[Event]:
    """Return the events since the story was last begun anew: what was pushed, opened and merged before is over."""
    anew = (at for at, event in enumerate(events, 1) if isinstance(event, Answered) and event.then == "anew")
    return events[max(anew, default=0) :]


def may_hand_in(role: str, kind: str) -> bool:
    """Whether a run of a role hands in artifacts of this kind."""
    return kind in (RETURN, *ROLES[role].hands_in)
