"""What the tables judge: one frozen record of finite values for each table."""

from typing import Literal, NamedTuple

Stage = Literal["new", "ready", "running", "question", "complete", "abandoned"]


class InProgressFacts(NamedTuple):
    """Where the story stands when the caller asks for the next step."""

    stage: Stage
    git_refuses: bool  # a step that was begun
    ended_run: Literal["none", "known", "unknown"]
    run_ended: bool
    restarts_used_up: bool


class StartFacts(NamedTuple):
    """Whether a story may start."""

    ready: bool
    spec_in_the_way: bool
    commands: Literal["none", "confirmed", "unconfirmed"]
    mode: bool
    adopted: Literal["no", "unapproved", "yes"]
    micro: bool


class RunFacts(NamedTuple):
    """What a run's end says that no phase may pass over."""

    refs_moved: bool
    stopped: bool
    refused: Literal["no", "yes", "often"]  # by the service, which ended it
    begun: bool
    begun_used_up: bool
    status: Literal["none", "finished", "unfinished", "blocked", "failed", "unexpected"]
    review: Literal["none", "asked", "hard"]
    artifact: bool
    criteria_changed: bool
    head_moved: bool
    protected: bool
    message_refused: bool
    hooks_broken: bool


class PlanningFacts(NamedTuple):
    """What the planner left behind."""

    plan: Literal["missing", "invalid", "valid"]
    intake: Literal["confirmed", "read", "missing"]  # the story's criteria
    blocked: bool
    approval_due: bool
    used_up: bool


class ImplementationFacts(NamedTuple):
    """What an implementation run says of itself, held against the plan's marks."""

    metadata: Literal["none", "interrupted", "partial", "implemented"]
    contradicted: bool
    open_phases: bool
    phase_blocked: bool
    no_return_used_up: bool
    same_error: bool
    oscillating: bool
    no_progress: bool


class ReportFacts(NamedTuple):
    """What the implementer reports when the work is said to be done."""

    report: Literal["missing", "invalid", "valid"]
    blocking: bool
    used_up: bool


class QaFacts(NamedTuple):
    """What QA says of the work."""

    verdict: Literal["none", "pass", "fail", "escalate"]
    open_criteria: bool
    fails_used_up: bool
    verdicts_used_up: bool
    delta: Literal["none", "invalid", "valid"]
    deltas_used_up: bool
    moved: bool


class MicroFacts(NamedTuple):
    """What a run that did a small story by itself says of its work."""

    verdict: Literal["none", "pass", "fail", "escalate"]
    open_criteria: bool
    used_up: bool


class IntegrationFacts(NamedTuple):
    """How one step of the integration went: the step, and what it came to."""

    outcome: str  # the name of its rule


class DeliveryFacts(NamedTuple):
    """How one step of a delivery on GitHub went: the step, and what it came to."""

    outcome: str  # the name of its rule


class CheckFacts(NamedTuple):
    """What GitHub says was run on a commit, held against what base requires and how the same went on base."""

    approval: bool  # a run that nobody has approved
    pending: bool
    overdue: bool  # for longer than any job may run
    unknown: bool
    red: Literal["none", "infra", "unclear", "introduced", "required", "old"]  # the worst of those that failed
    cancelled: bool
    missing: bool  # a required check that was not reported
    late: bool  # the commit has been there for `integrate.checks_wait_s`
    ran: Literal["passed", "skipped", "nothing"]
    cause: Literal["none", "token", "filtered"]  # of nothing having run
    checks_needed: bool


class AskingFacts(NamedTuple):
    """Where an open question is put beside the client, with `ask_on: github`."""

    allows: bool  # it allows something that is run or merged, or is asked before the story begins
    place: Literal["none", "issue", "pull"]


class FixFacts(NamedTuple):
    """What is to be fixed before a story can be integrated, and by whom."""

    small: bool
    integration_fixes_used_up: bool


class SpawnFacts(NamedTuple):
    """What stands in the way of the next run."""

    role: Literal["planner", "implementer", "qa", "micro-delivery"]
    budget: Literal["left", "story", "today"]  # which is spent
    held: Literal["no", "limit", "overloaded"]  # why the service takes no request yet
    iterations_used_up: bool
    same_error_again: bool


class TurnFacts(NamedTuple):
    """Where the conversation's own story stands when its turn ends."""

    due: Literal["nothing", "spawn", "judge", "next"]
    running: bool  # an agent of baton's, or a call of it, in the background
    interrupted: bool  # by the user, since anything last happened to the story
    sent_back: bool  # as often as is worth it, since then


class RunEndFacts(NamedTuple):
    """What a run has left when its agent is about to end."""

    out: bool
    handed_in: bool
    cut_off: bool  # by the user, or by a failure of the client's service
    sent_back: bool
    tree: Literal["gone", "unbegun", "begun"]


class FetchFacts(NamedTuple):
    """What stands in the way of any reply on a pull request."""

    pending_review: bool


class ReadFacts(NamedTuple):
    """What is known of what was said on a pull request, before a round is planned."""

    unread: bool
    out: bool  # agents have begun to read all of it
    new: bool


class ClusterFacts(NamedTuple):
    """Which new items there are: only what a URL names, enough of them, beside resolved threads."""

    targeted: bool
    volume: bool
    signal: bool


class LandFacts(NamedTuple):
    """Whether a pull request still takes what is landed."""

    closed: bool


class VerifyFacts(NamedTuple):
    """What is left when a round has landed."""

    left: Literal["nothing", "beside", "new"]  # beside: only what a URL names was worked on
    undecided: bool  # a resolver asks what nobody has answered
    first_cycle: bool
    converging: bool
