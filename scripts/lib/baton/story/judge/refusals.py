"""The refusals of a hand-in that ends a run: by which rules, and how often before it is taken as it is."""

from collections.abc import Collection

from baton.artifacts.findings import Finding, faults
from baton.artifacts.metadata import Metadata
from baton.artifacts.report import REPORT_KINDS
from baton.journal.events import Rejected
from baton.journal.run import RETURN, ROLES, Run
from baton.story.session.session import StorySession

# The judgments that send work back for what its own run could have put right, and the honest ways out.
THROWN_BACK = (
    "planning/both", "planning/missing", "planning/criteria", "planning/invalid", "planning/exhausted",
    "run/unexpected-status",
    "implementation/open-phases", "report/missing", "report/invalid", "report/blocking", "report/exhausted",
    "qa/no-verdict", "qa/verdict-exhausted", "qa/delta-invalid", "qa/delta-exhausted",
    "micro/no-verdict", "micro/open-criteria",
)  # fmt: skip
TAKE_OUT = "take it out; if it is none, end with `partial` and say so: the user is asked"
HONEST = ("partial", "blocked", "failed")  # what claims nothing is taken at once
ENOUGH = "put it right and hand in again, or say what is so"
WAYS_OUT = {
    "planner": f"{ENOUGH}: hand in `plan-blocked` where the story cannot be planned",
    "implementer": f"{ENOUGH}: `status: partial` where work is left, `blocked` where only the user can resolve it",
    "qa": f"{ENOUGH}: a report with FAIL or ESCALATE is taken at once",
    "micro-delivery": f"{ENOUGH}: a report with FAIL or ESCALATE is taken at once",
}
# What lacks its artifact is counted by itself: once that comes, it is heard as often as any.
MISSING = ("planning/missing", "report/missing", "qa/no-verdict", "micro/no-verdict")
FAILURES = tuple(f"{kind}/{rule}" for kind in REPORT_KINDS for rule in ("known", "unknown"))
# What stands in its work tree, and the run can put right there.
IN_ITS_TREE = ("commit-hook", "changes", "secret", "link", "twin", "git-name")
REFUSED = (*(rule for rule in THROWN_BACK if rule not in MISSING), *IN_ITS_TREE, *FAILURES)
# How often a run's end is refused for either; then it is taken as it is, and its gate says the same.
MOST_REFUSALS = 2
# Unreadable hand-ins are no refusals of what is said; after so many the run is told to stop.
MOST_UNREADABLE = 5
UNREADABLE = tuple(f"{kind}/{form}" for kind in (RETURN, *REPORT_KINDS) for form in ("yaml", "json", "fenced"))
END_NOW = "five hand-ins could not be read: end your turn; the run counts as one that handed in nothing"


def count_refusals(story: StorySession, run: Run, rules: Collection[str]) -> int:
    """Count how often this run was refused by one of some rules."""
    mine = (event for event in story.state.events if isinstance(event, Rejected) and event.run == run.id)
    # Of the last words alone: before them a finding may quote another.
    return sum(
        any(finding.endswith(f"[{rule}]") for finding in event.findings for rule in rules) for event in mine
    )


def is_about_form(kind: str, findings: Collection[Finding]) -> bool:
    """Whether a report is refused for its form: only then does a form to fill in help."""
    content = (*FAILURES, *(f"{kind}/{rule}" for rule in ("fenced", "no-reason", "open-row", "blocked-pass")))
    return any(fault.rule.startswith(f"{kind}/") and fault.rule not in content for fault in faults(findings))


def is_object(kind: str, findings: Collection[Finding]) -> bool:
    """Whether a hand-in is data with keys: what is wrong with some of them keeps none from being read."""
    return not any(
        fault.rule in (f"{kind}/empty", *UNREADABLE) or (fault.rule, fault.where) == (f"{kind}/type", "$")
        for fault in findings
    )


def took_back(run: Run, metadata: Metadata | None) -> bool:
    """Whether a run that had passed the work was refused later, or said later that it is not done."""
    meta = run.handed_in.get(RETURN)
    is_done = bool(meta and meta.final and metadata and metadata.status not in HONEST)
    refused = run.rejected is not None and run.rejected.artifact in (ROLES[run.role].artifact, RETURN)
    return refused or (run.ends_with == RETURN and not is_done)
