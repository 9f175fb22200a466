"""What stands between green checks and the merge, and the merge itself: of exactly the head that was checked."""

import re
from collections.abc import Callable
from itertools import takewhile
from time import time

from baton.delivery.after_merge import after_merge
from baton.delivery.base import fetch_base
from baton.delivery.issue import holds_issue
from baton.delivery.pull_request import PullRequestState, merge_pull, read_pull
from baton.delivery.read_checks import read_base
from baton.delivery.repository import deployed_environments
from baton.delivery.reviews import (
    APPROVAL,
    MERGES,
    REFUSED,
    Reviews,
    enqueue,
    method_of,
    read_reviews,
    waited_for,
)
from baton.delivery.session import Delivery, Went, time_of
from baton.delivery.text import merge_text
from baton.feedback.decisions import with_decisions
from baton.feedback.fetch.read_command import read_pull_request
from baton.feedback.plan.round import load_round
from baton.feedback.questions import Answers
from baton.feedback.store import folder_of
from baton.github.address import PullRequestRef
from baton.github.client import GitHub
from baton.journal.events import Answered, IntegrationStepDone, QuestionAsked
from baton.story.integration_steps import decide_step, record_or_ask
from baton.story.question import was_accepted
from baton.story.session import StorySession
from baton.text import join_words, plural

# How many rounds of feedback are made before the user is asked.
MOST_ROUNDS, FIRST_ROUND = 3, "none before"
UNKNOWN = "how it stands is not known"
FOR_APPROVAL = f"waiting for {APPROVAL}"
# How GitHub refuses a merge (405) because base moved, or got a merge queue, in that moment; where head did, it
# answers 409.
PASSING = re.compile(r"Review and try the merge again|through the merge queue")


def settle_reviews(delivery: Delivery) -> Went:
    """See that nobody has still to speak, and that what was said is settled."""
    config, pushed = delivery.story.config, time_of(delivery.story, delivery.head)
    reviews = read_reviews(delivery.github, delivery.place.repository, delivery.number, delivery.head)
    ref = PullRequestRef(delivery.place.host, delivery.place.repository, delivery.number)
    record = read_pull_request(delivery.story.project, ref).record
    if new := with_decisions(record, Answers(delivery.story.project, record.file.parent)).left:
        named = " ".join(sorted(f"{one.id}:{one.heard}" for one in new))
        told = f"{plural(len(new), 'item')} of feedback on {delivery.url}"
        if (went := _settle_feedback(delivery, told, named)) is not True:
            return went
    late = delivery.age(delivery.head) > config.review_wait_s
    for told, rule in reviews_due(delivery, reviews).items():
        more = f"; {_may_bypass(reviews)}" if late and told == FOR_APPROVAL else ""
        if (went := delivery.settle("review/late" if late else rule, f"{told}{more}", about=told)) is not True:
            return went
    if (left := config.quiet_s - (time() - max(reviews.last, pushed))) > 0:
        return delivery.settle("review/wait", f"waiting for {left:.0f} s more in which nobody says anything")
    return delivery.settle("review/settled", f"nothing that was said on {delivery.url} is open")


def reviews_due(delivery: Delivery, reviews: Reviews) -> dict[str, str]:
    """Return what reviewers have still to say or to take back, each with its rule."""
    waits = waited_for(reviews, delivery.story.config.reviewers, delivery.age(delivery.head))
    against = {f"changes are wanted by {', '.join(reviews.against)}": "review/changes"} if reviews.against else {}
    return against | {f"waiting for {wait}": "review/wait" for wait in waits}


def _settle_feedback(delivery: Delivery, told: str, named: str) -> Went:
    """Have a round settle what was said, known by the head and the round before it; ask when there were enough.

    `named` are the items: what is accepted is to leave these open.
    """
    story, place = delivery.story, delivery.place
    last = load_round(story.project, folder_of(story.project, place.host, place.repository, delivery.number))
    about = last.id if last and last.landed else FIRST_ROUND
    if last and not last.landed and last.head == delivery.head:
        told += f"; a round is out already, and `baton pr land {delivery.number}` goes on with it"
    events = reversed(story.state.events)  # what was accepted allows no further round
    since = takewhile(lambda one: not isinstance(one, Answered) or one.option == "accept", events)
    steps = (one for one in since if isinstance(one, IntegrationStepDone) and one.rule == "review/open")
    made = {(step.commit, step.evidence) for step in steps}
    if len(made | {(delivery.head, about)}) > MOST_ROUNDS:
        return delivery.settle("review/rounds", f"after {MOST_ROUNDS} rounds, {told}", about=named)
    return delivery.wait(decide_step(story, "review/open", told), about=about)


def may_merge(delivery: Delivery) -> Went:
    """Whether the user has nothing to say first: on where it is deployed to, and on what its issue says now."""
    return _was_queued(delivery) or (_may_deploy(delivery) and holds_issue(delivery))


def _may_deploy(delivery: Delivery) -> bool:
    """Whether a merge may be deployed to where base is: the user is asked once about a production environment."""
    story = delivery.story
    told = deploys_to(story, delivery.github, delivery.place.repository)
    if not told or was_accepted(story, told):
        return True
    return record_or_ask(
        story, decide_step(story, "merge/production", told), delivery.head, told, told, delivery.url
    )


def deploys_to(story: StorySession, github: GitHub, repository: str) -> str:
    """Say to which production environments what is merged into base is deployed; empty for none."""
    found = deployed_environments(github, repository, story.git, story.base_commit, story.config.is_production)
    return f"what is merged into {story.remote_base} is deployed to {join_words(found)}" if found else ""


def merge_head(delivery: Delivery) -> Went:
    """Merge exactly the head that was checked, with base as it is this moment."""
    story, place, pull = delivery.story, delivery.place, delivery.pull
    assert pull is not None
    if not fetch_base(story):
        return False
    rules = read_base(delivery.github, place.repository, story.remote_base)
    reviews = read_reviews(delivery.github, place.repository, pull.number, delivery.head)  # right before it
    if reviews.base != pull.base:  # a merge names the head alone
        return delivery.settle("merge/wait", f"{pull.url} goes to {reviews.base} now, and is read anew")
    if reviews.has_queue and reviews.queued:  # which moves base, and merges it in itself
        return delivery.settle("merge/queued", f"{pull.url} is in the queue: {reviews.queued}")
    if not story.git.contains(story.base_commit, delivery.head):
        return _unless_merged(delivery, lambda: True)  # base moved: from sync again
    if reviews.has_queue and _was_queued(delivery):
        return _queue(delivery, pull)
    if pull.mergeable is None or reviews.stands == "UNKNOWN":
        return delivery.settle("merge/wait", f"GitHub works out whether {pull.url} can be merged", about=UNKNOWN)
    if (went := _is_allowed(delivery, reviews)) is not True:
        return went
    if reviews.has_queue:
        return _queue(delivery, pull)
    method = method_of(reviews, rules.methods, story.config.method)
    if not method:
        return _reject(delivery, pull, f"it allows neither a squash nor a merge commit ({pull.url})")
    return _merge(delivery, pull, method)


def _is_allowed(delivery: Delivery, reviews: Reviews) -> Went:
    """Whether base's rules allow the merge, or the user did: GitHub refuses nothing to who may bypass them.

    Its REST merge goes by what the account may do, as `gh pr merge --admin` does (cli/cli#4071).
    """
    story, config = delivery.story, delivery.story.config
    asked = {str(event.question.get("about")) for event in story.state.events if isinstance(event, QuestionAsked)}
    named = [one for one in asked if one.startswith(f"ci/required at {delivery.head}")]
    if reviews.stands in (*MERGES, *REFUSED) or any(was_accepted(story, one) for one in named):
        return True
    waits = waited_for(reviews, config.reviewers, delivery.age(delivery.head))
    if waits and delivery.age(delivery.head) <= config.review_wait_s:
        return delivery.settle("review/wait", f"waiting for {waits[0]}")
    late = reviews.approval and delivery.accepted("review/late", FOR_APPROVAL, here=True)
    if late or delivery.accepted("merge/blocked"):
        return True
    return delivery.settle("merge/held", f"{delivery.url} says by which; {_may_bypass(reviews)}")


def _may_bypass(reviews: Reviews) -> str:
    """Say what it comes to when the user accepts that a rule of base is not met."""
    if reviews.may_bypass:
        return "this account may bypass base's rules, so accept (not on GitHub) merges it past all not met then"
    return "this account may not bypass base's rules, so GitHub would refuse the merge"


def _merge(delivery: Delivery, pull: PullRequestState, method: str) -> Went:
    """Have GitHub merge it, and see what came of that."""
    story, place = delivery.story, delivery.place
    delivery.intend("merge", delivery.head, story.base_commit)
    change = merge_pull(delivery.github, place.repository, pull, method, merge_text(story, delivery.head))
    now = read_pull(delivery.github, place.repository, pull.number)
    if now.state == "merged":
        return after_merge(delivery._replace(pull=now), now)
    same = (now.state, now.head, now.base) == (pull.state, pull.head, pull.base)
    if not change.refused or change.status == 409 or PASSING.search(change.refused) or not same:
        return delivery.settle("merge/wait", f"{pull.url} is not merged yet: {change.lost or change.refused}")
    if not fetch_base(story):
        return False
    if not story.git.contains(story.base_commit, delivery.head):
        return True  # base moved at the last moment
    return _reject(delivery, now, f"{change.refused} ({now.blocked}, {pull.url})")


def _reject(delivery: Delivery, pull: PullRequestState, told: str) -> Went:
    """Ask about a merge that GitHub refuses, and keep how the pull request stands."""
    return delivery.settle("merge/rejected", told, about=pull.blocked)


def _unless_merged(delivery: Delivery, otherwise: Callable[[], Went]) -> Went:
    """Go on as after a merge where somebody else, or the queue, has made one since the pull request was read."""
    now = read_pull(delivery.github, delivery.place.repository, delivery.number)
    return after_merge(delivery._replace(pull=now), now) if now.state == "merged" else otherwise()


def _was_queued(delivery: Delivery) -> bool:
    """Whether it was put into base's merge queue, as far as is known."""
    waits = [one.commit for one in delivery.story.state.checked if one.rule == "merge/queued"]
    return waits[-1:] == [delivery.head]


def _queue(delivery: Delivery, pull: PullRequestState) -> Went:
    """Put the pull request into base's merge queue, once."""
    if _was_queued(delivery):
        return _unless_merged(delivery, lambda: delivery.settle("merge/dequeued", pull.url))
    delivery.intend("merge", delivery.head, delivery.story.base_commit)
    change = enqueue(delivery.github, pull.node, delivery.head)
    if change.refused:
        return _reject(delivery, pull, f"{change.refused} ({pull.url})")
    if change.lost:
        return delivery.settle("merge/wait", f"whether {pull.url} is in the queue is not known yet: {change.lost}")
    return delivery.settle("merge/queued", f"{pull.url} was put into the queue")
