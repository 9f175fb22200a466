"""A neighbour of every row of the decision tables: the way to it but for one thing, and the row that fits."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import scenes
from bench import DELIVERED, DELTA, PLAN, REPORT, SETTINGS, VERDICT, WITH_COMMANDS, Bench
from scenes import AGAIN, ERRORS, FAILING, FLAKY, REVIEW, Play, judge_code, push, rewrite, start_agent


class Near(NamedTuple):
    """A way that misses the row `rule` by what `but` says, and leads to the row `instead`."""

    rule: str
    stage: str
    instead: str
    but: str
    play: Play


NEAR_MISSES: list[Near] = []
# A row that no step carries: the row by which one sees that it was taken.
SEEN_AS = {
    "under-way/question": "start/commands",
    "under-way/complete": "close/done",
    "loop/implemented": "report/valid",
}


def near(rule: str, stage: str, instead: str, but: str) -> Callable[[Play], Play]:
    """Enter a way that begins at `stage` and misses the row `rule` in one thing."""

    def enter(play: Play) -> Play:
        NEAR_MISSES.append(Near(rule, stage, instead, but, play))
        return play

    return enter


def settle(bench: Bench, more: str) -> None:
    """Commit settings to the base of a story that is under way."""
    bench.commit({".baton.yaml": f"{WITH_COMMANDS}{more}\n"})


# Under way


near("under-way/unknown-run", "implementing", "under-way/wait", "the run was judged long ago")(
    lambda bench: bench.next("--ended", bench.state.runs[0].id)
)
near("under-way/question", "story", "start/planning", "the question was answered")(lambda bench: bench.next())
near("under-way/restarts", "planning", "under-way/wait", "two starts were seen, not three")(
    lambda bench: (start_agent(bench, "a1"), start_agent(bench, "a2"), bench.next())[-1]
)


@near("under-way/restarts", "planning", "under-way/wait", "a fourth is allowed")
def start_three_of_four(bench: Bench) -> Any:
    settle(bench, "retries: {restarts: 4}")
    return scenes.start_three_times(bench)


@near("under-way/restarts", "planning", "planning/missing", "the run ends after the third start")
def end_after_three_starts(bench: Bench) -> Any:
    for agent in ("a1", "a2", "a3"):
        start_agent(bench, agent)
    return bench.end()


@near("under-way/abandoned", "bench", "start/planning", "the answer is another")
def accept_and_ask(bench: Bench) -> Any:
    bench.new()
    bench.next()
    return bench.answer("accept")


@near("under-way/complete", "judging", "merge/in-the-way", "the closed story was not merged")
def close_without_merging(bench: Bench) -> Any:
    scenes.change_the_checkout_too(bench)
    return bench.next()


@near("under-way/wait", "planning", "planning/missing", "its metadata is final")
def end_by_metadata(bench: Bench) -> Any:
    bench.meta("partial")
    return bench.next()


# Start


@near("start/not-ready", "story", "start/planning", "HEAD alone is on no branch")
def detach(bench: Bench) -> Any:
    bench.git("switch", "--quiet", "--detach")
    return bench.next()


@near("start/spec", "story", "start/planning", "the file is committed")
def commit_the_spec(bench: Bench) -> Any:
    bench.write({f"{bench.folder.relative}/story.md": "mine\n"})
    bench.git("add", bench.folder.relative)
    bench.git("commit", "--quiet", "--message", "mine")
    return bench.next()


def begin_other(bench: Bench) -> Any:
    """Make a second story in the same work tree, and ask for its next step."""
    other = Bench(bench.root, "43")
    other.new("Another")
    return other.next()


@near("start/commands", "bench", "start/planning", "another story had them confirmed")
def confirm_before(bench: Bench) -> Any:
    begin_other(bench)
    bench.baton("answer", "43", "accept")
    bench.new()
    return bench.next()


@near("start/mode", "bench", "start/planning", "a mode is configured")
def begin_with_mode(bench: Bench) -> Any:
    bench.commit({".baton.yaml": "base: main\nintegrate: {mode: local}\n"})
    bench.git("reset", "--quiet", "--hard")
    bench.new()
    return bench.next()


def begin_sized(bench: Bench, complexity: str, *flags: str) -> Any:
    """Begin a story of a complexity."""
    bench.new("Subtract numbers", "--complexity", complexity)
    bench.next(*flags)
    return bench.answer("accept")


@near("start/approval", "implementing", "start/adopted", "the plan was approved")
def approve_what_was_there(bench: Bench) -> Any:
    scenes.lose_journal(bench)
    bench.next("--plan-only")
    return bench.answer("accept")


@near("start/adopted", "implementing", "start/planning", "the plan lacks a section")
def lose_the_journal_of_half_a_plan(bench: Bench) -> Any:
    push(bench, "plan", PLAN.replace("## Edge Cases", "## Cases"))
    folder = bench.folder
    bench.git("merge", "--quiet", folder.branch)
    bench.git("branch", "--quiet", "--move", folder.branch, "aside")
    scenes.lose_journal(bench)
    bench.baton("story", "new", "--from", folder.relative)
    return bench.next()


near("start/micro", "bench", "start/planning", "its complexity is 3")(lambda bench: begin_sized(bench, "3"))
near("start/micro", "bench", "start/planning", "only a plan is wanted")(
    lambda bench: begin_sized(bench, "2", "--plan-only")
)
near("start/planning", "bench", "start/micro", "its complexity is 2")(lambda bench: begin_sized(bench, "2"))

# Any phase


near("any/not-begun", "planning", "planning/missing", "it began, and said nothing")(lambda bench: bench.end())


def plan_and_say(bench: Bench, status: str, **more: object) -> Any:
    """Hand a plan in, and metadata with this status."""
    bench.hand_in("plan", PLAN)
    assert bench.meta(status, **more).code == 0
    return bench.end()


near("any/contradiction", "planning", "planning/valid", "a reason is given and no review asked for")(
    lambda bench: plan_and_say(bench, "planned", review_reason="two ways are open")
)
near("any/contradiction", "planning", "any/review-required", "the status is not a finished one")(
    lambda bench: plan_and_say(bench, "partial", **REVIEW)
)
near("any/review-required", "implementing", "loop/continue", "a reason is given and no review asked for")(
    lambda bench: bench.work(1, review_reason="two ways are open")
)
near("any/review-required", "implementing", "any/contradiction", "the status is a finished one")(
    lambda bench: bench.work(1, 2, status="implemented", **REVIEW)
)
FINAL = {"type": "build", "message": "no compiler", "recoverable": False}
near("any/review-required", "implementing", "loop/continue", "one of two errors is recoverable")(
    lambda bench: bench.work(1, errors=[FINAL, {"type": "build", "message": "a warning", "recoverable": True}])
)
near("any/review-required", "implementing", "loop/continue", "one of two errors is soft")(
    lambda bench: bench.work(1, errors=[FINAL, {"type": "timeout", "message": "late", "recoverable": False}])
)


@near("any/head-moved", "implementing", "loop/continue", "the commit is added, not amended")
def commit_more(bench: Bench) -> Any:
    bench.commit({"other.py": "MORE = 1\n"}, bench.folder.branch)
    return bench.work(1)


@near("any/criteria-changed", "implementing", "loop/continue", "it was put back before the run ended")
def rewrite_and_put_back(bench: Bench) -> Any:
    there_and_back(bench)
    return bench.work(1)


def there_and_back(bench: Bench) -> None:
    """Have a person change the story, and take that back."""
    text = bench.place("story").read_text(encoding="utf-8")
    rewrite(bench, "sub(3, 2) is 1", "sub works")
    push(bench, "story", text)


@near("any/protected", "implementing", "loop/continue", "nothing carries it out there")
def change_a_workflow_elsewhere(bench: Bench) -> Any:
    bench.edit({"docs/github/workflows/ci.yml": "on: push\n"})
    return bench.work(1)


near("any/blocked", "planning", "planning/valid", "the planner left a valid plan")(
    lambda bench: plan_and_say(bench, "blocked", errors=[{"message": "no network"}])
)


@near("any/failed", "judging", "qa/fail", "QA left a report")
def fail_with_a_report(bench: Bench) -> Any:
    bench.hand_in("qa-report", VERDICT.format("FAIL", "no docstring"))
    bench.meta("failed", errors=[{"message": "no network"}])
    return bench.end()


@near("any/unexpected-status", "judging", "qa/pass", "it is QA that says it")
def judge_and_say_planned(bench: Bench) -> Any:
    bench.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    bench.meta("planned")
    return bench.end()


near("any/unexpected-status", "implementing", "loop/continue", "the word is `partial`")(
    lambda bench: bench.work(1, status="partial")
)

# Planning


def plan_as(bench: Bench, text: str) -> Any:
    """Hand a valid plan in and end, when a person has committed another."""
    bench.hand_in("plan", PLAN)
    push(bench, "plan", text)
    return bench.end()


WITHOUT_RISKS = PLAN.replace("## Risk Register\n\nnone\n", "")
near("planning/valid", "planning", "planning/invalid", "a section is missing")(
    lambda bench: plan_as(bench, WITHOUT_RISKS)
)
near("planning/invalid", "planning", "planning/valid", "what is wrong with the plan is a warning")(
    lambda bench: plan_as(bench, PLAN.replace("Phase 2", "Phase 3"))
)
near("planning/missing", "planning", "planning/valid", "a plan is there, be it without metadata")(
    lambda bench: plan_as(bench, PLAN)
)
near("planning/approval", "planning", "planning/valid", "not only a plan is wanted")(lambda bench: bench.plan())


@near("planning/approval", "planning", "planning/invalid", "the plan is not valid")
def plan_only_half(bench: Bench) -> Any:
    bench.next("--plan-only")
    return plan_as(bench, WITHOUT_RISKS)


def plan_beside_a_block(bench: Bench, plan: str, block: str) -> Any:
    """End with a plan that a person has committed, and a plan-blocked."""
    bench.hand_in("plan", PLAN)
    push(bench, "plan", plan)
    bench.hand_in("plan-blocked", block)
    return bench.end()


near("planning/both", "planning", "planning/valid", "the block has no reason")(
    lambda bench: plan_beside_a_block(bench, PLAN, "## Reason\n\n")
)
near("planning/both", "planning", "planning/blocked", "the plan is not valid")(
    lambda bench: plan_beside_a_block(bench, WITHOUT_RISKS, "## Reason\n\nno database\n")
)


@near("planning/both", "planning", "planning/valid", "the block is that of an earlier run")
def plan_after_a_block(bench: Bench) -> Any:
    scenes.block_the_plan(bench)
    bench.answer("retry")
    return bench.plan()


def block_with(bench: Bench, text: str) -> Any:
    """End with a plan-blocked alone."""
    bench.hand_in("plan-blocked", text)
    return bench.end()


near("planning/blocked", "planning", "planning/missing", "its reason is empty")(
    lambda bench: block_with(bench, "## Reason\n\n")
)
# departs: a title above an empty `## Reason` is taken for the reason.
near("planning/blocked", "planning", "planning/missing", "its reason is empty under a title")(
    lambda bench: block_with(bench, "# Blocked\n\n## Reason\n\n")
)


@near("planning/exhausted", "planning", "planning/missing", "a third run is allowed")
def plan_nothing_twice_of_three(bench: Bench) -> Any:
    settle(bench, "retries: {planning: 3}")
    return scenes.plan_nothing_twice(bench)


@near("planning/exhausted", "planning", "planning/valid", "the second run leaves a plan")
def plan_at_last(bench: Bench) -> Any:
    bench.end()
    return bench.plan()


# The loop


@near("loop/no-return", "implementing", "loop/interrupted", "it said that it is in progress")
def say_that_it_goes_on(bench: Bench) -> Any:
    bench.meta("in_progress")
    return bench.end()


@near("loop/no-return-twice", "implementing", "loop/no-return", "a run between them said something")
def say_nothing_now_and_then(bench: Bench) -> Any:
    bench.end()
    bench.work(1)
    return bench.end()


@near("loop/no-return-twice", "implementing", "loop/no-return", "a third run is allowed")
def say_nothing_twice_of_three(bench: Bench) -> Any:
    settle(bench, "retries: {no_return: 3}")
    return scenes.say_nothing_twice(bench)


def implement_but(bench: Bench, mark: str = "COMPLETED", plan: str = "", **more: object) -> Any:
    """Be the implementer for everything; the last phase gets a mark, and a person may commit another plan."""
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.hand_in("impl-report", REPORT)
    bench.mark(1)
    bench.mark(2, mark=mark)
    assert bench.meta("implemented", **more).code == 0
    if plan:
        push(bench, "plan", plan)
    return bench.end()


REOPENED = PLAN.replace("see it", "see both")
near("loop/implemented", "implementing", "loop/open-phases", "a phase is open")(
    lambda bench: implement_but(bench, plan=REOPENED)
)
near("loop/implemented", "implementing", "loop/open-phases", "its next steps name remaining work")(
    lambda bench: implement_but(bench, next_steps="the remaining edge cases")
)
near("loop/implemented", "implementing", "loop/open-phases", "its verification failed")(
    lambda bench: implement_but(bench, verification="one test failed")
)
near("loop/open-phases", "implementing", "report/valid", "the phase is skipped, not open")(
    lambda bench: implement_but(bench, "SKIPPED")
)
near("loop/open-phases", "implementing", "report/valid", "its verification passed")(
    lambda bench: implement_but(bench, verification="all tests passed")
)


@near("loop/interrupted", "implementing", "loop/continue", "what was refused came before what was taken")
def mend_the_metadata(bench: Bench) -> Any:
    assert bench.hand_in("return-meta", "status: [").code != 0
    return bench.work(1)


@near("loop/interrupted", "implementing", "loop/no-return", "what was refused is all it said")
def say_only_what_is_refused(bench: Bench) -> Any:
    assert bench.hand_in("return-meta", "status: [").code != 0
    return bench.end()


near("loop/continue", "implementing", "loop/open-phases", "the status is `implemented`")(
    lambda bench: implement_but(bench, plan=REOPENED)
)
near("loop/continue", "implementing", "loop/interrupted", "the status is `in_progress`")(
    lambda bench: bench.work(1, status="in_progress")
)


@near("loop/phase-blocked", "implementing", "loop/continue", "the mark is PARTIAL")
def close_a_phase_in_part(bench: Bench) -> Any:
    bench.mark(2, mark="PARTIAL")
    return bench.work(1)


def meet_three(bench: Bench, *errors: object) -> Any:
    """Work three times without closing a phase, each time with these errors."""
    return [bench.work(errors=one) for one in errors][-1]


OTHER = [{"type": "build", "message": "no recipe to make target 7 in /tmp/x9/Makefile"}]
near("loop/same-error", "implementing", "loop/no-progress", "one word of the third differs")(
    lambda bench: meet_three(bench, ERRORS, AGAIN, OTHER)
)
near("loop/same-error", "implementing", "loop/no-progress", "the third comes with another")(
    lambda bench: meet_three(bench, ERRORS, AGAIN, ERRORS + OTHER)
)
near("loop/same-error", "implementing", "loop/no-progress", "the second has none")(
    lambda bench: meet_three(bench, ERRORS, [], ERRORS)
)
near("loop/same-error", "implementing", "guard/backoff", "it is met twice")(
    lambda bench: meet_three(bench, ERRORS, AGAIN)
)


@near("loop/same-error", "implementing", "loop/continue", "a fourth is allowed")
def meet_one_error_three_times_of_four(bench: Bench) -> Any:
    settings = SETTINGS.replace("backoff_s: 0", "backoff_s: 0, same_error_limit: 4, no_progress_limit: 9")
    bench.commit({".baton.yaml": settings})
    return scenes.meet_one_error_three_times(bench)


def change_and_work(bench: Bench, *texts: str, closing: int = 0) -> Any:
    """Work once with each text of the code; the last run may close a phase."""
    for number, text in enumerate(texts, 1):
        bench.edit({"calc.py": text})
        step = bench.work(*([closing] if closing and number == len(texts) else []))
    return step


near("loop/oscillating", "implementing", "loop/no-progress", "the third tree is a new one")(
    lambda bench: change_and_work(bench, "A = 1\n", "B = 2\n", "C = 3\n")
)
near("loop/oscillating", "implementing", "loop/no-progress", "the tree is the one just before")(
    lambda bench: change_and_work(bench, "A = 1\n", "A = 1\n", "A = 1\n")
)
near("loop/oscillating", "implementing", "loop/continue", "a phase was gained")(
    lambda bench: change_and_work(bench, "A = 1\n", "B = 2\n", "A = 1\n", closing=1)
)


@near("loop/no-progress", "implementing", "loop/continue", "the third run closes a phase")
def close_one_at_last(bench: Bench) -> Any:
    bench.work()
    bench.work()
    return bench.work(1)


@near("loop/no-progress", "implementing", "loop/continue", "two runs closed nothing")
def close_nothing_twice(bench: Bench) -> Any:
    bench.work()
    return bench.work()


@near("loop/no-progress", "implementing", "loop/continue", "the second of three closes a phase")
def close_one_between(bench: Bench) -> Any:
    bench.work()
    bench.work(1)
    return bench.work()


# The report gate

near("report/valid", "implementing", "report/missing", "no report was handed in")(
    lambda bench: bench.work(1, 2, status="implemented")
)


@near("report/valid", "implementing", "report/invalid", "a hook refuses the commit for good")
def be_refused(bench: Bench) -> Any:
    bench.hook("pre-commit", "exit 1")
    bench.edit({"calc.py": "SUB = 1\n"})
    bench.hand_in("impl-report", REPORT)
    bench.mark(1, 2)
    assert [bench.meta("implemented").code for _ in range(3)] == [1, 1, 0]
    return bench.end()


near("report/missing", "implementing", "report/valid", "a report was handed in")(lambda bench: bench.implement())
near("report/invalid", "implementing", "report/valid", "a section has another of its names")(
    lambda bench: bench.implement(report=REPORT.replace("Changes Made", "Files changed"))
)
near("report/blocking", "implementing", "report/valid", "it names none")(
    lambda bench: bench.implement(report=f"{REPORT}## Blocking Failures\nNone.\n")
)


@near("report/exhausted", "implementing", "report/missing", "a third run is allowed")
def report_nothing_twice_of_three(bench: Bench) -> Any:
    settle(bench, "retries: {report: 3}")
    return scenes.report_nothing_twice(bench)


@near("report/exhausted", "implementing", "report/missing", "QA judged between the two")
def report_nothing_in_two_cycles(bench: Bench) -> Any:
    bench.work(1, 2, status="implemented")
    bench.implement()
    bench.judge("FAIL", "no docstring")
    return bench.work(status="implemented")


# QA


near("qa/escalate", "judging", "qa/pass", "what follows the PASS is a remark, not a condition")(
    lambda bench: bench.judge("PASS, minor notes")
)
near("qa/pass", "judging", "qa/escalate", "what follows the PASS is a condition")(
    lambda bench: bench.judge("PASS with minor notes")
)


def judge_as(bench: Bench, text: str) -> Any:
    """Hand a report in, whether it is accepted or not, and end."""
    bench.hand_in("qa-report", text)
    return bench.end()


near("qa/fail", "judging", "qa/no-verdict", "another line of it says PASS")(
    lambda bench: judge_as(bench, VERDICT.format("FAIL", "seen") + "\nVerdict: PASS\n")
)
near("qa/fail", "judging", "qa/no-verdict", "the word has a question mark")(
    lambda bench: judge_as(bench, VERDICT.format("FAIL?", "seen"))
)
near("qa/no-verdict", "judging", "qa/pass", "the second verdict is the same")(
    lambda bench: judge_as(bench, VERDICT.format("PASS", "seen") + "\nVerdict: PASS\n")
)


@near("qa/moved", "judging", "qa/pass", "what was committed is no code")
def commit_a_plan_beside_qa(bench: Bench) -> Any:
    push(bench, "plan", REOPENED)
    return bench.judge()


@near("qa/moved", "judging", "qa/fail", "the verdict is FAIL")
def commit_beside_a_fail(bench: Bench) -> Any:
    bench.commit({"calc.py": "LATE = 1\n"}, bench.folder.branch)
    return bench.judge("FAIL")


@near("qa/fail-twice", "judging", "qa/fail", "a third is allowed")
def fail_twice_of_three(bench: Bench) -> Any:
    settle(bench, "retries: {qa_fail_cycles: 3}")
    return scenes.fail_twice(bench)


@near("qa/verdict-exhausted", "judging", "qa/no-verdict", "a third run is allowed")
def judge_nothing_twice_of_three(bench: Bench) -> Any:
    settle(bench, "retries: {qa_verdict: 3}")
    return scenes.judge_nothing_twice(bench)


@near("qa/verdict-exhausted", "judging", "qa/no-verdict", "a FAIL lies between the two")
def judge_nothing_in_two_cycles(bench: Bench) -> Any:
    bench.end()
    bench.judge("FAIL", "no docstring")
    bench.implement()
    return bench.end()


def judge_with_delta(bench: Bench, delta: str, verdict: str = "PASS") -> Any:
    """Judge when a person has committed a memory delta."""
    push(bench, "memory-delta", delta)
    return bench.judge(verdict)


near("qa/delta-invalid", "judging", "qa/pass", "the delta is valid")(lambda bench: judge_with_delta(bench, DELTA))
near("qa/delta-invalid", "judging", "qa/fail", "the verdict is FAIL")(
    lambda bench: judge_with_delta(bench, "# Notes\n", "FAIL")
)


@near("qa/delta-exhausted", "judging", "qa/delta-invalid", "a fourth run is allowed")
def leave_it_three_times_of_four(bench: Bench) -> Any:
    settle(bench, "retries: {memory_delta: 4}")
    return scenes.leave_it_three_times(bench)


@near("qa/delta-exhausted", "judging", "qa/pass", "the third run mends it")
def mend_the_delta_at_last(bench: Bench) -> Any:
    scenes.leave_a_delta_that_says_nothing(bench)
    bench.end()
    push(bench, "memory-delta", DELTA)
    return bench.end()


# A small story in one run


def deliver_as(bench: Bench, text: str) -> Any:
    """Deliver a PASS and end, when a person has committed another report."""
    bench.edit({"calc.py": "SUB = 1\n", "test_calc.py": "TEST = 1\n"})
    bench.hand_in("micro-delivery-report", DELIVERED.format("PASS", "seen"))
    push(bench, "micro-delivery-report", text)
    return bench.end()


DELIVERY = DELIVERED.format("PASS", "seen")


@near("micro/pass", "micro", "micro/fail", "a hook refuses the commit")
def deliver_what_is_refused(bench: Bench) -> Any:
    bench.hook("pre-commit", "exit 1")
    return bench.deliver()


near("micro/pass", "micro", "micro/reevaluate", "what follows the PASS is a condition")(
    lambda bench: bench.deliver("PASS with minor notes")
)
near("micro/reevaluate", "micro", "micro/fail", "the verdict is FAIL")(
    lambda bench: bench.deliver("FAIL", "it needs a database")
)
near("micro/fail", "micro", "micro/pass", "the verdict is PASS")(
    lambda bench: bench.deliver("PASS", "the test fails no more")
)
near("micro/no-verdict", "micro", "micro/pass", "the second verdict is the same")(
    lambda bench: deliver_as(bench, f"{DELIVERY}\nVerdict: PASS\n")
)
near("micro/open-criteria", "micro", "micro/pass", "the row names its criterion by words")(
    lambda bench: deliver_as(bench, DELIVERY.replace("AC2", "a test shows it"))
)


@near("micro/exhausted", "micro", "micro/no-verdict", "a third run is allowed")
def deliver_nothing_twice_of_three(bench: Bench) -> Any:
    settle(bench, "retries: {micro: 3}")
    return scenes.deliver_nothing_twice(bench)


@near("micro/exhausted", "micro", "micro/reevaluate", "the second run finds it too large")
def find_it_too_large(bench: Bench) -> Any:
    bench.end()
    return bench.deliver("ESCALATE", "it needs a database")


# Integration


near("integrate/base", "bench", "integrate/production", "no base is named, and main is a production branch")(
    lambda bench: scenes.leave_the_base_unnamed(bench)
)


def judge_under(bench: Bench, settings: str) -> Any:
    """Take a story from a repository with other settings, without commands, through QA."""
    scenes.drive_to_judging(bench, settings)
    return bench.judge()


near("integrate/production", "bench", "integrate/base", "the base is named")(
    lambda bench: judge_under(bench, "base: main\nintegrate: {mode: local}\n")
)
near("integrate/production", "bench", "integrate/base", "main is no production branch")(
    lambda bench: judge_under(bench, "production: [release]\nintegrate: {mode: local}\n")
)


def judge_after(bench: Bench, files: dict[str, str]) -> Any:
    """Judge when files were committed to the base meanwhile."""
    bench.commit(files)
    return bench.judge()


near("sync/clean", "judging", "sync/conflict", "the base changed the same lines otherwise")(
    lambda bench: judge_after(bench, {"calc.py": "SUB = 2\n"})
)
near("sync/conflict", "judging", "sync/clean", "the base moved in another file")(
    lambda bench: judge_after(bench, {"other.py": "SUB = 2\n"})
)
near("sync/conflict", "judging", "sync/clean", "the base changed the same lines alike")(
    lambda bench: judge_after(bench, {"calc.py": "SUB = 1\n"})
)


@near("sync/refused", "judging", "sync/clean", "only base has the submodule")
def pin_a_submodule_on_base(bench: Bench) -> Any:
    scenes.pin(bench, "1", "main")
    return bench.judge()


@near("integrate/criteria-changed", "implementing", "close/done", "it was put back before anybody looked")
def change_and_put_back_after_qa(bench: Bench) -> Any:
    gate = scenes.wait_for_a_gate(bench)
    there_and_back(bench)
    gate.touch()
    return bench.next()


@near("merge/head-moved", "implementing", "close/done", "what was committed is no code")
def commit_a_plan_after_qa(bench: Bench) -> Any:
    gate = scenes.wait_for_a_gate(bench)
    push(bench, "plan", REOPENED)
    gate.touch()
    return bench.next()


def judge_with(bench: Bench, commands: str) -> Any:
    """Take a story through QA in a repository with these commands."""
    bench.commit({".baton.yaml": f"{SETTINGS}commands: {commands}\n"})
    bench.git("reset", "--quiet", "--hard")
    accept_and_ask(bench)
    bench.plan()
    bench.implement()
    return bench.judge()


near("build/unset", "bench", "build/pass", "there is a build command")(
    lambda bench: judge_with(bench, "{build: 'true'}")
)
near("test/unset", "bench", "test/pass", "there is a test command")(
    lambda bench: judge_with(bench, "{test: 'true'}")
)


near("build/pass", "implementing", "build/unclear", "the set-up fails")(
    lambda bench: judge_code(bench, "setup", "exit 1\n")
)
ON_BOTH = [
    ("build", "echo error: no compiler\nexit 1\n", "echo error: no compiler\necho error: no linker\nexit 1\n"),
    ("test", "echo FAIL: one\nexit 1\n", "echo FAIL: one\necho FAIL: two\nexit 1\n"),
]


def add_to_red(bench: Bench, name: str, before: str, after: str) -> Any:
    """Judge a story that changes how a command fails which failed on base, too."""
    bench.commit({f"tools/{name}.sh": before})
    bench.git("reset", "--quiet", "--hard")
    accept_and_ask(bench)
    bench.plan()
    return judge_code(bench, name, after)


for step, first, second in ON_BOTH:
    near(f"{step}/unclear", "implementing", f"{step}/pass", "it says so and exits with 0")(
        partial(judge_code, name=step, script=first.replace("exit 1", "exit 0"))
    )
    near(f"{step}/preexisting", "bench", f"{step}/introduced", "there is one failure more")(
        partial(add_to_red, name=step, before=first, after=second)
    )
    near(f"{step}/introduced", "bench", f"{step}/preexisting", "there is one failure less than on base")(
        partial(add_to_red, name=step, before=second, after=first)
    )
    near(f"{step}/introduced", "implementing", f"{step}/unclear", "the program it needs is missing")(
        partial(judge_code, name=step, script="no-such-program\n")
    )
near("test/introduced", "implementing", "test/unclear", "it passes the second time")(
    lambda bench: judge_code(bench, "test", FLAKY)
)
near("test/unclear", "implementing", "test/introduced", "it fails the second time, too")(
    lambda bench: judge_code(bench, "test", FLAKY.replace("|| {", "; {"))
)
near("test/pass", "implementing", "build/introduced", "the build before it fails")(
    lambda bench: judge_code(bench, "build", "exit 1\n")
)
near("close/written", "implementing", "test/introduced", "the test fails")(
    lambda bench: (bench.implement(FAILING), bench.judge())[-1]
)


LINT = "echo one lint error\nexit 1\n"
near("prepush/unset", "bench", "prepush/pass", "the story changes a file of the worker")(
    lambda bench: scenes.prepush(bench, "true\n")
)
near("prepush/pass", "bench", "prepush/introduced", "it fails")(lambda bench: scenes.prepush(bench, LINT))


@near("prepush/pass", "bench", "prepush/unset", "the folder's name is only how the file's begins")
def change_beside_the_worker(bench: Bench) -> Any:
    settings = f"{SETTINGS}commands: {{prepush: [{{path: workers/api, run: exit 1}}]}}\n"
    scenes.drive_to_judging(bench, settings, {"workers/api.js": "work()\n"})
    return bench.judge()


near("prepush/introduced", "bench", "prepush/unclear", "the program it needs is missing")(
    lambda bench: scenes.prepush(bench, "no-such-linter\n")
)
near("prepush/unclear", "bench", "prepush/introduced", "it fails by itself")(
    lambda bench: scenes.prepush(bench, LINT)
)
near("prepush/credential", "bench", "prepush/introduced", "it names a token, and lacks none")(
    lambda bench: scenes.prepush(bench, "echo one lint error in API_TOKEN.md\nexit 1\n")
)
near("prepush/credential", "bench", "prepush/pass", "it says so and exits with 0")(
    lambda bench: scenes.prepush(bench, "echo API_TOKEN is not set\n")
)


@near("prepush/preexisting", "bench", "prepush/introduced", "base has no such worker")
def push_a_new_worker(bench: Bench) -> Any:
    return scenes.prepush_on_red(bench, LINT)


near("close/done", "bench", "integrate/branch", "the mode is `branch`")(scenes.leave_it_on_its_branch)
near("integrate/branch", "judging", "close/done", "the mode is `local`")(lambda bench: bench.judge())
near("merge/done", "implementing", "merge/already", "somebody merged it first")(scenes.merge_by_hand)
near("merge/done", "judging", "merge/in-the-way", "the checkout has a change of the same file")(
    scenes.change_the_checkout_too
)


@near("merge/in-the-way", "judging", "merge/done", "the change is in another file")
def change_another_file_of_the_checkout(bench: Bench) -> Any:
    bench.write({"tools/build.sh": "mine\n"})
    return bench.judge()


@near("merge/already", "judging", "merge/done", "nobody merged it meanwhile")
def let_the_merge_through(bench: Bench) -> Any:
    scenes.change_the_checkout_too(bench)
    bench.git("restore", "calc.py")
    return bench.answer("retry")


near("merge/lost", "judging", "merge/done", "base moved before the commands ran")(
    lambda bench: judge_after(bench, {"other.py": "SUB = 2\n"})
)
near("merge/lost-again", "judging", "merge/lost", "it moved once")(
    lambda bench: scenes.judge_while_base_moves(bench, 1)
)


# A fix


def fix_twice_of(bench: Bench, most: int) -> Any:
    """Fail the test, and once more after a fix, where so many fixes are allowed."""
    settle(bench, f"retries: {{integration_fixes: {most}}}")
    judge_code(bench, "test", "echo one test failed\nexit 1\n")
    bench.implement()
    return bench.judge()


near("fix/exhausted", "implementing", "fix/run", "two are allowed, and one was made")(
    lambda bench: fix_twice_of(bench, 2)
)
near("fix/run", "implementing", "test/unclear", "it is unclear whose failure it is")(
    lambda bench: judge_code(bench, "test", "no-such-program\n")
)

# The guard


def work_within(bench: Bench, most: str) -> Any:
    """Work once when so many runs are allowed."""
    bench.next("--max-iterations", most)
    return bench.work(1)


near("guard/limit", "implementing", "guard/go", "two runs are allowed")(lambda bench: work_within(bench, "2"))
near("guard/go", "implementing", "guard/limit", "one run is allowed, and made")(
    lambda bench: work_within(bench, "1")
)


@near("guard/limit", "implementing", "guard/go", "QA is next")
def implement_within_the_limit(bench: Bench) -> Any:
    bench.next("--max-iterations", "1")
    return bench.implement()


near("guard/backoff", "implementing", "guard/go", "one word of the second error differs")(
    lambda bench: meet_three(bench, ERRORS, OTHER)
)


@near("guard/backoff", "implementing", "guard/go", "a run without errors lies between")
def meet_one_error_now_and_then(bench: Bench) -> Any:
    bench.work(errors=ERRORS)
    bench.work(1)
    return bench.work(errors=AGAIN)
