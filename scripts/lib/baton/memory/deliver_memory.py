"""Delivery of memory to GitHub: a branch of its own, a pull request, and in the mode `merge` its merge."""

from time import time

from baton.delivery.after_merge import tidy_away
from baton.delivery.base import is_base
from baton.delivery.checks import facts_of, told_of
from baton.delivery.delivery_session import time_of
from baton.delivery.destination import Destination, find_destination
from baton.delivery.merge import deploys_to
from baton.delivery.own_pull import open_own, push_own
from baton.delivery.pull_request import PullRequestState, find_pull, merge_pull, read_pull
from baton.delivery.read_checks import read_base, read_standing
from baton.delivery.reviews import MERGES, method_of, read_reviews
from baton.errors import BatonError
from baton.git.objects import commit_message
from baton.git.remotes import fetch_branch, remote_head
from baton.github.client import GitHub
from baton.journal.events import EffectDone
from baton.memory.edit_tree import AGAIN, base_now, branch_of, note_landed
from baton.rules.engine import decide
from baton.rules.pages import table_of
from baton.sanitize import sanitized
from baton.story.ask.question import was_accepted
from baton.story.integrate.story_memory import LANDS, unlanded_commit
from baton.story.run.begin_run import refs_of
from baton.story.session.session import StorySession

MERGED = "memory-merge"


def deliver_memory(story: StorySession) -> list[str]:
    """Push what was accepted and open its pull request; in the mode `merge` have it merged, once checks allow."""
    commit = unlanded_commit(story.state)
    if not (commit or _unmerged(story)):
        return []
    place = find_destination(story.git, story.branch)
    github = GitHub(place.host, story.project.root)
    lines = [_bring(story, github, place, commit)] if commit else []
    if brought := _unmerged(story):
        lines.append(_merge(story, github, place, brought))
    return lines


def _bring(story: StorySession, github: GitHub, place: Destination, commit: str) -> str:
    """Have exactly this commit on its branch there, and a pull request for it."""
    git, branch = story.git, branch_of(story)
    if git.contains(commit, base_now(story)):
        note_landed(story, commit, commit)
        return f"{commit[:12]} is on {story.remote_base}"
    tip = remote_head(git, place.pushed_to, f"refs/heads/{branch}")
    if tip and not git.commit_of(tip):
        fetch_branch(git, place.pushed_to, branch, f"{refs_of(story.id)}/memory-there")
    if tip and not git.contains(tip, commit):
        remedy = f"rename or delete it there; {AGAIN.format(id=story.id)}"
        raise BatonError("baton did not make this branch as it is", branch, remedy)
    pull = find_pull(github, place.repository, place.owner, branch, story.remote_base)
    if tip != commit:
        push_own(story, place, branch, commit, tip)
    if pull is None or (pull.state != "open" and pull.head != commit):
        pull = open_own(story, github, place, branch, _said(story, commit))
    note_landed(story, commit, pull.url)
    return f"{pull.url} is {pull.state}: it changes memory alone"


def _said(story: StorySession, commit: str) -> tuple[str, str]:
    title, _, body = sanitized(commit_message(story.git, commit)).partition("\n")
    return title, body.strip()


def _unmerged(story: StorySession) -> EffectDone | None:
    """Return the landing whose pull request the mode wants merged, and that is not yet; None for none."""
    done = [
        event for event in story.state.events if isinstance(event, EffectDone) and event.effect in (LANDS, MERGED)
    ]
    last = done[-1] if done and story.mode == "merge" and not story.to_production else None
    return last if last and last.effect == LANDS and "/pull/" in last.commit else None


def _merge(story: StorySession, github: GitHub, place: Destination, brought: EffectDone) -> str:
    """Have the pull request merged at exactly what was brought, once its checks are good; says how it stands."""
    repository, url = place.repository, brought.commit
    pull = read_pull(github, repository, int(url.rpartition("/")[2]))
    if pull.state == "open":
        if pull.head != brought.about:
            return f"{url} is at {pull.head[:12]}, which baton did not push: it is yours to merge"
        held, method = _held_by(story, github, place, pull)
        if held:
            return f"{url} waits: {held}; `baton next {story.id}` looks again"
        change = merge_pull(github, repository, pull, method, _said(story, pull.head))
        pull = read_pull(github, repository, pull.number)
        if pull.state == "open":
            return f"{url} is not merged: {change.refused or change.lost}; `baton next {story.id}` tries again"
    lines = [f"{url} is {pull.state}"]
    if pull.state == "merged":
        lines += tidy_away(story, github, place, (branch_of(story), pull.head), base_now(story))
    story.note(EffectDone(MERGED, pull.head, pull.merge_commit or pull.head))
    return "; ".join(lines)


def _held_by(story: StorySession, github: GitHub, place: Destination, pull: PullRequestState) -> tuple[str, str]:
    """Return why it is not merged now, even where the account may bypass base's rules, or ""; and the method."""
    repository, config = place.repository, story.config
    age = time() - time_of(story, pull.url)
    standing = read_standing(github, repository, pull.head, story.remote_base, (), age, pull.number)
    facts = facts_of(standing, config.checks_wait_s, config.checks == "required")
    decision = decide(table_of("checks"), facts, {"base": story.remote_base, **told_of(standing)})
    if decision.action != "next-check":
        return decision.reason, ""
    reviews = read_reviews(github, repository, pull.number, pull.head)
    method = method_of(reviews, read_base(github, repository, story.remote_base).methods, config.method)
    deployed = deploys_to(story, github, repository)
    held = {
        f"it goes to {reviews.base} now, not to {story.remote_base}": not is_base(story, place, reviews.base),
        f"changes are wanted by {', '.join(reviews.against)}": bool(reviews.against),
        f"{deployed}: it is yours to merge": bool(deployed) and not was_accepted(story, deployed),
        "it is yours to queue": reviews.has_queue,
        f"it is {reviews.stands.lower()} there": reviews.stands not in MERGES,
        "neither a squash nor a merge commit is allowed there": not method,
    }
    return next((reason for reason, holds in held.items() if holds), ""), method
