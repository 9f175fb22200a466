"""The state of a story: folded from its journal, stored nowhere else."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from baton.journal import events as event
from baton.journal.journal import Record
from baton.journal.run import ROLES, Role, Run

RUN_EVENTS = (
    event.RunStarted, event.HandedIn, event.Rejected, event.Ended, event.Begun, event.Kept, event.RunArchived,
)  # fmt: skip
KEEP_DUE = ("limit/budget", "limit/budget-today", "git/refused")  # answered, what is due is still due
# The questions that ask about the plan, too.
APPROVED_BY = ("planning/approval", "planning/confirm", "start/approval")
StoryStage = Literal["new", "ready", "running", "question", "complete", "abandoned"]
AFTER: dict[str, StoryStage] = {"start": "new", "anew": "new", "abandon": "abandoned", "complete": "complete"}
OVER: tuple[StoryStage, ...] = ("complete", "abandoned")  # in which nothing more is done on a story


class OpenQuestion(NamedTuple):
    """An open question: the rule that asks it, its text, and the step that each answer leads to."""

    action: str
    rule: str
    reason: str
    text: dict[str, Any]
    answers: dict[str, str]


class Reply(NamedTuple):
    """A note the user added to an option, and the question it was about."""

    reason: str
    question: str
    option: str
    note: str


class NextAction(NamedTuple):
    """A decision that is still to be carried out."""

    then: str
    rule: str
    reason: str
    charges: str
    findings: tuple[str, ...]
    warnings: tuple[str, ...]


class EffectStatus(NamedTuple):
    """An effect in the outbox: the commit that was checked out when it was intended, and its result."""

    before: str
    done: bool
    refused: bool = False


class State:
    """A story's state; changed by `apply_record` alone."""

    def __init__(self, created: event.Created, updated: str) -> None:
        self.created, self.updated = created, updated
        self.events: list[event.Event] = [created]
        self.stage: StoryStage = "new"
        self.started: event.Started | None = None
        self.flags = event.OptionsSet(plan_only=False, max_iterations=None)
        self.runs: list[Run] = []
        self.pending: NextAction | None = None
        self.due: NextAction | None = None  # as the newest run was sent, or as a question came before one
        self.question: OpenQuestion | None = None
        # The record that opened the question, the sessions that were shown it, and what was said to it.
        self.asked_seq = 0
        self.shown: tuple[str, ...] = ()
        self.said: tuple[event.Said, ...] = ()
        self.answered: event.Answered | None = None
        self.replies: list[Reply] = []
        self.replies_delivered = 0
        self.criteria: tuple[str, ...] = ()
        self.story_sha256 = ""
        self.deferred: tuple[str, ...] = ()
        self.overridden_rules: tuple[str, ...] = ()
        self.head = created.tip
        self.checked: list[event.IntegrationStepDone] = []
        self.outbox: dict[tuple[str, str], EffectStatus] = {}
        self.completed: event.Completed | None = None

    @property
    def run(self) -> Run | None:
        """The newest run, out or not."""
        return self.runs[-1] if self.runs else None

    def find_run(self, run_id: str) -> Run | None:
        """Find a run of this story by its id."""
        return next((run for run in reversed(self.runs) if run.id == run_id), None)

    def count(self, role: str) -> int:
        """Count the runs a role was given."""
        return sum(run.role == role for run in self.runs)

    @property
    def status(self) -> str:
        """One word for a backlog."""
        if self.stage == "question" and self.question:
            return {"ask": "asking", "escalate": "escalated"}[self.question.action]
        if self.stage in (*OVER, "new"):
            return self.stage
        return self._doing.status if self._doing else "integrating" if self.pending else "new"

    @property
    def undone(self) -> list[str]:
        """The base branch and the commit on it that reverted the story's merge; empty for none."""
        reverts = [about for (effect, about), sent in self.outbox.items() if effect == "revert" and sent.done]
        return [self.started.base, reverts[-1]] if reverts and self.started else []

    @property
    def phase(self) -> str:
        """The phase the story is in."""
        if self.question:
            return str(self.question.text["phase"])
        if self.completed:
            return "integration"
        return self._doing.phase if self._doing else "integration" if self.pending else "planning"

    @property
    def _doing(self) -> Role | None:
        """The role that is at work or due; None while nothing began, and when the integration is due."""
        doing = self.pending.then if self.pending else self.runs[-1].role if self.runs else ""
        return ROLES.get(doing)


def fold(records: Iterable[Record]) -> State:
    """Fold a journal into the state of its story; its first event is `created`."""
    first, *more = records
    assert isinstance(first.event, event.Created)
    state = State(first.event, first.time)
    for record in more:
        apply_record(state, record)
    return state


def apply_record(state: State, record: Record) -> None:
    """Fold one more record into the state of its story."""
    state.updated = record.time
    state.events.append(record.event)
    if isinstance(record.event, RUN_EVENTS):  # first what there may be thousands of
        if run := state.find_run(record.event.run):
            run.apply_event(record)
        return
    before = state.question
    _take(state, record)
    if isinstance(record.event, event.Confirmed) and record.event.title:
        state.created = state.created._replace(title=record.event.title)
    if state.question is not before:
        state.asked_seq, state.shown, state.said = record.seq, (), ()


def _take(state: State, record: Record) -> None:
    match record.event:
        case event.Started() as started:
            state.started = started
            state.criteria, state.story_sha256 = tuple(started.criteria), started.text
        case event.OptionsSet() as flags:
            state.flags = flags
        case event.Adopted(head=head):
            state.head = head
        case event.Dispatched() as dispatched:
            state.runs.append(Run(dispatched, record.time))
            state.due = state.pending
            state.stage, state.pending, state.overridden_rules = "running", None, ()
            state.replies_delivered = len(state.replies)
        case event.Judged() as judged:
            _apply_judged(state, judged)
        case event.QuestionAsked() as stopped:
            _ask(state, stopped)
        case event.Shown(session=session):
            state.shown += (session,)
        case event.Said() as reply:
            state.said += (reply,)
        case event.Answered() | event.QuestionClosed() as answered:
            _apply_answer(state, answered)
        case event.Edited(artifact="story") | event.Confirmed() as story:
            state.story_sha256, state.criteria = story.sha256, tuple(story.criteria)
        case event.IntegrationStepDone() as step:
            state.checked.append(step)
        case event.EffectIntended(effect=effect, about=about, before=before):
            state.outbox[effect, about] = EffectStatus(before, False)
        case event.EffectDone(effect=effect, about=about, refused=refused):
            sent = state.outbox.get((effect, about), EffectStatus("", False))
            state.outbox[effect, about] = sent._replace(done=True, refused=bool(refused))
            state.head = about if effect == "branch" else state.head
        case event.Completed() as completed:
            state.stage, state.completed, state.pending = "complete", completed, None


def _apply_judged(state: State, judged: event.Judged) -> None:
    run = state.find_run(judged.run)
    if run:
        run.judged, run.archived = judged, False  # judged once more, it is filed once more
    if judged.question is not None:
        _ask(state, judged)
        return
    state.stage = "ready"
    what = (judged.then, judged.rule, judged.reason, judged.charges)
    state.pending = NextAction(*what, tuple(judged.findings), tuple(judged.warnings))
    if judged.rule == "run/refused" and state.due:  # exactly that is sent again
        state.pending = state.due._replace(reason=judged.reason)
    if judged.then == "integrate":
        state.checked = []


def _ask(state: State, asking: event.Judged | event.QuestionAsked) -> None:
    text = asking.question or {}
    state.question = OpenQuestion(asking.action, asking.rule, asking.reason, text, asking.answers)
    state.due = state.pending or state.due
    state.stage, state.pending = "question", None


def _apply_answer(state: State, answered: event.Answered | event.QuestionClosed) -> None:
    asked = state.question
    if isinstance(answered, event.QuestionClosed):
        reason = f"no answer to {answered.rule} is needed: {answered.evidence}"
        state.question, state.stage, state.checked = None, "ready", []
        state.pending = NextAction("integrate", answered.rule, reason, "", (), ())
        return
    state.question, state.answered = None, answered
    state.head = answered.head or state.head
    if answered.note and asked:
        state.replies.append(Reply(asked.reason, asked.text.get("question", ""), answered.option, answered.note))
    if answered.criteria or answered.deferred:
        state.criteria = tuple(answered.criteria)
    state.story_sha256 = answered.text or state.story_sha256
    state.deferred += tuple(answered.deferred)
    if answered.rule in APPROVED_BY and answered.option in ("accept", "edit") and answered.then != "planner":
        state.flags = state.flags._replace(plan_only=False)
    if answered.then == "anew":
        state.started, state.completed, state.outbox = None, None, {}
    if answered.then in (*AFTER, "wait", "below", "look"):
        state.stage = AFTER.get(answered.then, "running")
        state.overridden_rules += (answered.rule,) if answered.then in ("wait", "below") else ()
    else:
        reason = f"{answered.said.get('who', 'you')} answered `{answered.option}` to {answered.rule}"
        state.stage = "ready"
        findings = map(str, asked.text["findings"] if asked else ())
        state.pending = NextAction(answered.then, answered.rule, reason, "", tuple(findings), ())
        if answered.rule in KEEP_DUE and state.due:
            state.pending = state.due
        elif answered.then == "integrate" and answered.rule != "merge/in-the-way":  # there, the merge is made
            state.checked = []
