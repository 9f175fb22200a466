"""One execution of one sub-agent, as far as the journal knows it."""

from baton.journal.events import (
    Begun,
    Dispatched,
    Ended,
    HandedIn,
    Judged,
    Kept,
    Rejected,
    RunArchived,
    RunStarted,
)
from baton.journal.journal import Record
from baton.journal.roles import RETURN, ROLES


class Run:
    """A run: what it was sent out for, what it handed in, how it ended, what became of its work."""

    def __init__(self, dispatched: Dispatched, time: str) -> None:
        self.dispatched = dispatched
        self.time = time
        self.starts: list[tuple[str, RunStarted]] = []
        self.handed_in: dict[str, HandedIn] = {}
        self.ended = ""
        self.metadata_in_chat = False
        self.judged: Judged | None = None
        self.archived = False
        self.refused = ""
        self.begun: Begun | None = None
        self.kept: Kept | None = None
        self.commit = ""
        self.rejected: tuple[str, ...] = ()

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
    def has_ended(self) -> bool:
        return bool(self.ended) or any(one.final for one in self.handed_in.values())

    def apply_event(self, record: Record) -> None:
        """Take in what happened to the run."""
        match record.event:
            case RunStarted() as start:
                self.starts.append((record.time, start))
            case HandedIn() as handed:
                self.handed_in[handed.artifact] = handed
                self.rejected = () if handed.artifact == RETURN else self.rejected
            case Rejected(artifact=artifact, findings=findings) if artifact == RETURN:
                self.rejected = tuple(findings)
            case Ended(how=how, printed=printed):
                self.ended = self.ended or how
                self.metadata_in_chat = self.metadata_in_chat or printed
            case Begun() as begun:
                self.begun = begun
            case Kept() as kept:
                self.kept = kept
            case RunArchived(commit=commit, refused=refused):
                self.archived, self.commit, self.refused = True, commit, refused
