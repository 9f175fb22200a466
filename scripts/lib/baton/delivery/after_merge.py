"""After the merge on GitHub: what was merged is read back, its deployment watched, the branch tidied away."""

from collections.abc import Iterator
from typing import Any

from baton.delivery.commit_checks import CheckRun, Standing, State, reason_values
from baton.delivery.delivery_session import Delivery, Progress
from baton.delivery.delivery_text import source_issue
from baton.delivery.destination import Destination, read_rules
from baton.delivery.read_checks import read_checks, read_same, read_workflows, with_logs
from baton.delivery.remote_base import fetch_renamed, follow_rename_to
from baton.delivery.source_issue import comment_once
from baton.git.branches import advance_branch
from baton.git.objects import parents_of, tree_of
from baton.git.remotes import push_commit, remote_head
from baton.github.client import GitHub
from baton.github.responses import shape_checked
from baton.github.rest_pages import read_pages
from baton.journal.events import EffectIntended
from baton.story.ask.step import Step
from baton.story.checks.compare_checks import Running, subject_of, weigh
from baton.story.integrate.complete import finish_merge, wait_for_commands
from baton.story.session.session import StorySession
from baton.text import join_words, one_line

DEPLOYMENT = "deployment"
# The states of a deployment (GitHub's REST description, deployment-status); none yet is one that goes on.
STATES: dict[str, State] = {
    "success": "passed", "inactive": "skipped", "failure": "failed", "error": "failed", "queued": "pending",
    "pending": "pending", "in_progress": "pending", "waiting": "approval",
}  # fmt: skip
# For how long after a merge the first run for it is waited for.
BEGINS_S = 60
GOOD = ("pass", "preexisting", "flaky")
# A part of a Matter, as journals have it.
NOT_THERE = "base does not have it yet"


def after_merge(delivery: Delivery) -> Step | Progress:
    """Read back what was merged, watch what follows from it, tidy, and end the story."""
    story, place, pull = delivery.story, delivery.place, delivery.pull
    assert pull is not None
    merge = pull.merge_commit
    if not follow_rename_to(story, place, pull.base):
        return delivery.settle("pr/retargeted", f"{pull.url} was merged into {pull.base} as {merge[:12]}")
    base = fetch_renamed(story, place)
    if not merge or not story.git.commit_of(merge) or not story.git.contains(merge, base):
        evidence = f"{pull.url} is merged as {merge[:12]}, and {pull.base} has it not yet"
        return delivery.settle("merge/wait", evidence, about=NOT_THERE)
    if pull.head != delivery.head:
        evidence = f"{pull.url} was merged at {pull.head[:12]}, checked was {delivery.head[:12]}"
        if (end := delivery.settle("pr/merged-other", evidence, merge)) is not Progress.GOES_ON:
            return end
    before = _base_before(delivery)
    if not before:
        delivery.settle("merge/by-hand", pull.url, merge)
    delivery.done("merge", delivery.head, merge)
    for part in (_as_checked, _deploy):
        if (end := part(delivery, merge)) is not Progress.GOES_ON:
            return end
    comment_once(delivery, "ended", f"Merged into {pull.base} as {merge}", source_issue(story))
    delivery.settle("merge/done", commit=merge)
    stays = tidy_away(story, delivery.github, place, (story.branch, delivery.head), base)
    finish_merge(story, merge, told=(f"Pull request: {pull.url}", *stays))
    return Progress.STOPPED


def _base_before(delivery: Delivery) -> str:
    """Return base's commit right before our merge; empty where somebody else merged."""
    intents = (event for event in reversed(delivery.story.state.events) if isinstance(event, EffectIntended))
    return next(
        (intent.before for intent in intents if (intent.effect, intent.about) == ("merge", delivery.head)), ""
    )


def _as_checked(delivery: Delivery, merge: str) -> Step | Progress:
    """See that the merged tree is the one that was checked; else run the commands on it."""
    story = delivery.story
    if tree_of(story.git, merge) == tree_of(story.git, delivery.head):
        return Progress.GOES_ON
    first = parents_of(story.git, merge)[0]
    subject = subject_of(story)._replace(
        base_of=lambda commit: first, changed=lambda commit: story.git.changed(first, commit)
    )
    weighed = weigh(subject, merge)
    if isinstance(weighed, Running):
        return wait_for_commands(story, weighed)
    bad = [check for check in weighed if check.result not in GOOD]
    if bad:
        return delivery.settle(
            "merge/broken", "\n".join(check.told for check in bad), merge, str(bad[0].outcome.log)
        )
    verdict = "everything passes" if weighed else "no command is set up to run on it"
    return delivery.settle("merge/checked-again", f"it is on {first[:12]}, and {verdict}", merge)


def _deploy(delivery: Delivery, merge: str) -> Step | Progress:
    """Watch what is run and deployed for the merge commit until it has ended, or takes too long."""
    outcome, evidence = deploy_outcome(delivery, merge)
    return delivery.settle(outcome, evidence, merge)


def deploy_outcome(delivery: Delivery, merge: str) -> tuple[str, str]:
    """Return the outcome so far of what is run and deployed for the merge commit, and its evidence."""
    standing = _standing(delivery, merge)
    age = standing.age
    goes_on = standing.those("pending", "approval")
    awaited = reason_values(standing._replace(checks=[check._replace(state="pending") for check in goes_on]))[
        "pending"
    ]
    other = [f"{check.told} is {check.state}: {check.url}" for check in standing.those("cancelled", "unknown")]
    if bad := [*standing.failures, *other]:
        return "deploy/fail", "\n".join(bad)
    if goes_on and age > delivery.story.settings().config.deploy_wait_s:
        return "deploy/late", f"still not ended: {awaited}"
    if goes_on:
        return "deploy/wait", f"merged as {merge[:12]}; waiting for {awaited}"
    if age < BEGINS_S and _may_begin(delivery, standing):
        return "deploy/wait", f"merged as {merge[:12]}; does anything more run for it?"
    if standing.checks:
        old = join_words([check.told for check in standing.old])
        well = f"{reason_values(standing)['passed']}" if len(standing.checks) > len(standing.old) else ""
        ended = [well, old and f"{old} failed as before the merge"]
        return "deploy/pass", f"after the merge: {'; '.join(filter(None, ended))}"
    return "deploy/none", ""


def _deployments(github: GitHub, repository: str, sha: str) -> Iterator[CheckRun]:
    """Return the newest deployment of a commit to each environment: GitHub gives the newest first."""
    place = f"repos/{repository}/deployments"
    newest: dict[object, Any] = {}
    for deployment in read_pages(github, f"{place}?sha={sha}"):
        newest.setdefault((deployment.get("environment"), deployment.get("task")), deployment)
    for deployment in newest.values():
        with shape_checked("GitHub's answer is no deployment", repository):
            statuses = github.get(f"{place}/{deployment['id']:d}/statuses?per_page=1").data
            yield _deployment(deployment, statuses[0] if statuses else {"state": "pending"})


def _deployment(deployment: Any, status: Any) -> CheckRun:
    url = status.get("log_url") or status.get("environment_url") or ""
    description = status.get("description") or ""
    state = STATES.get(status["state"], "unknown")
    return CheckRun(f"deployment to {deployment['environment']}", DEPLOYMENT, state, 0, None, url, description)


def _may_begin(delivery: Delivery, standing: Standing) -> bool:
    """Whether something may still begin for a merge commit of which no deployment is known."""
    github, repository = delivery.github, delivery.place.repository
    if any(check.kind == DEPLOYMENT for check in standing.checks):
        return False
    return bool(
        read_workflows(github, repository) or github.get(f"repos/{repository}/deployments?per_page=1").data
    )


def _standing(delivery: Delivery, merge: str) -> Standing:
    """Read what was run and deployed for the merge commit, and where that fails, how it went on base before."""
    github, repository, git = delivery.github, delivery.place.repository, delivery.story.git
    checks = [*read_checks(github, repository, merge), *_deployments(github, repository, merge)]
    if failed := [check for check in checks if check.state == "failed"]:
        before = read_same(github, repository, parents_of(git, merge)[:1], failed)
        return Standing(with_logs(github, repository, checks), (), delivery.age(merge), before)
    return Standing(checks, (), delivery.age(merge))


def tidy_away(
    story: StorySession, github: GitHub, place: Destination, merged: tuple[str, str], base: str
) -> list[str]:
    """Delete a remote branch where it is exactly what was merged of it, and bring the base here forward."""
    branch, head = merged
    git, kept, ref = story.git, list[str](), f"refs/heads/{branch}"
    remote_tip = remote_head(git, place.pushed_to, ref)
    if remote_tip and remote_tip != head:
        kept.append(f"{branch} stays on {place.pushed_to}: it has {remote_tip[:12]}, which was not merged")
    elif remote_tip and not place.is_fork and _is_kept(github, place.repository, branch):
        kept.append(f"{branch} stays on {place.pushed_to}: a rule there forbids to delete it")
    elif remote_tip and (refused := push_commit(git, place.pushed_to, ref, "", remote_tip)):
        kept.append(f"{branch} stays on {place.pushed_to}: {refused}")
    return kept + follow_base(story, base)


def _is_kept(github: GitHub, repository: str, branch: str) -> bool:
    """Whether a ruleset keeps a branch, even where gh's account may bypass it."""
    return any(rule.get("type") == "deletion" for rule in read_rules(github, repository, branch))


def follow_base(story: StorySession, fetched: str) -> list[str]:
    """Move base here forward to what the remote has; says why it stays, where it does."""
    git, base = story.git, story.settings().base
    local = git.branch_commit(base)
    if local == fetched:
        return []
    if not git.contains(local, fetched):
        return [f"{base} here has commits of its own: `git pull --rebase` when it suits you"]
    moved = advance_branch(git, base, local, fetched)
    if moved.how == "moved":
        return []
    return [f"{base} here stays at {local[:12]}: {one_line(moved.said)}; `git pull` when it suits you"]
