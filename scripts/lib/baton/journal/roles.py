"""The roles a story's runs are given: all that sets one apart from another."""

from typing import NamedTuple


class Role(NamedTuple):
    """A role: its phase, how a backlog calls it, and what its runs leave behind.

    `suffix` is in its runs' ids; `artifact` is what a person looks at; `filed` are the artifacts of earlier
    runs that move to history/ when one of its runs is sent out.
    """

    phase: str
    status: str
    suffix: str
    artifact: str
    hands_in: tuple[str, ...]
    filed: tuple[str, ...]
    changes_code: bool


MICRO_REPORT = "micro-delivery-report"
ROLES = {
    "planner": Role(
        "planning", "planning", "plan", "plan", ("plan", "plan-blocked"), ("plan", "plan-blocked"),
        changes_code=False,
    ),
    "implementer": Role(
        "implementation", "implementing", "iter", "impl-report", ("impl-report", "handoff"),
        ("impl-report", "qa-report"), changes_code=True,
    ),
    "qa": Role(
        "qa", "qa", "qa", "qa-report", ("qa-report", "memory-delta"), ("qa-report", "memory-delta"),
        changes_code=False,
    ),
    "micro-delivery": Role(
        "micro", "implementing", "micro", MICRO_REPORT, (MICRO_REPORT,), (MICRO_REPORT,), changes_code=True
    ),
}  # fmt: skip
ROLE_OF = {role.phase: name for name, role in ROLES.items()}
# After these a QA run fixes its memory delta alone: the report that passed the work stays.
FIXES_DELTA = ("qa/delta-invalid", "qa/delta-exhausted")
# What every role ends with.
RETURN = "return-meta"


def may_hand_in(role: str, kind: str) -> bool:
    """Whether a run of a role hands in artifacts of this kind."""
    return kind in (RETURN, *ROLES[role].hands_in)
