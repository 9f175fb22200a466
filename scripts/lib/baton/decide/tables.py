"""The decision tables: data, in the order in which the engine reads them.

`then` names what follows: a role to spawn, a table to judge next, or a step.
"""

from baton.decide.engine import Row, Stop, Table
from baton.decide.facts import (
    AnyFacts,
    GuardFacts,
    IntegrationFacts,
    LoopFacts,
    PlanningFacts,
    QaFacts,
    ReportFacts,
    StartFacts,
    UnderWayFacts,
)

ABANDON = {"abandon": "abandon"}
PLANNER = {"retry": "planner", **ABANDON}
IMPLEMENTER = {"retry": "implementer", "replan": "planner", **ABANDON}
QA = {"retry": "qa", "replan": "planner", **ABANDON}

UNDER_WAY = Table("under way", UnderWayFacts, (
    Row("under-way/unknown-run", "`--ended` names no run of this story", {"ended_run": ("unknown",)},
        "refuse", "{ended} is no run of this story; {out}"),
    Row("under-way/abandoned", "abandoned", {"stage": ("abandoned",)},
        "refuse", "the story was abandoned"),
    Row("under-way/complete", "complete", {"stage": ("complete",)},
        "complete", "the story is complete"),
    Row("under-way/question", "a package is open", {"stage": ("question",)},
        "ask", "a question is open: answer it first"),
    Row("under-way/restarts", "a run is out, restarts used up",
        {"stage": ("out",), "run_ended": (False,), "restarts_used_up": (True,)},
        "ask", "{run} was started {starts} times and has not ended", stop=Stop(
            "decide", "manual fix", {"continue": "wait", "retry": "again", **ABANDON},
            "Start the same run once more, or give it up and make a new one?")),
    Row("under-way/wait", "a run is out and has not ended", {"stage": ("out",), "run_ended": (False,)},
        "wait", "{run} is out; {seen}"),
), total=False)  # fmt: skip

START = Table("start", StartFacts, (
    Row("start/not-ready", "the repository is not ready", {"ready": (False,)}, "refuse", "{not_ready}"),
    Row("start/dirty", "tracked changes", {"dirty": (True,)},
        "refuse", "uncommitted changes to tracked files: {dirty}"),
    Row("start/busy", "another story has a run out in this work tree", {"busy": (True,)},
        "refuse", "story {busy} has a run out in this work tree"),
    Row("start/commands", "commands not yet confirmed on this machine", {"commands": ("unconfirmed",)},
        "ask", "these commands of `.baton.yaml` on {base} have not been confirmed on this machine:\n{commands}",
        stop=Stop("authorise", "continue", {"accept": "start", **ABANDON},
                  "May baton run these commands, as they are, in work trees of this repository?")),
    Row("start/mode", "no `integrate.mode` configured", {"mode": (False,)},
        "ask", "`.baton.yaml` on {base} names no `integrate.mode`",
        stop=Stop("decide", "continue", {"local": "start", **ABANDON},
                  "How should finished stories of this repository be integrated?")),
    Row("start/planning", "otherwise, or unknown", {}, "spawn", "a new story begins with a plan", then="planner"),
))  # fmt: skip

ANY = Table("any", AnyFacts, (
    Row("any/criteria-changed", "the story's criteria differ from those journalled at the start or last answer",
        {"criteria_changed": (True,)},
        "escalate", "the acceptance criteria were changed while the run was out: {criteria_change}",
        stop=Stop("authorise", "scope clarification", {"accept": "below", "retry": "again", **ABANDON},
                  "Do the criteria hold as they are written now?")),
    Row("any/contradiction", "`requires_user_review` with a finished status",
        {"review": (True,), "status": ("finished",)},
        "ask", "the run says it is {status} and asks for a person's review: {review_reason}",
        stop=Stop("decide", "scope clarification", {"continue": "below", "retry": "again", **ABANDON},
                  "Is the work to be judged as it is?")),
    Row("any/review-required", "`requires_user_review`, not finished",
        {"review": (True,), "status": ("none", "unfinished", "blocked", "failed", "unexpected")},
        "escalate", "the run asks for a person: {review_reason}",
        stop=Stop("decide", "scope clarification", {"continue": "below", "retry": "again", **ABANDON},
                  "What should the next run do about it?")),
    Row("any/blocked", "metadata status blocked", {"status": ("blocked",), "artefact": (False,)},
        "escalate", "the run says it is blocked: {details}",
        stop=Stop("decide", "scope clarification", {"continue": "below", "retry": "again", **ABANDON},
                  "What lifts the block?")),
    Row("any/failed", "metadata status failed", {"status": ("failed",), "artefact": (False,)},
        "escalate", "the run says it failed: {details}",
        stop=Stop("decide", "manual fix", {"continue": "below", "retry": "again", **ABANDON},
                  "Should it be tried again?")),
    Row("any/unexpected-status", "implementation only: `planned` or `researched`",
        {"phase": ("implementation",), "status": ("unexpected",)},
        "ask", "an implementation run says its status is `{status}`",
        stop=Stop("decide", "continue", {"continue": "below", "retry": "again", **ABANDON},
                  "Go on as if it had said `partial`?")),
), total=False)  # fmt: skip

PLANNING = Table("planning", PlanningFacts, (
    Row("planning/both", "a valid plan beside a fresh plan-blocked", {"plan": ("valid",), "blocked": (True,)},
        "ask", "the planner left a valid plan and also says it is blocked: {block_reason}",
        stop=Stop("decide", "scope clarification",
                  {"plan": "below", "block": "below", "retry": "planner", **ABANDON},
                  "Which of the two holds?")),
    Row("planning/approval", "plan valid, `--plan-only`, this plan not yet approved",
        {"plan": ("valid",), "approval_due": (True,)},
        "ask", "the plan is ready: {plan_path}, {total} phases",
        stop=Stop("decide", "continue", {"accept": "implementer", "retry": "planner", **ABANDON},
                  "Should this plan be carried out?")),
    Row("planning/valid", "plan valid", {"plan": ("valid",)},
        "spawn", "the plan is valid, with {total} phases", then="implementer"),
    Row("planning/blocked", "plan not valid, plan-blocked with a reason", {"blocked": (True,)},
        "escalate", "the planner cannot plan this story: {block_reason}",
        stop=Stop("decide", "scope clarification", PLANNER, "What should the planner know or assume?")),
    Row("planning/exhausted", "used up", {"used_up": (True,)},
        "escalate", "{attempts} planning runs and no valid plan: {findings}", debits="planning",
        stop=Stop("decide", "scope clarification", PLANNER, "What should the planner do differently?")),
    Row("planning/missing", "no plan, no reason", {"plan": ("missing",)},
        "spawn", "the planner left neither a plan nor a reason", then="planner", debits="planning"),
    Row("planning/invalid", "plan present, not valid", {"plan": ("invalid",)},
        "spawn", "the plan is not valid: {findings}", then="planner", debits="planning"),
))  # fmt: skip

LOOP = Table("implementation", LoopFacts, (
    Row("loop/no-return-twice", "no valid metadata of this run; used up",
        {"metadata": ("none",), "no_return_used_up": (True,)},
        "escalate", "{attempts} runs in a row ended without return metadata", debits="no_return",
        stop=Stop("decide", "manual fix", IMPLEMENTER, "What should the next run do differently?")),
    Row("loop/no-return", "no valid metadata of this run; left", {"metadata": ("none",)},
        "spawn", "the run ended without return metadata", then="implementer", debits="no_return"),
    Row("loop/implemented", "implemented, no open phase",
        {"metadata": ("implemented",), "open_phases": (False,)},
        "judge", "all {total} phases are closed", then="report"),
    Row("loop/phase-blocked", "a phase is marked BLOCKED, and no answer since", {"phase_blocked": (True,)},
        "escalate", "{blocked_phase} is marked BLOCKED: {details}",
        stop=Stop("decide", "scope clarification", IMPLEMENTER, "What lifts the block?")),
    Row("loop/interrupted", "in_progress", {"metadata": ("in_progress",)},
        "spawn", "the run was interrupted; {closed} of {total} phases are closed", then="implementer"),
    Row("loop/open-phases", "implemented with open phases",
        {"metadata": ("implemented",), "open_phases": (True,)},
        "spawn", "the run says implemented, but only {closed} of {total} phases are closed", then="implementer"),
    Row("loop/continue", "partial", {"metadata": ("partial",)},
        "spawn", "{closed} of {total} phases are done and nothing blocks the rest", then="implementer"),
))  # fmt: skip

REPORT = Table("report", ReportFacts, (
    Row("report/valid", "valid, no blocking failures", {"report": ("valid",), "blocking": (False,)},
        "spawn", "the implementation report is complete and names no blocking failure", then="qa"),
    Row("report/exhausted", "missing, invalid or blocking; used up", {"used_up": (True,)},
        "escalate", "{attempts} runs ended without a good report: {findings}", debits="report",
        stop=Stop("decide", "manual fix", IMPLEMENTER, "What should the implementer do about it?")),
    Row("report/missing", "no fresh impl-report", {"report": ("missing",)},
        "spawn", "the run said implemented and left no report", then="implementer", debits="report"),
    Row("report/invalid", "changes, criteria mapping or rules missing, or any other finding",
        {"report": ("invalid",)},
        "spawn", "the report is not complete: {findings}", then="implementer", debits="report"),
    Row("report/blocking", "it names blocking failures", {"blocking": (True,)},
        "spawn", "the report names blocking failures: {findings}", then="implementer", debits="report"),
))  # fmt: skip

QA_TABLE = Table("qa", QaFacts, (
    Row("qa/escalate", "ESCALATE, or a conditional pass", {"verdict": ("escalate", "conditional")},
        "escalate", "QA says {verdict}: {verdict_reason}",
        stop=Stop("decide", "scope clarification", QA, "What decides this for QA?")),
    Row("qa/fail-twice", "FAIL, fail cycles used up", {"verdict": ("fail",), "fails_used_up": (True,)},
        "escalate", "QA failed the story {fails} times: {verdict_reason}", debits="qa_fail_cycles",
        stop=Stop("decide", "manual fix", {"retry": "implementer", "replan": "planner", **ABANDON},
                  "What should the implementer do about what QA found?")),
    Row("qa/fail", "FAIL", {"verdict": ("fail",)},
        "spawn", "QA failed the story: {verdict_reason}", then="implementer", debits="qa_fail_cycles"),
    Row("qa/verdict-exhausted", "as no-verdict, used up",
        {"verdict": ("none", "two"), "verdicts_used_up": (True,)},
        "escalate", "{attempts} QA runs and no usable verdict: {findings}", debits="qa_verdict",
        stop=Stop("decide", "manual fix", QA, "What keeps QA from a verdict?")),
    Row("qa/verdict-exhausted", "as open-criteria, used up",
        {"verdict": ("pass",), "open_criteria": (True,), "verdicts_used_up": (True,)},
        "escalate", "{attempts} QA runs and no usable verdict: {findings}", debits="qa_verdict",
        stop=Stop("decide", "manual fix", QA, "What keeps QA from a verdict?")),
    Row("qa/no-verdict", "report missing, no verdict, two different ones, or an unfilled template",
        {"verdict": ("none", "two")},
        "spawn", "no usable verdict: {findings}", then="qa", debits="qa_verdict"),
    Row("qa/open-criteria", "PASS, but a criterion of the story has no row, or a row that is no pass",
        {"verdict": ("pass",), "open_criteria": (True,)},
        "spawn", "QA says PASS, but not of every criterion: {findings}", then="qa", debits="qa_verdict"),
    Row("qa/pass", "explicit PASS", {"verdict": ("pass",)},
        "integrate", "QA passed every criterion", then="integrate"),
))  # fmt: skip

INTEGRATION_OPTIONS = {"retry": "integrate", **ABANDON}
BY_HAND = (
    "What went wrong? It ran in a clean work tree of that commit, where ignored files are absent. "
    "Mend it on the story branch and commit, then retry; QA does not see what you mend."
)


def _by_hand(question: str) -> Stop:
    return Stop("act", "manual fix", INTEGRATION_OPTIONS, question)


INTEGRATION = Table("integration", IntegrationFacts, (
    Row("integrate/production", "base is in `production` and is not the configured `base`",
        {"step": ("base",), "result": ("production",)},
        "ask", "{base} is a production branch and `.baton.yaml` does not name it as `base`",
        stop=Stop("authorise", "continue", {"accept": "integrate", **ABANDON},
                  "May this story be merged into it? `base:` in .baton.yaml would settle it for good.")),
    Row("integrate/base", "base may be merged to", {"step": ("base",)}, "on", "{base} may be merged to"),
    Row("sync/clean", "base merges into the story branch", {"step": ("sync",), "result": ("ok",)},
        "on", "{branch} contains {base}"),
    Row("sync/conflict", "it conflicts", {"step": ("sync",), "result": ("conflict",)},
        "escalate", "{base} does not merge into {branch}: {evidence}",
        stop=_by_hand("Merge the base branch into the story branch, commit, then retry.")),
    Row("build/wait", "the commands have not ended yet", {"step": ("build",), "result": ("running",)},
        "wait", "the commands of `.baton.yaml` are running on {commit}; their output is in {evidence}"),
    Row("build/pass", "the build command passes", {"step": ("build",), "result": ("ok",)},
        "on", "build passes on {commit}"),
    Row("build/unset", "none configured", {"step": ("build",), "result": ("unset",)},
        "on", "no build command is configured"),
    Row("build/unclear", "it fails", {"step": ("build",), "result": ("failed",)},
        "escalate", "build fails on {commit}: {evidence}",
        stop=_by_hand(BY_HAND)),
    Row("test/pass", "the test command passes", {"step": ("test",), "result": ("ok",)},
        "on", "test passes on {commit}"),
    Row("test/unset", "none configured", {"step": ("test",), "result": ("unset",)},
        "on", "no test command is configured"),
    Row("test/unclear", "it fails", {"step": ("test",), "result": ("failed",)},
        "escalate", "test fails on {commit}: {evidence}",
        stop=_by_hand(BY_HAND)),
    Row("close/written", "build and test are through", {"step": ("close",), "result": ("ok",)},
        "on", "the completion report is committed"),
    Row("merge/done", "exactly the head that was checked", {"step": ("merge",), "result": ("ok",)},
        "complete", "{branch} is merged into {base}"),
    Row("merge/rejected", "git refuses the merge", {"step": ("merge",), "result": ("refused",)},
        "escalate", "git refuses to merge {branch} into {base}: {evidence}",
        stop=_by_hand("Remove what git names, then retry.")),
))  # fmt: skip

GUARD = Table("guard", GuardFacts, (
    Row("guard/limit", "an implementation run, and iterations used up",
        {"role": ("implementer",), "iterations_used_up": (True,)},
        "ask", "{iterations} implementation runs were made, as many as allowed; {gained}",
        stop=Stop("decide", "continue", {"continue": "implementer", "replan": "planner", **ABANDON},
                  "Should {allowance} more be made?")),
    Row("guard/go", "otherwise", {}, "go", "nothing stands in the way"),
))  # fmt: skip

TABLES = (UNDER_WAY, START, ANY, PLANNING, LOOP, REPORT, QA_TABLE, INTEGRATION, GUARD)
