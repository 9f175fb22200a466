"""How a story is integrated, step by step, and what follows from a step that the story fails."""

from baton.rules.engine import Row, Stop, Table
from baton.rules.facts import FixFacts, IntegrationFacts
from baton.rules.tables.options import ABANDON

OPTIONS = {"retry": "integrate", **ABANDON}
BY_HAND = (
    "What went wrong? It ran in the story's check tree, on exactly that commit. You can "
    "fix it on the story branch, commit, and answer retry: QA then looks again; or accept it as it is."
)


def _by_hand(question: str) -> Stop:
    return Stop("act", "manual fix", OPTIONS, question)


def _authorize(question: str) -> Stop:
    return Stop("authorize", "continue", {"accept": "integrate", **ABANDON}, question)


def _command(step: str, unset: str, why_unset: str) -> tuple[Row, ...]:
    """Give the rows of a step that runs commands: the same for each, but for when there is nothing to run."""
    return (
        Row(f"{step}/pass", "the command passes", {"outcome": (f"{step}/pass",)},
            "on", f"{step} passes on {{commit}}"),
        Row(f"{step}/unset", unset, {"outcome": (f"{step}/unset",)}, "on", why_unset),
        Row(f"{step}/preexisting", "it fails, names at least one failure, and every failure is in the baseline",
            {"outcome": (f"{step}/preexisting",)},
            "on", f"{step} fails on {{commit}} as on {{base}}: {{evidence}}"),
        Row(f"{step}/introduced", "failures that base does not have, twice", {"outcome": (f"{step}/introduced",)},
            "judge", f"{step} fails on {{commit}} where {{base}} does not: {{evidence}}", then="fix"),
        Row(f"{step}/unclear", "it cannot be compared, does not come back, or times out",
            {"outcome": (f"{step}/unclear",)},
            "escalate", f"{step} fails on {{commit}}, and it is unclear why: {{evidence}}",
            stop=Stop("act", "manual fix", {"accept": "integrate", **OPTIONS}, BY_HAND)),
    )  # fmt: skip


INTEGRATION = Table("integration", IntegrationFacts, (
    Row("integrate/criteria-changed", "story.md is no longer what QA judged by", {"outcome": ("text/changed",)},
        "escalate", "the story was changed after QA: {evidence}",
        stop=Stop("authorize", "scope clarification", {"accept": "qa", "restore": "integrate", **ABANDON},
                  "Does the story hold as it is written now?")),
    Row("merge/head-moved", "the code of the story branch, or the story, is not what was passed",
        {"outcome": ("code/moved",)},
        "spawn", "{branch} is not what was passed: {evidence}", then="qa"),
    Row("merge/head-moved", "the same, of a story of one run", {"outcome": ("code/moved-small",)},
        "spawn", "{branch} is not what was passed: {evidence}", then="micro-delivery"),
    Row("integrate/production", "base is in `production` and is not the configured `base`",
        {"outcome": ("base/production",)},
        "ask", "{base} is a production branch and `.baton.yaml` does not name it as `base`",
        stop=_authorize("May this story be merged into it? `base:` in .baton.yaml would settle it for good.")),
    Row("integrate/base", "base may be merged to", {"outcome": ("base/ok",)}, "on", "{base} may be merged to"),
    Row("sync/clean", "git merges base and the story branch without a conflict", {"outcome": ("sync/ok",)},
        "on", "{base} merges into {branch} without a conflict"),
    Row("sync/conflict", "it conflicts", {"outcome": ("sync/conflict",)},
        "judge", "{base} does not merge into {branch}: {evidence}", then="fix"),
    Row("sync/refused", "git refuses the merge", {"outcome": ("sync/refused",)},
        "escalate", "git refuses to merge {base} into {branch}: {evidence}",
        stop=_by_hand("Fix what git names, or merge the base branch by hand and commit; then retry.")),
    Row("build/wait", "the commands have not ended yet", {"outcome": ("build/running",)},
        "wait", "{evidence}"),
    *_command("build", "none configured", "no build command is configured"),
    *_command("test", "none configured", "no test command is configured"),
    Row("prepush/credential", "it asks for a credential or fails on a missing one",
        {"outcome": ("prepush/credential",)},
        "escalate", "prepush wants a credential, and baton passes none on: {evidence}",
        stop=Stop("act", "manual fix", {"accept": "integrate", **OPTIONS},
                  "Let it do without, or take it out of `.baton.yaml` on the base branch; then retry.")),
    *_command("prepush", "none configured, or no file of the diff under any configured `path`",
              "{evidence}"),
    Row("close/written", "build, test and prepush are through", {"outcome": ("close/ok",)},
        "on", "the tree that was checked is committed, with the completion report"),
    Row("integrate/branch", "mode `branch`, after close/written", {"outcome": ("branch/ok",)},
        "complete", "{branch} is ready to be merged into {base}"),
    Row("merge/already", "base already contains the story branch", {"outcome": ("merge/already",)},
        "on", "{base} contains {branch} already: nothing is left to merge"),
    Row("merge/done", "exactly the tree that was checked", {"outcome": ("merge/ok",)},
        "on", "{branch} is merged into {base}"),
    Row("merge/in-the-way", "base is checked out, rebased or bisected, and git refuses to move it there",
        {"outcome": ("merge/in-the-way",)},
        "escalate", "{base} cannot be moved to the merge: {evidence}",
        stop=_by_hand("Do what it says, then retry.")),
    Row("merge/lost-again", "base moved a second time while the commands ran", {"outcome": ("merge/lost-again",)},
        "escalate", "{base} moves faster than the commands run: {evidence}",
        stop=_by_hand("Retry when nobody else merges into it.")),
    Row("merge/lost", "base moved while the commands ran", {"outcome": ("merge/lost",)},
        "on", "{base} moved meanwhile: it is merged in and checked again"),
    Row("close/done", "merged", {"outcome": ("close/done",)},
        "complete", "{branch} is merged into {base} as {commit}"),
))  # fmt: skip

FIX = Table("fix", FixFacts, (
    Row("fix/exhausted", "integration_fixes used up", {"integration_fixes_used_up": (True,)},
        "escalate", "{fixes} fix runs were made; still, {evidence}",
        stop=_by_hand("A person can fix it on the story branch and commit; retry allows more fix runs.")),
    Row("fix/run", "left, a story of one run", {"small": (True,)},
        "spawn", "{failure}", then="micro-delivery", debits="integration_fixes"),
    Row("fix/run", "left", {"small": (False,)},
        "spawn", "{failure}", then="implementer", debits="integration_fixes"),
))  # fmt: skip
