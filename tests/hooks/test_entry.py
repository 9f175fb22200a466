"""A hook that has nothing to do ends before anything but the standard library is imported."""

import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from baton.errors import BatonError
from baton.git.command import find_project
from baton.hooks.agent_runs import ensure_index
from baton.hooks.entry import FILTERS, packages_for, read_event, state_folder
from baton.hooks.hook_events import EVENTS
from baton.journal import index
from bench import Bench, call
from scenes import start_agent

ROOT = Path(__file__).parents[2]
SESSION, AGENT = "session-1", "agent-1"
FOREIGN: dict[str, dict[str, Any]] = {
    "session-start": {},
    "user-prompt-submit": {"prompt": "How are you? <task-notification><task-id>agent-2</task-id>"},
    "subagent-stop": {"agent_id": "agent-2"},
    "post-tool-use": {"tool_name": "Agent", "tool_input": {"subagent_type": "Explore", "prompt": "look"}},
}
OURS: dict[str, dict[str, Any]] = {
    "session-start": {},
    "user-prompt-submit": {"prompt": f"<task-notification>\n<task-id> {AGENT}</task-id>"},
    "subagent-stop": {"agent_id": AGENT},
    "post-tool-use": {"tool_name": "Agent", "tool_input": {"subagent_type": "baton:qa"}},
}
events = pytest.mark.parametrize("event", FOREIGN)


def heard(monkeypatch: pytest.MonkeyPatch, event: str, cwd: Path, **payload: object) -> bool:
    """Whether a hook goes on; if so, its input is as the client gave it."""
    text = json.dumps({"session_id": SESSION, "cwd": str(cwd), **payload})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    found = read_event(event)
    assert found in ("", text)
    return bool(found)


@pytest.fixture
def running(implementing: Bench) -> Bench:
    """A run whose agent the client has started, in a repository with an index."""
    ensure_index(find_project(implementing.root))
    start_agent(implementing, agent=AGENT)
    return implementing


@events
def test_hooks_end_where_baton_was_never_used(event: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".git").mkdir()
    assert not heard(monkeypatch, event, tmp_path, **FOREIGN[event])


@events
def test_a_hook_goes_on_for_what_is_indexed(event: str, running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert heard(monkeypatch, event, running.root, **OURS[event])
    index.replace_lists(str(find_project(running.root).state), {index.UNDER_WAY: []})
    assert not heard(monkeypatch, event, running.root, **FOREIGN[event])


@pytest.mark.parametrize("prompt", ["/implement 42", "now /baton:answer", "/resolve-pr-feedback 7"])
def test_prompts_that_may_start_work_go_on(prompt: str, running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    assert heard(monkeypatch, "user-prompt-submit", running.root, prompt=prompt)


def test_a_session_that_was_asked_is_heard_and_no_other(running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    running.work(status="blocked")
    for session, expected in ((SESSION, True), ("another", False)):
        payload = {"session_id": session, "prompt": "retry", "tool_name": "AskUserQuestion"}
        assert not heard(monkeypatch, "user-prompt-submit", running.root, **payload)
        assert heard(monkeypatch, "post-tool-use", running.root, **payload) is expected


@pytest.mark.parametrize("event", ["turn-ends", "stop"])
def test_only_a_turn_that_drives_is_heard(event: str, running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ID", SESSION)
    running.work(1)
    assert heard(monkeypatch, event, running.root)
    assert not heard(monkeypatch, event, running.root, session_id="another")
    index.replace_lists(str(find_project(running.root).state), {index.UNDER_WAY: []})
    assert not heard(monkeypatch, event, running.root)


def test_the_next_prompt_withdraws_a_call_asked_about(running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (permits := running.root / ".git/baton/.permits").mkdir()
    assert not heard(monkeypatch, "user-prompt-submit", running.root, prompt="no")
    (permits / "one").touch()
    assert heard(monkeypatch, "user-prompt-submit", running.root, prompt="no")


@events
def test_a_hook_builds_an_index_it_lacks(event: str, implementing: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    start_agent(implementing, agent=AGENT)
    shutil.rmtree(implementing.root / ".git/baton/.index")
    assert heard(
        monkeypatch, event, implementing.root, **{**FOREIGN, "post-tool-use": OURS["post-tool-use"]}[event]
    )
    payload = json.dumps({"cwd": str(implementing.root), **FOREIGN[event]})
    call("hook", "session-start", stdin=payload)
    assert heard(monkeypatch, "subagent-stop", implementing.root, **OURS["subagent-stop"])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"cwd": "\\u0000"', '{"cwd": "a\\'])
def test_input_that_is_no_event_ends_silently(text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_event("subagent-stop") == ""


def test_an_event_of_no_row_is_refused_before_imports(running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BatonError, match=f"^no hook `pre-compact` .*: one of: {', '.join(FILTERS)}$"):
        heard(monkeypatch, "pre-compact", running.root)


def test_what_the_client_calls_has_a_row_in_both_tables_and_the_other_way_round() -> None:
    manifest = json.loads((ROOT / ".claude-plugin/plugin.json").read_text(encoding="utf-8"))
    (hooks,) = [part for part in manifest["hooks"] if isinstance(part, dict)]
    called = [
        (client_event, entry["command"].rpartition(" hook ")[2])
        for client_event, matchers in hooks.items()
        for matcher in matchers
        for entry in matcher["hooks"]
    ]
    known = [(client_event, event) for event, row in EVENTS.items() for client_event in row.client_events]
    assert sorted(called) == sorted([*known, ("PreToolUse", "pre-tool-use")])  # that one: see launch.py
    assert [*FILTERS] == [*EVENTS]


def test_a_folder_with_escapes_in_its_name_is_found(running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    (place := running.root / 'a "ü\\').mkdir()
    assert heard(monkeypatch, "subagent-stop", place, **OURS["subagent-stop"])


def test_the_input_is_put_back_for_the_program(running: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.hooks.set_up.ready_for_hook", lambda event: "packages")
    text = json.dumps({"cwd": str(running.root), **OURS["subagent-stop"]})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert (packages_for("subagent-stop"), sys.stdin.read()) == ("packages", text)


def test_every_work_tree_of_a_repository_has_the_same_journals(running: Bench, tmp_path: Path) -> None:
    below, linked = running.root / "tools", tmp_path / "linked"
    running.git("worktree", "add", "--quiet", "--detach", str(linked))
    expected = str(running.root / ".git/baton")
    assert [os.path.realpath(state_folder(str(place))) for place in (running.root, below, linked)] == [
        expected
    ] * 3
    assert state_folder(str(tmp_path)) == ""
