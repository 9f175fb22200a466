"""What can happen to a story: one frozen record for each kind of journal event."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

SCHEMA_VERSION = 2


@dataclass(frozen=True)
class Event:
    """Something that happened; `rule` and `run` are there when a decision row or a run is concerned."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class Created(Event):
    kind = "created"
    version: int
    repository: str
    story: str
    title: str
    folder: str
    session: str


@dataclass(frozen=True)
class Started(Event):
    kind = "started"
    base: str
    base_commit: str
    branch: str
    left_branch: str
    criteria: list[str]
    untracked: list[str]
    language: str = ""


@dataclass(frozen=True)
class Flagged(Event):
    kind = "flagged"
    plan_only: bool
    max_iterations: int | None
    no_loop: bool = False


@dataclass(frozen=True)
class Dispatched(Event):
    kind = "dispatched"
    run: str
    role: str
    iteration: int
    attempt: int
    head: str
    rule: str
    guard: str
    reason: str


@dataclass(frozen=True)
class StartSeen(Event):
    kind = "start-seen"
    run: str
    agent: str
    client_session: str


@dataclass(frozen=True)
class HandedIn(Event):
    kind = "handed-in"
    run: str
    artefact: str
    path: str
    sha256: str
    final: bool = False
    normalised: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Rejected(Event):
    kind = "rejected"
    run: str
    artefact: str
    findings: list[str]


@dataclass(frozen=True)
class Ended(Event):
    kind = "ended"
    run: str
    how: str
    printed: bool = False


@dataclass(frozen=True)
class Judged(Event):
    kind = "judged"
    run: str
    rule: str
    action: str
    then: str
    reason: str
    debits: str = ""
    closed: int = 0
    total: int = 0
    findings: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lap: bool = False
    blocked: list[str] = field(default_factory=list)
    unfinished: bool = False
    signature: str = ""
    tree: str = ""
    package: dict[str, Any] | None = None
    answers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Filed(Event):
    kind = "filed"
    run: str
    commit: str
    refused: str = ""


@dataclass(frozen=True)
class Stopped(Event):
    kind = "stopped"
    action: str
    rule: str
    reason: str
    package: dict[str, Any]
    answers: dict[str, str]


@dataclass(frozen=True)
class Answered(Event):
    kind = "answered"
    rule: str
    option: str
    then: str
    note: str
    grants: list[str]
    criteria: list[str] = field(default_factory=list)
    deferred: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Stepped(Event):
    kind = "stepped"
    rule: str
    commit: str
    reason: str
    evidence: str = ""


@dataclass(frozen=True)
class Intended(Event):
    kind = "intended"
    effect: str
    about: str
    before: str


@dataclass(frozen=True)
class Effected(Event):
    kind = "effected"
    effect: str
    about: str
    commit: str
    refused: str = ""


@dataclass(frozen=True)
class Completed(Event):
    kind = "completed"
    rule: str
    commit: str
    report: str


KINDS: dict[str, type[Event]] = {
    kind.kind: kind
    for kind in (
        Created, Started, Flagged, Dispatched, StartSeen, HandedIn, Rejected, Ended, Judged, Filed,
        Stopped, Answered, Stepped, Intended, Effected, Completed,
    )
}  # fmt: skip


def to_data(event: Event) -> dict[str, Any]:
    """Give an event's fields as JSON data, without its kind."""
    return dict(vars(event))


def from_data(kind: str, data: dict[str, Any]) -> Event:
    """Make the event of `kind` from JSON data; KeyError for a kind, TypeError for fields it does not know."""
    return KINDS[kind](**data)
