"""Where one fact is otherwise than on the way to a row; what an answer grants, and how often."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import scenes
from bench import DELTA, PLAN, SETTINGS, Bench, PlayScene, Reach
from scenes import REVIEW, Play, close_a_phase, in_turn, push, rewrite

FINAL = {"type": "build", "message": "no compiler", "recoverable": False}


def meet(bench: Bench, **other: object) -> Any:
    """Work with an error that no run can get over, and another."""
    return bench.work(1, errors=[FINAL, {**FINAL, **other}])


def there_and_back(bench: Bench) -> None:
    """Have the user change the story, and take that back."""
    text = bench.place("story").read_text(encoding="utf-8")
    rewrite(bench, "sub(3, 2) is 1", "sub works")
    push(bench, "story", text)


def reopen(bench: Bench) -> None:
    push(bench, "plan", PLAN.replace("see it", "see both"))


def implement(bench: Bench, meddle: Callable[[Bench], None] = lambda bench: None, **more: object) -> Any:
    """Say that everything is implemented, after which the user does something."""
    assert bench.report().code == 0
    if more:
        bench.insist("return-meta", json.dumps({"status": "implemented", **more}))
    meddle(bench)
    return bench.end()


def come_late(bench: Bench, meddle: Callable[[Bench], None]) -> Any:
    """Have the user do something between the verdict and the merge."""
    gate = scenes.wait_for_a_gate(bench)
    meddle(bench)
    gate.touch()
    return bench.next()


def judge_under(bench: Bench, settings: str, *files: str) -> Any:
    scenes.drive_to_judging(bench, settings, dict.fromkeys(files, "work()\n"))
    return bench.judge()


PREPUSH = f"{SETTINGS}commands: {{prepush: [{{path: workers/api, run: exit 1}}]}}\n"
NEAR: dict[str, tuple[str, Play, str]] = {
    "the block of an earlier run": ("planning",
        in_turn(scenes.block_the_plan, lambda b: b.answer("retry"), Bench.plan), "planning/valid"),
    "one of two errors is recoverable": ("implementing",
        lambda b: meet(b, recoverable=True), "implementation/continue"),
    "one of two errors passes by itself": ("implementing",
        lambda b: meet(b, type="timeout"), "implementation/continue"),
    "a criterion was put back": ("implementing",
        in_turn(there_and_back, close_a_phase), "implementation/continue"),
    "a phase was opened": ("implementing", lambda b: implement(b, reopen), "implementation/open-phases"),
    "tests failed": ("implementing",
        lambda b: implement(b, verification="one test failed"), "implementation/open-phases"),
    "a hook refuses a small story": ("micro",
        in_turn(lambda b: b.hook("pre-commit", "exit 1"), Bench.deliver), "micro/fail"),
    "no code was committed beside QA": ("judging", in_turn(reopen, Bench.judge), "close/done"),
    "no code was committed after QA": ("implementing", lambda b: come_late(b, reopen), "close/done"),
    "criteria were put back after QA": ("implementing", lambda b: come_late(b, there_and_back), "close/done"),
    "a memory delta that is valid": (
        "judging", in_turn(lambda b: push(b, "memory-delta", DELTA), Bench.judge), "close/done"),
    "a base that is no production branch": (
        "bench", lambda b: judge_under(b, "production: [release]\nintegrate: {mode: local}\n"), "close/done"),
    "only base has the submodule": ("judging",
        in_turn(lambda b: scenes.pin(b, "1", "main"), Bench.judge), "close/done"),
    "a folder whose name is how the file's begins": (
        "bench", lambda b: judge_under(b, PREPUSH, "workers/api.js"), "close/done"),
    "base has no such worker": (
        "bench", lambda b: scenes.prepush_on_red(b, "echo ERROR: one lint\nexit 1\n"), "fix/run"),
    "QA is no implementation run": ("implementing",
        in_turn(lambda b: b.next("--max-iterations", "1"), Bench.implement), "report/valid"),
}  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("stage", "play", "rule"), NEAR.values(), ids=NEAR)
def test_a_fact_is_what_it_is_there(stage: str, play: Play, rule: str, reach: Reach) -> None:
    assert play(reach(stage))["rule"] == rule


BUDGETS = {
    "in-progress/restarts": ("retries: {restarts: 4}", "in-progress/wait"),
    "planning/exhausted": ("retries: {planning: 3}", "planning/missing"),
    "implementation/no-return-twice": ("retries: {no_return: 3}", "implementation/no-return"),
    "implementation/same-error": (
        "loop: {backoff_s: 0, same_error_limit: 4, no_progress_limit: 9}",
        "implementation/continue",
    ),
    "report/exhausted": ("retries: {report: 3}", "report/missing"),
    "qa/fail-twice": ("retries: {qa_fail_cycles: 3}", "qa/fail"),
    "qa/verdict-exhausted": ("retries: {qa_verdict: 3}", "qa/no-verdict"),
    "qa/delta-exhausted": ("retries: {memory_delta: 4}", "qa/delta-invalid"),
    "micro/exhausted": ("retries: {micro: 3}", "micro/no-verdict"),
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", BUDGETS)
def test_one_attempt_more_is_made_where_the_settings_allow_it(rule: str, reach: Reach) -> None:
    bench, (more, instead) = reach(scenes.SCENES[rule].stage), BUDGETS[rule]
    bench.settle("loop: {backoff_s: 0}" if more.startswith("loop") else "", more)
    assert scenes.SCENES[rule].play(bench)["rule"] == instead


# What an answer grants: tests/rules shows how often a budget that is granted allows another run.


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("rule", "option", "grants"), [
    ("planning/exhausted", "retry", ["planning"]),
    ("planning/exhausted", "replan", ["planning", "iterations", "qa_fail_cycles"]),
    ("report/exhausted", "retry", ["report"]),
    ("qa/fail-twice", "retry", ["qa_fail_cycles"]),
    ("micro/exhausted", "retry", ["micro"]),
    ("limit/iterations", "continue", ["iterations"]),
    ("implementation/no-progress", "continue", []),
    ("qa/escalate", "retry", []),
])  # fmt: skip
def test_an_answer_grants_what_is_used_up(rule: str, option: str, grants: list[str], play: PlayScene) -> None:
    bench, _ = play(rule)
    bench.answer(option)
    assert bench.state.answered is not None
    assert bench.state.answered.grants == grants


# What an answer does not grant


@pytest.mark.parametrize(("option", "rule"), [
    ("continue", "limit/iterations"), ("retry", "run/blocked"), ("replan", "run/blocked"),
])  # fmt: skip
def test_only_retries_and_new_plans_grant_runs_unasked(option: str, rule: str, implementing: Bench) -> None:
    implementing.next("--max-iterations", "1")
    implementing.work(1, status="blocked")
    assert implementing.answer(option)["rule"] == rule


@pytest.mark.parametrize(("answers", "rule"), [(0, "limit/iterations"), (1, "qa/fail")])
def test_the_limit_asks_after_a_fail_not_a_retry_of_qa(answers: int, rule: str, judging: Bench) -> None:
    judging.next("--max-iterations", "1")
    if answers:
        judging.judge("ESCALATE")
        judging.answer("retry")
    assert judging.judge("FAIL", "no docstring")["rule"] == rule


def test_a_retry_grants_what_its_own_phase_used_up_and_nothing_else(planning: Bench) -> None:
    planning.end()
    planning.plan()
    planning.work(status="blocked")
    planning.answer("retry")
    planning.work(status="blocked")
    planning.baton("answer", "42", "replan")
    planning.next()
    assert [planning.end()["rule"] for _ in range(3)] == ["planning/missing"] * 2 + ["planning/exhausted"]


# A question is asked once


def test_what_a_person_passed_is_not_asked_again_after_the_next_question(planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    planning.hand_in("plan-blocked", "## Reason\n\nno database\n")
    planning.meta("planned", **REVIEW)
    assert planning.end()["rule"] == "run/contradiction"
    assert planning.answer("continue")["rule"] == "planning/both"
    # departs: the rows of any phase are read from the top again, and the first question is asked once more.
    assert planning.answer("plan")["rule"] == "planning/valid"
