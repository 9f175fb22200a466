"""A turn does not end while the story it drives has a step that nobody carries out; else nothing is in its way."""

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
from bench import Bench, call
from scenes import start_agent

pytestmark = pytest.mark.sampled(12)

SESSION, DAY = "s1", 86_400
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


def ends(bench: Bench, **more: Any) -> str:
    """Tell that the turn ends; returns why it may not."""
    payload = {"session_id": SESSION, "cwd": str(bench.root), "stop_hook_active": False, "background_tasks": []}
    said = call("hook", "turn-ends", stdin=json.dumps({**payload, **more}))
    assert (said.code, said.err) == (0, "")
    if not said.out:
        return ""
    answer = json.loads(said.out)
    assert answer["decision"] == "block"
    return str(answer["reason"])


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


def test_what_a_question_or_the_end_follows_may_end(due: Bench) -> None:
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


def test_what_cannot_be_counted_is_sent_back_once(due: Bench) -> None:
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
def test_what_runs_in_the_background_wakes_it(due: Bench, task: object, lets_go: bool) -> None:
    assert (ends(due, background_tasks=[task]) == "") == lets_go


@pytest.mark.parametrize("more", [
    {"session_id": "another"}, {"session_id": ""}, {"agent_id": "a1"}, {"agent_type": "baton:qa"},
    {"permission_mode": "plan"},
])  # fmt: skip
def test_it_is_nobody_elses_turn(due: Bench, more: dict[str, str]) -> None:
    assert ends(due, **more) == ""


def test_a_story_that_was_taken_up_elsewhere_is_no_more_this_sessions(
    due: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_it_ends_after_an_interruption_since(
    due: Bench, tmp_path: Path, what: dict[str, Any], lets_go: bool
) -> None:
    path = transcript(tmp_path, what, entry("assistant", "all right", DAY + 1))
    assert (ends(due, transcript_path=path) == "") == lets_go


def test_a_lost_index_is_built_with_what_was_driven(due: Bench) -> None:
    shutil.rmtree(due.root / ".git/baton/.index")
    assert ends(due)


def test_it_writes_no_event(due: Bench) -> None:
    before = due.journal.read_bytes()
    assert ends(due)
    assert due.journal.read_bytes() == before
