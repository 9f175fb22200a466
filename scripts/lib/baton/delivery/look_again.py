"""Close the open question, with the evidence, where GitHub shows that its cause is gone."""

from baton.delivery.after_merge import NOT_THERE, deploy_outcome
from baton.delivery.commit_checks import facts_of
from baton.delivery.deliver import find_own, judge_checks, read_standing_of
from baton.delivery.delivery_session import Delivery, Matter, delivery_of, matter_of
from baton.delivery.merge import UNKNOWN, reviews_due
from baton.delivery.pull_request import PullRequestState
from baton.delivery.remote_base import follow_rename_to
from baton.delivery.remote_question import Heard, ask_on_github, mark_closed
from baton.delivery.reviews import MERGES, read_reviews
from baton.errors import BatonError
from baton.github.client import GitHub
from baton.journal.events import QuestionAsked, QuestionClosed
from baton.journal.state import State
from baton.rules.all_tables import closing_rows
from baton.rules.engine import row_fits
from baton.story.ask.question import posted_url
from baton.story.session.session import StorySession, tip_of
from baton.text import clip, one_line

EVIDENCE = 300


def hear_github(story: StorySession, looks: bool = True) -> Heard:
    """Have GitHub settle the open question: by a comment, where it stands there, or because its cause is gone."""
    from_there = story.settings().config.ask_on == "github"
    heard = ask_on_github(story) if from_there else Heard()
    unread = heard.warning and posted_url(story.state)  # somebody may have answered
    if heard.taken or unread or not looks or not may_close(story.state):
        return heard
    if not (evidence := _find_evidence(story)):
        return heard
    rule = story.state.question.rule if story.state.question else ""
    story.note(QuestionClosed(rule, evidence, posted_url(story.state)))
    warning = mark_closed(story) if from_there else ""
    return Heard(f"{rule} needs no answer any more: {evidence}", warning)


def may_close(state: State) -> bool:
    """Whether GitHub may close the open question: it did not before, for this head and cause."""
    asked, closed = (Matter("", ""), ""), set[tuple[Matter, str]]()
    for event in state.events:
        if isinstance(event, QuestionAsked):
            asked = (matter_of(event.rule, event.question), event.reason)
        elif isinstance(event, QuestionClosed):
            closed.add(asked)
    return state.question is not None and state.question.rule in closing_rows() and asked not in closed


def _find_evidence(story: StorySession) -> str:
    """Return the evidence that the rule of the open question does not hold any more; empty where it may hold."""
    asked = story.state.question
    assert asked is not None
    matter = matter_of(asked.rule, asked.text)
    if matter.commit != tip_of(story):
        return ""
    try:
        delivery = delivery_of(story)
        quick = GitHub(delivery.place.host, story.project.root, waits_s=0)
        delivery = delivery._replace(github=quick)
        pull = find_own(delivery)
        evidence = _evidence(delivery._replace(pull=pull), pull, matter) if pull else ""
    except BatonError:
        return ""
    return clip(one_line(evidence.partition("\n")[0]), EVIDENCE)


def _evidence(delivery: Delivery, pull: PullRequestState, matter: Matter) -> str:
    story, rule = delivery.story, matter.rule
    if rule.startswith("deploy/"):
        outcome, evidence = deploy_outcome(delivery, pull.merge_commit)
        return "" if outcome == rule else evidence
    if matter.what == NOT_THERE:
        return ""
    if pull.state == "merged":
        return f"{pull.url} is merged" if follow_rename_to(story, delivery.place, pull.base) else ""
    if pull.state == "closed":
        return ""
    if rule == "pr/closed-by-hand":
        return f"{pull.url} is open again"
    if rule == "pr/retargeted":
        return f"{pull.url} goes to {pull.base}" if follow_rename_to(story, delivery.place, pull.base) else ""
    if rule == "merge/rejected":
        is_other = matter.what and pull.blocked.upper() in MERGES and pull.blocked != matter.what
        return f"GitHub shows {pull.url} as {pull.blocked}" if is_other else ""
    if rule.startswith("ci/"):
        standing = read_standing_of(delivery)._replace(to_merge=True)
        config = story.settings().config
        facts = facts_of(standing, config.checks_wait_s, config.checks == "required")
        return "" if row_fits(closing_rows()[rule], facts._asdict()) else judge_checks(story, standing).reason
    reviews = read_reviews(delivery.github, delivery.place.repository, delivery.number, delivery.head)
    if rule == "merge/late":
        is_known = matter.what == UNKNOWN and pull.mergeable is not None and reviews.stands != "UNKNOWN"
        return f"GitHub shows {pull.url} as {pull.blocked}" if is_known else ""
    if rule == "merge/dequeued":
        return f"{pull.url} is in the queue: {reviews.queued}" if reviews.queued else ""
    if rule == "review/late":
        is_due = matter.what in [due.told for due in reviews_due(delivery, reviews)]
        return "" if is_due else f"no longer {matter.what}"
    is_free = rule == "merge/blocked" and reviews.stands in MERGES
    return f"base's rules do not hold {pull.url} back any more" if is_free else ""
