"""Answer and resolve what a round settles, once its commit is there; then see what is left, and what follows."""

from collections.abc import Sequence

from baton.artifacts.resolver_result import DecisionContext
from baton.feedback.decisions import DECIDE, decision_of, undecided
from baton.feedback.fetch.read_command import Snapshot, read_pull_request
from baton.feedback.land.head import await_head
from baton.feedback.land.land import LandContext, closing_threads
from baton.feedback.land.outbox import ALREADY_DONE, DONE, Outbox
from baton.feedback.land.reply import ReplyPoster
from baton.feedback.land.summary import LandResult
from baton.feedback.land.validate import ValidationResult
from baton.feedback.plan.build_round import self_inflicted
from baton.feedback.plan.cluster import Cycle, is_converging
from baton.feedback.plan.round import Round
from baton.feedback.questions import Answers, Question
from baton.github.client import GitHub
from baton.rules.engine import Decision, decide
from baton.rules.facts import VerifyFacts
from baton.rules.pages import table_of
from baton.text import plural


def answer(landing: LandContext, commit: str, validated: ValidationResult, outbox: Outbox) -> LandResult:
    """Answer and resolve what the round settles, once its commit is there; then fetch what is left."""
    pull, config = landing.pull, landing.read.config
    github = GitHub(pull.host, landing.project.root)
    if commit:
        await_head(github, pull, commit)
    posting, silent = ReplyPoster(github, pull, outbox, landing.round.id), landing.silent
    posted = posting.reply_all(landing.replies_to_post(commit), config.replies == "review")
    replies = [
        posted.get(verdict.feedback_id) or posting.skipped_result(verdict.feedback_id, landing.why_left(verdict))
        for verdict in landing.verdicts
        if verdict.feedback_id not in silent
    ]
    Answers(landing.project, landing.folder).ignore({name: at for name, at in silent.items() if at})
    closing = closing_threads(
        landing, {*silent, *(reply.id for reply in replies if reply.how in (DONE, ALREADY_DONE))}
    )
    resolved = posting.resolve(closing, landing.rules) if closing else []
    made, read, decision, decisions = _verified(landing, frozenset(outbox.all_made("push")))
    question = _asked(made, decision, undecided(decisions, landing.answers, read.record))
    return LandResult(
        made, landing.results, landing.read.record, read, decision, commit, validated, replies, resolved,
        decisions, question,
    )  # fmt: skip


def _verified(
    landing: LandContext, pushed: frozenset[str]
) -> tuple[Round, Snapshot, Decision, dict[str, Question]]:
    """Read the pull request once more and decide what follows from what is left.

    Returns the round as it ended, what was read, and what the user is to decide, by item.
    """
    made = landing.round
    read = read_pull_request(landing.project, landing.pull.ref, after=made.id)
    left = read.record.left if made.targeted else read.record.new
    ours = self_inflicted(landing.git, read.record, pushed)
    history = (*made.history, Cycle(len(left), sum(one.repeated or one.id in ours for one in left)))
    decisions = _decisions(landing, read)
    facts = VerifyFacts(
        "beside" if made.targeted else "new" if left else "nothing",
        undecided=bool(undecided(decisions, landing.answers, read.record)),
        first_cycle=made.cycle == 1,
        converging=is_converging(history),
    )
    pattern = f"{history[-1].recurring or 'none'} of them on lines of our own fixes, or found before"
    told = {"left": len(left), "cycles": plural(made.cycle, "cycle"), "pattern": pattern}
    decision = decide(table_of("feedback-verify"), facts, told)
    return made._replace(landed=decision.rule, history=history), read, decision, decisions


def _decisions(landing: LandContext, read: Snapshot) -> dict[str, Question]:
    """Return what resolvers ask the user to decide, by item: of this round, and what it did not settle.

    What is asked of several items in the same words, as where reviewers contradict each other, is one question.
    """
    items = {one.id: one for one in read.record.items}
    found = dict(landing.answers.decisions)
    asked = dict[DecisionContext, Question]()
    for verdict in landing.verdicts:
        found.pop(verdict.feedback_id, None)
        if verdict.decision_context and (item := items.get(verdict.feedback_id)):
            what = decision_of(verdict, verdict.decision_context, item, landing.round.id)
            found[item.id] = asked.setdefault(verdict.decision_context, what)
    return found


def _asked(made: Round, decision: Decision, decisions: Sequence[Question]) -> Question | None:
    """Return what the user is asked now: the first of the decisions, or what the row asks; None for nothing."""
    how = decision.row.stop
    if how is None or decision.rule == DECIDE:
        return decisions[0] if how else None
    does = {name: one.does.format() for name, one in how.options.items()}
    return Question(decision.rule, made.id, decision.reason, how.question.format(), does, "plan")
