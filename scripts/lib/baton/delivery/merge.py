"""The steps between green checks and the merge, and the merge itself: of exactly the head that was checked."""

import re
from itertools import takewhile
from time import time

from baton.delivery.after_merge import after_merge
from baton.delivery.delivery_session import Delivery, Progress, matter_of, time_of
from baton.delivery.delivery_text import merge_text
from baton.delivery.destination import deployed_environments, read_base
from baton.delivery.pull_request import PullRequestState, merge_pull, read_pull
from baton.delivery.remote_base import fetch_base
from baton.delivery.reviews import (
    APPROVAL,
    MERGES,
    REFUSED,
    DueReview,
    Reviews,
    enqueue,
    method_of,
    read_reviews,
    waited_for,
)
from baton.delivery.source_issue import ask_unless_issue_holds
from baton.feedback.plan.open_decisions import with_decisions
from baton.feedback.plan.round import load_round
from baton.feedback.record.fetch_pull import fetch_pull_request
from baton.feedback.store.kept_files import folder_of
from baton.feedback.store.questions import Answers
from baton.github.address import PullRequestRef
from baton.github.client import GitHub
from baton.journal.events import Answered, IntegrationStepDone, QuestionAsked
from baton.story.ask.question import was_accepted
from baton.story.ask.step import Step
from baton.story.integrate.integration_steps import decide_step, record_or_ask
from baton.story.session.session import StorySession, base_commit_of, remote_base_of
from baton.text import join_words, plural

# How many rounds of feedback are made before the user is asked.
MOST_ROUNDS, FIRST_ROUND = 3, "none before"
# A part of a Matter, as journals have it.
UNKNOWN = "how it stands is not known"
# How GitHub refuses a merge (405) because base moved, or got a merge queue, in that moment; where head did, it
# answers 409.
PASSING = re.compile(r"Review and try the merge again|through the merge queue")


def settle_reviews(delivery: Delivery) -> Step | Progress:
    """See that no review is waited for, and that all feedback is settled."""
    config, pushed = delivery.story.settings().config, time_of(delivery.story, delivery.head)
    reviews = read_reviews(delivery.github, delivery.place.repository, delivery.number, delivery.head)
    ref = PullRequestRef(delivery.place.host, delivery.place.repository, delivery.number)
    record = fetch_pull_request(delivery.story.project, ref).record
    if new := with_decisions(record, Answers(delivery.story.project, record.folder)).left:
        named = " ".join(sorted(f"{item.id}:{item.heard}" for item in new))
        evidence = f"{plural(len(new), 'item')} of feedback on {delivery.url}"
        if (end := _settle_feedback(delivery, evidence, named)) is not Progress.GOES_ON:
            return end
    late = delivery.age(delivery.head) > config.review_wait_s
    for due in reviews_due(delivery, reviews):
        more = f"; {_may_bypass(reviews)}" if late and due.is_approval else ""
        end = delivery.settle("review/late" if late else due.rule, f"{due.told}{more}", about=due.told)
        if end is not Progress.GOES_ON:
            return end
    if (left := config.quiet_s - (time() - max(reviews.last, pushed))) > 0:
        return delivery.settle("review/wait", f"waiting for {left:.0f} s more in which nobody says anything")
    return delivery.settle("review/settled", f"nothing that was said on {delivery.url} is open")


def reviews_due(delivery: Delivery, reviews: Reviews) -> list[DueReview]:
    """Return the reviews that want changes, then those that are waited for."""
    against = DueReview("review/changes", f"changes are wanted by {', '.join(reviews.against)}")
    waits = waited_for(reviews, delivery.story.settings().config.reviewers, delivery.age(delivery.head))
    return [*([against] if reviews.against else []), *waits]


def _settle_feedback(delivery: Delivery, evidence: str, named: str) -> Step | Progress:
    """Have a round settle the feedback, known by the head and the round before it; ask when there were enough.

    `named` are the items, which the user may accept to leave open.
    """
    story, place = delivery.story, delivery.place
    last = load_round(story.project, folder_of(story.project, place.host, place.repository, delivery.number))
    about = last.id if last and last.landed else FIRST_ROUND
    if last and not last.landed and last.head == delivery.head:
        evidence += f"; a round is under way, and `baton pr land {delivery.number}` goes on with it"
    events = reversed(story.state.events)  # what was accepted allows no further round
    since = takewhile(lambda event: not isinstance(event, Answered) or event.option == "accept", events)
    steps = (event for event in since if isinstance(event, IntegrationStepDone) and event.rule == "review/open")
    rounds = {(step.commit, step.evidence) for step in steps}
    if len(rounds | {(delivery.head, about)}) > MOST_ROUNDS:
        return delivery.settle("review/rounds", f"after {MOST_ROUNDS} rounds, {evidence}", about=named)
    return delivery.wait(decide_step(story, "review/open", evidence), about=about)


def ask_before_merge(delivery: Delivery) -> Progress:
    """Ask the user about a deployment to production and about a changed issue, unless it is queued already."""
    if _was_queued(delivery) or (_ask_unless_deploy_accepted(delivery) and ask_unless_issue_holds(delivery)):
        return Progress.GOES_ON
    return Progress.STOPPED


def _ask_unless_deploy_accepted(delivery: Delivery) -> bool:
    """Return True where no production environment gets what is merged, or the user accepted it; else ask them."""
    story = delivery.story
    warning = deploys_to(story, delivery.github, delivery.place.repository)
    if not warning or was_accepted(story, warning):
        return True
    return record_or_ask(
        story, decide_step(story, "merge/production", warning), delivery.head, warning, warning, delivery.url
    )


def deploys_to(story: StorySession, github: GitHub, repository: str) -> str:
    """Say to which production environments what is merged into base is deployed; empty for none."""
    is_production = story.settings().config.is_production
    names = deployed_environments(github, repository, story.git, base_commit_of(story), is_production)
    return f"what is merged into {remote_base_of(story)} is deployed to {join_words(names)}" if names else ""


def merge_head(delivery: Delivery) -> Step | Progress:
    """Merge exactly the head that was checked, with base as it is this moment."""
    story, place, pull = delivery.story, delivery.place, delivery.pull
    assert pull is not None
    if not fetch_base(story):
        return Progress.STOPPED
    rules = read_base(delivery.github, place.repository, remote_base_of(story))
    reviews = read_reviews(delivery.github, place.repository, pull.number, delivery.head)  # right before it
    if reviews.base != pull.base:  # a merge names the head alone
        return delivery.settle("merge/wait", f"{pull.url} goes to {reviews.base} now, and is read anew")
    if reviews.has_queue and reviews.queued:  # which moves base, and merges it in itself
        return delivery.settle("merge/queued", f"{pull.url} is in the queue: {reviews.queued}")
    if not story.git.contains(base_commit_of(story), delivery.head):
        now = _read_again(delivery)
        return after_merge(now) if now.is_merged else Progress.BASE_MOVED
    if reviews.has_queue and _was_queued(delivery):
        return _queue(delivery, pull)
    if pull.mergeable is None or reviews.stands == "UNKNOWN":
        return delivery.settle("merge/wait", f"GitHub works out whether {pull.url} can be merged", about=UNKNOWN)
    if (end := _settle_rules(delivery, reviews)) is not Progress.GOES_ON:
        return end
    if reviews.has_queue:
        return _queue(delivery, pull)
    method = method_of(reviews, rules.methods, story.settings().config.method)
    if not method:
        return delivery.settle(
            "merge/rejected", f"it allows neither a squash nor a merge commit ({pull.url})", about=pull.blocked
        )
    return _merge(delivery, pull, method)


def _settle_rules(delivery: Delivery, reviews: Reviews) -> Step | Progress:
    """See that base's rules allow the merge, or the user did: GitHub refuses nothing to who may bypass them.

    Its REST merge goes by what the account may do, as `gh pr merge --admin` does (cli/cli#4071).
    """
    story, config = delivery.story, delivery.story.settings().config
    asked = (event for event in story.state.events if isinstance(event, QuestionAsked))
    unmet = {matter_of(event.rule, event.question) for event in asked if event.rule == "ci/required"}
    checks = [matter.what for matter in unmet if matter.commit == delivery.head]
    if reviews.stands in (*MERGES, *REFUSED) or any(delivery.accepted("ci/required", what) for what in checks):
        return Progress.GOES_ON
    waits = waited_for(reviews, config.reviewers, delivery.age(delivery.head))
    if waits and delivery.age(delivery.head) <= config.review_wait_s:
        return delivery.settle("review/wait", waits[0].told)
    late = reviews.approval and delivery.accepted("review/late", APPROVAL.told, here=True)
    if late or delivery.accepted("merge/blocked"):
        return Progress.GOES_ON
    return delivery.settle("merge/held", f"{delivery.url} says by which; {_may_bypass(reviews)}")


def _may_bypass(reviews: Reviews) -> str:
    """Say what happens when the user accepts that a rule of base is not met."""
    if reviews.may_bypass:
        return "this account may bypass base's rules, so accept (not on GitHub) merges it past all not met then"
    return "this account may not bypass base's rules, so GitHub would refuse the merge"


def _merge(delivery: Delivery, pull: PullRequestState, method: str) -> Step | Progress:
    """Have GitHub merge the pull request, and read back whether it did."""
    story, place = delivery.story, delivery.place
    delivery.intend("merge", delivery.head, base_commit_of(story))
    change = merge_pull(delivery.github, place.repository, pull, method, merge_text(story, delivery.head))
    now = read_pull(delivery.github, place.repository, pull.number)
    if now.state == "merged":
        return after_merge(delivery._replace(pull=now))
    same = (now.state, now.head, now.base) == (pull.state, pull.head, pull.base)
    if not change.refused or change.status == 409 or PASSING.search(change.refused) or not same:
        return delivery.settle("merge/wait", f"{pull.url} is not merged yet: {change.lost or change.refused}")
    if not fetch_base(story):
        return Progress.STOPPED
    if not story.git.contains(base_commit_of(story), delivery.head):
        return Progress.BASE_MOVED
    return delivery.settle("merge/rejected", f"{change.refused} ({now.blocked}, {pull.url})", about=now.blocked)


def _read_again(delivery: Delivery) -> Delivery:
    """Return the delivery with its pull request as it is now: somebody else, or the queue, may have merged it."""
    return delivery._replace(pull=read_pull(delivery.github, delivery.place.repository, delivery.number))


def _was_queued(delivery: Delivery) -> bool:
    """Whether the head was put into base's merge queue, as far as is known."""
    waits = [step.commit for step in delivery.story.state.checked if step.rule == "merge/queued"]
    return waits[-1:] == [delivery.head]


def _queue(delivery: Delivery, pull: PullRequestState) -> Step | Progress:
    """Put the pull request into base's merge queue, once."""
    if _was_queued(delivery):
        now = _read_again(delivery)
        return after_merge(now) if now.is_merged else delivery.settle("merge/dequeued", pull.url)
    delivery.intend("merge", delivery.head, base_commit_of(delivery.story))
    change = enqueue(delivery.github, pull.node, delivery.head)
    if change.refused:
        return delivery.settle("merge/rejected", f"{change.refused} ({pull.url})", about=pull.blocked)
    if change.lost:
        return delivery.settle("merge/wait", f"whether {pull.url} is in the queue is not known yet: {change.lost}")
    return delivery.settle("merge/queued", f"{pull.url} was put into the queue")
