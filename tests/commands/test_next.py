"""The verbs of the loop as data: every field the contract names is there."""

from typing import Any

import pytest

from bench import PLAN, Bench, PlayScene

STEP = {
    *("story", "phase", "action", "rule", "guard", "reason", "run", "agent", "brief", "prompt", "iteration"),
    *("max_iterations", "attempt", "model", "seconds", "resume", "warnings", "question", "report"),
}
RESUME = {"resume_phase", "handoff_path", "iteration", "session_id", "plan_path", "errors"}
QUESTION = {
    *("story", "title", "phase", "rule", "artifact", "reason", "recommendation", "kind", "question", "options"),
    *("advice", "attempts", "errors", "answer_with"),
}
RECOMMENDATIONS = {"back to discovery", "manual fix", "scope clarification", "continue"}
ACTIONS = {
    "start/planning": "spawn",
    "in-progress/wait": "wait",
    "planning/approval": "ask",
    "qa/escalate": "escalate",
    "merge/done": "complete",
}


@pytest.mark.parametrize("rule", ACTIONS)
def test_a_step_has_every_field(rule: str, play: PlayScene) -> None:
    _, step = play(rule)
    assert set(step) >= STEP
    assert step["action"] == ACTIONS[rule]
    assert (step["question"] is not None) == (step["action"] in ("ask", "escalate"))
    assert (step["report"] is not None) == (step["action"] == "complete")
    assert (step["guard"] is not None) == (step["action"] == "spawn")


def test_the_resume_context_has_every_field_and_only_the_implementer_has_one(play: PlayScene) -> None:
    _, step = play("implementation/continue")
    assert set(step["resume"]) == RESUME
    assert (step["iteration"], step["attempt"], step["resume"]["iteration"]) == (2, 1, 2)


def test_other_roles_have_no_resume_context(planning: Bench) -> None:
    assert planning.next()["resume"] is None


@pytest.mark.parametrize("rule", ["start/commands", "planning/exhausted", "qa/fail-twice", "build/unclear"])
def test_a_question_has_every_field(rule: str, play: PlayScene) -> None:
    bench, step = play(rule)
    question = step["question"]
    assert set(question) >= QUESTION
    assert (question["rule"], question["story"], question["title"]) == (rule, "42", "Subtract numbers")
    assert question["recommendation"] in RECOMMENDATIONS
    assert question["kind"] in ("decide", "authorize", "act")
    assert all(set(one) == {"id", "does"} for one in question["options"])
    assert bench.baton("question", "42", "--json").json == question


def test_the_open_question_is_shown_as_next_shows_it(play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    assert bench.baton("next", "42").out == "DO escalate\n" + bench.baton("question", "42").out


def test_without_a_question_there_is_none_to_show(planning: Bench) -> None:
    line = "baton: no question is open at story 42: `baton next 42` says where it stands\n"
    assert planning.baton("question", "42").refused == line


def test_a_hand_in_has_every_field(planning: Bench) -> None:
    good, bad = planning.hand_in("plan", PLAN).json, planning.hand_in("plan", "# Plan\n").json
    assert good == {
        "accepted": True,
        "path": "specs/42_subtract-numbers/42.execution-plan.md",
        "findings": [],
        "normalized": [],
        "form": "",
    }
    assert (set(bad), bad["accepted"]) == ({"accepted", "path", "findings", "normalized", "form"}, False)
    assert all({"path", "where", "rule", "message", "severity"} == set(one) for one in bad["findings"])


def test_an_answer_has_every_field_and_says_what_follows(play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    said: Any = bench.baton("answer", "42", "retry", "--json").json
    assert (said["accepted"], said["next"]) == (True, "baton next 42")


def test_abandon_says_where_the_work_stays(play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    out = bench.baton("answer", "42", "abandon").out
    assert out == "abandoned; its branch story/42-subtract-numbers stays\n"


def test_control_characters_reach_no_stdout(implementing: Bench) -> None:
    reason = "a\x1b[31mb\x9bc\x07d\x7f"
    implementing.work(1, requires_user_review=True, review_reason=reason)
    for words in (["next", "42"], ["next", "42", "--json"], ["timeline", "42", "--json"], ["timeline", "42"]):
        out = implementing.baton(*words).out
        assert [one for one in out if not one.isprintable() and one != "\n"] == []
    assert reason in implementing.next()["reason"]
