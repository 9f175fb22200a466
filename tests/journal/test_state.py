"""Where a story stands follows from its journal alone."""

import pytest

from baton.journal.events import (
    Adopted,
    Answered,
    EffectDone,
    EffectIntended,
    Event,
    IntegrationStepDone,
    Judged,
    OptionsSet,
    Rejected,
    RunStarted,
)
from baton.journal.journal import Record
from baton.journal.run import Run
from baton.journal.state import State, fold
from journal.happenings import (
    COMPLETED,
    CREATED,
    FILED,
    STARTED,
    answered,
    asked,
    dispatched,
    ended,
    handed_in,
    judged,
)

PLANNER = dispatched("p1", "planner")
IMPLEMENTER = dispatched("i1", "implementer")
QA = dispatched("q1", "qa")
PLANNED = (STARTED, judged("", "planner"), PLANNER)
BUILT = (*PLANNED, judged("p1", "implementer"), IMPLEMENTER)
PASSED = (*BUILT, judged("i1", "qa"), QA, judged("q1", "integrate", "qa/pass"))
COMMANDS = asked("start/commands", "planning", accept="start", abandon="abandon")
REVIEW = asked(
    "run/review-required", "implementation", "escalate", **{"continue": "below", "retry": "implementer"}
)
BY_HAND = asked("test/unclear", "integration", "escalate", retry="integrate")


def state_after(*events: Event) -> State:
    return fold(Record(seq, f"time-{seq}", event) for seq, event in enumerate((CREATED, *events), 1))


@pytest.mark.parametrize(("events", "stage", "status", "phase"), [
    ((), "new", "new", "planning"),
    ((COMMANDS,), "question", "asking", "planning"),
    ((COMMANDS, answered("start/commands", "start", "accept")), "new", "new", "planning"),
    ((STARTED, judged("", "planner")), "ready", "planning", "planning"),
    (PLANNED, "running", "planning", "planning"),
    ((*PLANNED, handed_in("p1", "plan"), ended("p1")), "running", "planning", "planning"),
    ((*PLANNED, judged("p1", "implementer")), "ready", "implementing", "implementation"),
    ((*PLANNED, judged("p1", "implementer"), FILED), "ready", "implementing", "implementation"),
    (BUILT, "running", "implementing", "implementation"),
    ((*BUILT, ended("i1"), REVIEW), "question", "escalated", "implementation"),
    ((*BUILT, REVIEW, answered("run/review-required", "below", "continue")), "running", "implementing",
    "implementation"),
    ((*BUILT, REVIEW, answered("run/review-required", "implementer")), "ready", "implementing",
    "implementation"),
    ((*BUILT, REVIEW, answered("run/review-required", "planner", "replan")), "ready", "planning", "planning"),
    ((*BUILT, judged("i1", "qa")), "ready", "qa", "qa"),
    ((*BUILT, judged("i1", "qa"), QA), "running", "qa", "qa"),
    ((*BUILT, judged("i1", "qa"), QA, judged("q1", "implementer", "qa/fail")), "ready", "implementing",
     "implementation"),
    (PASSED, "ready", "integrating", "integration"),
    ((*PASSED, BY_HAND), "question", "escalated", "integration"),
    ((*PASSED, BY_HAND, answered("test/unclear", "integrate")), "ready", "integrating", "integration"),
    ((*PASSED, COMPLETED), "complete", "complete", "integration"),
    ((*PASSED, BY_HAND, answered("test/unclear", "abandon", "abandon")), "abandoned", "abandoned", "qa"),
    ((*BUILT, REVIEW, answered("run/review-required", "abandon", "abandon")), "abandoned", "abandoned",
     "implementation"),
], ids=[
    "created", "asked before it starts", "commands accepted", "started", "a planner is out",
    "a planner has ended", "a plan is valid", "a plan is valid and committed", "an implementer is out",
    "an implementer asks for a person", "to be judged below the row that asked", "to be implemented again",
    "to be planned again", "a report is valid", "QA is out", "QA failed it", "QA passed it", "tests fail",
    "to be integrated again", "merged", "given up, in the middle of being so", "given up",
])  # fmt: skip
def test_a_story_is_where_its_journal_says(events: tuple[Event, ...], stage: str, status: str, phase: str) -> None:
    state = state_after(*events)
    assert (state.stage, state.status, state.phase) == (stage, status, phase)


def run_after(*events: Event) -> Run:
    """Return the planner's run after these events."""
    run = state_after(*PLANNED, *events).find_run("p1")
    assert run
    return run


@pytest.mark.parametrize(("event", "ends"), [
    (ended("p1"), True), (handed_in("p1", "return-meta", final=True), True),
    (handed_in("p1", "return-meta"), False), (handed_in("p1", "plan"), False), (Rejected("p1", "plan", []), False),
    (ended("other"), False),
], ids=[
    "it is told", "final metadata", "metadata in progress", "an artifact", "a rejection", "the end of another run",
])  # fmt: skip
def test_a_run_ends_by_being_told_or_by_final_metadata(event: Event, ends: bool) -> None:
    assert run_after(event).has_ended == ends


def test_a_run_is_told_to_have_ended_once() -> None:
    assert run_after(ended("p1"), ended("p1")).ended == "caller"


def test_events_of_a_run_are_kept_with_it() -> None:
    seen = RunStarted("p1", "agent", "client")
    run = run_after(seen, Rejected("p1", "plan", ["x"]), handed_in("p1", "plan"), FILED)
    assert (run.starts, run.archived) == ([("time-5", seen)], True)
    assert run.handed_in == {"plan": handed_in("p1", "plan")}


def test_the_head_is_where_the_program_moved_the_branch_or_found_it() -> None:
    moves: dict[Event, str] = {
        PLANNER: "tip",
        Adopted("theirs", "tip", "by hand"): "theirs",
        EffectIntended("branch", "ours", "tip"): "tip",
        EffectDone("branch", "ours", "ours"): "ours",
    }
    assert {event: state_after(*PLANNED, event).head for event in moves} == moves


def test_runs_are_counted_by_role() -> None:
    state = state_after(*BUILT, judged("i1", "implementer"), dispatched("i2", "implementer"))
    assert [state.count(role) for role in ("planner", "implementer", "qa")] == [1, 2, 0]
    assert state.run is state.find_run("i2")
    assert state.find_run("nobody") is None


def test_flags_hold_until_given_again_or_the_plan_is_approved() -> None:
    question = asked("planning/approval", "planning", accept="implementer")
    flagged = state_after(OptionsSet(True, 7), question)
    assert flagged.flags == OptionsSet(True, 7)
    approved = state_after(OptionsSet(True, 7), question, answered("planning/approval", "implementer", "accept"))
    assert approved.flags == OptionsSet(False, 7)


def test_an_answer_carries_what_was_found() -> None:
    pending = state_after(*BUILT, REVIEW, answered("run/review-required", "implementer")).pending
    assert pending is not None
    assert (pending.then, pending.findings) == ("implementer", ("a fault",))


def test_a_judgment_that_asks_opens_its_question() -> None:
    question = {"phase": "planning", "findings": []}
    state = state_after(
        *PLANNED, Judged("p1", "run/failed", "escalate", "", "why", question=question, answers={"a": "b"})
    )
    assert state.question is not None
    assert (state.question.rule, state.question.answers, state.pending) == ("run/failed", {"a": "b"}, None)


def test_rows_passed_by_an_answer_are_forgotten_at_the_next_dispatch() -> None:
    below = (*BUILT, REVIEW, Answered("run/review-required", "continue", "below", "", []))
    assert state_after(*below).overridden_rules == ("run/review-required",)
    assert state_after(*below, judged("i1", "qa"), QA).overridden_rules == ()


def test_checks_count_until_the_integration_begins_anew() -> None:
    step = IntegrationStepDone("sync/clean", "c", "why")
    assert state_after(*PASSED, step).checked == [step]
    assert state_after(*PASSED, step, BY_HAND, answered("test/unclear", "integrate")).checked == []


def test_a_story_was_updated_when_its_last_event_happened() -> None:
    assert state_after(STARTED).updated == "time-2"


def test_a_persons_note_waits_for_the_next_run_and_is_kept() -> None:
    retried = (*BUILT, REVIEW, answered("run/review-required", "implementer"))
    waiting, told = state_after(*retried), state_after(*retried, dispatched("i2", "implementer"))
    assert [reply.note for reply in waiting.replies[waiting.replies_delivered :]] == ["a note"]
    assert [reply.note for reply in told.replies[: told.replies_delivered]] == ["a note"]
