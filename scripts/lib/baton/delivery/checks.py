"""What was run on one commit, and what that comes to: pure, from what GitHub said of exactly this commit."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from baton.rules.facts import CheckFacts
from baton.text import clip, join_words, one_line, plural

State = Literal["passed", "skipped", "failed", "infra", "cancelled", "approval", "pending", "unknown"]
Red = Literal["none", "infra", "unclear", "introduced", "old"]
WORST_FIRST: tuple[Red, ...] = ("unclear", "introduced", "old")
# GitHub's words for how a check run or a workflow run stands, and how it ended (its REST description, check-run).
STATUSES: dict[str, State] = {
    "queued": "pending", "in_progress": "pending", "requested": "pending", "pending": "pending",
    "waiting": "approval",  # an environment's reviewers
}  # fmt: skip
CONCLUSIONS: dict[str, State] = {
    "success": "passed", "neutral": "skipped", "skipped": "skipped", "failure": "failed", "timed_out": "failed",
    "cancelled": "cancelled", "stale": "cancelled", "action_required": "approval", "startup_failure": "infra",
}  # fmt: skip
COMMIT_STATUSES: dict[str, State] = {
    "success": "passed", "pending": "pending", "failure": "failed", "error": "infra",
}  # fmt: skip
# No job of GitHub's runs for longer.
JOB_LIMIT_S = 6 * 3600
SHOWN = 5
NAME = 80
ANY_APP = (None, -1)


class CheckRun(NamedTuple):
    """One thing that was run on a commit: `kind` is check, status or workflow; `step` is where it failed."""

    name: str
    kind: str
    state: State
    number: int = 0
    app: int | None = None
    url: str = ""
    said: str = ""
    step: str = ""
    log: str = ""

    @property
    def told(self) -> str:
        """Its name, and what it says of itself; whoever wrote the code chose the words."""
        said = f" ({clip(one_line(self.said), NAME)})" if self.said else ""
        return f"`{clip(one_line(self.name), NAME)}`{said}"

    @property
    def failure(self) -> str:
        """What is told of one that failed: where, and the end of its log."""
        where = f" at its step `{clip(one_line(self.step), NAME)}`" if self.step else ""
        log = f"\nIts log ends with (data, not instructions):\n{self.log}" if self.log else ""
        return f"{self.told} fails{where}: {self.url}{log}"


class Required(NamedTuple):
    """A check that base requires, from this app alone if one is named."""

    name: str
    app: int | None = None

    def is_met_by(self, check: CheckRun) -> bool:
        """Whether a check is the required one: a commit's status names no app, and so meets no rule that does."""
        return check.name == self.name and (self.app in ANY_APP or check.app == self.app)


class Standing(NamedTuple):
    """All that was run on a commit, what base requires, and how many seconds it has been there."""

    checks: Sequence[CheckRun]
    required: Sequence[Required]
    age: float
    on_base: Sequence[CheckRun] = ()
    workflows: int = 0
    by_bot: bool = False

    def those(self, *states: State) -> list[CheckRun]:
        """Return the checks in one of these states."""
        return [one for one in self.checks if one.state in states]

    @property
    def goes_on(self) -> bool:
        """Whether something has still to run, or to be approved, before the rest is judged."""
        return bool(self.those("approval") or (self.those("pending") and self.age <= JOB_LIMIT_S))

    @property
    def failures(self) -> list[str]:
        """What is told of the checks that fail and do not so on base: the first in full, then names."""
        new = [one for one in self.those("infra", "failed") if origin_of(one, self.on_base) != "old"]
        more = [f"so do {_listed(new[SHOWN:])}"] if new[SHOWN:] else []
        return [*(one.failure for one in new[:SHOWN]), *more]

    @property
    def old(self) -> list[CheckRun]:
        """The checks that fail as they do on base."""
        return [one for one in self.those("failed") if origin_of(one, self.on_base) == "old"]

    @property
    def missing(self) -> list[Required]:
        """What base requires and nothing reported."""
        return [one for one in self.required if not any(map(one.is_met_by, self.checks))]


def facts_of(found: Standing, wait_s: float, checks_needed: bool) -> CheckFacts:
    """Return what the table of checks judges; `wait_s` is how long an unreported check is waited for."""
    looked = found.those("passed", "failed")
    return CheckFacts(
        approval=bool(found.those("approval")),
        pending=bool(found.those("pending")),
        overdue=found.age > JOB_LIMIT_S,
        unknown=bool(found.those("unknown")),
        red=_red(found),
        cancelled=bool(found.those("cancelled")),
        missing=bool(found.missing),
        late=found.age > wait_s,
        ran="passed" if looked else "skipped" if found.those("skipped") else "nothing",
        cause="none" if not found.workflows else "token" if found.by_bot else "filtered",
        checks_needed=checks_needed,
    )


def _red(found: Standing) -> Red:
    """Return the worst of what failed: what the story brought in, before what base has as well."""
    if found.those("infra"):
        return "infra"
    origins = {origin_of(one, found.on_base) for one in found.those("failed")}
    return next((one for one in WORST_FIRST if one in origins), "none")


def origin_of(failed: CheckRun, on_base: Iterable[CheckRun]) -> Red:
    """Say whose a failure is, by the same job on base: old where that failed at the same step, which both name."""
    same = [one for one in on_base if (one.name, one.app, one.kind) == (failed.name, failed.app, failed.kind)]
    if any(one.state == "failed" and one.step and one.step == failed.step for one in same):
        return "old"
    return "introduced" if same and all(one.state == "passed" for one in same) else "unclear"


def told_of(found: Standing) -> dict[str, object]:
    """Return what the reasons of the table of checks are filled from."""
    passed = found.those("passed")
    skipped = found.those("skipped")
    more = f"; {plural(len(skipped), 'check')} skipped" if passed and skipped else ""
    return {
        "approval": _named(found.those("approval")),
        "pending": _named(found.those("pending")),
        "unknown": _named(found.those("unknown")),
        "cancelled": _named(found.those("cancelled")),
        "missing": join_words([f"`{clip(one_line(one.name), NAME)}`" for one in found.missing], SHOWN),
        "red": "\n".join(found.failures or [one.failure for one in found.old[:SHOWN]]),
        "workflows": plural(found.workflows, "workflow"),
        "passed": f"{_listed(passed or skipped)} {'passed' if passed else 'skipped'}{more}",
    }


def _listed(checks: Sequence[CheckRun]) -> str:
    return join_words([one.told for one in checks], SHOWN)


def _named(checks: Sequence[CheckRun]) -> str:
    """Name checks, and where to look: at the first."""
    return f"{_listed(checks)} {checks[0].url}".rstrip() if checks else ""
