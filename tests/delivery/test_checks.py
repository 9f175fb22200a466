"""What GitHub says of a commit comes to one verdict, and only what is green for exactly this commit passes."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from baton.delivery.commit_checks import CheckRun, Required, Standing, facts_of, origin_of, reason_values
from baton.delivery.read_checks import end_of_log
from baton.rules.engine import decide
from baton.rules.facts import CheckFacts
from baton.rules.pages import table_of
from rules.domains import every_state

GREEN = CheckRun("test", "check", "passed", app=1)
RED = GREEN._replace(state="failed", step="Run tests")
HERE = Path(__file__).parent
PASSES = ("ci/pass", "ci/preexisting", "ci/unset")


def verdict(*checks: CheckRun, required: tuple[Required, ...] = (), **more: Any) -> str:
    found = Standing(checks, required, **{"age": 10.0, **more})
    return decide(
        table_of("checks"), facts_of(found, 600, checks_needed=True), {"base": "main", **reason_values(found)}
    ).rule


def is_good(facts: CheckFacts) -> bool:
    """Say independently of the table what may be merged."""
    clean = not (facts.approval or facts.pending or facts.unknown or facts.cancelled or facts.missing)
    if facts.red not in ("none", "old") or not clean:
        return False
    return facts.ran == "passed" or (facts.ran == "nothing" and facts.cause == "none" and not facts.checks_needed)


def test_only_good_combinations_of_checks_go_on() -> None:
    states = every_state(table_of("checks"))
    rules = [decide(table_of("checks"), state, defaultdict(str)).rule for state in states]
    wrong = [one for one, rule in zip(states, rules, strict=True) if (rule in PASSES) != is_good(one)]
    assert (len(states) > 10_000, wrong) == (True, [])


@pytest.mark.parametrize("state", ["skipped", "failed", "infra", "cancelled", "approval", "pending", "unknown"])
def test_one_check_that_is_not_green_beside_one_that_is(state: Any) -> None:
    other = GREEN._replace(name="lint", state=state)
    assert (verdict(GREEN, other) == "ci/pass") == (state == "skipped")
    assert verdict(GREEN) == "ci/pass"


def test_a_state_that_github_does_not_have_today_is_asked_about() -> None:
    assert verdict(GREEN, GREEN._replace(name="lint", state="unknown")) == "ci/unknown"


REQUIRED = Required("test", 1)
UNMET = {
    "another name": GREEN._replace(name="tests"),
    "another app": GREEN._replace(app=2),
    "a status": GREEN._replace(kind="status", app=None),
}


@pytest.mark.parametrize("case", UNMET)
def test_a_required_check_is_met_by_that_name_and_that_app_alone(case: str) -> None:
    assert verdict(UNMET[case], required=(REQUIRED,)) == "ci/expected"
    assert verdict(UNMET[case], required=(REQUIRED,), age=601.0) == "ci/missing"
    assert verdict(UNMET[case], GREEN, required=(REQUIRED,)) == "ci/pass"


@pytest.mark.parametrize("app", [None, -1])
def test_a_rule_that_names_no_app_takes_any(app: int | None) -> None:
    assert verdict(UNMET["a status"], required=(Required("test", app),)) == "ci/pass"


ON_BASE = {
    "old": RED,
    "introduced": GREEN,
    "unclear": RED._replace(step="Set up"),
    "unclear too": GREEN._replace(app=2),
    "unclear, for it runs there": GREEN._replace(state="pending"),
    "unclear, for nobody names a step": RED._replace(step=""),
}


@pytest.mark.parametrize("case", ON_BASE)
def test_the_same_job_on_base_decides_whose_failure_it_is(case: str) -> None:
    assert origin_of(RED, [ON_BASE[case]]) == case.partition(",")[0].removesuffix(" too")


def test_two_failures_without_a_step_are_not_taken_for_the_same() -> None:
    bare = RED._replace(step="")
    assert origin_of(bare, [bare]) == "unclear"


def test_the_worst_failure_decides_and_is_told_first() -> None:
    new = RED._replace(name="lint")
    found = Standing((RED, new), (), 10.0, on_base=(RED, new._replace(state="passed")))
    assert facts_of(found, 600, checks_needed=True).red == "introduced"
    assert str(reason_values(found)["red"]).startswith("`lint` fails")


def test_a_log_is_cut_to_its_last_error_and_shows_what_nobody_would_see() -> None:
    text = "".join(f"2026-01-02T03:04:05.1Z line {number}\n" for number in range(99))
    told = end_of_log(f"{text}2026-01-02T03:04:05.1Z ##[error]bad \x1b[31m\u202e\nafter\n")
    assert told.splitlines()[-1] == "  │ ##[error]bad [U+001B][31m[U+202E]"
    assert (len(told.splitlines()), "after" in told) == (30, False)


def test_a_log_without_an_error_ends_with_its_last_lines() -> None:
    assert end_of_log("one\ntwo\n") == "  │ one\n  │ two"
    assert end_of_log("") == ""


def test_every_row_is_reached_by_a_test_here() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py"))
    rules = [row.rule for row in (*table_of("delivery").rows, *table_of("checks").rows)]
    assert [rule for rule in rules if f'"{rule}"' not in tests] == []
