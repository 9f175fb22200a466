"""While GitHub is waited for no turn is used: the client's hook looks again, and wakes the conversation."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from baton.git.command import find_project
from baton.hooks.runs import ensure_index
from baton.hooks.waiting import go_on_waiting
from bench import Said, call
from delivery.scene import Scene

SESSION = "session-1"


@pytest.fixture
def waiting(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Have a session wait for a check that runs."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    scene.on_push(lambda sha: scene.actions.job(sha, status="in_progress"))
    scene.deliver()
    return scene


def wait(scene: Scene, pause: Callable[[float], object], session: str = SESSION) -> str:
    project = find_project(scene.bench.root)
    ensure_index(project)
    return go_on_waiting(project, {"session_id": session}, pause)


def never(seconds: float) -> None:
    raise AssertionError("it waits")


def test_the_conversation_is_woken_with_the_step_that_follows(waiting: Scene) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 3:
            waiting.actions.job(waiting.head)
            waiting.actions.checks.pop(0)

    said = wait(waiting, pause)
    assert said.startswith("What story 42 waited for on GitHub is over. Carry out this step:\nDO complete\n")
    assert pauses == [30.0, 30.0, 30.0]


def test_another_session_is_not_woken(waiting: Scene) -> None:
    assert wait(waiting, never, "session-2") == ""


def test_a_story_that_waits_for_nothing_costs_nothing(waiting: Scene) -> None:
    waiting.pull.state = "CLOSED"
    assert waiting.next()["action"] == "escalate"
    assert wait(waiting, never) == ""


def test_one_process_waits_for_a_session(waiting: Scene) -> None:
    inner: list[str] = []

    def pause(seconds: float) -> None:
        inner.append(wait(waiting, never))
        waiting.pull.state = "CLOSED"

    assert "DO escalate" in wait(waiting, pause)
    assert inner == [""]


def test_it_tells_when_github_cannot_be_asked_for_long(waiting: Scene) -> None:
    waiting.hub.token = "another"
    assert wait(waiting, lambda seconds: None).startswith("baton cannot go on with story 42: ")


def stop(scene: Scene) -> Said:
    return call("hook", "stop", stdin=json.dumps({"cwd": str(scene.bench.root), "session_id": SESSION}))


def test_the_hook_wakes_by_its_exit_code_and_stderr(waiting: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr("baton.hooks.waiting.go_on_waiting", lambda project, payload: "DO ask")
    assert stop(waiting) == (2, "", "DO ask\n")


def test_the_hook_says_nothing_where_nothing_is_waited_for(waiting: Scene) -> None:
    waiting.pull.state = "CLOSED"
    waiting.next()
    assert stop(waiting) == (0, "", "")
