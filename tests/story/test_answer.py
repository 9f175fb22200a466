"""What an answer does: every option of every question, and that nothing else is taken."""

from typing import Any
from unittest.mock import Mock

import pytest

from baton.errors import BatonError
from baton.rules.pages import story_tables, table_of
from baton.story.answer import answer as respond
from bench import PLAN, SETTINGS, VERDICT, Bench, PlayScene
from claims import NOTE, answer_and_check, see
from scenes import drive_to_judging

pytestmark = pytest.mark.sampled(4)

# Those of a delivery are answered in tests/delivery, where there is a GitHub.
DELIVERED = {row.rule for row in (*table_of("delivery").rows, *table_of("checks").rows)}
ROWS = [row for table in story_tables() for row in table.rows if row.rule not in DELIVERED]
# A rule that stands twice asks another question where criteria are open.

STOPS = {row.rule: row.asks for row in ROWS if row.asks}
# What the next step is after an answer: an agent that is started, or a rule.
REPLAN = {"replan": "baton:planner"}
PLAN_AGAIN = {"retry": "baton:planner", **REPLAN}
IMPLEMENT_AGAIN = {"retry": "baton:implementer", **REPLAN}
GO_ON = {"continue": "implementation/continue", **IMPLEMENT_AGAIN}
LEADS_TO = {
    "git/refused": {"retry": "git/refused"},
    "in-progress/undone": {"again": "baton:planner", "leave": "close/done"},
    "in-progress/restarts": {"continue": "in-progress/wait", **PLAN_AGAIN},
    "start/commands": {"accept": "baton:planner"},
    "start/machine": {"retry": "start/machine", "accept": "baton:planner"},
    "start/approval": {"accept": "start/adopted"},
    "start/mode": {"local": "baton:planner", "branch": "baton:planner", "retry": "start/mode"},
    "start/mode-github": dict.fromkeys(("local", "branch", "pr", "merge"), "baton:planner"),
    "start/github": {"retry": "start/github", "local": "baton:planner", "branch": "baton:planner"},
    "start/spec": {"retry": "start/spec"},
    "run/refs-moved": GO_ON,
    "run/refused-often": PLAN_AGAIN,
    "run/not-begun-often": PLAN_AGAIN,
    "run/message": {"accept": "implementation/continue", **IMPLEMENT_AGAIN},
    "run/hooks": {"accept": "implementation/continue", "retry": "run/hooks", **REPLAN},
    "run/protected": {"accept": "implementation/continue", **IMPLEMENT_AGAIN},
    "run/criteria-changed": {
        "accept": "implementation/continue",
        "restore": "implementation/continue",
        **IMPLEMENT_AGAIN,
    },
    "merge/in-the-way": {"retry": "merge/in-the-way"},
    "merge/lost-again": {"retry": "close/done"},
    "run/head-moved": GO_ON,
    "run/contradiction": {"continue": "planning/valid", **PLAN_AGAIN},
    "run/review-required": GO_ON,
    "run/blocked": GO_ON,
    "run/failed": GO_ON,
    "run/unexpected-status": GO_ON,
    "planning/both": {"plan": "planning/valid", "block": "planning/blocked", **PLAN_AGAIN},
    "planning/confirm": {"accept": "baton:implementer", "edit": "baton:planner", **REPLAN},
    "planning/approval": {"accept": "baton:implementer", **PLAN_AGAIN},
    "planning/blocked": PLAN_AGAIN,
    "planning/exhausted": PLAN_AGAIN,
    "implementation/no-return-twice": IMPLEMENT_AGAIN,
    "implementation/phase-blocked": IMPLEMENT_AGAIN,
    "implementation/same-error": GO_ON,
    "implementation/oscillating": GO_ON,
    "implementation/no-progress": GO_ON,
    "report/exhausted": IMPLEMENT_AGAIN,
    "qa/escalate-open": {"accept": "baton:qa", "retry": "baton:qa", **REPLAN},
    "qa/escalate": {"accept": "close/done", "retry": "baton:qa", **REPLAN},
    "qa/delta-exhausted": {"retry": "baton:qa", **REPLAN},
    "micro/exhausted": {"retry": "baton:micro-delivery", **REPLAN},
    "report/still-blocking": {"accept": "baton:qa", **IMPLEMENT_AGAIN},
    "qa/fail-twice": IMPLEMENT_AGAIN,
    "qa/verdict-exhausted": {"retry": "baton:qa", **REPLAN},
    "integrate/production": {"accept": "close/done"},
    "integrate/gate": {"accept": "close/done", "retry": "integrate/gate"},
    "integrate/criteria-changed": {"accept": "baton:qa", "restore": "close/done", "replan": "baton:planner"},
    "sync/rewritten": {"accept": "close/done", "retry": "sync/rewritten"},
    "sync/refused": {"retry": "sync/refused"},
    "build/unclear": {"accept": "close/done", "retry": "build/unclear"},
    "test/unclear": {"accept": "close/done", "retry": "close/done"},  # a flaky one, which passes the next time
    "prepush/credential": {"accept": "close/done", "retry": "prepush/credential"},
    "prepush/unclear": {"accept": "close/done", "retry": "prepush/unclear"},
    "fix/exhausted": {"retry": "fix/run"},
    "limit/iterations": {"continue": "baton:implementer", **REPLAN},
    "limit/budget": {"continue": "baton:implementer"},
    "limit/budget-today": {"continue": "baton:implementer"},
}
ANSWERS = [(rule, option) for rule, options in LEADS_TO.items() for option in options]


def test_every_option_of_every_question_is_tried_here() -> None:
    offered = {rule: {*stop.options} - {"abandon"} for rule, stop in STOPS.items()}
    assert offered == {rule: {*options} for rule, options in LEADS_TO.items()}


@pytest.mark.sampled(1, each="option")
@pytest.mark.parametrize(("rule", "option"), ANSWERS)
def test_an_option_does_what_it_says(
    rule: str, option: str, play: PlayScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench, asked = play(rule)
    if rule == "start/mode-github":
        monkeypatch.setattr("baton.story.begin.start.find_lacks", lambda git: [])
    assert (asked["action"] in ("ask", "escalate"), asked["rule"]) == (True, rule.partition(",")[0])
    step = answer_and_check(bench, asked, option, lambda: see(bench))
    assert LEADS_TO[rule][option] in (step["agent"], step["rule"])
    if step["action"] == "spawn":
        assert NOTE in bench.brief


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", sorted(STOPS.keys() - {"in-progress/undone"}))  # which is over
def test_a_story_can_be_abandoned_wherever_it_stops(rule: str, play: PlayScene) -> None:
    bench, asked = play(rule)
    before = bench.branch, bench.changes
    answer_and_check(bench, asked, "abandon", lambda: see(bench))
    assert (bench.branch, bench.changes) == before
    assert bench.baton("next", "42").code == 2
    assert bench.baton("status", "42", "--json").json["stories"][0]["status"] == "abandoned"


def test_where_nothing_is_merged_no_answer_says_so(bench: Bench) -> None:
    drive_to_judging(bench, f"{SETTINGS.replace('local', 'branch')}commands: {{test: no-such-program}}\n")
    assert answer_and_check(bench, bench.judge(), "accept", lambda: see(bench))["rule"] == "integrate/branch"


def test_a_text_that_is_not_what_was_accepted_is_not_restored(play: PlayScene) -> None:
    bench, _ = play("run/criteria-changed")
    (bench.journal.parent / "accepted" / bench.state.story_sha256).write_text("other\n")
    assert "the accepted text is gone" in bench.baton("answer", "42", "restore").refused


def test_an_abandoned_story_leaves_its_branch_and_no_tree(play: PlayScene) -> None:
    bench, _ = play("run/protected")
    bench.write({"calc.py": "MINE = 1\n"})
    assert len(bench.trees) > 1
    said = bench.baton("answer", "42", "abandon")
    assert said.out == f"abandoned; its branch {bench.folder.branch} stays\n"
    assert (bench.trees, bench.branch, bench.changes) == ([bench.root], "main", "M calc.py")
    assert bench.git("rev-parse", bench.folder.branch)
    assert bench.git("for-each-ref", "refs/baton") == ""


def test_a_story_whose_trees_remain_is_abandoned_again(play: PlayScene, monkeypatch: pytest.MonkeyPatch) -> None:
    bench, _ = play("run/protected")
    with monkeypatch.context() as patch:
        patch.setattr(respond, "remove_run_tree", Mock(side_effect=BatonError("no", "there", "fix it")))
        said = bench.baton("answer", "42", "abandon")
    assert (said.code, "; no at there" in said.out) == (0, True)
    assert bench.baton("answer", "42", "abandon").out.startswith("abandoned; ")
    assert (bench.trees, bench.git("for-each-ref", "refs/baton")) == ([bench.root], "")


@pytest.mark.parametrize("option", ["accept", "yes", "continue", "Retry", ""])
def test_what_is_no_option_is_refused_and_changes_nothing(option: str, play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    before = bench.journal.read_bytes()
    said = bench.baton("answer", "42", option)
    assert (said.code, said.err.endswith("answer one of: retry, replan, abandon\n")) == (2, True)
    assert bench.baton("answer", "42").err.endswith(
        "no option was given at story 42: answer one of: retry, replan, abandon\n"
    )
    assert bench.journal.read_bytes() == before


def test_a_question_is_answered_once(play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    assert bench.baton("answer", "42", "retry").code == 0
    for _ in ("answered", "a run is out"):
        said = bench.baton("answer", "42", "retry").refused
        assert said == "baton: no question is open at story 42: `baton next 42` says where it stands\n"
        bench.next()


# What is granted


def test_continue_at_the_limit_allows_exactly_as_many_runs_more(implementing: Bench) -> None:
    implementing.next("--max-iterations", "2")
    implementing.work(1)
    assert implementing.work()["question"]["question"] == "Should another implementation run be made?"
    assert implementing.answer("continue")["max_iterations"] == 4
    implementing.work()
    assert implementing.work()["rule"] == "limit/iterations"


def test_retry_after_the_last_fail_is_not_stopped_by_the_limit(judging: Bench) -> None:
    judging.next("--max-iterations", "2")
    judging.judge("FAIL", "no docstring")
    judging.implement()
    assert judging.judge("FAIL", "still none")["rule"] == "qa/fail-twice"
    assert judging.answer("retry", "mind the sign")["agent"] == "baton:implementer"


def test_replan_moves_the_old_plan_to_history(play: PlayScene) -> None:
    bench, _ = play("implementation/phase-blocked")
    marked_by = bench.run.id
    bench.answer("replan", "plan without a database")
    moved = bench.folder.history(marked_by) / "42.execution-plan.md"
    assert "[BLOCKED]" in moved.read_text(encoding="utf-8")
    assert not bench.place("plan").exists()
    assert bench.plan()["agent"] == "baton:implementer"


def test_a_plan_that_was_not_approved_is_planned_again(play: PlayScene) -> None:
    bench, _ = play("planning/approval")
    assert bench.answer("retry", "smaller")["agent"] == "baton:planner"
    assert bench.plan(PLAN.replace("do it", "do less"))["rule"] == "planning/approval"


def test_a_note_comes_from_stdin_too(play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    assert bench.baton("answer", "42", "retry", "--note", "-", stdin="line one\nline two\n").code == 0
    bench.next()
    assert [line for line in ("line one", "line two") if line not in bench.brief] == []


def test_what_a_person_decided_is_told_to_every_later_run(play: PlayScene) -> None:
    bench, _ = play("planning/exhausted")
    bench.answer("retry", "mind the sign")
    assert "## What the user answered" in bench.brief
    bench.end()
    assert "## What the user decided earlier" in bench.brief
    assert "## What the user answered" not in bench.brief
    assert "> mind the sign" in bench.brief
    assert "What should the planner do differently?" in bench.brief


# What is settled for the repository


def other_story(bench: Bench) -> Any:
    other = Bench(bench.root, "43")
    other.new("Another")
    return other.next()


@pytest.mark.parametrize(("changed", "rule"), [(False, "start/planning"), (True, "start/commands")])
def test_commands_are_confirmed_once_for_their_content(changed: bool, rule: str, story: Bench) -> None:
    if changed:
        story.settle("test.sh", "test.sh -v")
    assert other_story(story)["rule"] == rule


def test_accepting_confirms_only_the_commands_that_were_shown(bench: Bench) -> None:
    bench.new()
    bench.next()
    bench.settle("test.sh", "other.sh")
    step = bench.answer("accept")
    assert step["rule"] == "start/commands"
    assert "sh tools/other.sh" in step["reason"]


def test_commands_that_changed_on_the_way_are_not_run_unasked(judging: Bench) -> None:
    judging.rest()
    before = sorted((judging.journal.parent / "checks").glob("*"))
    judging.settle("test.sh", "test.sh -v")
    step = judging.judge()
    assert (step["action"], step["rule"], step["phase"]) == ("ask", "start/commands", "integration")
    assert sorted((judging.journal.parent / "checks").glob("*")) == before
    assert judging.answer("accept")["action"] == "complete"


def test_the_mode_is_settled_once_for_the_repository(play: PlayScene) -> None:
    bench, _ = play("start/mode")
    bench.baton("answer", "42", "local")
    assert other_story(bench)["rule"] == "start/planning"


def test_a_production_branch_is_accepted_once_a_story(play: PlayScene) -> None:
    bench, _ = play("integrate/production")
    bench.commit({".baton.yaml": "integrate: {mode: local}\ncommands: {test: no-such-program}\n"})
    assert bench.answer("accept")["rule"] == "start/commands"
    assert bench.answer("accept")["rule"] == "test/unclear"
    assert bench.answer("retry")["rule"] == "test/unclear"


def test_without_the_loop_every_run_is_asked_for_until_a_limit_is_given(implementing: Bench) -> None:
    implementing.next("--no-loop")  # while the first one runs
    assert implementing.work()["rule"] == "limit/iterations"
    assert implementing.answer("continue")["agent"] == "baton:implementer"
    assert implementing.work()["rule"] == "limit/iterations"
    implementing.answer("continue")
    implementing.next("--max-iterations", "9")
    assert implementing.work(1)["agent"] == "baton:implementer"


# What an answer does not do


def test_changed_criteria_hold_only_when_they_are_accepted(play: PlayScene) -> None:
    bench, _ = play("run/criteria-changed")
    bench.answer("retry", "do not change the criteria")
    assert bench.work()["rule"] == "run/criteria-changed"
    bench.answer("accept")
    assert bench.work(2)["rule"] != "run/criteria-changed"


def test_every_criterion_may_be_deferred(judging: Bench) -> None:
    judging.hand_in("qa-report", VERDICT.format("ESCALATE", "no time").replace("result: PASS", "result: DEFERRED"))
    judging.end()
    judging.answer("accept")
    assert judging.judge()["action"] == "complete"


def test_a_limit_that_was_lowered_allows_what_the_answer_says(implementing: Bench) -> None:
    implementing.work(1)
    implementing.next("--max-iterations", "1")
    assert implementing.work(2)["rule"] == "limit/iterations"
    assert implementing.answer("continue")["agent"] == "baton:implementer"
