"""From a story's closing commit to its pull request, and on to the merge of exactly that commit on GitHub."""

import os
from collections.abc import Callable

from baton.delivery.after_merge import after_merge
from baton.delivery.commit_checks import ACCEPTED_ALONE, Standing, facts_of, reason_values
from baton.delivery.delivery_session import Delivery, Progress, delivery_of
from baton.delivery.delivery_text import pull_text, source_issue
from baton.delivery.destination import find_obstacle, read_repository
from baton.delivery.merge import ask_before_merge, merge_head, settle_reviews
from baton.delivery.pull_request import (
    PullRequestState,
    find_pull,
    make_ready,
    open_pull,
    read_pull,
)
from baton.delivery.read_checks import read_standing
from baton.delivery.remote_base import fetch_base, follow_rename, follow_rename_to
from baton.delivery.remote_question import mark_closed
from baton.delivery.source_issue import ask_unless_issue_holds, comment_once
from baton.git.remotes import push_commit, remote_head
from baton.github.access import HANDS_OVER
from baton.github.responses import RateLimited
from baton.journal.events import IntegrationStepDone
from baton.rules.engine import Decision, decide
from baton.rules.pages import table_of
from baton.sanitize import sanitized
from baton.story.ask.step import Step
from baton.story.checks.gate import texts_of_commits
from baton.story.integrate.complete import finish_pull
from baton.story.integrate.integration_steps import (
    ask_unless_landable,
    bases_of,
    choose_fixer,
    decide_step,
    send_to_fix,
    stop_unless_passed,
)
from baton.story.session.session import StorySession, base_commit_of, mode_of, remote_base_of, tip_of


def closed_head(story: StorySession) -> str:
    """Return the story's tip where it is a checked closing commit that is due to be delivered, else nothing."""
    pending = story.state.pending
    if pending is None or pending.then != "integrate":  # a question or a run comes first
        return ""
    closed = [
        event
        for event in story.state.events
        if isinstance(event, IntegrationStepDone) and event.rule in ("close/written", "merge/lost")
    ]
    is_closed = closed and closed[-1].rule == "close/written" and closed[-1].commit == tip_of(story)
    return tip_of(story) if is_closed else ""


def deliver_story(story: StorySession, integrate: Callable[[StorySession], Step | None]) -> Step | None:
    """Check a story here on base as the remote has it (`integrate`), then deliver exactly that.

    Returns a step to wait for, or None when it completed or stopped; where base moves meanwhile, it begins again.
    """
    while True:
        head = closed_head(story)
        if head and HANDS_OVER in os.environ:
            return _hand_over(story)
        if head and (end := deliver_head(story)) is not Progress.BASE_MOVED:
            return end if isinstance(end, Step) else None
        if not fetch_base(story):
            return None
        step = integrate(story)
        if step or not closed_head(story):
            return step


def _hand_over(story: StorySession) -> Step:
    """Return the step that leaves the delivery to another job: nothing can be pushed from here."""
    waits = delivery_of(story).wait(decide_step(story, "push/elsewhere"), about=HANDS_OVER)
    return waits._replace(seconds=None, until=None)  # no other look, from here, would see more


def deliver_head(story: StorySession) -> Step | Progress:
    """Take the closing commit at the tip as far as it goes on GitHub; it stops, waits, or base moved."""
    delivery = delivery_of(story)
    mark_closed(story)  # where the call that closed it was ended before, or what it said was lost
    try:
        return _deliver(delivery._replace(pull=find_own(delivery)))
    except RateLimited as error:
        return delivery.wait(decide_step(story, "github/limit", str(error)), error.wait_s)


def find_own(delivery: Delivery) -> PullRequestState | None:
    """Return the story's pull request: the one noted as opened, else its branch's: the answer may be lost."""
    github, place = delivery.github, delivery.place
    for url in reversed(delivery.made("pull-request")):
        if url.lower().startswith(f"https://{place.name}/pull/".lower()):
            return read_pull(github, place.repository, int(url.rpartition("/")[2]))
    pull = find_pull(github, place.repository, place.owner, delivery.story.branch, remote_base_of(delivery.story))
    if pull and pull.state != "open" and pull.head not in delivery.made("push"):
        return None  # of another story, whose branch had this name
    return pull


def _deliver(delivery: Delivery) -> Step | Progress:
    story, pull, place = delivery.story, delivery.pull, delivery.place
    known = delivery.made("pull-request")
    if known and pull is None:
        now = f"`git remote get-url {place.remote}` says {place.name}"
        return delivery.settle("pr/elsewhere", f"{known[-1]}, and {now}")
    if delivery.is_merged:
        return after_merge(delivery)
    if not stop_unless_passed(story):  # as where stories stay out of git, and the user edited it meanwhile
        return Progress.STOPPED
    repository = read_repository(delivery.github, place.repository)
    if obstacle := find_obstacle(repository, place, mode_of(delivery.story)):
        return delivery.settle(*obstacle)
    if pull and pull.state == "closed":
        return delivery.settle("pr/closed-by-hand", pull.url)
    if pull and not follow_rename_to(story, place, pull.base):
        return delivery.settle("pr/retargeted", f"{pull.url} goes to {pull.base}")
    if (end := _push(delivery)) is not Progress.GOES_ON:
        return end
    opened = _open(delivery)
    if not isinstance(opened, Delivery):
        return opened
    # Reviews can take a while to read: what is merged is checked right before.
    to_merge = (settle_reviews, ask_before_merge, _check, merge_head)
    for part in (_check, _ready, *([_complete] if mode_of(story) == "pr" else to_merge)):
        if (end := part(opened)) is not Progress.GOES_ON:
            break
    return end


def _push(delivery: Delivery) -> Step | Progress:
    """Push exactly the head, onto what the remote branch is seen to be at, and only forward."""
    story, head, remote = delivery.story, delivery.head, delivery.place.pushed_to
    remote_tip = remote_head(story.git, remote, f"refs/heads/{story.branch}")
    if remote_tip and not (story.git.commit_of(remote_tip) and story.git.contains(remote_tip, head)):
        evidence = f"it is at {remote_tip[:12]} there: `git fetch {remote} {story.branch}:{story.branch}`"
        return delivery.settle("push/moved", evidence)
    if remote_tip != head:
        if not (base_commit_of(story) or fetch_base(story)):
            return Progress.STOPPED
        title, text = pull_text(story, delivery.place)
        base = story.git.fork_point(head, base_commit_of(story))
        texts = {"the pull request's title": title, "its text": text, **texts_of_commits(story, base, head)}
        if not ask_unless_landable(story, base, head, texts):
            return Progress.STOPPED
        delivery.intend("push", head, remote_tip)
        if refused := push_commit(story.git, remote, f"refs/heads/{story.branch}", head, remote_tip):
            return delivery.settle("push/refused", refused)
    delivery.done("push", head, head)
    return delivery.settle("push/done")


def _open(delivery: Delivery) -> Delivery | Step | Progress:
    """Open the pull request unless it is open; returns the delivery with it, once GitHub shows the head."""
    story, github, place, pull = delivery.story, delivery.github, delivery.place, delivery.pull
    if pull is None:
        if not ask_unless_issue_holds(delivery):
            return Progress.STOPPED
        delivery.intend("pull-request", story.branch, delivery.head)
        head = f"{place.owner}:{story.branch}"
        base, draft = remote_base_of(story), story.settings().config.draft
        change = open_pull(github, place.repository, head, base, pull_text(story, place), draft)
        pull = find_pull(github, place.repository, place.owner, story.branch, base)
        if pull is None or pull.state != "open":
            if change.lost:
                return delivery.settle("merge/wait", f"whether it was opened is not known yet: {change.lost}")
            if change.refused and follow_rename(story, place):
                return _open(delivery)
            return delivery.settle("pr/refused", change.refused or "it is not there")
    delivery.done("pull-request", story.branch, pull.url)
    if pull.head != delivery.head:  # as it was before the push
        pull = read_pull(github, place.repository, pull.number)
    opened = delivery._replace(pull=pull)
    if pull.head != delivery.head:
        return opened.settle("merge/wait", f"{pull.url} does not show {delivery.head[:12]} yet")
    comment_once(opened, "started", f"Worked on as story {sanitized(story.id)}: {pull.url}", source_issue(story))
    opened.settle("pr/open", pull.url)
    return opened


def _check(delivery: Delivery) -> Step | Progress:
    """Judge what was run on exactly the head; a new failure goes to a fix run with its log."""
    story, standing = delivery.story, read_standing_of(delivery)
    decision = judge_checks(story, standing)
    if decision.action == "goto":
        send_to_fix(story, decision, choose_fixer(story, decision), delivery.head, standing.failures, delivery.url)
        return Progress.STOPPED
    if mode_of(story) == "pr" and decision.action == "ask":  # which only keeps a merge back
        return delivery.settle("ci/standing", decision.reason)
    return delivery.carry_out(decision, decision.reason, about=standing.named(decision.rule))


def judge_checks(story: StorySession, standing: Standing) -> Decision:
    """Decide what follows from the checks of a commit."""
    config = story.settings().config
    facts = facts_of(standing, config.checks_wait_s, config.checks == "required")
    return decide(table_of("checks"), facts, {"base": remote_base_of(story), **reason_values(standing)})


def read_standing_of(delivery: Delivery) -> Standing:
    """Return the checks of the head, with those accepted that the user has accepted."""
    story, github, head = delivery.story, delivery.github, delivery.head
    built_on = bases_of(story)[:1]
    repository, age = delivery.place.repository, delivery.age(head)
    standing = read_standing(github, repository, head, remote_base_of(story), built_on, age, delivery.number)
    standing = standing._replace(
        by_bot=bool(delivery.pull and delivery.pull.by_bot), to_merge=mode_of(story) == "merge"
    )
    for rule in ACCEPTED_ALONE:
        if delivery.accepted(rule, standing.named(rule)):
            standing = standing.accept(rule)
    return standing


def _ready(delivery: Delivery) -> Step | Progress:
    """Make a draft that we opened ready for review, once, now that its checks are good."""
    pull, draft = delivery.pull, delivery.story.settings().config.draft
    if pull is None or not (pull.draft and draft) or delivery.made("ready"):  # a draft again is somebody's wish
        return Progress.GOES_ON
    change = make_ready(delivery.github, pull)
    if change.lost or change.refused:
        return delivery.settle("merge/wait", f"{pull.url} is still a draft: {change.lost or change.refused}")
    delivery.done("ready", pull.url, delivery.head)  # what is waited for is waited for from now on
    return delivery.settle("pr/ready", f"{pull.url} is not a draft any more: what that starts is checked")


def _complete(delivery: Delivery) -> Progress:
    """End a story whose pull request is left open, with what was last found of its checks."""
    ends = {"ci/standing", *(row.rule for row in table_of("checks").rows if row.action == "next-check")}
    reason = next(step.reason for step in reversed(delivery.story.state.checked) if step.rule in ends)
    finish_pull(delivery.story, delivery.head, delivery.url, reason)
    return Progress.STOPPED
