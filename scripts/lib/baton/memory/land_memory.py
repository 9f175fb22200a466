"""The accepted commit lands where the story did: exactly the one the user was shown, once."""

from time import time

from baton.delivery.after_merge import tidy_away
from baton.delivery.deliver import judge_checks
from baton.delivery.delivery_session import time_of
from baton.delivery.destination import Destination, find_destination, read_base
from baton.delivery.merge import deploys_to
from baton.delivery.pull_request import PullRequestState, find_pull, merge_pull, open_own, push_own, read_pull
from baton.delivery.read_checks import read_standing
from baton.delivery.remote_base import follow_rename_to
from baton.delivery.reviews import MERGES, method_of, read_reviews
from baton.errors import BatonError
from baton.git.branches import advance_branch
from baton.git.objects import commit_message, commit_tree, merge_trees, parents_of, tree_of
from baton.git.remotes import fetch_branch, remote_head
from baton.github.client import GitHub
from baton.journal.events import EffectDone
from baton.memory.check_change import check_change
from baton.memory.draft import draft_once, keep_section
from baton.memory.edit_tree import LANDS_LATER, branch_of, fetch_memory_base, message_of, note_landed, place_at
from baton.sanitize import sanitized
from baton.story.ask.question import was_accepted
from baton.story.ask.step import Step
from baton.story.integrate.story_memory import LANDS, delta_line, delta_stands, unlanded_commit
from baton.story.run.begin_run import refs_of
from baton.story.session.session import StorySession, is_delivered, mode_of, remote_base_of, to_production

MERGED = "memory-merge"


def land_accepted(story: StorySession) -> list[str]:
    """Bring the accepted commit where the story's mode says, and say what became of it, if there is one.

    A BatonError where it cannot land now: it stays accepted.
    """
    if is_delivered(story):
        return deliver_memory(story)
    if not (commit := unlanded_commit(story.state)):
        return []
    outcome = f"{commit[:12]} is on {story.settings().base}"
    if mode_of(story) == "local":
        _onto_base(story, commit)
    else:
        branch = branch_of(story)
        if story.git.branch_commit(branch) not in ("", commit):
            remedy = f"rename or delete it; {LANDS_LATER.format(id=story.id)}"
            raise BatonError("baton did not make this branch as it is", branch, remedy)
        _move(story, branch, "", commit)
        merge = f"`git switch {story.settings().base} && git merge --no-ff {branch}`"
        outcome = f"{commit[:12]} is on {branch}; merge it with {merge}"
    note_landed(story, commit, commit)
    return [outcome]


def merged_tree(story: StorySession, commit: str, base: str) -> str:
    """Return the tree that base has with a commit in it; a BatonError where that conflicts, or is refused."""
    remedy = f"have it drafted again: `baton memory triage {story.id} --draft`"
    if not all(story.git.contains(parent, base) for parent in parents_of(story.git, commit)):
        raise BatonError("it was not made from base as it is now", commit[:12], remedy)
    merged = merge_trees(story.git, base, commit)
    if merged.conflicts:
        raise BatonError("memory changed meanwhile", ", ".join(merged.conflicts), remedy)
    if problems := check_change(story.git, tree_of(story.git, base), merged.tree, place_at(story, base)):
        raise BatonError("; ".join(problems), f"{commit[:12]} on base as it is now", remedy)
    return merged.tree


def _onto_base(story: StorySession, commit: str) -> None:
    """Move base here to the commit, or to its merge where base has moved on."""
    git, tip = story.git, story.git.branch_commit(story.settings().base)
    if git.contains(commit, tip):
        return
    new = commit
    if parents_of(git, commit) != [tip]:
        try:
            tree = merged_tree(story, commit, tip)
        except BatonError as error:
            story.note(EffectDone(LANDS, commit, "", error.what))  # it waits for you again
            raise
        new = commit_tree(git, tree, [tip, commit], message_of(story, place_at(story, tip)))
    _move(story, story.settings().base, tip, new)


def _move(story: StorySession, branch: str, old: str, new: str) -> None:
    moved = advance_branch(story.git, branch, old, new)
    if moved.how != "moved":
        remedy = "; ".join(filter(None, (moved.remedy, LANDS_LATER.format(id=story.id))))
        raise BatonError(moved.said, branch, remedy)


def after_story(story: StorySession, step: Step) -> Step:
    """Return the last step of a story with what became of its memory delta; nothing of that holds it up."""
    try:
        lines = [f"memory: {text}" for text in land_accepted(story)]
    except BatonError as error:
        lines = [f"memory: {error}"]
    hold = draft_once(story)
    if hold:
        lines.append(f"memory: it is being drafted; `baton memory triage {story.id}` shows the draft")
    keep_section(story)
    line = delta_line(delta_stands(story.folder, story.state), story.id)
    return step._replace(warnings=[*step.warnings, *lines, *([line] if line else [])], hold=hold)


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
    if git.contains(commit, fetch_memory_base(story)):
        note_landed(story, commit, commit)
        return f"{commit[:12]} is on {remote_base_of(story)}"
    tip = remote_head(git, place.pushed_to, f"refs/heads/{branch}")
    if tip and not git.commit_of(tip):
        fetch_branch(git, place.pushed_to, branch, f"{refs_of(story.id)}/memory-there")
    if tip and not git.contains(tip, commit):
        remedy = f"rename or delete it there; {LANDS_LATER.format(id=story.id)}"
        raise BatonError("baton did not make this branch as it is", branch, remedy)
    pull = find_pull(github, place.repository, place.owner, branch, remote_base_of(story))
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
    last = done[-1] if done and mode_of(story) == "merge" and not to_production(story) else None
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
        lines += tidy_away(story, github, place, (branch_of(story), pull.head), fetch_memory_base(story))
    story.note(EffectDone(MERGED, pull.head, pull.merge_commit or pull.head))
    return "; ".join(lines)


def _held_by(story: StorySession, github: GitHub, place: Destination, pull: PullRequestState) -> tuple[str, str]:
    """Return why it is not merged now, even where the account may bypass base's rules, or ""; and the method."""
    repository = place.repository
    age = time() - time_of(story, pull.url)
    standing = read_standing(github, repository, pull.head, remote_base_of(story), (), age, pull.number)
    decision = judge_checks(story, standing)
    if decision.action != "next-check":
        return decision.reason, ""
    reviews = read_reviews(github, repository, pull.number, pull.head)
    method = method_of(
        reviews, read_base(github, repository, remote_base_of(story)).methods, story.settings().config.method
    )
    deployed = deploys_to(story, github, repository)
    held = {
        f"it goes to {reviews.base} now, not to {remote_base_of(story)}": not follow_rename_to(
            story, place, reviews.base
        ),
        f"changes are wanted by {', '.join(reviews.against)}": bool(reviews.against),
        f"{deployed}: it is yours to merge": bool(deployed) and not was_accepted(story, deployed),
        "it is yours to queue": reviews.has_queue,
        f"it is {reviews.stands.lower()} there": reviews.stands not in MERGES,
        "neither a squash nor a merge commit is allowed there": not method,
    }
    return next((reason for reason, holds in held.items() if holds), ""), method
