"""The kinds of journal events, a record each; `rule` and `run` say what an event is about."""

import re
from typing import Any, NamedTuple, get_args

SCHEMA_VERSION = 4
NO_LINES, NO_ENTRIES = list[str](), dict[str, str]()  # defaults of events; nothing adds to them


# Every call makes these classes. One of four fields takes 0.05 ms as a NamedTuple and 0.46 as a frozen dataclass
# (timeit of its definition, Python 3.11.7).
class Created(NamedTuple):
    version: int
    repository: str
    story: str
    title: str
    folder: str
    session: str
    tip: str


class Started(NamedTuple):
    base: str
    base_commit: str
    branch: str
    criteria: list[str]
    text: str
    language: str = ""


class OptionsSet(NamedTuple):
    plan_only: bool
    max_iterations: int | None
    no_loop: bool = False


class Dispatched(NamedTuple):
    run: str
    role: str
    iteration: int
    attempt: int
    head: str
    rule: str
    guard: str
    reason: str
    merging: str = ""
    carry: str = ""
    task: str = ""  # what it is for, in plain words
    model: str = ""  # that was asked for; none: the client's
    client_session: str = ""  # which was given the step
    base: str = ""  # the commit it was at
    driven: bool = False  # by the client's module, which starts the agent
    noted: str = ""  # the commit that lists the user's refs as they were


class Begun(NamedTuple):
    run: str
    tree: str
    git_dir: str
    agent: str
    born: str
    foreign: dict[str, str] = NO_ENTRIES


class RunStarted(NamedTuple):
    run: str
    agent: str
    client_session: str
    by: str = ""  # of baton's own, which started it


class HandedIn(NamedTuple):
    run: str
    artifact: str
    path: str
    sha256: str
    final: bool = False
    normalized: list[str] = NO_LINES
    taken: str = ""  # what no hand-in brought, and why it counts all the same


class Rejected(NamedTuple):
    run: str
    artifact: str
    findings: list[str]
    sha256: str = ""  # of a text that counts all the same, if it stays the last


class Ended(NamedTuple):
    run: str
    how: str
    printed: bool = False
    refused: str = ""  # by the service, which takes requests again from `until` on: `limit`, or `overloaded`
    until: str = ""
    why: str = ""  # it was stopped, and not by the user


class Spent(NamedTuple):  # as the transcript tells
    run: str  # without one, it is what the conversation used since it was counted
    session: str
    models: dict[str, list[int]] = {}  # noqa: RUF012  # the fields of Tokens, by model
    seconds: int = 0
    unknown: str = ""  # why something, or all, is not known
    newest: str = ""  # when the newest request of the conversation began that is counted


class Judged(NamedTuple):
    run: str
    rule: str
    action: str
    then: str
    reason: str
    charges: str = ""
    closed: int = 0
    total: int = 0
    findings: list[str] = NO_LINES
    warnings: list[str] = NO_LINES
    errors: list[str] = NO_LINES
    lap: bool = False
    blocked: list[str] = NO_LINES
    unfinished: bool = False
    signature: str = ""
    tree: str = ""
    question: dict[str, Any] | None = None
    answers: dict[str, str] = NO_ENTRIES
    moved: list[str] = NO_LINES  # what is only told: refs that moved while it was out, hooks that are not there


class Kept(NamedTuple):
    run: str
    commit: str
    refused: str = ""
    left: list[str] = NO_LINES
    risky: str = ""
    message_refused: str = ""
    broken: str = ""  # why a hook could not run
    unhooked: str = ""  # why none ran


class Adopted(NamedTuple):
    head: str
    before: str
    reason: str


class RunArchived(NamedTuple):
    run: str
    commit: str
    refused: str = ""
    stays: str = ""


class QuestionAsked(NamedTuple):
    action: str
    rule: str
    reason: str
    question: dict[str, Any]
    answers: dict[str, str]


class Shown(NamedTuple):
    session: str  # of the client, in which the open question was put in front of the user
    hooked: bool = False  # with the client's hooks


class Said(NamedTuple):
    session: str
    how: str  # `dialog`: in one of the client's
    option: str
    words: str


class Answered(NamedTuple):
    rule: str
    option: str
    then: str
    note: str
    grants: list[str]
    criteria: list[str] = NO_LINES
    deferred: list[str] = NO_LINES
    head: str = ""
    text: str = ""
    said: dict[str, str] = NO_ENTRIES  # how the user said it, and in which words


class QuestionClosed(NamedTuple):
    rule: str
    evidence: str  # that what it asked about is gone on GitHub
    posted: str = ""  # where it stands there


class Edited(NamedTuple):
    artifact: str  # the story, or its plan, which the user changed, or took as their issue has it now
    path: str
    sha256: str
    criteria: list[str]
    how: str  # in the client, at a terminal, through a pipe, or by the issue


class Confirmed(NamedTuple):
    criteria: list[str]
    sha256: str  # of story.md with them
    how: str  # by whom: a person, or the settings
    sources: dict[str, str] = NO_ENTRIES  # the hash of each file they were read from, by its path
    title: str = ""  # that the planner gave the story, confirmed with them


class MemoryTriaged(NamedTuple):
    how: str  # where the user decided on it, or how its draft went
    entries: list[dict[str, str]]
    why: str = ""
    failures: int = 0  # of drafts in a row, over all stories, this one included


class IntegrationStepDone(NamedTuple):
    rule: str
    commit: str
    reason: str
    evidence: str = ""


class EffectIntended(NamedTuple):
    effect: str
    about: str
    before: str


class EffectDone(NamedTuple):
    effect: str
    about: str
    commit: str
    refused: str = ""
    at: str = ""  # when, by the clock of where it was made


class Completed(NamedTuple):
    rule: str
    commit: str
    report: str
    told: list[str] = NO_LINES  # what is not as it was


Event = (
    Created | Started | OptionsSet | Dispatched | Begun | RunStarted | HandedIn | Rejected | Ended | Spent | Judged
    | Kept | Adopted | RunArchived | QuestionAsked | Shown | Said | Answered | QuestionClosed | Edited
    | Confirmed | MemoryTriaged | IntegrationStepDone | EffectIntended | EffectDone | Completed
)  # fmt: skip
# As the journal has them: `handed-in` for HandedIn.
NAMES = {kind: re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower() for kind in get_args(Event)}
KINDS: dict[str, type[Event]] = {name: kind for kind, name in NAMES.items()}
