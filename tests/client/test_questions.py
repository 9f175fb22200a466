"""A person is asked in the real client, answers in words, and the story goes on with them."""

from __future__ import annotations

from pathlib import Path

from client.actors import Worker, block, in_turn, judge, plan
from client.papers import PASS, PLAN
from client.person import MERGED, NewDesk, agents_sent, desk_of, happened, merges, tell, unasked

ODD = 'below zero is fine; it\'s `int` only, and $(touch gone) "quoted" stays text'


def test_what_a_person_types_at_a_blocked_plan_is_in_the_next_planners_brief(
    new_desk: NewDesk, ready: Path
) -> None:
    with unasked(desk_of(new_desk, ready, planner=in_turn(block, plan(PLAN)))) as terminal:
        tell(terminal, "/implement 42 --plan-only", "Nobody says whether a result may be negative",
             "What should the planner know or assume?", "OPTION retry", "OPTION replan", "OPTION abandon",
             "the story is at escalate")  # fmt: skip
        tell(terminal, f"retry: {ODD}", "the story is at ask: planning/approval")
    assert agents_sent(ready) == ["planner", "planner"]
    assert happened(ready, "answered")[1:] == [f"retry (prompt, retry: {ODD}): {ODD}"]
    assert f"> {ODD}\n" in next(ready.glob(".git/baton/42/briefs/*_plan2.md")).read_text()
    assert not (ready / "gone").exists()


def test_a_story_at_its_limit_asks_and_goes_on_to_the_merge_when_told(new_desk: NewDesk, ready: Path) -> None:
    worker = Worker()
    runs = in_turn(worker.first, worker.second)
    with unasked(desk_of(new_desk, ready, planner=plan(PLAN), implementer=runs, qa=judge(PASS))) as terminal:
        tell(terminal, "/implement 42 --max-iterations 1", "implementation runs so far: 1, as many as allowed",
             "Should another implementation run be made?", "the story is at ask: guard/limit")  # fmt: skip
        assert agents_sent(ready) == ["planner", "implementer"]
        tell(terminal, "continue", "the story is at complete")
    assert agents_sent(ready) == ["planner", "implementer", "implementer", "qa"]
    assert merges(ready) == [MERGED]
