"""What the work is judged by: QA's verdict, or that of a run that did a small story by itself."""

from baton.rules.engine import Row, RowQuestion, Table
from baton.rules.facts import MicroFacts, QaFacts
from baton.rules.tables.options import DEFER, IMPLEMENTER, MICRO_DELIVERY, QA

NO_VERDICT = ("none", "two")
OPEN_CRITERIA = (
    "PASS, but a criterion of the story has no row, or a row that is no pass and not deferred by a person"
)

QA_TABLE = Table("qa", QaFacts, (
    Row("qa/moved", "PASS, but the code of the story branch, or the story, has changed since the run was sent out",
        {"verdict": ("pass",), "moved": (True,)},
        "spawn", "QA passed the work, and {moved} since", then="qa"),
    Row("qa/escalate", "ESCALATE, or a conditional pass, that leaves criteria open",
        {"verdict": ("escalate", "conditional"), "open_criteria": (True,)},
        "escalate", "QA says {verdict}: {verdict_reason}; not passed: {open}",
        stop=RowQuestion("decide", "scope clarification", DEFER, "Must these criteria be met by this story?")),
    Row("qa/escalate", "ESCALATE, or a conditional pass", {"verdict": ("escalate", "conditional")},
        "escalate", "QA says {verdict}: {verdict_reason}",
        stop=RowQuestion("decide", "scope clarification", QA, "What decides this for QA?")),
    Row("qa/fail-twice", "FAIL, fail cycles used up", {"verdict": ("fail",), "fails_used_up": (True,)},
        "escalate", "QA failed the story {fails} times: {verdict_reason}", charges="qa_fail_cycles",
        stop=RowQuestion("decide", "manual fix", IMPLEMENTER,
                  "What should the implementer do about what QA found?")),
    Row("qa/fail", "FAIL", {"verdict": ("fail",)},
        "spawn", "QA failed the story: {verdict_reason}", then="implementer", charges="qa_fail_cycles"),
    Row("qa/verdict-exhausted", "as no-verdict, used up",
        {"verdict": NO_VERDICT, "verdicts_used_up": (True,)},
        "escalate", "{attempts} QA runs and no usable verdict: {findings}", charges="qa_verdict",
        stop=RowQuestion("decide", "manual fix", QA, "What keeps QA from a verdict?")),
    Row("qa/no-verdict", "report missing, no verdict, two different ones, or an unfilled template",
        {"verdict": NO_VERDICT},
        "spawn", "no usable verdict: {findings}", then="qa", charges="qa_verdict"),
    Row("qa/delta-exhausted", "PASS, memory-delta present and not valid, used up",
        {"verdict": ("pass",), "delta": ("invalid",), "deltas_used_up": (True,)},
        "escalate", "QA passed the work {delta_attempts} times and left a memory delta that is not valid, "
        "{delta_path}: {delta_findings}; what it must hold is laid down in {delta_schema}", charges="memory_delta",
        stop=RowQuestion("decide", "manual fix", QA, "Fix or remove the memory delta by hand; then retry.")),
    Row("qa/delta-invalid", "PASS, memory-delta present and not valid, left",
        {"verdict": ("pass",), "delta": ("invalid",)},
        "spawn", "QA passed every criterion; its memory delta is not valid: {delta_findings}",
        then="qa", charges="memory_delta"),
    Row("qa/pass", "explicit PASS", {"verdict": ("pass",)},
        "integrate", "QA passed every criterion", then="integrate"),
))  # fmt: skip

MICRO = Table("micro", MicroFacts, (
    Row("micro/pass", "explicit PASS, no open criterion", {"verdict": ("pass",), "open_criteria": (False,)},
        "integrate", "the run passed every criterion", then="integrate"),
    Row("micro/reevaluate", "ESCALATE or a conditional pass", {"verdict": ("escalate", "conditional")},
        "spawn", "more than a small story, it is planned now: {verdict_reason}", then="planner"),
    Row("micro/exhausted", "anything else, used up", {"used_up": (True,)},
        "escalate", "{attempts} runs did not pass the story: {findings}", charges="micro",
        stop=RowQuestion("decide", "manual fix", MICRO_DELIVERY, "What should the next run do differently?")),
    Row("micro/fail", "FAIL", {"verdict": ("fail",)},
        "spawn", "the work is not done yet: {findings}", then="micro-delivery", charges="micro"),
    Row("micro/no-verdict", "report missing, no verdict, two different ones, or an unfilled template",
        {"verdict": NO_VERDICT},
        "spawn", "no usable verdict: {findings}", then="micro-delivery", charges="micro"),
    Row("micro/open-criteria", OPEN_CRITERIA, {"verdict": ("pass",)},
        "spawn", "PASS, but not of every criterion: {findings}", then="micro-delivery", charges="micro"),
))  # fmt: skip
