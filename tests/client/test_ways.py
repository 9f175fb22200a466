"""The other ways a story goes in the real client: done in one run, fixed on the spot, taken up after a crash."""

from pathlib import Path

import pytest

from client.actors import Worker, in_turn, judge, plan
from client.papers import PASS, PLAN, RISKLESS, SUBTRACT, UNPROVED
from client.person import (
    MERGED,
    NewDesk,
    agents_sent,
    desk_of,
    git,
    happened,
    merges,
    tell,
    unasked,
    who_added,
    written_down,
)

pytestmark = pytest.mark.long


def test_a_small_story_is_done_by_one_run_and_merged(new_desk: NewDesk, small: Path) -> None:
    with unasked(desk_of(new_desk, small, micro_delivery=Worker().deliver)) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert agents_sent(small) == ["micro-delivery"]
    assert merges(small) == [MERGED]
    assert "def sub" in git(small, "show", "main:calc.py")


def test_a_small_story_that_is_larger_is_planned_and_keeps_what_was_done(new_desk: NewDesk, small: Path) -> None:
    worker = Worker()
    agents = {
        "micro_delivery": worker.give_up,
        "planner": plan(PLAN),
        "implementer": worker.rest,
        "qa": judge(PASS),
    }
    with unasked(desk_of(new_desk, small, **agents)) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert agents_sent(small) == ["micro-delivery", "planner", "implementer", "qa"]
    assert merges(small) == [MERGED]
    assert who_added(small, "def sub") == ["story 42: Subtract"]


def test_a_rejected_hand_in_is_fixed_by_the_run_that_made_it(new_desk: NewDesk, ready: Path) -> None:
    agents = {"planner": plan(RISKLESS, PLAN), "implementer": Worker().forgetful, "qa": judge(UNPROVED, PASS)}
    with unasked(desk_of(new_desk, ready, **agents)) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert [one.split(":")[0] for one in happened(ready, "rejected")] == ["plan", "impl-report", "qa-report"]
    assert agents_sent(ready) == ["planner", "implementer", "qa"]
    assert merges(ready) == [MERGED]


CLOSED = "its client was closed or it was stopped"
# How a client is started after a crash, and what the user types and sees there until the story is merged.
GOES_ON = {
    "a new session": ((), [
        ("/implement 42", ("iter1 is running", f"IF {CLOSED}", "the story is at wait")), (CLOSED, ()),
    ]),
    "the session continued": (("--continue",), [("go on", ("didn't finish before the previous session ended",))]),
}  # fmt: skip


@pytest.mark.parametrize(("words", "said"), GOES_ON.values(), ids=GOES_ON)
def test_a_story_whose_client_was_killed_goes_on_from_the_plans_marks(
    new_desk: NewDesk, ready: Path, words: tuple[str, ...], said: list[tuple[str, tuple[str, ...]]]
) -> None:
    worker = Worker()
    runs = in_turn(worker.endless, worker.second)
    desk = desk_of(new_desk, ready, planner=plan(PLAN), implementer=runs, qa=judge(PASS))
    with unasked(desk) as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: written_down(desk, "sent out") == 2 and worker.has_marked(SUBTRACT))
        terminal.kill()
    with unasked(desk, *words) as terminal:
        for typed, seen in said:
            tell(terminal, typed, *seen)
        terminal.wait_for(lambda: terminal.shows("the story is at complete"))
    assert agents_sent(ready) == ["planner", "implementer", "implementer", "qa"]
    assert who_added(ready, "def sub") == ["story 42: Subtract"]
    assert merges(ready) == [MERGED]
