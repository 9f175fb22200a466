"""What stands in the way of a run: a spent budget, which is asked about; a service that takes no requests yet."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from baton.journal.journal import Journal
from bench import PLAN, Bench, Reach
from scenes import refuse, spend, spend_all

pytestmark = pytest.mark.sampled(8)

PAST, FUTURE = "2026-01-02T03:04:05Z", "2999-01-02T03:04:05Z"


# Budgets


@pytest.mark.parametrize(("budget", "asked"), [
    ("{tokens: 2000000}", True), ("{tokens: 2000001}", False), ("{tokens: none}", False),
    ("{usd: 8}", True), ("{usd: 8.01}", False), ("{minutes: 1}", True), ("{minutes: 2}", False),
    ("{per_day: {usd: 8}}", True), ("{per_day: {usd: 9}}", False), ("{}", False),
])  # fmt: skip
def test_a_story_whose_budget_is_spent_asks_before_its_next_run(budget: str, asked: bool, planning: Bench) -> None:
    step = spend_all(planning, budget)
    assert (step["action"], step["rule"].startswith("limit/budget")) == ("ask" if asked else "spawn", asked)


@pytest.mark.parametrize(("stage", "name"), [("micro", "story.md"), ("implementing", "42.execution-plan.md")])
def test_the_question_names_a_paper_that_is_there(stage: str, name: str, reach: Reach) -> None:
    bench = reach(stage)
    bench.settle("", "budget: {tokens: 1}")
    spend(bench, 5)
    step = bench.deliver("FAIL") if stage == "micro" else bench.work(1)
    paper = Path(step["question"]["artifact"])
    assert (step["rule"], paper.name, paper.exists()) == ("limit/budget", name, True)


def test_the_question_says_what_was_spent_on_what_and_what_nobody_knows(implementing: Bench) -> None:
    implementing.settle("", "budget: {usd: 1}")
    spend(implementing, 1_234_567)
    step = implementing.work(1)
    assert "$4.94 of $1.00" in step["reason"]
    assert "planning: tokens not known" in step["reason"]
    assert "implementation: 1.2M tokens in, cache 0 read and 0 written, at least 0 out" in step["reason"]
    assert [one["id"] for one in step["question"]["options"]] == ["continue", "abandon"]


def test_to_continue_allows_as_much_again_and_makes_the_very_run_that_was_due(judging: Bench) -> None:
    judging.settle("", "budget: {tokens: 1000}")
    spend(judging, 5000)
    assert judging.judge("FAIL", "no docstring")["rule"] == "limit/budget"
    step = judging.answer("continue", "be quick")
    assert (step["action"], step["rule"], step["attempt"]) == ("spawn", "qa/fail", 2)
    assert "no docstring" in judging.brief
    assert "be quick" in judging.brief
    spend(judging, 999)
    assert judging.work(1)["action"] == "spawn"
    spend(judging, 1)
    assert judging.work(2)["rule"] == "limit/budget"


@pytest.mark.parametrize(("budget", "spent"), [
    ("{tokens: 1, usd: 0.01}", ()), ("{usd: 0.01, tokens: 2000001}", (2_000_000, "gpt-6")),
], ids=["what nobody knows", "a model without a price, but by its tokens"])  # fmt: skip
def test_against_a_budget_it_counts_as_nothing(budget: str, spent: tuple[Any, ...], planning: Bench) -> None:
    planning.settle("", f"budget: {budget}")
    if spent:
        spend(planning, *spent)
    assert planning.plan()["action"] == "spawn"


def test_the_day_counts_all_stories_and_the_story_its_own(planning: Bench) -> None:
    planning.settle("", "budget: {tokens: 1500, per_day: {tokens: 1500}}")
    other = Bench(planning.root, "43")
    other.begin()
    spend(planning, 1000)
    spend(other, 1000, story="43")
    assert planning.plan()["rule"] == "limit/budget-today"
    assert planning.answer("continue")["rule"] == "planning/valid"


def test_what_was_spent_on_another_day_is_not_todays(planning: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    planning.settle("", "budget: {per_day: {tokens: 10}}")
    journal = Journal(planning.journal, clock=lambda: PAST)
    with monkeypatch.context() as patch:
        patch.setattr("scenes.Journal", lambda _: journal)
        spend(planning, 1000)
    assert planning.plan()["action"] == "spawn"


# The service


def test_a_run_that_the_service_ended_is_sent_again_and_counts_nowhere(implementing: Bench) -> None:
    implementing.settle("{backoff_s: 0}", "{max_iterations: 1}\nretries: {no_return: 1}")
    before = implementing.run.dispatched
    step = refuse(implementing)
    assert (step["action"], step["rule"], step["attempt"]) == ("spawn", before.rule, before.attempt)
    assert step["reason"] == "the limit of your plan is reached: the run is started again"
    assert step["run"] != before.run


def test_its_work_is_kept(implementing: Bench) -> None:
    implementing.edit({"calc.py": "HALF = 1\n"})
    refuse(implementing)
    assert (implementing.tree / "calc.py").read_text() == "HALF = 1\n"


def test_what_it_was_to_fix_is_told_again(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    step = refuse(judging)
    assert (step["rule"], step["attempt"]) == ("qa/fail", 2)
    assert "no docstring" in judging.brief


def test_until_the_service_takes_requests_nothing_is_sent(implementing: Bench) -> None:
    step = refuse(implementing, FUTURE)
    assert (step["action"], step["rule"], step["until"]) == ("wait", "limit/held", FUTURE)
    assert step["reason"] == f"the limit of your plan is reached: the next run is sent after {FUTURE}"
    assert step == implementing.next() | {"seconds": step["seconds"]}
    said = implementing.baton("next", "42").out
    assert "THEN end your turn: baton wakes you" in said
    assert FUTURE in said


def test_a_short_wait_says_how_long(implementing: Bench) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=120)).strftime("%Y-%m-%dT%H:%M:%SZ")
    step = refuse(implementing, soon, "overloaded")
    assert step["reason"].startswith("the service is overloaded")
    assert 100 < step["seconds"] <= 120


def test_a_run_that_had_reported_is_judged_all_the_same(implementing: Bench) -> None:
    implementing.mark(1)
    assert implementing.meta("partial").code == 0
    assert refuse(implementing)["rule"] == "implementation/continue"


def test_a_plan_that_was_handed_in_is_not_made_twice(planning: Bench) -> None:
    assert planning.hand_in("plan", PLAN).code == 0
    assert refuse(planning)["rule"] == "planning/valid"
