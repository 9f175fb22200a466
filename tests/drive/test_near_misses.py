"""Where a row does not fire, an option is not taken and a grant ends: the neighbours of every drive."""

from collections.abc import Callable
from typing import Any

import pytest

from baton.decide.tables import TABLES
from baton.story.events import Answered, Created, Ended, Flagged, HandedIn, Rejected, StartSeen
from bench import PLAN, VERDICT, Bench, PlayScene, Reach
from near_misses import NEAR_MISSES, SEEN_AS, Near
from scenes import ERRORS, REVIEW, SCENES, start_agent

# What somebody did; all else in a journal follows from it.
ACTS = (Answered, Created, Ended, Flagged, HandedIn, Rejected, StartSeen)


def decided(bench: Bench, since: int) -> list[str]:
    """Give the rules and guards of what was decided from an event on."""
    events = bench.state.events[since:]
    return [rule for event in events for name in ("rule", "guard") if (rule := getattr(event, name, ""))]


def decided_last(bench: Bench, step: Any) -> list[str]:
    """Give what was decided since somebody last did something, and what the step says."""
    last = max(index for index, event in enumerate(bench.state.events) if isinstance(event, ACTS))
    return [*decided(bench, last + 1), step["rule"], step["guard"]]


@pytest.mark.parametrize("miss", [pytest.param(one, id=f"{one.rule} but {one.but}") for one in NEAR_MISSES])
def test_a_row_does_not_fire_where_one_thing_is_otherwise(miss: Near, reach: Reach) -> None:
    bench = reach(miss.stage)
    since = len(bench.state.events) if bench.journal.exists() else 0
    step = miss.play(bench)
    assert SEEN_AS.get(miss.rule, miss.rule) not in [*decided(bench, since), step["rule"], step["guard"]]
    assert miss.instead in decided_last(bench, step)


def test_every_row_has_a_neighbour() -> None:
    assert {one.rule for one in NEAR_MISSES} == set(SCENES)


# Options


STOPS = {row.rule: row.stop for table in TABLES for row in table.rows if row.stop and row.rule in SCENES}
OPTIONS = sorted({option for stop in STOPS.values() for option in stop.options})


@pytest.mark.parametrize("rule", STOPS)
def test_an_option_of_another_question_is_refused_and_changes_nothing(rule: str, play: PlayScene) -> None:
    bench, asked = play(rule)
    offered = [one["id"] for one in asked["escalation"]["options"]]
    before = bench.bytes(), bench.journal.read_bytes(), bench.git("rev-parse", "HEAD")
    said = [bench.baton("answer", "42", one) for one in OPTIONS if one not in offered]
    assert {(one.code, one.err.split(" at ")[0].split(" is ")[-1]) for one in said} == {(2, "no option")}
    assert (bench.bytes(), bench.journal.read_bytes(), bench.git("rev-parse", "HEAD")) == before
    assert bench.next() == asked


# How often what was asked about may happen again: as often as at first, and from a replan on.


def fail_again(bench: Bench) -> Any:
    bench.implement()
    return bench.judge("FAIL", "still no docstring")


def plan_if_due(bench: Bench) -> None:
    if bench.run.role == "planner":
        bench.plan()


def turn_again(bench: Bench) -> Any:
    text = (bench.tree / "calc.py").read_text(encoding="utf-8")
    bench.edit({"calc.py": "B = 2\n" if text == "A = 1\n" else "A = 1\n"})
    return bench.work()


def start_again(bench: Bench) -> Any:
    start_agent(bench, f"again{len(bench.state.events)}")
    return bench.next()


ONCE_MORE: dict[str, Callable[[Bench], Any]] = {
    "under-way/restarts": start_again,
    "planning/exhausted": lambda bench: bench.end(),
    "loop/no-return-twice": lambda bench: bench.end(),
    "loop/same-error": lambda bench: bench.work(errors=ERRORS),
    "loop/oscillating": turn_again,
    "loop/no-progress": lambda bench: bench.work(),
    "report/exhausted": lambda bench: bench.work(1, 2, status="implemented"),
    "qa/fail-twice": fail_again,
    "qa/verdict-exhausted": lambda bench: bench.end(),
    "qa/delta-exhausted": lambda bench: bench.end(),
    "micro/exhausted": lambda bench: bench.end(),
    "guard/limit": lambda bench: bench.work(),
}
ROUNDS = [
    ("under-way/restarts", "continue", 3),
    ("under-way/restarts", "retry", 3),
    ("planning/exhausted", "retry", 2),
    ("planning/exhausted", "replan", 2),
    ("loop/same-error", "retry", 3),
    ("loop/no-progress", "replan", 3),
    # departs: the run that was asked about is counted once more, the first of the new row of runs.
    ("loop/same-error", "continue", 3),
    ("loop/no-progress", "continue", 3),
    ("loop/oscillating", "continue", 3),
    ("loop/no-return-twice", "retry", 2),
    ("report/exhausted", "retry", 2),
    # departs: bad reports are counted on from those of the plan that was given up.
    ("report/exhausted", "replan", 2),
    ("qa/fail-twice", "retry", 2),
    ("qa/fail-twice", "replan", 2),
    ("qa/verdict-exhausted", "retry", 2),
    ("qa/delta-exhausted", "retry", 3),
    ("micro/exhausted", "retry", 2),
    ("guard/limit", "continue", 1),
    ("guard/limit", "replan", 1),
]


@pytest.mark.parametrize(("rule", "option", "rounds"), ROUNDS)
def test_an_answer_allows_as_many_more_as_there_were(
    rule: str, option: str, rounds: int, play: PlayScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAX_ITERATIONS", "20")
    bench, _ = play(rule)
    bench.answer(option)
    if rule not in ("planning/exhausted", "under-way/restarts"):
        plan_if_due(bench)
    came_to: list[str] = []
    while rule not in came_to and len(came_to) < 9:
        came_to.append(ONCE_MORE[rule](bench)["rule"])
    assert len(came_to) == rounds, came_to


# What an answer does not grant


def stop_at_the_last_run(bench: Bench) -> Any:
    bench.next("--max-iterations", "1")
    return bench.work(1, status="blocked")


@pytest.mark.parametrize(
    ("option", "rule"), [("continue", "guard/limit"), ("retry", "any/blocked"), ("replan", "any/blocked")]
)
def test_only_a_retry_or_a_new_plan_grants_runs_where_the_limit_did_not_ask(
    option: str, rule: str, implementing: Bench
) -> None:
    stop_at_the_last_run(implementing)
    assert implementing.answer(option)["rule"] == rule


def test_after_a_fail_the_limit_asks_and_after_a_retry_of_qa_it_does_not(judging: Bench) -> None:
    judging.next("--max-iterations", "1")
    judging.judge("ESCALATE")
    judging.answer("retry")
    step = judging.judge("FAIL", "no docstring")
    assert (step["rule"], step["agent"]) == ("qa/fail", "baton:implementer")


def test_a_fail_at_the_limit_asks_where_nobody_answered(judging: Bench) -> None:
    judging.next("--max-iterations", "1")
    assert judging.judge("FAIL", "no docstring")["rule"] == "guard/limit"


def test_a_retry_grants_what_its_own_phase_used_up_and_nothing_else(planning: Bench) -> None:
    planning.end()
    planning.plan()
    planning.work(status="blocked")
    planning.answer("retry")
    planning.work(status="blocked")
    planning.baton("answer", "42", "replan")
    planning.next()
    assert [planning.end()["rule"] for _ in range(3)] == ["planning/missing"] * 2 + ["planning/exhausted"]


def test_continuing_past_the_limit_begins_the_streaks_anew(implementing: Bench) -> None:
    implementing.next("--max-iterations", "2")
    implementing.work()
    assert implementing.work()["rule"] == "guard/limit"
    implementing.answer("continue")
    assert implementing.work()["rule"] == "loop/continue"


# A question is asked once


def test_what_a_person_passed_is_not_asked_again_after_the_next_question(planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    planning.hand_in("plan-blocked", "## Reason\n\nno database\n")
    planning.meta("planned", **REVIEW)
    assert planning.end()["rule"] == "any/contradiction"
    assert planning.answer("continue")["rule"] == "planning/both"
    # departs: the rows of any phase are read from the top again, and the first question is asked once more.
    assert planning.answer("plan")["rule"] == "planning/valid"


def test_a_phase_that_stays_blocked_after_the_answer_is_not_asked_about_again(play: PlayScene) -> None:
    bench, _ = play("loop/phase-blocked")
    bench.answer("retry")
    assert bench.work()["rule"] == "loop/continue"


def test_another_phase_that_is_blocked_after_the_answer_is_asked_about(play: PlayScene) -> None:
    bench, _ = play("loop/phase-blocked")
    bench.answer("retry")
    bench.mark(1, mark="BLOCKED")
    assert bench.work(2)["rule"] == "loop/phase-blocked"


def test_a_phase_that_stays_blocked_is_not_asked_about_again_after_two_answers(play: PlayScene) -> None:
    bench, _ = play("loop/phase-blocked")
    bench.next("--max-iterations", "2")
    bench.answer("retry")
    assert bench.work()["rule"] == "guard/limit"
    bench.answer("continue")
    assert bench.work()["rule"] == "loop/continue"


# Planning anew


def test_a_small_story_that_is_planned_anew_goes_through_every_phase(play: PlayScene) -> None:
    bench, _ = play("micro/exhausted")
    bench.answer("replan")
    steps = [bench.plan(), bench.implement(), bench.judge()]
    assert [step["rule"] for step in steps] == ["planning/valid", "report/valid", "close/done"]
    assert bench.state.count("micro-delivery") == 2


def test_a_new_plan_leaves_both_the_old_one_and_its_block_in_history(play: PlayScene) -> None:
    bench, _ = play("planning/both")
    planner = bench.run.id
    bench.answer("replan")
    moved = {one.name for one in bench.folder.history(planner).iterdir()}
    assert moved >= {bench.place("plan").name, bench.place("plan-blocked").name}
    assert not {one.name for one in bench.folder.path.iterdir()} & moved


# To accept is no verdict


def test_a_new_criterion_that_is_accepted_has_still_to_pass(play: PlayScene) -> None:
    _, step = play("micro/open-criteria")
    assert "no passing row for AC3: it is fast" in step["reason"]


def test_a_deferral_is_judged_by_qa_again(judging: Bench) -> None:
    text = VERDICT.format("PASS WITH AC2 deferred", "no test yet").replace("AC2: PASS", "AC2: DEFERRED")
    judging.hand_in("qa-report", text)
    judging.end()
    assert judging.answer("accept")["agent"] == "baton:qa"
    assert judging.judge("FAIL", "no docstring")["rule"] == "qa/fail"


# To abandon


def test_an_abandoned_story_keeps_its_branch_and_leaves_the_checkout_alone(play: PlayScene) -> None:
    bench, _ = play("qa/escalate")
    bench.write({"calc.py": "MINE = 1\n"})
    said = bench.baton("answer", "42", "abandon")
    assert said.out == f"abandoned; its branch {bench.folder.branch} stays\n"
    assert (bench.branch, bench.changes) == ("main", "M calc.py")
    assert "calc.py" in bench.git("diff", "--name-only", f"main...{bench.folder.branch}")
    assert bench.git("for-each-ref", "refs/baton") == ""
