"""A run that ends without what ends it is sent back once, with the commands of its brief; else it may end."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import Bench, call
from hooks.test_turn_end import DAY, entry, transcript
from scenes import start_agent

AGENT = "a39ff4067488694b3"


@pytest.fixture
def started(implementing: Bench) -> Bench:
    """An implementation run whose agent the client has started, in the tree it made."""
    tree = implementing.root / f".claude/worktrees/agent-{AGENT}"
    implementing.git("worktree", "add", "--quiet", "--detach", str(tree))
    start_agent(implementing, AGENT)
    return implementing


def tree_of(bench: Bench) -> Path:
    return bench.root / f".claude/worktrees/agent-{AGENT}"


def begin(bench: Bench) -> Bench:
    assert call("--project", str(tree_of(bench)), "begin", bench.run.id).code == 0
    return bench


def stops(bench: Bench, **more: Any) -> str:
    """Tell that the agent stops; returns why it may not."""
    payload = {
        "session_id": "s1",
        "cwd": str(tree_of(bench)),
        "agent_id": AGENT,
        "agent_type": "baton:implementer",
    }
    said = call("hook", "subagent-stop", stdin=json.dumps({**payload, **more}))
    assert (said.code, said.err) == (0, "")
    return json.loads(said.out)["reason"] if said.out else ""


def test_a_run_without_a_hand_in_is_sent_back_once_and_then_has_ended(started: Bench) -> None:
    said = stops(begin(started))
    assert said.startswith(f"baton: run {started.run.id} is not over: nothing that ends it was handed in; put it")
    assert f"baton hand-in 42 impl-report --run {started.run.id} <<'END-OF-ARTIFACT'\n" in said
    assert f"baton hand-in 42 return-meta --run {started.run.id} <<" in said
    assert started.run.ended == ""
    assert stops(started, stop_hook_active=True) == ""
    assert started.run.ended == "subagent-stop"


def test_what_was_refused_is_what_is_missing(started: Bench) -> None:
    begin(started).hand_in("impl-report", "changes_made: []\n")
    assert "impl-report/required" in stops(started)


def test_a_run_that_handed_in_what_ends_it_has_ended(started: Bench) -> None:
    begin(started).meta("partial")
    assert (stops(started), started.run.ended) == ("", "subagent-stop")


def test_a_hand_in_that_ends_nothing_is_not_enough(started: Bench) -> None:
    begin(started).hand_in("handoff", "## Immediate Next Action\nphase 2\n## Current State\nphase 1 is done\n")
    assert stops(started)


def test_a_run_that_never_began_is_told_to_begin_once(started: Bench) -> None:
    run = started.run.id
    assert stops(started) == f"baton: run {run} was not begun: first call `baton begin {run}`, by itself; " + (
        "then do what it prints"
    )
    assert stops(started) == ""
    assert started.run.ended == "subagent-stop"


def test_a_run_whose_tree_is_gone_may_end(started: Bench) -> None:
    assert stops(begin(started), cwd=str(started.root)) == ""
    assert started.run.ended == "subagent-stop"


@pytest.mark.parametrize("last", [
    entry("user", "[Request interrupted by user]", DAY),
    entry("assistant", "API Error: 529 Overloaded", isApiErrorMessage=True),
])  # fmt: skip
def test_a_run_that_was_cut_off_may_end(started: Bench, tmp_path: Path, last: dict[str, Any]) -> None:
    path = transcript(tmp_path, entry("assistant", "on it"), last)
    assert stops(begin(started), agent_transcript_path=path) == ""


def test_an_error_it_got_over_is_no_excuse(started: Bench, tmp_path: Path) -> None:
    failed = entry("assistant", "API Error", isApiErrorMessage=True)
    path = transcript(tmp_path, failed, entry("assistant", "done"))
    assert stops(begin(started), agent_transcript_path=path)


def test_a_run_that_was_given_up_may_end(started: Bench) -> None:
    begin(started)
    started.next("--ended", started.run.id)
    assert stops(started) == ""


def test_an_agent_that_found_its_run_begun_by_another_ends_nothing(started: Bench) -> None:
    begin(started)
    start_agent(started, "second")
    assert stops(started, agent_id="second") == ""
    payload = {
        "cwd": str(started.root),
        "session_id": "s1",
        "prompt": "<task-notification><task-id>second</task-id>",
    }
    said = json.loads(call("hook", "user-prompt-submit", stdin=json.dumps(payload)).out)["hookSpecificOutput"]
    assert "\nDO wait\n" in said["additionalContext"]
    assert (started.run.ended, started.run.judged) == ("", None)


def process_ends(bench: Bench, **more: Any) -> str:
    """Tell that a process of the client's for the run stops; returns why it may not."""
    payload = {
        "session_id": "p1", "cwd": str(bench.tree), "agent_type": "baton:implementer", "stop_hook_active": False,
        "background_tasks": [], "permission_mode": "acceptEdits",
    }  # fmt: skip
    said = call("hook", "turn-ends", stdin=json.dumps({**payload, **more}, separators=(",", ":")))
    assert (said.code, said.err) == (0, "")
    return json.loads(said.out)["reason"] if said.out else ""


def test_a_process_for_a_run_is_sent_back_once_too(implementing: Bench) -> None:
    assert implementing.tree
    said = process_ends(implementing)
    assert said.startswith(f"baton: run {implementing.run.id} is not over: nothing that ends it was handed in")
    assert f"baton hand-in 42 return-meta --run {implementing.run.id} <<" in said
    assert process_ends(implementing, stop_hook_active=True) == ""
    assert implementing.run.ended == ""  # who started it says so


def test_a_process_whose_run_is_over_may_end(implementing: Bench) -> None:
    implementing.meta("partial")
    assert process_ends(implementing) == ""


def test_a_process_in_a_tree_of_no_run_may_end(implementing: Bench) -> None:
    assert implementing.tree
    assert process_ends(implementing, cwd=str(implementing.root)) == ""


@pytest.mark.parametrize("event", ["session-start", "stop", "stop-failure", "user-prompt-submit"])
def test_nothing_else_is_said_to_a_process(event: str, implementing: Bench) -> None:
    payload = {"session_id": "p1", "cwd": str(implementing.tree), "prompt": "Run it", "error": "rate_limit"}
    said = call("hook", event, stdin=json.dumps({**payload, "agent_type": "baton:implementer"}))
    assert (said.code, said.out, said.err) == (0, "", "")


def test_a_new_conversation_is_told_what_is_under_way(implementing: Bench) -> None:
    said = call("hook", "session-start", stdin=json.dumps({"session_id": "p1", "cwd": str(implementing.root)}))
    assert "baton has stories under way here" in said.out
