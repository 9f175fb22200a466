"""QA's verdict and that of a small story's own run: criteria, deferrals, memory deltas."""

import json
from pathlib import Path

import pytest

from baton.artifacts.schema import schema_path
from bench import DELTA, FOLDER, SECOND, VERDICT, Bench, PlayScene
from scenes import leave_open, remove

pytestmark = pytest.mark.sampled(5)

SMALL_BRIEF = "This is a small story: do the whole of it in this run."


# A criterion that the user defers


def test_a_person_may_defer_what_qa_leaves_open(judging: Bench) -> None:
    step = leave_open(judging)
    assert (step["rule"], step["question"]["open_criteria"]) == ("qa/escalate-open", ["AC2: a test shows it"])
    assert "AC2: a test shows it" in step["reason"]
    assert judging.answer("accept")["agent"] == "baton:qa"
    assert "- deferred by the user, not to be judged now: a test shows it" in judging.brief
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen").replace(SECOND, ""))
    assert judging.end()["action"] == "complete"
    assert "- deferred: a test shows it" in judging.git("show", f"main:{FOLDER}/42.completion-report.md")


def test_an_escalation_that_leaves_nothing_open_can_be_accepted(judging: Bench) -> None:
    options = judging.judge("ESCALATE")["question"]["options"]
    assert [option["id"] for option in options] == ["accept", "retry", "replan", "abandon"]


def test_a_deferral_is_no_change_of_the_criteria(judging: Bench) -> None:
    leave_open(judging)
    judging.answer("accept")
    assert judging.judge("FAIL", "no docstring")["rule"] == "qa/fail"
    assert judging.implement()["rule"] == "report/valid"


# Memory deltas


def test_a_run_that_fixes_only_the_delta_keeps_the_verdict(play: PlayScene) -> None:
    bench, _ = play("qa/delta-invalid")
    assert "that verdict stands" in bench.brief
    assert bench.place("qa-report").exists()
    assert bench.hand_in("memory-delta", DELTA).code == 0
    assert bench.end()["action"] == "complete"


def test_a_delta_that_is_not_worth_keeping_may_be_removed(play: PlayScene) -> None:
    bench, _ = play("qa/delta-invalid")
    remove(bench, "memory-delta")
    assert bench.end()["action"] == "complete"


def test_the_last_invalid_delta_names_its_path_each_failed_check_and_the_authority(play: PlayScene) -> None:
    _, step = play("qa/delta-exhausted")
    assert step["question"]["artifact"].endswith("42.memory-delta.md")
    assert Path(step["question"]["artifact"]).exists()
    assert f"{FOLDER}/42.memory-delta.md" in step["reason"]
    assert "artefact_type: memory-delta" in step["reason"]
    assert all(name in step["reason"] for name in ("Confirmed Entries", "Contradicted Entries", "New Knowledge"))
    assert str(schema_path("memory-delta")) in step["reason"]


# A small story in one run


def test_a_small_story_is_delivered_in_one_run_and_merged(micro: Bench) -> None:
    assert SMALL_BRIEF in micro.brief
    assert micro.baton("status", "42", "--json").json["stories"][0]["status"] == "implementing"
    assert micro.deliver()["action"] == "complete"
    assert {"calc.py", "test_calc.py"} <= set(micro.git("ls-tree", "-r", "--name-only", "main").splitlines())


@pytest.mark.parametrize(("complexity", "flags", "agent"), [
    ("0", (), "micro-delivery"), ("2", (), "micro-delivery"), ("3", (), "planner"),
    ("1", ("--plan-only",), "planner"),
])  # fmt: skip
def test_only_small_ones_are_one_run(complexity: str, flags: tuple[str, ...], agent: str, bench: Bench) -> None:
    bench.new("Subtract", "--complexity", complexity)
    bench.next(*flags)
    assert bench.answer("accept")["agent"] == f"baton:{agent}"


def test_a_story_larger_than_it_looked_is_planned_from_what_was_done(play: PlayScene) -> None:
    bench, step = play("micro/reevaluate")
    assert (step["rule"], step["agent"]) == ("micro/reevaluate", "baton:planner")
    assert "calc.py" in bench.committed(bench.folder.branch)
    assert ["it needs a database" in bench.brief, "42.micro-delivery-report.md" in bench.brief] == [True, True]
    bench.plan()
    bench.implement()
    assert bench.judge()["action"] == "complete"


def test_the_reason_of_a_fail_is_in_the_next_brief(play: PlayScene) -> None:
    bench, _ = play("micro/fail")
    assert "the test fails" in bench.brief
    assert not bench.place("micro-delivery-report").exists()
    assert bench.deliver()["action"] == "complete"


def test_a_small_run_may_change_code_and_say_that_it_is_blocked(micro: Bench) -> None:
    micro.edit({"calc.py": "HALF = 1\n"})
    assert micro.meta("blocked", errors=[{"message": "no network"}]).code == 0
    step = micro.end()
    assert (step["rule"], step["phase"]) == ("run/blocked", "micro")
    assert micro.answer("replan", "with a network")["agent"] == "baton:planner"


def test_another_role_s_word_for_success_is_a_warning(judging: Bench) -> None:
    judging.hand_in("qa-report", VERDICT.format("FAIL", "no docstring"))
    judging.meta("planned")
    judging.end()
    judged = [json.dumps(run.judged.warnings) for run in judging.state.runs if run.judged]
    assert "a qa that succeeds says `implemented`, this run says `planned`" in judged[-1]


def test_a_planner_that_says_why_is_heard_in_its_own_words(planning: Bench) -> None:
    planning.hand_in("plan-blocked", "## Reason\n\nAC1 and AC2 exclude each other: drop one.\n")
    planning.meta("blocked", errors=[{"type": "invalid_specification", "message": "contradiction"}])
    step = planning.end()
    assert (step["rule"], "drop one" in step["reason"]) == ("planning/blocked", True)
