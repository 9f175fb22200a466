"""What a run's end leads to: each judgment beside the one it nearly was, and budgets that no session resets."""

from typing import Any

import pytest

from baton.artifacts.metadata import NOT_FINAL
from bench import FOLDER, PLAN, REPORT, SECOND, STORY, VERDICT, Bench, PlayScene, Reach
from scenes import push, remove

pytestmark = pytest.mark.sampled(14)

# Any phase


@pytest.mark.parametrize("status", ["blocked", "failed"])
def test_outside_the_loop_a_valid_artifact_goes_before_the_status(status: str, planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    planning.meta(status)
    assert planning.end()["rule"] == "planning/valid"


def test_a_block_without_an_artifact_stops_the_planner(planning: Bench) -> None:
    planning.meta("blocked", partial_progress={"details": "no access"})
    step = planning.end()
    assert (step["action"], step["rule"]) == ("escalate", "run/blocked")
    assert step["reason"] == "the run says it is blocked: no access"


def test_an_honest_block_goes_before_an_invalid_plan(planning: Bench) -> None:
    push(planning, "plan", "# Plan\n")
    planning.hand_in("plan-blocked", "## Reason\n\nno database\n")
    step = planning.end()
    assert step["rule"] == "planning/blocked"
    assert step["reason"] == "the planner cannot plan this story: no database"


# What the step after a run says, and where: in the reason, the brief or the warnings.
SAYS: dict[str, tuple[str, str]] = {
    "run/contradiction": ("reason", "two ways are open"),
    "run/review-required": ("reason", "the run needs you: two ways are open"),
    "planning/invalid": ("brief", "section missing: add `## Risk Register`"),
    "implementation/open-phases": (
        "warnings", "the run says implemented, but its next steps are: the remaining edge cases"),
    "report/blocking": ("brief", "the parser crashes"),
    "micro/open-criteria": ("brief", "no passing row for AC3: it is fast"),
    "qa/fail-twice": ("reason", "QA failed the story 2 times: still no docstring"),
    "limit/iterations": (
        "reason", "implementation runs so far: 1, as many as allowed; 1 of 2 phases are closed; the next is due"),
}  # fmt: skip
NEXT_AGENT = {
    "planning/invalid": "baton:planner", "implementation/open-phases": "baton:implementer",
    "report/blocking": "baton:implementer", "micro/open-criteria": "baton:micro-delivery",
}  # fmt: skip


@pytest.mark.parametrize("rule", SAYS)
def test_what_was_wrong_is_told_to_whose_turn_it_is(rule: str, play: PlayScene) -> None:
    bench, step = play(rule)
    where, text = SAYS[rule]
    assert step["agent"] == NEXT_AGENT.get(rule)
    assert text in (bench.brief if where == "brief" else str(step[where]))


# The loop


def test_the_resume_context_names_the_first_open_phase_and_the_handoff(implementing: Bench) -> None:
    implementing.hand_in("handoff", "## Immediate Next Action\nphase 2\n## Current State\nphase 1 is done\n")
    step = implementing.work(1, errors=[{"type": "test", "message": "red"}])
    resume = step["resume"]
    assert (resume["resume_phase"], resume["iteration"], resume["session_id"]) == ("2", 2, step["run"])
    assert resume["handoff_path"].startswith("specs/42_subtract-numbers/handoffs/phase-1-handoff-")
    assert resume["errors"] == ["test: red"]
    assert resume["handoff_path"] in implementing.brief


def test_with_every_phase_closed_a_partial_run_is_followed_by_one_that_verifies(implementing: Bench) -> None:
    step = implementing.work(1, 2)
    assert (step["rule"], step["resume"]["resume_phase"]) == ("implementation/continue", None)
    assert "Every phase is closed: verify" in implementing.brief


def test_a_plan_that_is_gone_counts_with_the_marks_of_the_last_gate(implementing: Bench) -> None:
    implementing.work(1)
    remove(implementing, "plan")
    implementing.meta("partial")
    step = implementing.end()
    assert step["reason"] == "the run says partial; 1 of 2 phases are closed"
    assert "has lost phases: restore them with their marks" in implementing.brief


def test_runs_without_a_word_are_counted_in_a_row(implementing: Bench) -> None:
    assert implementing.end()["rule"] == "implementation/no-return"
    assert implementing.work(1)["rule"] == "implementation/continue"
    assert implementing.end()["rule"] == "implementation/no-return"
    assert implementing.end()["rule"] == "implementation/no-return-twice"


# Budgets


@pytest.mark.parametrize("most", [1, 3])
def test_a_budget_is_the_number_of_attempts_the_first_included(most: int, planning: Bench) -> None:
    planning.settle("", f"retries: {{planning: {most}}}")
    steps = [planning.end() for _ in range(most)]
    assert [step["rule"] for step in steps] == [*["planning/missing"] * (most - 1), "planning/exhausted"]
    assert [step["attempt"] for step in steps[:-1]] == [*range(2, most + 1)]


def test_planning_again_does_not_give_the_planner_more_attempts(implementing: Bench) -> None:
    implementing.work(status="blocked")
    implementing.answer("retry")
    before = implementing.state
    assert [run.judged is not None for run in before.runs] == [True, True, False]
    assert implementing.next()["max_iterations"] == 5


def test_reports_are_counted_anew_in_each_qa_cycle(implementing: Bench) -> None:
    implementing.work(1, 2, status="implemented")
    implementing.implement()
    implementing.judge("FAIL", "no docstring")
    assert implementing.work(status="implemented")["rule"] == "report/missing"
    assert implementing.work(status="implemented")["rule"] == "report/exhausted"


def test_a_question_says_how_many_runs_there_were(play: PlayScene) -> None:
    _, step = play("qa/fail-twice")
    assert step["question"]["attempts"] == {"planning": 1, "implementation": 2, "qa": 2, "micro": 0}


def test_every_error_of_every_run_is_in_the_question(implementing: Bench) -> None:
    for message in ("first", "second"):
        implementing.work(errors=[{"type": "test", "message": message}])
    step: Any = implementing.work(status="failed", errors=[{"type": "test", "message": "third"}])
    assert step["question"]["errors"] == ["test: first", "test: second", "test: third"]


def test_a_warning_about_a_plan_is_called_one_once(planning: Bench) -> None:
    step = planning.plan(PLAN.replace("subtract [NOT STARTED]", "subtract \u2705 COMPLETED"))
    [warning] = [one for one in step["warnings"] if "no mark" in one]
    assert "warning" not in warning


# Metadata that was rejected


@pytest.mark.parametrize(("before", "after", "rule"), [
    ("", "", "implementation/no-return"), ("in_progress", "", "implementation/interrupted"),
    ("", "partial", "implementation/continue"),
], ids=["alone", "after some was accepted", "before some is accepted"])  # fmt: skip
def test_rejected_metadata_changes_nothing(before: str, after: str, rule: str, implementing: Bench) -> None:
    implementing.mark(1)
    for status in filter(None, (before, "almost", after)):
        assert implementing.meta(status).code == (status == "almost")
    step = implementing.end()
    assert (step["rule"], step["resume"]["resume_phase"]) == (rule, "2")
    assert ("almost" in implementing.brief) == (not before and not after)


@pytest.mark.parametrize(("stage", "kind", "text", "said"), [
    ("implementing", "impl-report", REPORT, "has phase 1 as [NOT STARTED]"),
    ("implementing", "impl-report", "a: [", "not readable as YAML"),
    ("judging", "qa-report", VERDICT.format("PASS", "seen").replace(SECOND, ""), "no row for AC2"),
])  # fmt: skip
def test_the_next_run_hears_why_it_was_refused(stage: str, kind: str, text: str, said: str, reach: Reach) -> None:
    bench = reach(stage)
    assert bench.hand_in(kind, text).code == 1
    bench.end()
    assert f"- `{kind}` was handed in and refused: stdin:" in bench.brief
    assert (said in bench.brief, "neither" in bench.brief, "is missing" in bench.brief) == (True, False, False)


def test_the_next_run_hears_of_no_refusal_where_there_was_none(implementing: Bench) -> None:
    implementing.end()
    assert "- the run before handed in neither `impl-report` nor `return-meta`" in implementing.brief


@pytest.mark.parametrize("word", NOT_FINAL)
def test_a_known_word_that_is_not_final_is_asked_about(word: str, implementing: Bench) -> None:
    step = implementing.work(1, status=word)
    assert (step["action"], step["rule"], f"`{word}`" in step["reason"]) == ("ask", "run/unexpected-status", True)


@pytest.mark.parametrize("word", ["done", "Completed", "ready_for_postflight"])
def test_a_synonym_counts_as_the_success_of_the_role_that_was_sent_out(word: str, implementing: Bench) -> None:
    assert implementing.report().code == 0
    said = implementing.meta(word, files_changed=["test_calc.py"])
    assert (said.code, said.json["normalized"]) == (0, [f"`status` {word}: read as implemented"])
    assert implementing.end()["rule"] == "report/valid"


# What is told beside the findings


@pytest.mark.parametrize("is_theirs", [True, False])
def test_a_commit_is_told_that_baton_did_not_make(is_theirs: bool, implementing: Bench) -> None:
    if is_theirs:
        implementing.commit({"calc.py": "MINE = 1\n"}, implementing.folder.branch)
    else:
        implementing.work(1)
    step = implementing.work(2)
    assert step["rule"] == "implementation/continue"
    assert any("more" in one and "did not make" in one for one in step["warnings"]) == is_theirs


def test_a_claim_beyond_the_marks_is_told(implementing: Bench) -> None:
    step = implementing.work(1, metadata={"phases_completed": 2, "phases_total": 2})
    assert "the run before claims 2 closed phases; the plan's marks say 1" in step["warnings"]
    step = implementing.work(metadata={"phases_completed": 1, "phases_total": 2})
    assert not any("claims" in one for one in step["warnings"])


def test_a_block_a_person_has_heard_of_is_not_asked_about_again(play: PlayScene) -> None:
    bench, _ = play("implementation/phase-blocked")
    bench.answer("retry", "the key is in the vault")
    bench.next("--max-iterations", "2")
    assert bench.work()["rule"] == "limit/iterations"
    bench.answer("continue")
    assert bench.work(errors=[{"message": "x"}])["rule"] == "implementation/continue"


def test_another_block_is_asked_about(play: PlayScene) -> None:
    bench, _ = play("implementation/phase-blocked")
    bench.answer("retry", "the key is in the vault")
    bench.mark(1, mark="BLOCKED")
    step = bench.work()
    assert (step["rule"], "phase 1 is marked BLOCKED" in step["reason"]) == ("implementation/phase-blocked", True)


def test_a_smaller_plan_that_replaced_a_larger_one_is_whole(implementing: Bench) -> None:
    implementing.work(status="blocked")
    implementing.answer("replan", "one phase will do")
    implementing.plan(PLAN.replace("### Phase 2: test it [NOT STARTED]", ""))
    implementing.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    implementing.mark(1)
    implementing.insist("impl-report", REPORT)
    assert implementing.end()["rule"] == "report/valid"


def test_a_plan_that_lost_a_phase_is_not_whole(implementing: Bench) -> None:
    plan = implementing.folder.relative_to_root(implementing.place("plan"))
    shorter = PLAN.replace("### Phase 2: test it [NOT STARTED]", "")
    implementing.edit({plan: shorter, "test_calc.py": "TEST = 1\n"})
    implementing.mark(1)
    said = implementing.hand_in("impl-report", REPORT)
    assert (said.code, "has lost phases: restore them with their marks" in said.out) == (1, True)
    assert implementing.work(status="partial")["agent"] == "baton:implementer"
    assert "has lost phases: restore them with their marks" in implementing.brief


# A run that never began


def test_a_run_that_never_began_is_sent_out_again_and_costs_no_attempt(implementing: Bench) -> None:
    step = implementing.next("--ended", implementing.run.id)
    assert (step["rule"], step["agent"], step["attempt"]) == ("run/not-begun", "baton:implementer", 1)
    assert implementing.end()["rule"] == "implementation/no-return"


def test_three_that_never_began_are_counted_in_a_row(implementing: Bench) -> None:
    unbegun = [implementing.next("--ended", implementing.run.id)["action"] for _ in range(2)]
    implementing.work(1)
    again = [implementing.next("--ended", implementing.run.id)["action"] for _ in range(3)]
    assert (unbegun, again) == (["spawn"] * 2, ["spawn", "spawn", "ask"])


# A run that the user stopped


def test_a_run_that_was_stopped_is_no_attempt_and_the_story_rests(implementing: Bench) -> None:
    assert implementing.work(status="in_progress")["rule"] == "implementation/interrupted"
    implementing.edit({"calc.py": "half = 1\n"})
    before = implementing.run.id
    step = implementing.next("--ended", before, "--stopped")
    assert (step["action"], step["rule"], step["run"]) == ("wait", "run/stopped", None)
    assert "`/implement 42`" in step["reason"]
    assert implementing.run.id == before
    again = implementing.next()
    assert (again["action"], again["agent"], again["attempt"]) == ("spawn", "baton:implementer", 1)
    assert (implementing.tree / "calc.py").read_text() == "half = 1\n"


def test_stopped_runs_use_no_budget_up(implementing: Bench) -> None:
    for _ in range(6):
        assert implementing.tree
        assert implementing.next("--ended", implementing.run.id, "--stopped")["rule"] == "run/stopped"
        assert implementing.next()["action"] == "spawn"
    assert implementing.end()["rule"] == "implementation/no-return"


def test_a_run_that_had_handed_in_all_is_judged_by_that_though_it_was_stopped(planning: Bench) -> None:
    planning.finish_plan()
    step = planning.next("--ended", planning.run.id, "--stopped")
    assert (step["action"], step["rule"]) == ("wait", "planning/valid")
    assert planning.next()["agent"] == "baton:implementer"


# What others commit while a run is running


@pytest.mark.parametrize("handed_in_first", [True, False])
def test_what_was_handed_in_counts_whenever_others_commit(handed_in_first: bool, judging: Bench) -> None:
    others = {"README.md": "more\n", f"{FOLDER}/notes.md": "more\n"}
    if not handed_in_first:
        judging.commit(others, STORY)
    judging.hand_in("qa-report", VERDICT.format("FAIL", "no docstring"))
    if handed_in_first:
        judging.commit(others, STORY)
    assert judging.end()["rule"] == "qa/fail"
    assert judging.git("show", f"{STORY}:{FOLDER}/notes.md") == "more"


# What machines carry out by themselves


def test_protected_files_that_are_not_wanted_are_the_next_runs_to_take_out(play: PlayScene) -> None:
    bench, _ = play("run/protected")
    bench.answer("retry", "no workflow")
    (bench.tree / ".github/workflows/ci.yml").unlink()
    assert bench.work(2)["rule"] == "implementation/continue"
