"""The client's module drives a story or a round in the real client: no model is asked between the steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.actors import Worker, in_turn, judge, plan
from client.harness.desk import Desk
from client.harness.script import Script
from client.papers import FAIL, PASS, PLAN, RISKLESS
from client.person import (
    MERGED,
    PLUGIN,
    NewDesk,
    agents_sent,
    desk_of,
    merges,
    tell,
    unasked,
)

pytestmark = pytest.mark.long

RUNS = ["planner", "implementer", "implementer", "qa", "implementer", "qa"]


def cast() -> dict[str, Script]:
    """Half of the work, the rest with a report, and what QA asked for."""
    worker = Worker()
    return {
        "planner": plan(RISKLESS, PLAN),
        "implementer": in_turn(worker.first, worker.second, worker.remedy),
        "qa": in_turn(judge(FAIL), judge(PASS)),
    }


def test_a_story_of_six_runs_is_merged_without_a_request_of_the_conversation(
    new_desk: NewDesk, ready: Path
) -> None:
    desk = desk_of(new_desk, ready, **cast())
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42")
        terminal.wait_for(lambda: terminal.shows("merged into main as"), 120)
    assert agents_sent(ready) == RUNS
    assert merges(ready) == [MERGED]
    assert desk.model.of("main") == []


def test_headless_it_holds_until_the_story_is_merged(new_desk: NewDesk, ready: Path) -> None:
    desk = desk_of(new_desk, ready, **cast())
    done = desk.headless("/implement 42")
    assert "merged into main as" in done.out, done
    assert (done.code, agents_sent(ready), merges(ready)) == (0, RUNS, [MERGED])
    assert desk.model.of("main") == []
