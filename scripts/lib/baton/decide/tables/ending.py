"""How a story is integrated, and what stands before every spawn."""

from baton.decide.engine import Row, Stop, Table
from baton.decide.facts import GuardFacts, IntegrationFacts
from baton.decide.tables.options import ABANDON, REPLAN

INTEGRATION_OPTIONS = {"retry": "integrate", **ABANDON}
BY_HAND = (
    "What went wrong? It ran in a clean work tree of that commit, where ignored files are absent. "
    "Mend it on the story branch and commit, then retry; QA does not see what you mend."
)


def _by_hand(question: str) -> Stop:
    return Stop("act", "manual fix", INTEGRATION_OPTIONS, question)


INTEGRATION = Table("integration", IntegrationFacts, (
    Row("integrate/production", "base is in `production` and is not the configured `base`",
        {"outcome": ("base/production",)},
        "ask", "{base} is a production branch and `.baton.yaml` does not name it as `base`",
        stop=Stop("authorise", "continue", {"accept": "integrate", **ABANDON},
                  "May this story be merged into it? `base:` in .baton.yaml would settle it for good.")),
    Row("integrate/base", "base may be merged to", {"outcome": ("base/ok",)}, "on", "{base} may be merged to"),
    Row("sync/clean", "base merges into the story branch", {"outcome": ("sync/ok",)},
        "on", "{branch} contains {base}"),
    Row("sync/conflict", "it conflicts", {"outcome": ("sync/conflict",)},
        "escalate", "{base} does not merge into {branch}: {evidence}",
        stop=_by_hand("Merge the base branch into the story branch, commit, then retry.")),
    Row("build/wait", "the commands have not ended yet", {"outcome": ("build/running",)},
        "wait", "the commands of `.baton.yaml` are running on {commit}; their output is in {evidence}"),
    Row("build/pass", "the build command passes", {"outcome": ("build/ok",)},
        "on", "build passes on {commit}"),
    Row("build/unset", "none configured", {"outcome": ("build/unset",)},
        "on", "no build command is configured"),
    Row("build/unclear", "it fails", {"outcome": ("build/failed",)},
        "escalate", "build fails on {commit}: {evidence}",
        stop=_by_hand(BY_HAND)),
    Row("test/pass", "the test command passes", {"outcome": ("test/ok",)},
        "on", "test passes on {commit}"),
    Row("test/unset", "none configured", {"outcome": ("test/unset",)},
        "on", "no test command is configured"),
    Row("test/unclear", "it fails", {"outcome": ("test/failed",)},
        "escalate", "test fails on {commit}: {evidence}",
        stop=_by_hand(BY_HAND)),
    Row("close/written", "build and test are through", {"outcome": ("close/ok",)},
        "on", "the completion report is committed"),
    Row("close/refused", "git refuses the commit", {"outcome": ("close/refused",)},
        "escalate", "git refuses to commit the completion report: {evidence}",
        stop=_by_hand("Mend what git's hook names, then retry.")),
    Row("merge/done", "exactly the head that was checked", {"outcome": ("merge/ok",)},
        "complete", "{branch} is merged into {base}"),
    Row("merge/rejected", "git refuses the merge", {"outcome": ("merge/refused",)},
        "escalate", "git refuses to merge {branch} into {base}: {evidence}",
        stop=_by_hand("Remove what git names, then retry.")),
))  # fmt: skip

GUARD = Table("guard", GuardFacts, (
    Row("guard/budget", "over `budget`", {"over_budget": (True,)},
        "ask", "the story has cost as much as `budget` allows",
        stop=Stop("decide", "continue", {"continue": "again", **REPLAN}, "May it cost as much again?")),
    Row("guard/limit", "an implementation run, and iterations used up (or `--no-loop`: one was made)",
        {"role": ("implementer",), "iterations_used_up": (True,)},
        "ask", "implementation runs so far: {iterations}, as many as allowed; {gained}; the next is due: {due}",
        stop=Stop("decide", "continue", {"continue": "implementer", **REPLAN},
                  "Should another implementation run be made?")),
    Row("guard/backoff", "same error signature as the run before",
        {"role": ("implementer",), "same_error_again": (True,)},
        "go", "the same errors as in the run before: {seconds} s were waited"),
    Row("guard/go", "otherwise", {}, "go", "nothing stands in the way"),
))  # fmt: skip
