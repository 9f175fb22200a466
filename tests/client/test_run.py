"""Stories without a person, in the real client: side by side, stopped, killed and called again."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.actors import Worker, judge, plan
from client.harness.script import Script
from client.headless import finished, start, supervised
from client.papers import PASS, PLAN
from client.person import NewDesk, agents_sent, merges, status

pytestmark = pytest.mark.long


def works(_: str, role: str) -> Script:
    """Plan, do it all in one run, and pass it."""
    return {"planner": plan(PLAN), "implementer": Worker().whole(), "qa": judge(PASS)}[role]


@pytest.mark.quick
def test_a_story_is_merged_without_a_person(new_desk: NewDesk, ready: Path) -> None:
    code, said = finished(start(supervised(new_desk, ready, works), "42"))
    print(said)
    assert code == 0, said
    assert agents_sent(ready) == ["planner", "implementer", "qa"]
    assert merges(ready) == ["story 42: Subtract"]
    assert status(ready) == "complete"
