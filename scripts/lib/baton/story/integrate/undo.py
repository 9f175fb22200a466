"""Take back a story's merge, in a commit of its own on the base branch."""

from typing import NamedTuple

from baton.artifacts.findings import writable_name
from baton.errors import BatonError
from baton.git.branches import advance_branch
from baton.git.command import Git
from baton.git.history import brought_back
from baton.git.objects import commit_to_look_at, commit_tree, merge_trees, parents_of, tree_of
from baton.journal.events import EffectDone, EffectIntended, IntegrationStepDone
from baton.sanitize import sanitized
from baton.story.session.session import StorySession
from baton.text import join_words, one_line


class Undone(NamedTuple):
    """A merge that was taken back, by which commit, and on which branch."""

    story: str
    merge: str
    commit: str
    base: str
    url: str = ""  # of the pull request that takes it back, where the story was merged on GitHub


def undo_story(story: StorySession) -> Undone:
    """Revert the story's merge on base, once; a BatonError says why there is none, or what is in the way."""
    git, merged = story.git, merge_of(story)
    branch = story.settings().base
    base = git.branch_commit(branch)
    for (effect, about), sent in story.state.outbox.items():
        if effect == "revert" and git.contains(about, base) and not brought_back(git, branch, about):
            if not sent.done:
                story.note(EffectDone("revert", about, about))
            return Undone(story.id, merged, about, branch)
    commit = revert_on(story, merged, base)
    story.note(EffectIntended("revert", commit, base))
    moved = advance_branch(git, branch, base, commit)
    if moved.how != "moved":
        ways = "commit or stash those" if "would be overwritten" in moved.said else moved.remedy
        first = f"{ways}, then " if ways else ""
        raise BatonError(" ".join(moved.said.split()), branch, f"{first}`baton undo {story.id}` again")
    story.note(EffectDone("revert", commit, commit))
    return Undone(story.id, merged, commit, branch)


def revert_on(story: StorySession, merged: str, base: str) -> str:
    """Make the commit that reverts a merge on base; a BatonError names the files where that conflicts."""
    git = story.git
    reverse = commit_to_look_at(git, tree_of(git, f"{merged}^1"), [merged])
    result = merge_trees(git, base, reverse)
    if result.conflicts:
        remedy = f"revert it by hand: `git switch {story.settings().base}`, then `{revert_command(git, merged)}`"
        names = join_words([writable_name(name) for name in result.conflicts])
        what = f"what came after the merge changes the same lines ({names})"
        raise BatonError(what, str(story.project.root), remedy)
    return commit_tree(git, result.tree, [base], f"{revert_title(story)}\n\nThis reverts commit {merged}.")


def revert_command(git: Git, commit: str) -> str:
    """Return the command that reverts a commit, or a merge."""
    return f"git revert {'-m 1 ' if len(parents_of(git, commit)) > 1 else ''}{commit[:12]}"


def revert_title(story: StorySession) -> str:
    """Return the title of the commit that reverts a story."""
    return sanitized(one_line(f"Revert story {story.id}: {story.state.created.title}"))


def merge_of(story: StorySession) -> str:
    """Return the commit that merged the story into base."""
    where = f"story {story.id}"
    steps = [event for event in story.state.events if isinstance(event, IntegrationStepDone)]
    merges = [step.commit for step in steps if step.rule == "merge/made"]
    closed = [step.commit for step in steps if step.rule in ("close/written", "merge/already")]
    branch = story.settings().base
    base = story.git.branch_commit(branch)
    if story.state.completed is None or not closed:
        keeps = "it was abandoned, and its branch is yours to keep or to delete"
        remedy = keeps if story.state.stage == "abandoned" else f"`baton next {story.id}` goes on"
        raise BatonError("it is not complete: nothing of it was merged", where, remedy)
    if merges and story.git.contains(merges[-1], base):
        return merges[-1]
    if not story.git.contains(closed[-1], base):
        remedy = "nothing is there to be undone; its branch is yours to keep or to delete"
        raise BatonError(f"{branch} does not contain it", where, remedy)
    if merged := story.git.merge_of(closed[-1], branch):
        return merged
    remedy = f"it came there otherwise, as by a fast-forward: revert its commits, `git log {branch}`"
    raise BatonError(f"no merge commit on {branch} brought it there", where, remedy)
