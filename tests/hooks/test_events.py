"""What the client tells and is told: its own recorded payloads, with a test's folder and runs in them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from baton.commands.output import LIMIT_BYTES
from baton.commands.status_line import line_for
from baton.git.command import find_project
from bench import SESSION, VERDICT, Bench, CallResult, call
from scenes import start_agent

pytestmark = pytest.mark.sampled(40)

PAYLOADS = Path(__file__).parent / "payloads"
RUN = "sess_1771355557_680126_iter2"
RECORDED = {
    "launched": "post-tool-use-agent-launched",
    "finished": "post-tool-use-agent-finished",
    "foreign launched": "post-tool-use-foreign-agent",
    "stopped": "subagent-stop-first",
    "stopped again": "subagent-stop-after-block",
    "foreign stopped": "subagent-stop-foreign",
    "notified": "user-prompt-submit-notification",
    "foreign notified": "user-prompt-submit-foreign-notification",
    "killed": "user-prompt-submit-notification-killed",
    "permission": "permission-request",
    "person": "user-prompt-submit-person",
    "session": "session-start-startup",
}
EVENTS = {
    "PostToolUse": "post-tool-use",
    "SubagentStop": "subagent-stop",
    "StopFailure": "stop-failure",
    "PermissionRequest": "permission-request",
    "UserPromptSubmit": "user-prompt-submit",
}
AGENTS = {"notified": "a39ff4067488694b3", "killed": "a69d6841cd243fc83", "finished": "a156924a5c7891b44"}
OURS = "a39ff4067488694b3"


def tell(bench: Bench, name: str, agent: str = OURS, **more: Any) -> CallResult:
    """Tell a recorded event, with this story's run for the recorded one and `agent` for the recorded agent."""
    text = (PAYLOADS / f"{RECORDED[name]}.json").read_text(encoding="utf-8")
    text = text.replace(RUN, bench.run.id).replace(AGENTS.get(name, OURS), agent)
    payload = {**json.loads(text), "cwd": str(bench.root), **more}
    return call("hook", EVENTS.get(payload["hook_event_name"], "session-start"), stdin=json.dumps(payload))


def added(said: CallResult) -> str:
    """What a hook adds to the conversation; nothing when it says nothing."""
    assert (said.code, said.err) == (0, "")
    assert len(said.out.encode()) <= LIMIT_BYTES * 7  # escaped
    return json.loads(said.out)["hookSpecificOutput"]["additionalContext"] if said.out else ""


def shown(said: CallResult) -> str:
    """What a hook shows the user beside it; nothing when it shows nothing."""
    return str(json.loads(said.out).get("systemMessage", "")) if said.out else ""


def is_silent(bench: Bench, said: CallResult, before: bytes) -> bool:
    return (said, bench.journal.read_bytes()) == ((0, "", ""), before)


@pytest.fixture
def launched(implementing: Bench) -> Bench:
    """An implementation run whose agent the client has just started, and that has begun."""
    assert tell(implementing, "launched") == (0, "", "")
    assert implementing.tree
    return implementing


# The client asks


def test_a_dialog_is_shown_until_its_agent_goes_on(launched: Bench, tmp_path: Path) -> None:
    transcript = tmp_path / "subagents" / f"agent-{OURS}.jsonl"
    transcript.parent.mkdir()
    transcript.write_text("so far\n")
    given = {"transcript_path": f"{tmp_path}.jsonl"}
    assert tell(launched, "permission", **given) == (0, "", "")
    assert re.search(r"\n    asked in the client 2\S+: Bash npm install left-pad\n", launched.baton("status").out)
    assert line_for(launched.root).endswith(" ago: Bash npm install left-pad")
    transcript.write_text("so far\nand on\n")
    assert launched.baton("status", "--json").json["stories"][0]["asked"] == []
    assert "asked in" not in line_for(launched.root)


def test_a_dialog_for_another_agent_is_none_of_a_story(launched: Bench) -> None:
    assert is_silent(launched, tell(launched, "permission", agent="a00"), launched.journal.read_bytes())
    assert "asked in" not in launched.baton("status").out


# An agent is started


def test_a_launch_binds_the_agent_to_the_run_its_prompt_names(launched: Bench) -> None:
    assert [(start.agent, start.client_session) for _, start in launched.run.starts] == [(OURS, SESSION)]
    assert launched.next()["start_seen"]


def test_a_launch_that_is_told_twice_counts_once(launched: Bench) -> None:
    before = launched.journal.read_bytes()
    assert is_silent(launched, tell(launched, "launched"), before)
    assert tell(launched, "launched", agent="another").code == 0
    assert len(launched.run.starts) == 2


OF_OURS = {"subagent_type": "baton:implementer"}
LET_GO = {
    "a launch by a foreign prompt": ("launched", {"tool_input": {**OF_OURS, "prompt": "Where is the parser?"}}),
    "of an unknown run": ("launched", {"tool_input": {**OF_OURS, "prompt": f"Run {RUN}9 of story 42: read it"}}),
    "of an unknown story": ("launched", {"tool_input": {**OF_OURS, "prompt": f"Run {RUN} of story 7: read it"}}),
    "of a foreign agent": ("launched", {"tool_input": {"subagent_type": "Explore", "prompt": "{prompt}"}}),
    "of no agent type": ("launched", {"tool_input": {"subagent_type": None, "prompt": "{prompt}"}}),
    **{f"answered by {it}": ("launched", {"tool_response": json.loads(it)})
       for it in ("null", '"text"', "[]", "{}", '{"agentId": null}', '{"agentId": ""}')},
    "a foreign launch": ("foreign launched", {}),
    "a foreign stop": ("foreign stopped", {}),
    "the stop of a phantom": ("stopped", {"agent_id": "phantom"}),
    "of an empty id": ("stopped", {"agent_id": ""}),
    "of no id": ("stopped", {"agent_id": None, "agent_type": ""}),
    "a foreign notification": ("foreign notified", {}),
    "a prompt of the user's": ("person", {}),
    **{f"the prompt {it!r}": ("notified", {"prompt": it}) for it in (
        f"what is <task-id>{OURS}</task-id>?", "<task-notification>", "", f"<task-notification>{OURS}", None, 7)},
}  # fmt: skip


@pytest.mark.parametrize(("name", "more"), LET_GO.values(), ids=LET_GO)
def test_an_event_of_another_run_writes_and_says_nothing(name: str, more: dict[str, Any], launched: Bench) -> None:
    given = json.loads(json.dumps(more).replace("{prompt}", f"Run {launched.run.id} of story 42: read it"))
    before = launched.journal.read_bytes()
    assert is_silent(launched, tell(launched, name, **given), before)


@pytest.mark.parametrize(("name", "agent"), [("launched", "another"), ("stopped", OURS)])
def test_an_event_of_a_judged_run_writes_nothing(name: str, agent: str, launched: Bench) -> None:
    run = launched.run.id
    launched.work(1)
    before = launched.journal.read_bytes()
    given = {**OF_OURS, "prompt": f"Run {run} of story 42: read it"}
    assert is_silent(launched, tell(launched, name, agent=agent, tool_input=given), before)


def test_a_launch_for_a_story_whose_journal_is_gone_is_one_line(implementing: Bench) -> None:
    run = implementing.run.id
    implementing.journal.rename(implementing.journal.with_name("moved"))
    given = {"prompt": f"Run {run} of story 42: read it", "subagent_type": "baton:implementer"}
    payload = json.loads((PAYLOADS / f"{RECORDED['launched']}.json").read_text(encoding="utf-8"))
    payload |= {"cwd": str(implementing.root), "tool_input": given}
    said = call("hook", "post-tool-use", stdin=json.dumps(payload))
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)


def test_an_agent_in_the_foreground_has_ended_when_it_is_told(implementing: Bench) -> None:
    implementing.mark(1)
    implementing.meta("partial")
    run = implementing.run.id
    said = tell(implementing, "finished")
    assert shown(said).endswith("; next: implement, phase 2 of 2")
    context = added(said)
    assert context.startswith(f"baton has judged run {run}. Carry out this step:\n")
    assert context.splitlines()[1] == "DO spawn baton:implementer"
    assert implementing.run.id != run


# An agent stops


def test_the_first_stop_marks_the_end_and_judges_nothing(launched: Bench) -> None:
    assert tell(launched, "stopped") == (0, "", "")
    assert (launched.run.ended, launched.run.judged) == ("subagent-stop", None)
    assert launched.next()["rule"] == "implementation/no-return"


@pytest.mark.parametrize("name", ["stopped", "stopped again"])
def test_another_stop_writes_nothing(name: str, launched: Bench) -> None:
    tell(launched, "stopped")
    before = launched.journal.read_bytes()
    assert is_silent(launched, tell(launched, name), before)


def test_a_run_may_still_hand_in_after_its_first_stop(launched: Bench) -> None:
    tell(launched, "stopped")
    launched.mark(1)
    assert launched.meta("partial").code == 0
    assert launched.next()["rule"] == "implementation/continue"


# A notification wakes the conversation


def test_a_notification_folds_the_run_and_gives_the_next_step(launched: Bench) -> None:
    launched.mark(1)
    launched.meta("partial")
    run = launched.run.id
    lines = added(tell(launched, "notified")).splitlines()
    assert lines[0].startswith(f"baton has judged run {run}.")
    assert lines[1:2] + lines[-1:] == [
        "DO spawn baton:implementer",
        f"THEN baton next 42 --ended {launched.run.id}",
    ]


def test_the_end_of_a_run_is_shown_once_and_to_the_user_alone(launched: Bench) -> None:
    launched.mark(1)
    launched.meta("partial")
    said = tell(launched, "notified")
    assert shown(said).startswith("42 Subtract numbers: implement, phase 1 of 2 ended in ")
    assert shown(said).endswith(" — 1 of 2 phases are done; next: implement, phase 2 of 2")
    assert shown(said) not in added(said)
    assert shown(tell(launched, "notified")) == ""


def test_an_agent_that_is_started_for_a_run_again_is_shown(launched: Bench) -> None:
    said = tell(launched, "launched", agent="another")
    assert json.loads(said.out) == {
        "systemMessage": "42 Subtract numbers: implement, phase 1 of 2 is started again: nothing came back from it"
    }


@pytest.mark.parametrize("name", ["notified", "killed"])
def test_an_agent_that_said_nothing_is_judged_the_same(name: str, launched: Bench) -> None:
    assert "WHY implementation/no-return: " in added(tell(launched, name))
    assert launched.state.runs[-2].ended == "notification"


def test_a_notification_that_comes_again_starts_nothing(launched: Bench) -> None:
    launched.work(1)
    before = launched.journal.read_bytes()
    context = added(tell(launched, "notified"))
    assert context.splitlines()[1] == "DO wait"
    assert launched.journal.read_bytes() == before


def test_a_notification_after_the_question_shows_the_question_once_in_a_session(launched: Bench) -> None:
    launched.work(status="blocked")
    assert added(tell(launched, "notified")).splitlines()[1] == "DO escalate"
    assert launched.state.shown == ("a0457378-5db1-4318-9df9-5eaddb98cfa8",)
    before = launched.journal.read_bytes()
    tell(launched, "notified")
    assert launched.journal.read_bytes() == before


def test_a_notification_at_the_end_shows_the_report(judging: Bench) -> None:
    tell(judging, "launched", tool_input={"prompt": judging.next()["prompt"], "subagent_type": "baton:qa"})
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    lines = added(tell(judging, "notified")).splitlines()
    assert lines[1] == "DO complete"
    assert "# Story 42: Subtract numbers" in lines


def test_however_much_there_is_to_say_the_context_is_bounded(launched: Bench) -> None:
    launched.mark(1)
    launched.meta("partial", requires_user_review=True, review_reason="日\x1b" * 40_000)
    context = added(tell(launched, "notified"))
    assert len(context.encode()) <= LIMIT_BYTES
    assert context.splitlines()[-1] == "THEN baton answer 42 OPTION [--note TEXT]"
    assert "\x1b" not in context


def test_a_step_that_cannot_be_taken_is_told_to_the_conversation(launched: Bench) -> None:
    launched.git("branch", "--move", "main", "trunk")
    said = tell(launched, "notified")
    context = added(said)
    assert context.startswith("baton could not take the next step of story 42: ")
    assert context.startswith(shown(said)[:60])
    assert "main" in context


def test_a_prompt_that_sends_agents_out_gets_the_permission_line(bench: Bench) -> None:
    bench.new()
    text = (PAYLOADS / "user-prompt-submit-person.json").read_text(encoding="utf-8")
    for prompt in ("/implement 42", "/baton:implement", " /implement", "/resolve-pr-feedback 7"):
        payload = {**json.loads(text), "cwd": str(bench.root), "prompt": prompt}
        context = added(call("hook", "user-prompt-submit", stdin=json.dumps(payload)))
        assert context.splitlines()[1].startswith("Permission mode default: it asks before an agent edits a file")


# A session starts


def test_a_session_is_told_which_stories_are_under_way(planning: Bench) -> None:
    context = added(tell(planning, "session"))
    assert context.splitlines()[1:] == ["story 42 (planning): Subtract numbers"]


def test_a_title_is_one_short_line_of_what_can_be_seen(bench: Bench) -> None:
    bench.new("Sub\u202etract \x1b[2J " + "numbers " * 400)
    bench.next()
    bench.answer("accept")
    [line] = added(tell(bench, "session")).splitlines()[1:]
    assert line.startswith("story 42 (planning): Sub[U+202E]tract ")
    assert (len(line.partition(": ")[2]), line.isprintable(), line[-1]) == (80, True, "…")


def test_a_session_is_not_told_of_stories_that_are_done(judging: Bench) -> None:
    judging.judge()
    assert tell(judging, "session") == (0, "", "")


# What is no payload


@pytest.mark.parametrize("event", [*EVENTS.values(), "session-start"])
@pytest.mark.parametrize("text", ["", "{", "not json", '{"a": 1, "a": 2}', "\ufffd\0"])
def test_an_input_that_is_no_json_is_one_line_and_never_exit_2(event: str, text: str, surrounded: Path) -> None:
    said = call("hook", event, stdin=text)
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
    assert said.err.startswith("baton: not readable as JSON (")


@pytest.mark.parametrize("event", [*EVENTS.values(), "session-start"])
@pytest.mark.parametrize("text", ["[]", "null", "{}", '"text"', '{"cwd": 7, "prompt": [], "tool_input": "x"}'])
def test_an_odd_event_is_let_go(event: str, text: str, surrounded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(surrounded)
    assert call("hook", event, stdin=text) == (0, "", "")


@pytest.mark.parametrize("name", RECORDED)
def test_outside_a_repository_there_is_nothing_to_do(name: str, implementing: Bench, tmp_path: Path) -> None:
    assert tell(implementing, name, cwd=str(tmp_path)) == (0, "", "")
    assert tell(implementing, name, cwd=str(tmp_path / "missing")) == (0, "", "")


@pytest.mark.parametrize("event", [*EVENTS.values(), "session-start"])
def test_in_a_repository_without_stories_there_is_nothing_to_do(event: str, bench: Bench) -> None:
    assert call("hook", event, stdin=json.dumps({"cwd": str(bench.root), "agent_id": OURS})) == (0, "", "")


def test_an_unknown_event_is_one_line(surrounded: Path) -> None:
    said = call("hook", "pre-compact", stdin="{}")
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("baton: no hook `pre-compact` at the command line: one of: session-start, ")


@pytest.mark.parametrize("name", ["stopped", "notified", "session"])
def test_a_damaged_journal_is_one_line_and_never_exit_2(name: str, launched: Bench) -> None:
    text = (PAYLOADS / f"{RECORDED[name]}.json").read_text(encoding="utf-8")
    payload = {**json.loads(text), "cwd": str(launched.root)}
    launched.journal.write_bytes(launched.journal.read_bytes().replace(b"Subtract", b"Subtracd"))
    said = call("hook", EVENTS.get(payload["hook_event_name"], "session-start"), stdin=json.dumps(payload))
    assert (said.code, said.out, said.err.count("\n")) == (1, "", 1)
    assert said.err.startswith("baton: damaged journal (")


def test_a_damaged_journal_keeps_no_other_story_from_being_told(launched: Bench) -> None:
    Bench(launched.root, "43").new("Another")
    other = find_project(launched.root).journal("43")
    other.write_bytes(other.read_bytes().replace(b"Another", b"Anotherr"))
    said = call("hook", "session-start", stdin=json.dumps({"cwd": str(launched.root)}))
    assert (said.code, "story 42 (" in said.out) == (0, True)


# Metadata that was printed instead of handed in


@pytest.mark.parametrize(
    ("said", "warned"), [('```json\n{"status": "implemented"}\n```', True), ("all is done", False)]
)
def test_metadata_in_the_last_message_is_warned_of_alone(said: str, warned: bool, implementing: Bench) -> None:
    start_agent(implementing, "a1")
    assert implementing.tree
    payload = {"cwd": str(implementing.root), "agent_id": "a1", "last_assistant_message": said}
    assert call("hook", "subagent-stop", stdin=json.dumps(payload)).code == 0
    assert implementing.next()["rule"] == "implementation/no-return"
    assert ("printed its metadata in its last message" in implementing.brief) == warned
