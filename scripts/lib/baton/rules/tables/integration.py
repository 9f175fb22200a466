"""How a story is integrated, step by step, and what follows from a step that the story fails."""

from baton.rules.engine import Action, Answer, Row, RowQuestion, Table
from baton.rules.facts import FixFacts, IntegrationFacts
from baton.rules.tables.options import ABANDON

THEN = "; where you changed the story branch, QA looks first"
OPTIONS = {
    "retry": Answer("integrate", f"merges {{base}} in, runs the commands again and goes on{THEN}"),
    **ABANDON,
}
# That merge is what is to be tried, or what runs on the new commit comes before it.
TRIES = {"retry": Answer("integrate", f"tries again to merge {{base}} in, and goes on{THEN}"), **ABANDON}
FIXES = {"retry": Answer("integrate", f"goes on with the integration, and allows more fix runs{THEN}"), **ABANDON}
ACCEPT = {"accept": Answer("integrate", "takes this as no reason to stop, and goes on to {end}"), **OPTIONS}
GATE = {"accept": Answer("integrate", "allows exactly this, and goes on to {end}"),
        "retry": Answer("integrate", f"looks again at what would land, and goes on{THEN}"), **ABANDON}  # fmt: skip
BY_HAND = (
    "What went wrong? It ran in the story's check tree, on exactly that commit. You can "
    "fix it on the story branch, commit, and answer retry: QA then looks again; or accept it as it is."
)


def _by_hand(question: str, options: dict[str, Answer] = OPTIONS) -> RowQuestion:
    return RowQuestion("act", "manual fix", options, question)


def _outcome(
    rule: str, when: str, action: Action, reason: str, then: str = "", stop: RowQuestion | None = None
) -> Row:
    """Return the row of a step's outcome of the same name."""
    return Row(rule, when, {"outcome": (rule,)}, action, reason, then, stop=stop)


def _command(step: str, unset: str, why_unset: str) -> tuple[Row, ...]:
    """Return the rows of a step that runs commands: the same for each, but for when there is nothing to run."""
    return (
        _outcome(f"{step}/pass", "the command passes", "next-check", f"{step} passes on {{commit}}"),
        _outcome(f"{step}/unset", unset, "next-check", why_unset),
        _outcome(f"{step}/preexisting",
            "it fails, names at least one failure, and every failure is in the baseline",
            "next-check", f"{step} fails on {{commit}} as on {{base}}: {{evidence}}"),
        _outcome(f"{step}/introduced", "it fails twice with failures that base does not have",
            "goto", f"{step} fails on {{commit}} where {{base}} does not: {{evidence}}", then="fix"),
        _outcome(f"{step}/unclear", "it cannot be compared, does not come back, or times out",
            "escalate", f"{step} fails on {{commit}}, and it is unclear why: {{evidence}}",
            stop=_by_hand(BY_HAND, ACCEPT)),
    )  # fmt: skip


INTEGRATION = Table("integration", IntegrationFacts, (
    _outcome("integrate/criteria-changed", "story.md, or the issue it was made of, is no longer what QA judged by",
        "escalate", "the story was changed after QA: {evidence}",
        stop=RowQuestion("authorize", "scope clarification", {
            "accept": Answer("qa", "takes the story as it is written now, and has QA judge the work by it"),
            "restore": Answer("integrate", "holds to story.md as it was judged, and goes on to {end}"), **ABANDON},
                  "Does the story hold as it is written now?")),
    _outcome("merge/head-moved", "the code of the story branch, or the story, is not what was passed",
        "spawn", "{branch} is not what was passed: {evidence}", then="qa"),
    Row("merge/head-moved", "that holds for a story of one run", {"outcome": ("merge/head-moved-small",)},
        "spawn", "{branch} is not what was passed: {evidence}", then="micro-delivery"),
    _outcome("integrate/production", "base is production and not the configured `base`",
        "ask", "{base} is a production branch and `.baton.yaml` does not name it as `base`",
        stop=RowQuestion("authorize", "continue", {
            "accept": Answer("integrate", "allows this for the story, and goes on to {end}"), **ABANDON},
                  "May this story be merged into it? `base:` in .baton.yaml would settle it for good.")),
    _outcome("integrate/base", "base may be merged to",
        "next-check", "{base} may be merged to"),
    _outcome("integrate/gate", "what would reach base holds what its user must know of",
        "ask", "this would land on {base}: {evidence}",
        stop=RowQuestion("authorize", "manual fix", GATE,
                  "May exactly this land? Or change it on the story branch and commit; then retry.")),
    _outcome("merge/turn", "another story is at its integration in the mode `local`",
        "wait", "story {evidence} is being merged, and this one meets the base that comes of it"),
    _outcome("sync/rewritten", "base lost commits that it had when the story met it or a run was sent out",
        "ask", "{base} has lost commits that it had: {evidence}",
        stop=RowQuestion("decide", "manual fix", {
            "accept": Answer("integrate", "merges what the story has of them too, and goes on to {end}"),
            "retry": Answer("integrate", f"looks again at what {{base}} has, and goes on{THEN}"), **ABANDON},
                  "May {base} get back what the story has of them? Or take it out of the branch; then retry.")),
    _outcome("sync/clean", "git merges base and the story branch without a conflict",
        "next-check", "{base} merges into {branch} without a conflict"),
    _outcome("sync/conflict", "that merge conflicts",
        "goto", "{base} does not merge into {branch}: {evidence}", then="fix"),
    _outcome("sync/refused", "git refuses the merge",
        "escalate", "git refuses to merge {base} into {branch}: {evidence}",
        stop=_by_hand("Fix what git names, or merge the base branch by hand and commit; then retry.", TRIES)),
    _outcome("build/wait", "the commands have not ended yet",
        "wait", "{evidence}"),
    *_command("build", "no such command is configured", "no build command is configured"),
    *_command("test", "no such command is configured", "no test command is configured"),
    _outcome("prepush/credential", "it asks for a credential or fails on a missing one",
        "escalate", "prepush wants a credential, and baton passes none on: {evidence}",
        stop=_by_hand("Let it do without, or take it out of `.baton.yaml` on the base branch; then retry.",
                      ACCEPT)),
    *_command("prepush", "no such command is configured, or no changed file lies under a configured `path`",
              "{evidence}"),
    _outcome("close/written", "build, test and prepush are through",
        "next-check", "the tree that was checked is committed, with the completion report"),
    _outcome("integrate/branch", "the mode is `branch`, after close/written",
        "complete", "{branch} is ready to be merged into {base}"),
    _outcome("merge/already", "base already contains the story branch",
        "next-check", "{base} contains {branch} already: nothing is left to merge"),
    _outcome("merge/done", "what is merged is the tree that was checked",
        "next-check", "{branch} is merged into {base}"),
    _outcome("merge/in-the-way", "base is checked out, rebased or bisected, and git refuses to move it there",
        "escalate", "{base} cannot be moved to the merge: {evidence}",
        stop=_by_hand("What stands in the way is named above: put it right, then retry.")),
    _outcome("merge/lost-again", "base moved a second time while the commands ran",
        "escalate", "{base} moves faster than the commands run: {evidence}",
        stop=_by_hand("Retry when nobody else merges into it.")),
    _outcome("merge/lost", "base moved while the commands ran",
        "next-check", "{base} moved meanwhile: it is merged in and checked again"),
    _outcome("close/done", "the story is merged",
        "complete", "{branch} is merged into {base} as {commit}"),
), stage="integrate")  # fmt: skip

FIX = Table("fix", FixFacts, (
    Row("fix/exhausted", "`integration_fixes` are used up", {"integration_fixes_used_up": (True,)},
        "escalate", "{fixes} fix runs were made; still, {evidence}",
        stop=_by_hand("You can fix it on the story branch and commit; retry allows more fix runs.", FIXES)),
    Row("fix/run", "the integration failed, fixes are left, and one run does the story", {"small": (True,)},
        "spawn", "{failure}", then="micro-delivery", charges="integration_fixes"),
    Row("fix/run", "the integration failed, and fixes are left", {"small": (False,)},
        "spawn", "{failure}", then="implementer", charges="integration_fixes"),
), stage="integrate")  # fmt: skip
