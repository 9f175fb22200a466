"""Answer and resolve what a round settles, once its commit is there; then see what is left, and what follows."""

from collections.abc import Sequence

from baton.artifacts.resolver_result import DecisionContext
from baton.feedback.land.commit import Fixed
from baton.feedback.land.land_round import LandContext, closing_threads
from baton.feedback.land.land_summary import LandResult
from baton.feedback.land.reply import ReplyPoster
from baton.feedback.plan.build_round import items_on_our_lines
from baton.feedback.plan.cluster import Cycle, is_converging
from baton.feedback.plan.open_decisions import DECIDE_RULE, decision_of, questions_to_ask
from baton.feedback.plan.pull_head import await_head
from baton.feedback.plan.round import Round
from baton.feedback.plan.round_question import question_of
from baton.feedback.record.fetch_pull import Snapshot, fetch_pull_request
from baton.feedback.store.outbox import Outbox
from baton.feedback.store.questions import Answers, Question
from baton.github.client import GitHub
from baton.rules.engine import Decision, decide
from baton.rules.facts import VerifyFacts
from baton.rules.pages import table_of
from baton.text import plural


def answer_and_resolve(landing: LandContext, fixed: Fixed, outbox: Outbox) -> LandResult:
    """Answer and resolve what the round settles, once its commit is there; then fetch what is left."""
    pull, silent = landing.pull, landing.silent
    github = GitHub(pull.host, landing.project.root)
    if fixed.commit:
        await_head(github, pull, fixed.commit)
    posting = ReplyPoster(github, pull, outbox, landing.round.id)
    posted = posting.reply_all(landing.replies_to_post(fixed.commit), landing.fetched.config.replies == "review")
    answered = [verdict.feedback_id for verdict in landing.verdicts if verdict.feedback_id not in silent]
    replies = [posted.get(name) or posting.skipped_result(name, landing.left.get(name, "")) for name in answered]
    Answers(landing.project, landing.folder).ignore({name: at for name, at in silent.items() if at})
    closing = closing_threads(landing, {*silent, *(reply.id for reply in replies if reply.is_done)})
    resolved = posting.resolve(closing, landing.rules) if closing else []
    round, fetched, decision, decisions = _verified(landing, frozenset(outbox.all_made("push")))
    question = _asked(round, decision, questions_to_ask(decisions, landing.answers, fetched.record))
    return LandResult(landing, round, fetched, decision, fixed, replies, resolved, decisions, question)


def _verified(
    landing: LandContext, pushed: frozenset[str]
) -> tuple[Round, Snapshot, Decision, dict[str, Question]]:
    """Read the pull request once more and decide what follows from what is left.

    Returns the round as it ended, what was fetched, and what the user is to decide, by item.
    """
    round = landing.round
    fetched = fetch_pull_request(landing.project, landing.pull.ref, after=round.id)
    left = fetched.record.left if round.targeted else fetched.record.new
    ours = items_on_our_lines(landing.git, fetched.record, pushed)
    history = (*round.history, Cycle(len(left), sum(item.repeated or item.id in ours for item in left)))
    decisions = _decisions(landing, fetched)
    facts = VerifyFacts(
        "beside" if round.targeted else "new" if left else "nothing",
        undecided=bool(questions_to_ask(decisions, landing.answers, fetched.record)),
        first_cycle=round.cycle == 1,
        converging=is_converging(history),
    )
    known = f"{history[-1].recurring or 'none'} of them on lines of our own fixes, or found before"
    pattern = known if landing.taken else "no agent handed in a result"
    values = {"left": len(left), "cycles": plural(round.cycle, "cycle"), "pattern": pattern}
    decision = decide(table_of("feedback-verify"), facts, values)
    return round._replace(landed=decision.rule, history=history), fetched, decision, decisions


def _decisions(landing: LandContext, fetched: Snapshot) -> dict[str, Question]:
    """Return the questions that resolvers put to the user, by item: of this round, and those it did not settle.

    Those of several items in the same words, as where reviewers contradict each other, are one question.
    """
    items = {item.id: item for item in fetched.record.items}
    decisions = dict(landing.answers.kept.decisions)
    asked = dict[DecisionContext, Question]()
    for verdict in landing.verdicts:
        decisions.pop(verdict.feedback_id, None)
        if verdict.decision_context and (item := items.get(verdict.feedback_id)):
            what = decision_of(verdict, verdict.decision_context, item, landing.round.id)
            decisions[item.id] = asked.setdefault(verdict.decision_context, what)
    return decisions


def _asked(round: Round, decision: Decision, decisions: Sequence[Question]) -> Question | None:
    """Return the question to ask now: the first of the decisions, or that of the row; None where there is none."""
    how = decision.row.asks
    if how is None or decision.rule == DECIDE_RULE:
        return decisions[0] if how else None
    return question_of(decision, round.id, {}, "plan")
