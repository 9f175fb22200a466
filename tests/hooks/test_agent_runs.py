"""What a run used and how it ended is read from the client's transcripts, and never an error of the hook."""

from pathlib import Path
from typing import Any

import pytest

from baton.git.command import find_project
from baton.hooks.agent_runs import note_end
from baton.hooks.waiting import go_on_waiting
from baton.journal.events import Ended, Spent
from bench import SESSION, Bench, CallResult
from hooks.test_events import OURS, tell
from usage.transcripts import answer, refusal, write


@pytest.fixture
def launched(implementing: Bench) -> Bench:
    """An implementation run whose agent the client has just started, and that has begun."""
    assert tell(implementing, "launched") == (0, "", "")
    assert implementing.tree
    return implementing


def place(bench: Bench, agent: str = OURS) -> Path:
    """Where the client keeps a transcript: the conversation's with agent ""."""
    folder = bench.root.parent / "projects"
    return folder / SESSION / "subagents" / f"agent-{agent}.jsonl" if agent else folder / f"{SESSION}.jsonl"


def stop(bench: Bench, name: str = "stopped", **more: Any) -> CallResult:
    paths = {"transcript_path": str(place(bench, "")), "agent_transcript_path": str(place(bench))}
    return tell(bench, name, **{**paths, "session_id": SESSION, **more})


def spent(bench: Bench) -> list[Spent]:
    return [event for event in bench.state.events if isinstance(event, Spent)]


def test_a_runs_spending_is_noted_once(launched: Bench) -> None:
    write(place(launched), answer("a", 1), answer("a", 2), answer("b", 31))
    assert stop(launched) == stop(launched) == (0, "", "")
    assert spent(launched) == [
        Spent(launched.run.id, SESSION, {"claude-opus-5-5": [2, 20, 40, 600, 80, 0, 0]}, 30)
    ]


def test_a_run_that_was_resumed_has_used_all_of_its_transcript(launched: Bench) -> None:
    write(place(launched), answer("a"))
    stop(launched)
    write(place(launched), answer("a"), answer("b"))
    stop(launched)
    said = launched.baton("status", "42", "--json").json["stories"][0]["spent"]
    assert (said["requests"], said["input"], said["output_at_least"]) == (2, 20, 40)


def test_the_transcript_lies_beside_the_conversations_where_the_client_does_not_say(launched: Bench) -> None:
    write(place(launched), answer("a"))
    stop(launched, agent_transcript_path=None)
    assert [one.models["claude-opus-5-5"][0] for one in spent(launched)] == [1]


@pytest.mark.parametrize("text", [None, b"", b"\xff\xfe\x00", answer("a", agent="another").encode()])
def test_a_run_without_a_transcript_is_judged_its_use_not_known(text: bytes | None, launched: Bench) -> None:
    if text is not None:
        write(place(launched), text)
    assert stop(launched) == (0, "", "")
    [found] = spent(launched)
    assert (found.models, found.unknown.startswith("its transcript")) == ({}, True)
    assert launched.run.ended == "subagent-stop"


def test_a_transcript_that_is_gone_takes_nothing_back(launched: Bench) -> None:
    write(place(launched), answer("a"))
    stop(launched)
    place(launched).unlink()
    stop(launched)
    assert len(spent(launched)) == 1


@pytest.mark.parametrize("path", ["/etc/passwd", "/dev/zero", "../x", "\0", 5, ["x"]])
def test_a_strange_path_is_no_error(path: object, launched: Bench) -> None:
    assert stop(launched, agent_transcript_path=path) == (0, "", "")


# How it ended


def test_a_run_that_the_plans_limit_ended_says_until_when(launched: Bench) -> None:
    limits = {"status": "rejected", "resetsAt": 4_000_000_000}
    write(place(launched), answer("a"), refusal("rate_limit", 429, "You've hit it", quotaLimits=limits))
    payload = {"hook_event_name": "StopFailure", "error": "rate_limit"}
    stop(launched, **payload)
    [end] = [event for event in launched.state.events if isinstance(event, Ended)]
    assert end.refused == "limit"
    assert launched.next()["rule"] == "limit/held"


@pytest.mark.parametrize(("told", "waits"), [
    ({"hook_event_name": "StopFailure"}, True), ({"prompt": "…<status>failed</status>…"}, True),
    ({"prompt": "…<status>completed</status>…"}, False),
])  # fmt: skip
def test_a_refusal_that_is_written_after_the_client_told_of_the_failure_is_seen(
    told: dict[str, str], waits: bool, launched: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place(launched), answer("a"))
    late = refusal("overloaded", 529, "Overloaded")
    monkeypatch.setattr("baton.hooks.agent_runs.sleep", lambda _: write(place(launched), answer("a"), late))
    payload = {**told, "session_id": SESSION, "agent_transcript_path": str(place(launched))}
    note_end(find_project(launched.root), "42", Ended(launched.run.id, "notification"), OURS, payload)
    assert launched.run.refused_by_service == ("overloaded" if waits else "")


def test_a_run_that_only_quotes_a_limit_was_not_ended_by_it(launched: Bench) -> None:
    write(place(launched), answer("a", model="You've hit your session limit · resets 3pm"))
    stop(launched, last_assistant_message="You've hit your session limit · resets 3pm")
    assert launched.run.refused_by_service == ""


@pytest.fixture
def held(launched: Bench) -> Bench:
    """A story whose run the service has just refused."""
    write(place(launched), answer("a"), refusal("overloaded", 529, "Overloaded"))
    stop(launched, hook_event_name="StopFailure")
    assert launched.next()["rule"] == "limit/held"
    return launched


def test_the_session_is_woken_when_requests_are_taken_again(held: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 2:
            monkeypatch.setattr("baton.story.run.spawn_guard.held_until", lambda story: ("", ""))

    said = go_on_waiting(find_project(held.root), {"session_id": SESSION}, pause)
    assert said.startswith("What story 42 waited for is over. Carry out this step:\nDO spawn baton:implementer\n")
    assert (max(pauses), 60 < sum(pauses) <= 150) == (30, True)


def test_no_other_session_waits_for_it(held: Bench) -> None:
    assert go_on_waiting(find_project(held.root), {"session_id": "another"}, lambda _: 1 / 0) == ""


# The conversation


def notify(bench: Bench) -> None:
    assert stop(bench, "notified").code == 0


def conversation(bench: Bench) -> list[int]:
    return [one.models["claude-opus-5-5"][0] for one in spent(bench) if not one.run]


def talk(bench: Bench, *seconds: int) -> None:
    lines = [answer(f"m{second}", second, agent="").replace("2026-", "2999-") for second in seconds]
    write(place(bench, ""), answer("before", agent="").replace("2026-", "2001-"), *lines)


def test_the_conversation_counts_from_the_first_run_on_and_each_request_once(launched: Bench) -> None:
    talk(launched, 1, 2)
    notify(launched)
    assert conversation(launched) == [2]
    tell(launched, "launched", agent="another")
    talk(launched, 1, 2, 3)
    stop(launched, "notified", prompt="<task-notification><task-id>another</task-id>")
    assert conversation(launched) == [2, 1]


def test_a_request_counts_for_one_of_two_stories_in_a_conversation(launched: Bench) -> None:
    talk(launched, 1, 2)
    notify(launched)
    other = Bench(launched.root, "43")
    other.begin()
    tell(other, "launched", agent="another", session_id=SESSION, **_of(other))
    talk(launched, 1, 2, 3, 4, 5)
    stop(other, "notified", prompt="<task-notification><task-id>another</task-id>")
    assert (conversation(launched), conversation(other)) == ([2], [3])


def _of(bench: Bench) -> dict[str, Any]:
    prompt = f"Run {bench.run.id} of story {bench.id}: first call"
    return {"tool_input": {"prompt": prompt, "subagent_type": "baton:planner"}}
