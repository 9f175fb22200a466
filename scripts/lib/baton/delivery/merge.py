"""What stands between green checks and the merge, and the merge itself: of exactly the head that was checked."""

from itertools import takewhile
from time import time

from baton.delivery.after_merge import after_merge
from baton.delivery.issue import holds_issue
from baton.delivery.pull_request import PullRequestState, merge_pull, read_pull
from baton.delivery.read_checks import read_base
from baton.delivery.repository import deployed_environments
from baton.delivery.reviews import Reviews, enqueue, read_reviews, waited_for
from baton.delivery.session import Delivery, Went, time_of
from baton.delivery.text import merge_text
from baton.feedback.plan.round import load_round
from baton.feedback.read.read_command import read_pull_request
from baton.feedback.store import folder_of
from baton.git.remotes import fetch_branch
from baton.github.address import PullRequestRef
from baton.journal.events import Answered, IntegrationStepDone
from baton.story.integration_steps import decide_step, record_or_ask
from baton.story.question import was_accepted
from baton.text import join_words, plural

# How many rounds of feedback are made before the user is asked.
MOST_ROUNDS, FIRST_ROUND = 3, "none before"


def settle_reviews(delivery: Delivery) -> Went:
    """See that nobody has still to speak, and that what was said is settled."""
    story, config, pushed = delivery.story, delivery.story.config, time_of(delivery.story, delivery.head)
    reviews = read_reviews(delivery.github, delivery.place.repository, delivery.number, delivery.head)
    ref = PullRequestRef(delivery.place.host, delivery.place.repository, delivery.number)
    if new := read_pull_request(story.project, ref).record.new:
        went = _settle_feedback(delivery, f"{plural(len(new), 'item')} of feedback on {delivery.url}")
        if went is not True:
            return went
    waiting = waited_for(reviews, config.reviewers, config.quiet_s, pushed, time())
    blocked = f"changes are wanted by {', '.join(reviews.against)}" if reviews.against else ""
    if not (waiting or blocked):
        return delivery.settle("review/settled", f"nothing that was said on {delivery.url} is open")
    told, rule = (blocked, "review/changes") if blocked else (f"waiting for {waiting}", "review/wait")
    late = delivery.age(delivery.head) > config.review_wait_s
    return delivery.settle("review/late" if late else rule, told)


def _settle_feedback(delivery: Delivery, told: str) -> Went:
    """Have a round settle what was said, known by the head and the round before it; ask when there were enough."""
    story, place = delivery.story, delivery.place
    last = load_round(story.project, folder_of(story.project, place.host, place.repository, delivery.number))
    about = last.id if last and last.landed else FIRST_ROUND
    if last and not last.landed and last.head == delivery.head:
        told += f"; a round is out already, and `baton pr land {delivery.number}` goes on with it"
    since = takewhile(lambda one: not isinstance(one, Answered), reversed(story.state.events))
    steps = (one for one in since if isinstance(one, IntegrationStepDone) and one.rule == "review/open")
    made = {(one.commit, one.evidence) for one in steps}
    if len(made | {(delivery.head, about)}) > MOST_ROUNDS:
        return delivery.settle("review/rounds", f"after {MOST_ROUNDS} rounds, {told}")
    return delivery.wait(decide_step(story, "review/open", told), about=about)


def merge_head(delivery: Delivery) -> Went:
    """Merge exactly the head that was checked, with base as it is this moment."""
    story, place, pull = delivery.story, delivery.place, delivery.pull
    assert pull is not None
    base = fetch_branch(story.git, place.remote, story.base, story.base_ref)
    if not story.git.contains(base, delivery.head):
        return True  # base moved: from sync again
    rules = read_base(delivery.github, place.repository, story.base)
    if not _may_deploy(delivery, base):
        return False
    reviews = read_reviews(delivery.github, place.repository, pull.number, delivery.head)
    if rules.merge_queue:
        return _queue(delivery, pull, base, reviews)
    if pull.mergeable is None:
        return delivery.settle("merge/wait", f"GitHub works out whether {pull.url} can be merged")
    methods = [one for one in reviews.methods if one in rules.methods]
    if not methods:
        return delivery.settle("merge/rejected", f"it allows neither a squash nor a merge commit ({pull.url})")
    method = story.config.method if story.config.method in methods else methods[0]
    if not holds_issue(delivery):
        return False
    delivery.intend("merge", delivery.head, base)
    change = merge_pull(delivery.github, place.repository, pull, method, merge_text(story, delivery.head))
    now = read_pull(delivery.github, place.repository, pull.number)
    if now.state == "merged":
        return after_merge(delivery._replace(pull=now), now)
    if change.lost or change.status == 409 or now.head != delivery.head:
        return delivery.settle("merge/wait", f"{pull.url} is not merged yet: {change.lost or change.refused}")
    if not story.git.contains(fetch_branch(story.git, place.remote, story.base, story.base_ref), delivery.head):
        return True  # base moved at the last moment
    return delivery.settle("merge/rejected", f"{change.refused} ({now.blocked}, {pull.url})")


def _may_deploy(delivery: Delivery, base: str) -> bool:
    """Whether a merge may be deployed to where base is: the user is asked once about a production environment."""
    story, names = delivery.story, delivery.story.config.production
    found = deployed_environments(delivery.github, delivery.place.repository, story.git, base, names)
    told = f"what is merged into {story.base} is deployed to {join_words(found)}"
    if not found or was_accepted(story, told):
        return True
    return record_or_ask(
        story, decide_step(story, "merge/production", told), delivery.head, told, told, delivery.url
    )


def _queue(delivery: Delivery, pull: PullRequestState, base: str, reviews: Reviews) -> Went:
    """Put the pull request into base's merge queue once, and watch it there."""
    if reviews.queued:
        return delivery.settle("merge/queued", f"{pull.url} is in the queue: {reviews.queued}")
    waits = [one for one in delivery.story.state.checked if one.rule == "merge/queued"]
    if waits and waits[-1].commit == delivery.head:
        return delivery.settle("merge/dequeued", pull.url)
    if not holds_issue(delivery):
        return False
    delivery.intend("merge", delivery.head, base)
    change = enqueue(delivery.github, pull.node, delivery.head)
    if change.refused:
        return delivery.settle("merge/rejected", f"{change.refused} ({pull.url})")
    return delivery.settle("merge/queued", f"{pull.url} was put into the queue")
