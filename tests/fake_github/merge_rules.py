"""What base holds a pull request to, how it stands to that, and who may merge it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .actions import Actions
    from .pull_request import PullRequest

STATUS_CHECKS = "required_status_checks"
# What a required check may have ended as: a job that was skipped, too, holds no merge up.
MET = ("success", "skipped", "neutral")
APPROVAL = "At least 1 approving review is required by reviewers with write access."


def merge_state(pull: PullRequest) -> str:
    """Return GitHub's word for it, a value of the schema's MergeStateStatus; REST has it in small letters.

    By what the schema says of each value: a rule that is not met blocks, whatever the viewer may do about it.
    """
    actions = pull.repository.actions
    base = actions.head(pull.base) if actions else ""
    if pull.state_unknown:
        return "UNKNOWN"
    if actions is None or not base or pull.state != "OPEN":
        return "CLEAN"
    if not actions.tree_with(base, pull.head_oid):
        return "DIRTY"
    if pull.draft:
        return "DRAFT"
    if unmet_rules(pull):
        return "BLOCKED"
    if actions.up_to_date and actions.git("merge-base", base, pull.head_oid, code=None) != base:
        return "BEHIND"
    if not all(good for _, _, good in _reported(actions, pull.head_oid)):
        return "UNSTABLE"
    return "HAS_HOOKS" if actions.has_hooks else "CLEAN"


def unmet_rules(pull: PullRequest) -> list[str]:
    """Return what GitHub says of each rule of base that is not met, as its refusal of a merge has it."""
    actions = pull.repository.actions
    assert actions
    approval = [] if pull.decision in (None, "APPROVED") else [APPROVAL]
    return [*approval, *_unmet_checks(actions, pull.head_oid), *actions.unmet]


def _reported(actions: Actions, sha: str) -> list[tuple[str, int | None, bool]]:
    """Return the checks and the newest statuses of a commit: name, app, and whether it holds nothing up."""
    checks = [check for check in actions.checks if check["head_sha"] == sha]
    newest = {status["context"]: status for status in reversed(actions.statuses.get(sha, []))}
    return [
        *((check["name"], check["app"]["id"], check["conclusion"] in MET) for check in checks),
        *((name, one["app"], one["state"] == "success") for name, one in newest.items()),
    ]


def required_checks(actions: Actions) -> list[tuple[str, int | None]]:
    """Return the checks that base requires, each with the app it has to come from."""
    ruled = [rule["parameters"][STATUS_CHECKS] for rule in actions.rules if rule["type"] == STATUS_CHECKS]
    wanted = [(each["context"], each.get("integration_id")) for one in ruled for each in one]
    return [*wanted, *((each["context"], each["app_id"]) for each in actions.classic)]


def _unmet_checks(actions: Actions, sha: str) -> Iterator[str]:
    reported = _reported(actions, sha)
    for name, app in required_checks(actions):
        found = [good for known, by, good in reported if known == name and app in (None, -1, by)]
        if not found or not all(found):
            yield f'Required status check "{name}" is {"failing" if found else "expected"}.'
