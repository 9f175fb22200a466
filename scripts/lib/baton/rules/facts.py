"""The facts that tables judge: a frozen record of finite values for each table."""

from typing import Literal, NamedTuple

from baton.journal.state import StoryStage


class InProgressFacts(NamedTuple):
    """The state of the story when the caller asks for the next step."""

    stage: StoryStage
    undone: bool  # here, and nobody has said yet what becomes of it
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
    github: bool  # a remote there, and a gh that is signed in; looked for unless the mode needs none
    tried: Literal["works", "running", "mute"]  # the commands on base, once nothing else is in the way
    adopted: Literal["no", "unapproved", "yes"]
    micro: bool


class RunFacts(NamedTuple):
    """The facts of a run's end that apply to every phase."""

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
    """The planner's results."""

    plan: Literal["missing", "invalid", "valid"]
    intake: Literal["confirmed", "read", "missing"]  # the story's criteria
    blocked: bool
    approval_due: bool
    used_up: bool


class ImplementationFacts(NamedTuple):
    """An implementation run's metadata, compared with the plan's marks."""

    metadata: Literal["none", "interrupted", "partial", "implemented"]
    contradicted: bool
    open_phases: bool
    phase_blocked: bool
    no_return_used_up: bool
    same_error: bool
    oscillating: bool
    no_progress: bool


class ReportFacts(NamedTuple):
    """The implementer's report on finished work."""

    report: Literal["missing", "invalid", "valid"]
    blocking: bool
    used_up: bool


class QaFacts(NamedTuple):
    """QA's verdict on the work."""

    verdict: Literal["none", "pass", "fail", "escalate"]
    open_criteria: bool
    fails_used_up: bool
    verdicts_used_up: bool
    delta: Literal["none", "invalid", "valid"]
    deltas_used_up: bool
    moved: bool


class MicroFacts(NamedTuple):
    """The verdict of a run that did a small story by itself."""

    verdict: Literal["none", "pass", "fail", "escalate"]
    open_criteria: bool
    used_up: bool


class IntegrationFacts(NamedTuple):
    """The outcome of a step of the integration."""

    outcome: str  # the name of its rule


class DeliveryFacts(NamedTuple):
    """The outcome of a step of a delivery on GitHub."""

    outcome: str  # the name of its rule


class CheckFacts(NamedTuple):
    """GitHub's checks on a commit, compared with those base requires and with their results on base."""

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
    """The place of an open question beside the client, with `ask_on: github`."""

    allows: bool  # it allows something that is run or merged, or is asked before the story begins
    place: Literal["none", "issue", "pull"]


class FixFacts(NamedTuple):
    """The facts on a fix before a story can be integrated."""

    small: bool
    integration_fixes_used_up: bool


class SpawnFacts(NamedTuple):
    """The obstacles to the next run."""

    role: Literal["planner", "implementer", "qa", "micro-delivery"]
    budget: Literal["left", "story", "today"]  # which is spent
    held: Literal["no", "limit", "overloaded"]  # why the service takes no request yet
    iterations_used_up: bool
    same_error_again: bool


class WriteFacts(NamedTuple):
    """The role of a run that would edit a file with one of the client's tools, and the kind of file."""

    role: Literal["planner", "implementer", "qa", "micro-delivery", "pr-comment-resolver"]
    path: Literal["git", "outside", "story", "plan", "papers", "tracked", "new"]


class TurnFacts(NamedTuple):
    """The state of the conversation's own story when its turn ends."""

    due: Literal["nothing", "spawn", "judge", "next"]
    running: bool  # an agent of baton's, or a call of it, in the background
    interrupted: bool  # by the user, since anything last happened to the story
    sent_back: bool  # as often as is worth it, since then


class RunEndFacts(NamedTuple):
    """The state of a run when its agent is about to end."""

    out: bool
    handed_in: bool
    cut_off: bool  # by the user, or by a failure of the client's service
    sent_back: bool
    tree: Literal["gone", "unbegun", "begun"]


class FetchFacts(NamedTuple):
    """The obstacles to replies on a pull request."""

    pending_review: bool


class ReadFacts(NamedTuple):
    """The reading of the feedback on a pull request, before a round is planned."""

    unread: bool
    out: bool  # agents have begun to read all of it
    new: bool


class ClusterFacts(NamedTuple):
    """The new items: only those a URL names, enough of them, beside resolved threads."""

    targeted: bool
    volume: bool
    signal: bool


class LandFacts(NamedTuple):
    """Whether a pull request can still be landed on."""

    closed: bool


class RoundQuestionFacts(NamedTuple):
    """The obstacle to a round that the user alone can take away."""

    outcome: str  # the name of its rule


class VerifyFacts(NamedTuple):
    """The items left when a round has landed."""

    left: Literal["nothing", "beside", "new"]  # beside: only what a URL names was worked on
    undecided: bool  # a resolver asks what nobody has answered
    first_cycle: bool
    converging: bool
