"""What each table of rules is read with: its page, its facts, and the names that its texts may quote."""

from typing import NamedTuple

from baton.artifacts.config import RETRIES
from baton.journal.run import ROLES
from baton.rules import facts


class Source(NamedTuple):
    """A table: its page and its stage, its facts, the values that its reasons may quote; `total`: a rule must fit.

    `charges`: each of its rules says what it counts against, `nothing` included. `closing`: the answer that each
    of its questions offers, which ends it; empty where some offer none. `asks`: what its questions may quote.
    """

    page: str
    skill_stage: str
    facts: type
    names: str = ""
    total: bool = True
    charges: bool = False
    closing: str = "abandon"
    asks: str = "allowance base"

    @property
    def of_runs(self) -> bool:
        """Whether it judges runs that have ended."""
        return self.names.startswith(OF_A_RUN)


OF_A_RUN = (
    "closed criteria_change details hooks_broken message_refused moved phases plan_path refs_moved refused "
    "review_reason risky run status stopped total"
)
OF_A_STEP = "base branch commit evidence"
# In the order in which a story comes through them; those without a stage are asked beside a story.
SOURCES = {
    "in-progress": Source(
        "preflight", "preflight", facts.InProgressFacts, "ended out refused run seen starts", total=False
    ),
    "start": Source(
        "preflight", "preflight", facts.StartFacts,
        "base branch closed commands not_ready plan_path spec total unread",
    ),
    "run": Source("gate", "gate", facts.RunFacts, OF_A_RUN, total=False),
    "planning": Source(
        "plan", "plan", facts.PlanningFacts, f"{OF_A_RUN} attempts block_reason findings intake", charges=True
    ),
    "implementation": Source(
        "gate", "gate", facts.ImplementationFacts,
        f"{OF_A_RUN} attempts blocked_phase contradiction errors findings no_progress_limit same_error_limit",
        charges=True,
    ),
    "report": Source("gate", "gate", facts.ReportFacts, f"{OF_A_RUN} attempts findings", charges=True),
    "qa": Source(
        "qa", "qa", facts.QaFacts,
        f"{OF_A_RUN} attempts delta_attempts delta_findings delta_path delta_schema fails findings open verdict "
        "verdict_reason", charges=True,
    ),
    "micro": Source(
        "gate", "gate", facts.MicroFacts, f"{OF_A_RUN} attempts findings open verdict verdict_reason", charges=True
    ),
    "integration": Source("integrate", "integrate", facts.IntegrationFacts, OF_A_STEP),
    "delivery": Source("deliver", "integrate", facts.DeliveryFacts, OF_A_STEP),
    "checks": Source(
        "deliver", "integrate", facts.CheckFacts,
        "approval base beside cancelled missing passed pending red unknown workflows",
    ),
    "fix": Source("integrate", "integrate", facts.FixFacts, "evidence failure fixes", charges=True),
    "spawn-limits": Source(
        "delegate", "delegate", facts.SpawnFacts, "due gained held iterations over seconds spent until"
    ),
    "asking": Source("ask", "", facts.AskingFacts),
    "feedback-fetch": Source("fetch", "", facts.FetchFacts, "review", total=False, closing="leave"),
    "feedback-read": Source("read", "", facts.ReadFacts, "readers texts", total=False, closing="leave"),
    "feedback-cluster": Source("cluster", "", facts.ClusterFacts, "counted resolved volume", closing="leave"),
    "feedback-land": Source("land", "", facts.LandFacts, "state", closing="leave"),
    "feedback-ask": Source(
        "land", "", facts.RoundQuestionFacts,
        "among author branch changed commands failed logs remedy unit use why",
        closing="", asks="branch number unit without",
    ),
    "feedback-verify": Source(
        "verify", "", facts.VerifyFacts, "cycles left pattern", closing="leave", asks="item question"
    ),
    "turn": Source("delegate", "", facts.TurnFacts, "run story"),
    "run-end": Source("delegate", "", facts.RunEndFacts, "missing run ways"),
}  # fmt: skip
BUDGETS = frozenset(RETRIES)
# What each action may lead to, and what an answer may.
LEADS_TO = {
    "spawn": (*ROLES, "again", "feedback-reader"),
    "goto": ("report", "fix"),
    "integrate": ("integrate",),
    "post": ("issue", "pull request"),
    "cluster": ("new", "new and resolved"),
}
ANSWERS_LEAD_TO = {
    "abandon": {
        *ROLES,
        "integrate",
        "start",
        "wait",
        "below",
        "look",
        "again",
        "due",
        "fixer",
        "defer",
        "abandon",
    },
    "leave": {"plan", "complete"},
    "": {"go-on", "complete"},
}
