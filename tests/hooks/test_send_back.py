"""No turn ends while its story has a step that nobody carries out, and no run without what ends it."""

import json
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from baton.git.command import find_project
from baton.hooks.agent_runs import ensure_index
from baton.journal.events import Ended
from baton.journal.journal import Journal
from bench import REPORT, Bench, call
from scenes import start_agent

pytestmark = pytest.mark.sampled(30)

SESSION, DAY = "s1", 86_400
AGENT, OF_OURS = "a39ff4067488694b3", "baton:implementer"
RUNNING = {"id": "a1", "type": "subagent", "status": "running", "description": "x", "agent_type": "baton:planner"}


@pytest.fixture
def due(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A story whose first run was given to this session, and not started."""
    bench.new()
    ensure_index(find_project(bench.root))
    bench.next()
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    bench.answer("accept")
    return bench


def sent_back(event: str, payload: dict[str, Any]) -> str:
    """Tell the hook of an end; returns why it may not be."""
    said = call("hook", event, stdin=json.dumps(payload, separators=(",", ":")))
    assert (said.code, said.err) == (0, "")
    answer = json.loads(said.out or '{"decision": "block", "reason": ""}')
    assert answer["decision"] == "block"
    return str(answer["reason"])


def ends(bench: Bench, **more: Any) -> str:
    """Tell that the turn ends; returns why it may not."""
    payload = {"session_id": SESSION, "cwd": str(bench.root), "stop_hook_active": False, "background_tasks": []}
    return sent_back("turn-ends", {**payload, **more})


def transcript(tmp_path: Path, *entries: dict[str, Any]) -> str:
    path = tmp_path / "t.jsonl"
    path.write_text("".join(f"{json.dumps(entry)}\n" for entry in entries))
    return str(path)


def entry(who: str, text: str, seconds: int = 0, **more: Any) -> dict[str, Any]:
    """An entry of a transcript, so many seconds from now."""
    time = (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.123Z")
    content = [{"type": "text", "text": text}]
    return {"type": who, "timestamp": time, "message": {"role": who, "content": content}, **more}


def test_a_run_that_was_given_and_not_started_is_named_with_its_prompt(due: Bench) -> None:
    said = ends(due).splitlines()
    assert said[0].endswith("is due, and its agent was not started. Carry out this step:")
    assert said[1:4:2] == ["DO spawn baton:planner", f"PROMPT {due.next()['prompt']}"]


def test_a_run_that_has_ended_is_to_be_judged(due: Bench) -> None:
    start_agent(due, "a1")
    assert ends(due) == ""
    due.hand_in("plan-blocked", "# Plan blocked\n\n## Reason\n\nnobody knows\n")
    due.meta("blocked", errors=[{"message": "nobody knows"}])
    assert f"THEN baton next 42 --ended {due.run.id}\n" in ends(due)


def test_after_an_answer_the_next_step_is_asked_for(due: Bench) -> None:
    due.plan()
    due.work(status="blocked")
    assert ends(due) == ""
    due.baton("answer", "42", "retry")
    assert "THEN baton next 42\n" in ends(due)


def test_a_turn_may_end_before_a_question_or_the_storys_end(due: Bench) -> None:
    due.baton("next", "42", "--plan-only")
    due.plan()
    assert (due.state.status, ends(due)) == ("asking", "")
    due.baton("answer", "42", "abandon")
    assert ends(due) == ""


@pytest.mark.parametrize(("stopped", "sent_back"), [(["--stopped"], False), ([], True)])
def test_a_story_whose_run_the_user_stopped_rests(due: Bench, stopped: list[str], sent_back: bool) -> None:
    due.next("--ended", due.run.id, *stopped)
    assert bool(ends(due)) == sent_back


@pytest.mark.parametrize(("refused", "sent_back"), [("limit", False), ("", True)])
def test_a_story_whose_run_the_service_refused_rests(due: Bench, refused: str, sent_back: bool) -> None:
    due.plan()
    start_agent(due, "a1")
    until = (datetime.now(UTC) + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M:%SZ") if refused else ""
    Journal(due.journal).append(Ended(due.run.id, "stop-failure", refused=refused, until=until))
    assert due.next()["action"] == ("wait" if refused else "spawn")
    assert bool(ends(due)) == sent_back


def test_it_is_sent_back_twice_and_again_when_something_has_happened(due: Bench) -> None:
    assert [bool(ends(due, stop_hook_active=turn > 0)) for turn in range(4)] == [True, True, False, False]
    due.plan()
    assert "baton:implementer" in ends(due, stop_hook_active=True)


def test_a_turn_that_cannot_be_counted_is_sent_back_once(due: Bench) -> None:
    (due.journal.parent / "sent-back").mkdir()
    assert ends(due)
    assert ends(due, stop_hook_active=True) == ""


@pytest.mark.parametrize(("task", "lets_go"), [
    (RUNNING, True),
    ({**RUNNING, "status": "completed"}, False),
    ({**RUNNING, "agent_type": "Explore"}, False),
    ({"id": "b1", "type": "shell", "status": "running", "description": "baton next 42"}, True),
    ({"id": "b1", "type": "shell", "status": "running", "description": "npm run dev"}, False),
    (None, False),
])  # fmt: skip
def test_a_task_lets_the_turn_end_only_if_its_end_wakes_it(due: Bench, task: object, lets_go: bool) -> None:
    assert (ends(due, background_tasks=[task]) == "") == lets_go


@pytest.mark.parametrize("more", [
    {"session_id": "another"}, {"session_id": ""}, {"agent_id": "a1"}, {"agent_type": "baton:qa"},
    {"permission_mode": "plan"},
])  # fmt: skip
def test_it_is_nobody_elses_turn(due: Bench, more: dict[str, str]) -> None:
    assert ends(due, **more) == ""


def test_a_story_taken_up_elsewhere_is_no_more_this_sessions(due: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", "another")
    due.plan()
    assert ends(due) == ""
    assert ends(due, session_id="another")


INTERRUPTED = "[Request interrupted by user for tool use]"


@pytest.mark.parametrize(("what", "lets_go"), [
    (entry("user", INTERRUPTED, DAY), True),
    (entry("user", INTERRUPTED, -DAY), False),
    (entry("assistant", INTERRUPTED, DAY), False),
    (entry("user", f"it said {INTERRUPTED}", DAY), False),
])  # fmt: skip
def test_it_ends_once_it_was_interrupted(due: Bench, tmp_path: Path, what: dict[str, Any], lets_go: bool) -> None:
    path = transcript(tmp_path, what, entry("assistant", "all right", DAY + 1))
    assert (ends(due, transcript_path=path) == "") == lets_go


def test_a_lost_index_is_built_with_what_was_driven(due: Bench) -> None:
    shutil.rmtree(due.root / ".git/baton/.index")
    assert ends(due)


def test_it_writes_no_event(due: Bench) -> None:
    before = due.journal.read_bytes()
    assert ends(due)
    assert due.journal.read_bytes() == before


# A run


@pytest.fixture
def started(implementing: Bench) -> Bench:
    """An implementation run whose agent the client has started, in the tree it made."""
    implementing.git("worktree", "add", "--quiet", "--detach", str(tree_of(implementing)))
    start_agent(implementing, AGENT)
    return implementing


def tree_of(bench: Bench) -> Path:
    return bench.root / f".claude/worktrees/agent-{AGENT}"


def begin(bench: Bench) -> Bench:
    assert call("--project", str(tree_of(bench)), "begin", bench.run.id).code == 0
    return bench


def stops(bench: Bench, **more: Any) -> str:
    """Tell that the agent stops; returns why it may not."""
    payload = {"session_id": SESSION, "cwd": str(tree_of(bench)), "agent_id": AGENT, "agent_type": OF_OURS}
    return sent_back("subagent-stop", {**payload, **more})


def test_a_run_without_a_hand_in_is_sent_back_three_times_and_then_has_ended(started: Bench) -> None:
    said = stops(begin(started))
    assert said.startswith(f"baton: run {started.run.id} is not over: nothing that ends it was handed in; put it")
    assert f"baton hand-in 42 impl-report --run {started.run.id} <<'END-OF-ARTIFACT'\n" in said
    assert f"baton hand-in 42 return-meta --run {started.run.id} <<" in said
    more = [stops(started, stop_hook_active=True) for _ in range(2)]
    assert more == [said.partition("\n")[0]] * 2
    assert started.run.ended == ""
    assert stops(started, stop_hook_active=True) == ""
    assert started.run.ended == "subagent-stop"


def test_what_a_refused_hand_in_was_told_is_said_once(started: Bench) -> None:
    begin(started).hand_in("impl-report", REPORT)
    assert stops(started).count("put it right and hand in again") == 1


def test_a_refused_hand_in_is_named_as_missing(started: Bench) -> None:
    begin(started).hand_in("impl-report", "changes_made: []\n")
    assert "impl-report/required" in stops(started)


def test_a_run_that_handed_in_what_ends_it_has_ended(started: Bench) -> None:
    begin(started).meta("partial")
    assert (stops(started), started.run.ended) == ("", "subagent-stop")


def test_a_hand_in_that_ends_nothing_is_not_enough(started: Bench) -> None:
    begin(started).hand_in("handoff", "## Immediate Next Action\nphase 2\n## Current State\nphase 1 is done\n")
    assert stops(started)


def test_a_run_that_never_began_is_told_to_begin(started: Bench) -> None:
    run = started.run.id
    told = f"baton: run {run} was not begun: first call `baton begin {run}`, by itself; then do what it prints"
    assert [stops(started) for _ in range(4)] == [told, told, told, ""]
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
    prompt = "<task-notification><task-id>second</task-id>"
    payload = {"cwd": str(started.root), "session_id": SESSION, "prompt": prompt}
    said = json.loads(call("hook", "user-prompt-submit", stdin=json.dumps(payload)).out)["hookSpecificOutput"]
    assert "\nDO wait\n" in said["additionalContext"]
    assert (started.run.ended, started.run.judged) == ("", None)


def process_ends(bench: Bench, **more: Any) -> str:
    """Tell that a process of the client's for the run stops; returns why it may not."""
    payload = {"session_id": "p1", "cwd": str(bench.tree), "agent_type": OF_OURS, "stop_hook_active": False}
    return sent_back("turn-ends", {**payload, "background_tasks": [], "permission_mode": "acceptEdits", **more})


def test_a_process_for_a_run_is_sent_back_too(implementing: Bench) -> None:
    assert implementing.tree
    said = process_ends(implementing)
    assert said.startswith(f"baton: run {implementing.run.id} is not over: nothing that ends it was handed in")
    assert f"baton hand-in 42 return-meta --run {implementing.run.id} <<" in said
    assert [bool(process_ends(implementing, stop_hook_active=True)) for _ in range(3)] == [True, True, False]
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
    said = call("hook", event, stdin=json.dumps({**payload, "agent_type": OF_OURS}))
    assert (said.code, said.out, said.err) == (0, "", "")


def test_a_new_conversation_is_told_what_is_under_way(implementing: Bench) -> None:
    said = call("hook", "session-start", stdin=json.dumps({"session_id": "p1", "cwd": str(implementing.root)}))
    assert "baton has stories under way here" in said.out
