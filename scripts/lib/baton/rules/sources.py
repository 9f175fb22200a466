"""What each table of rules is read with: its page, its facts, and the names that its texts may quote."""

from typing import NamedTuple

from baton.artifacts.config import RETRIES
from baton.journal.run import ROLES
from baton.rules import facts


class AnswerKind(NamedTuple):
    """A kind of answers: the steps they lead to; `closing`: each question offers one of these, which ends it."""

    targets: frozenset[str]
    closing: tuple[str, ...] = ()


STORY_ANSWERS = AnswerKind(
    frozenset(
        {*ROLES, "integrate", "start", "wait", "below", "look", "again", "due", "fixer", "defer", "abandon"}
        | {"anew", "complete"}
    ),
    closing=("abandon", "leave"),
)
ROUND_ANSWERS = AnswerKind(frozenset({"plan", "complete"}), closing=("leave",))
HEAD_ANSWERS = AnswerKind(frozenset({"go-on", "complete"}))


class Source(NamedTuple):
    """A table: its page and its stage, its facts, the values that its reasons may quote; `total`: a rule must fit.

    `judges_runs`: it judges runs that have ended. `charges`: each of its rules says what it counts against,
    `nothing` included. `answers`: what its questions offer; `asks`: what they may quote.
    """

    page: str
    skill_stage: str
    facts: type
    names: str = ""
    total: bool = True
    judges_runs: bool = False
    charges: bool = False
    answers: AnswerKind = STORY_ANSWERS
    asks: str = "allowance base id"


RUN_NAMES = (
    "closed criteria_change details hooks_broken message_refused moved phases plan_path refs_moved refused "
    "review_reason risky run status stopped total"
)
STEP_NAMES = "base branch commit evidence"
# In the order in which a story comes through them; those without a stage are asked beside a story.
SOURCES = {
    "in-progress": Source(
        "preflight", "preflight", facts.InProgressFacts, "ended out refused run seen starts undone", total=False
    ),
    "start": Source(
        "preflight", "preflight", facts.StartFacts,
        "base branch closed commands lacks not_ready plan_path spec total tried",
    ),
    "run": Source("gate", "gate", facts.RunFacts, RUN_NAMES, total=False, judges_runs=True),
    "planning": Source(
        "plan", "plan", facts.PlanningFacts, f"{RUN_NAMES} attempts block_reason findings intake",
        judges_runs=True, charges=True,
    ),
    "implementation": Source(
        "gate", "gate", facts.ImplementationFacts,
        f"{RUN_NAMES} attempts blocked_phase contradiction errors findings no_progress_limit same_error_limit",
        judges_runs=True, charges=True,
    ),
    "report": Source(
        "gate", "gate", facts.ReportFacts, f"{RUN_NAMES} attempts findings", judges_runs=True, charges=True
    ),
    "qa": Source(
        "qa", "qa", facts.QaFacts,
        f"{RUN_NAMES} attempts delta_attempts delta_findings delta_path delta_schema fails findings open verdict "
        "verdict_reason", judges_runs=True, charges=True,
    ),
    "micro": Source(
        "gate", "gate", facts.MicroFacts, f"{RUN_NAMES} attempts findings open verdict verdict_reason",
        judges_runs=True, charges=True,
    ),
    "integration": Source("integrate", "integrate", facts.IntegrationFacts, STEP_NAMES),
    "delivery": Source("deliver", "integrate", facts.DeliveryFacts, STEP_NAMES),
    "checks": Source(
        "deliver", "integrate", facts.CheckFacts,
        "approval base beside cancelled missing passed pending red unknown workflows",
    ),
    "fix": Source("integrate", "integrate", facts.FixFacts, "evidence failure fixes", charges=True),
    "spawn-limits": Source(
        "delegate", "delegate", facts.SpawnFacts, "due gained held iterations over seconds spent until"
    ),
    "asking": Source("ask", "", facts.AskingFacts),
    "feedback-fetch": Source("fetch", "", facts.FetchFacts, "review", total=False, answers=ROUND_ANSWERS),
    "feedback-read": Source("read", "", facts.ReadFacts, "readers texts", total=False, answers=ROUND_ANSWERS),
    "feedback-cluster": Source(
        "cluster", "", facts.ClusterFacts, "counted resolved volume", answers=ROUND_ANSWERS
    ),
    "feedback-land": Source("land", "", facts.LandFacts, "state", answers=ROUND_ANSWERS),
    "feedback-ask": Source(
        "land", "", facts.RoundQuestionFacts,
        "among author branch changed commands failed logs remedy unit use why",
        answers=HEAD_ANSWERS, asks="branch number unit without",
    ),
    "feedback-verify": Source(
        "verify", "", facts.VerifyFacts, "cycles left pattern", answers=ROUND_ANSWERS, asks="item question"
    ),
    "turn": Source("delegate", "", facts.TurnFacts, "run story"),
    "run-end": Source("delegate", "", facts.RunEndFacts, "missing run ways"),
}  # fmt: skip
BUDGETS = frozenset(RETRIES)
# What each action may lead to.
LEADS_TO = {
    "spawn": (*ROLES, "again", "feedback-reader"),
    "goto": ("report", "fix"),
    "integrate": ("integrate",),
    "post": ("issue", "pull request"),
    "cluster": ("new", "new and resolved"),
}
