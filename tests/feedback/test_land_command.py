"""Landing, call by call: what a caller is told to call next goes on where this call stopped."""

from __future__ import annotations

from pathlib import Path

from baton.feedback.land.land_command import land_round
from baton.git.command import find_project
from feedback.conftest import Working, result


def test_while_commands_run_the_next_call_still_gives_up_what_this_one_does(working: Working) -> None:
    said, given_up = (working.pull.thread(f"src/{name}.py", 1, by="me", body="Rename it.") for name in "ab")
    folder = Path(working.clone.read()["file"]).parent
    units = {one["items"][0]: one["id"] for one in working.plan()["units"]}
    working.edit(units[said.id], "src/a.py", "alpha = 1\n")
    working.hand_in(units[said.id], [result(said.id, "fixed", "src/a.py")])
    without = ("--skip-unit", units[given_up.id])
    step = land_round(find_project(working.bench.root), folder, without[1:], False, seconds=0)
    assert (step.rule, step.then) == ("land/running", "baton pr land 7")
    assert working.land(*step.then.split()[3:]).action in ("DO report", "DO plan")


def test_a_round_that_has_landed_tells_its_summary_again(working: Working) -> None:
    thread = working.pull.thread("src/a.py", 1, by="me", body="Why is this so?")
    working.clone.fetch()
    working.hand_in(working.plan()["units"][0]["id"], [result(thread.id, "replied", reply_text="So it must be.")])
    first, asked = working.land(), len(working.clone.hub.requests)
    assert first.action == "DO report"
    assert (working.land(), len(working.clone.hub.requests)) == (first, asked)
