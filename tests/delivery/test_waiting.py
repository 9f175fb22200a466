"""While GitHub is waited for no turn is used: the client's hook looks again, and wakes the conversation."""

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from baton.git.command import find_project
from baton.hooks.agent_runs import ensure_index
from baton.hooks.entry import read_event
from baton.hooks.hook_events import EVENTS
from baton.hooks.waiting import MOST_S, SELDOM_S, go_on_waiting, is_read
from baton.journal import index
from bench import ROOT, Bench, CallResult, call
from delivery.conftest import NewScene
from delivery.scene import REPOSITORY, DeliveryScene
from fake_github.pull_request import Inline

pytestmark = pytest.mark.sampled(8)

SESSION = "session-1"


@pytest.fixture
def waiting(opened: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> DeliveryScene:
    """Have a session wait for a check that runs."""
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    assert opened.next()["rule"] == "ci/wait"
    return opened


def wait(scene: DeliveryScene, pause: Callable[[float], object], session: str = SESSION) -> str:
    project = find_project(scene.bench.root)
    ensure_index(project)
    return go_on_waiting(project, {"session_id": session}, pause)


class Pauses(list[float]):
    """The pauses of a wait, and what happens once they come to so many seconds."""

    def __init__(self, seconds: float, act: Callable[[], object]) -> None:
        self.seconds, self.act = seconds, act

    def __call__(self, seconds: float) -> None:
        self.append(seconds)
        if sum(self) == self.seconds:
            self.act()


def never(seconds: float) -> None:
    raise AssertionError("it waits")


def at_once(seconds: float) -> None:
    """Let no time pass."""


def test_the_conversation_is_woken_with_the_step_that_follows(waiting: DeliveryScene) -> None:
    pauses = Pauses(90, waiting.actions.finish)
    said = wait(waiting, pauses)
    assert said.startswith("What story 42 waited for is over. Carry out this step:\nDO complete\n")
    assert pauses == [30.0, 30.0, 30.0]


def test_another_session_is_not_woken(waiting: DeliveryScene) -> None:
    assert wait(waiting, never, "session-2") == ""


@pytest.mark.parametrize("is_rebuilt", [False, True])
def test_the_hook_goes_on_in_a_session_that_started_no_run_and_only_waits(
    is_rebuilt: bool, opened: DeliveryScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = find_project(opened.bench.root)
    ensure_index(project)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    opened.next()
    if is_rebuilt:
        shutil.rmtree(project.state / index.INDEX_FOLDER)
        ensure_index(project)
    for session, is_heard in ((SESSION, True), ("session-2", False)):
        text = json.dumps({"session_id": session, "cwd": str(opened.bench.root)})
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert bool(read_event("stop")) == is_heard


def test_a_story_that_waits_for_nothing_costs_nothing(waiting: DeliveryScene) -> None:
    waiting.pull.state = "CLOSED"
    assert waiting.next()["action"] == "escalate"
    assert wait(waiting, never) == ""


def test_one_process_waits_for_a_session(waiting: DeliveryScene) -> None:
    inner: list[str] = []

    def pause(seconds: float) -> None:
        inner.append(wait(waiting, never))
        waiting.pull.state = "CLOSED"

    assert "DO escalate" in wait(waiting, pause)
    assert inner == [""]


def test_only_the_story_that_is_ready_wakes_the_session(waiting: DeliveryScene) -> None:
    second = Bench(waiting.bench.root, "43")
    second.begin("--complexity", "1")
    waiting.actions.on_push = lambda branch, sha: waiting.actions.job(sha, status="in_progress")
    assert second.deliver(files={"more.py": "M = 1\n"})["rule"] == "ci/wait"

    def pause(seconds: float) -> None:
        waiting.pulls[1].state = "CLOSED"

    assert wait(waiting, pause).startswith("What story 43 waited for is over")


def test_the_question_that_wakes_the_session_can_be_answered_in_it(waiting: DeliveryScene) -> None:
    waiting.pull.state = "CLOSED"
    said = wait(waiting, at_once)
    assert ("DO escalate" in said, "OPTION retry" in said) == (True, True)
    assert waiting.bench.state.shown == (SESSION,)


def test_a_round_of_feedback_is_not_interrupted(waiting: DeliveryScene) -> None:
    waiting.hub.permit(REPOSITORY, "alice", "write")
    waiting.pull.review(by="alice", threads=[Inline("calc.py", 1, "Name this better.")])
    waiting.actions.finish()
    assert "DO feedback 1" in wait(waiting, at_once)
    assert wait(waiting, never) == ""


def test_a_look_from_a_terminal_takes_no_wait(waiting: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_CODE_SESSION_ID")
    waiting.actions.checks.clear()
    waiting.actions.runs.clear()
    assert waiting.next()["rule"] == "ci/unreported"
    waiting.pull.state = "CLOSED"
    assert "DO escalate" in wait(waiting, at_once)


def test_a_question_settled_elsewhere_wakes_nobody(waiting: DeliveryScene) -> None:
    def pause(seconds: float) -> None:
        waiting.pull.state = "CLOSED"
        waiting.next()
        waiting.bench.baton("answer", "42", "abandon")

    assert wait(waiting, pause) == ""


@pytest.mark.gh
def test_it_tells_once_when_github_cannot_be_asked_for_long(waiting: DeliveryScene) -> None:
    waiting.hub.token = "another"
    assert wait(waiting, at_once).startswith("baton cannot go on with story 42: ")

    def recover() -> None:
        waiting.hub.token = "hub-token"
        waiting.pull.state = "CLOSED"

    pauses = Pauses(1050, recover)  # 30 s, twice that each time, and 300 s at most
    assert "DO escalate" in wait(waiting, pauses)
    assert (sum(pauses), max(pauses)) == (1050, 30)


def test_it_wakes_before_the_client_ends_its_hook(waiting: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    stops = next(one["Stop"] for one in plugin["hooks"] if isinstance(one, dict) and "Stop" in one)
    (timeout,) = [one["timeout"] for stop in stops for one in stop["hooks"] if one.get("asyncRewake")]
    assert timeout > MOST_S + SELDOM_S
    monkeypatch.setattr("baton.hooks.waiting.MOST_S", 80)
    pauses: list[float] = []
    said = wait(waiting, pauses.append)
    assert said.startswith("What story 42 waited for is not there yet. Carry out this step:\nDO wait\n")
    assert pauses == [30.0, 30.0, 30.0]


def test_the_client_is_gone_when_nobody_reads_any_more() -> None:
    reader, writer = os.pipe()
    assert is_read(writer)
    os.close(reader)
    assert not is_read(writer)
    os.close(writer)


# A question that stands on GitHub


@pytest.fixture
def asked(of_issue_with: NewScene, monkeypatch: pytest.MonkeyPatch) -> DeliveryScene:
    """Have a session be shown a question that alice may answer on GitHub."""
    scene = of_issue_with("ask_on: github")
    scene.hub.permit(REPOSITORY, "alice", "write")
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    assert scene.bench.judge("ESCALATE")["rule"] == "qa/escalate"
    return scene


def looks(scene: DeliveryScene) -> int:
    return sum(request.method == "GET" and request.path.endswith("/comments") for request in scene.hub.requests)


def test_an_answer_on_github_wakes_the_conversation_with_the_next_step(asked: DeliveryScene) -> None:
    pauses = Pauses(330, lambda: asked.hub.comment(REPOSITORY, 12, by="alice", body="/baton retry"))
    before, said = looks(asked), wait(asked, pauses)
    assert said.splitlines()[1] == "DO spawn baton:qa"
    assert "WARNING alice answered `retry` on GitHub: " in said
    assert (sum(pauses), looks(asked) - before) == (600, 2)


def test_once_it_is_answered_in_the_client_nobody_is_woken(asked: DeliveryScene) -> None:
    pauses = Pauses(300, lambda: asked.answer("retry"))
    said = wait(asked, pauses)
    assert (said, sum(pauses), asked.bench.state.stage) == ("", 300, "running")


def test_a_session_that_was_not_shown_it_does_not_wait(asked: DeliveryScene) -> None:
    assert wait(asked, never, "session-2") == ""


def test_a_question_here_alone_is_not_waited_for(early: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    assert early.bench.judge("ESCALATE")["rule"] == "qa/escalate"
    assert wait(early, never) == ""


def test_another_story_of_the_session_is_looked_at_as_often_as_before(asked: DeliveryScene) -> None:
    other = replace(asked, bench=Bench(asked.bench.root), story="story/42-subtract-numbers")
    other.on_push(lambda sha: other.actions.job(sha, status="in_progress"))
    other.bench.begin()
    other.bench.plan()
    other.bench.implement()
    assert other.deliver()["rule"] == "ci/wait"
    pauses = Pauses(60, other.actions.finish)
    assert "story 42 waited for" in wait(asked, pauses)
    assert pauses == [30.0, 30.0]


def stop(scene: DeliveryScene) -> CallResult:
    return call("hook", "stop", stdin=json.dumps({"cwd": str(scene.bench.root), "session_id": SESSION}))


def test_the_hook_wakes_by_exit_code_and_stderr(waiting: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", at_once)
    monkeypatch.setitem(EVENTS, "stop", EVENTS["stop"]._replace(answer=lambda project, payload: "DO ask"))
    assert stop(waiting) == (2, "", "DO ask\n")


def test_the_hook_says_nothing_where_nothing_is_waited_for(waiting: DeliveryScene) -> None:
    waiting.pull.state = "CLOSED"
    waiting.next()
    assert stop(waiting) == (0, "", "")


def test_a_story_the_module_drives_wakes_nobody(waiting: DeliveryScene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_DRIVEN", "1")
    order = waiting.bench.baton("for-module", "go", "42").json
    assert (order["pause"], order["then"]) == (30, ["go", "42"])
    assert wait(waiting, never) == ""
