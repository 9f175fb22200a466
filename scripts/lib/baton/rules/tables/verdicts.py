"""What the work is judged by: QA's verdict, or that of a run that did a small story by itself."""

from baton.rules.engine import Answer, Row, RowQuestion, Table
from baton.rules.facts import MicroFacts, QaFacts
from baton.rules.tables.options import IMPLEMENTER, MICRO_DELIVERY, QA

OPEN_CRITERIA = (
    "the verdict is PASS, but a criterion has no row, or one that is no pass and was not deferred by you"
)

QA_TABLE = Table("qa", QaFacts, (
    Row("qa/moved", "QA says PASS, but the story or its code has changed since the run was started",
        {"verdict": ("pass",), "moved": (True,)},
        "spawn", "QA passed the work, and {moved} since", then="qa"),
    Row("qa/escalate", "QA says ESCALATE, and criteria stay open",
        {"verdict": ("escalate",), "open_criteria": (True,)},
        "escalate", "QA says {verdict}: {verdict_reason}; not passed: {open}",
        stop=RowQuestion("decide", "scope clarification", {
            "accept": Answer("defer", "defers exactly the criteria that are not passed, and has QA judge the rest "
                  "again"), **QA}, "Must these criteria be met by this story?")),
    Row("qa/escalate", "QA says ESCALATE", {"verdict": ("escalate",)},
        "escalate", "QA says {verdict}: {verdict_reason}",
        stop=RowQuestion("decide", "scope clarification", {
            "accept": Answer("below", "takes it as passed, with what QA says against it in the report, and goes "
                  "on to {end}"), **QA},
                  "Every criterion is passed. Is it good as it is, or what decides this for QA?")),
    Row("qa/fail-twice", "QA says FAIL, and the cycles of fixes are used up",
        {"verdict": ("fail",), "fails_used_up": (True,)},
        "escalate", "QA failed the story {fails} times: {verdict_reason}", charges="qa_fail_cycles",
        stop=RowQuestion("decide", "manual fix", IMPLEMENTER,
                  "What should the implementer do about what QA found?")),
    Row("qa/fail", "the verdict is FAIL", {"verdict": ("fail",)},
        "spawn", "QA failed the story: {verdict_reason}", then="implementer", charges="qa_fail_cycles"),
    Row("qa/verdict-exhausted", "no report was accepted, and the attempts are used up",
        {"verdict": ("none",), "verdicts_used_up": (True,)},
        "escalate", "{attempts} QA runs and no usable verdict: {findings}", charges="qa_verdict",
        stop=RowQuestion("decide", "manual fix", QA, "What keeps QA from a verdict?")),
    Row("qa/no-verdict", "no report was accepted",
        {"verdict": ("none",)},
        "spawn", "no usable verdict: {findings}", then="qa", charges="qa_verdict"),
    Row("qa/delta-exhausted", "QA says PASS, its memory delta is not valid, and the attempts are used up",
        {"verdict": ("pass",), "delta": ("invalid",), "deltas_used_up": (True,)},
        "escalate", "QA passed the work {delta_attempts} times and left a memory delta that is not valid, "
        "{delta_path}: {delta_findings}; what it must hold is laid down in {delta_schema}", charges="memory_delta",
        stop=RowQuestion("decide", "manual fix", QA, "Fix or remove the memory delta by hand; then retry.")),
    Row("qa/delta-invalid", "QA says PASS, its memory delta is not valid, and attempts are left",
        {"verdict": ("pass",), "delta": ("invalid",)},
        "spawn", "QA passed every criterion; its memory delta is not valid: {delta_findings}",
        then="qa", charges="memory_delta"),
    Row("qa/pass", "QA says PASS", {"verdict": ("pass",)},
        "integrate", "QA passed every criterion", then="integrate"),
), stage="qa")  # fmt: skip

MICRO = Table("micro", MicroFacts, (
    Row("micro/pass", "the verdict is PASS, and no criterion is open",
        {"verdict": ("pass",), "open_criteria": (False,)},
        "integrate", "the run passed every criterion", then="integrate"),
    Row("micro/reevaluate", "the verdict is ESCALATE",
        {"verdict": ("escalate",)},
        "spawn", "more than a small story, it is planned now: {verdict_reason}", then="planner"),
    Row("micro/exhausted", "no row above fits, and the attempts are used up", {"used_up": (True,)},
        "escalate", "{attempts} runs did not pass the story: {findings}", charges="micro",
        stop=RowQuestion("decide", "manual fix", MICRO_DELIVERY, "What should the next run do differently?")),
    Row("micro/fail", "the verdict is FAIL", {"verdict": ("fail",)},
        "spawn", "the work is not done yet: {findings}", then="micro-delivery", charges="micro"),
    Row("micro/no-verdict", "no report was accepted",
        {"verdict": ("none",)},
        "spawn", "no usable verdict: {findings}", then="micro-delivery", charges="micro"),
    Row("micro/open-criteria", OPEN_CRITERIA, {"verdict": ("pass",)},
        "spawn", "PASS, but not of every criterion: {findings}", then="micro-delivery", charges="micro"),
), stage="gate")  # fmt: skip
