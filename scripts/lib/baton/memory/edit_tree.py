"""The work tree in which memory is edited, by a run or by you; what lies there becomes one commit."""

from pathlib import Path
from typing import NamedTuple

from baton.delivery.base import fetch_renamed
from baton.delivery.place import find_destination
from baton.errors import BatonError
from baton.git.branches import advance, drop
from baton.git.command import Git, project_at
from baton.git.commits import WantedCommit, make_work
from baton.git.history import memory_branch
from baton.git.objects import commit_to_look_at, commit_tree, parents_of, signs_commits, tree_of
from baton.git.worktrees import discard, make_tree
from baton.journal.events import EffectDone, EffectIntended
from baton.memory.check_change import check_change
from baton.memory.place import MemoryPlace, find_place
from baton.story.begin_run import trees_of
from baton.story.commit_message import story_message
from baton.story.session import StorySession

# What is in the outbox: the base that the tree was made at, and each commit that was made of it.
TREE, COMMIT = "memory-tree", "memory-commit"


class EditTree(NamedTuple):
    """A work tree for memory, and the base it was made at; no base where there is none, or it is half made."""

    path: Path
    start: str = ""


def base_now(story: StorySession) -> str:
    """Return the base that memory belongs to: of a story that is delivered, the remote's as it is now."""
    if not story.is_delivered:
        return story.git.branch_commit(story.base)
    return fetch_renamed(story, find_destination(story.git, story.branch))


def place_at(story: StorySession, commit: str) -> MemoryPlace:
    """Return where memory is kept, as a commit has it."""
    return find_place(story.git, commit, story.config.keep)


def branch_of(story: StorySession) -> str:
    """Return the branch for what a story taught: not the story's own, which may have that name."""
    name = memory_branch(story.id)
    return name if name != story.branch else f"{name}-delta"


def find_tree(story: StorySession) -> EditTree:
    """Return the work tree for a story's memory, as far as there is one."""
    path = trees_of(story.project, story.id) / "memory"
    made = [one.about for one in story.state.events if isinstance(one, EffectIntended) and one.effect == TREE]
    is_made = made and made[-1] and story.state.outbox[TREE, made[-1]].done and path.is_dir()
    return EditTree(path, made[-1]) if is_made else EditTree(path)


def begin_tree(story: StorySession) -> EditTree:
    """Return the work tree at base as it is now; one that holds what is in no commit stays, with a BatonError."""
    base, tree = base_now(story), find_tree(story)
    place_at(story, base)
    if tree.start == base:
        return tree
    known = [tree_of(story.git, one) for one in (tree.start, waiting_commit(story)) if one]
    if tree.start and _written(story, tree) not in known:
        what = "base moved on, and this tree holds what is in no commit"
        raise BatonError(what, str(tree.path), "copy what you need, then `--reject`")
    story.note(EffectIntended(TREE, base, ""))
    make_tree(story.git, tree.path, base)
    story.note(EffectDone(TREE, base, base))
    return EditTree(tree.path, base)


def end_tree(story: StorySession, commit: str = "") -> None:
    """Remove the work tree; one that holds anything but the files of the commit that is named stays."""
    tree = find_tree(story)
    if not (tree.start and commit) or _written(story, tree) == tree_of(story.git, commit):
        if tree.start:
            story.note(EffectIntended(TREE, "", ""))
        discard(story.git.project.common, tree.path)


def waiting_commit(story: StorySession) -> str:
    """Return the commit that waits for a decision, empty for none: on the branch for it, made here."""
    tip = story.git.branch_commit(branch_of(story))
    return tip if (COMMIT, tip) in story.state.outbox else ""


def take_change(story: StorySession) -> tuple[str, list[str]]:
    """Make what lies in the tree the one commit on the branch for it; returns it, or what is wrong with it."""
    tree, commit = find_tree(story), waiting_commit(story)
    if not tree.start:
        return commit, []
    written, place = _written(story, tree), place_at(story, tree.start)
    if found := check_change(story.git, tree.start, written, place):
        return "", found
    if written == tree_of(story.git, tree.start):
        commit = ""
    elif not commit or (tree_of(story.git, commit), parents_of(story.git, commit)) != (written, [tree.start]):
        commit = _commit(story, tree.start, written, place)
    _put(story, commit)
    return commit, []


def _written(story: StorySession, tree: EditTree) -> str:
    """Return what lies in the work tree, as a tree, what git ignores aside.

    A BatonError where its `.git` leads elsewhere: nothing is read by the settings of another repository.
    """
    project = project_at(tree.path)
    back = project.git_dir / "gitdir"
    ours = project.common.resolve() == story.project.common.resolve() and back.is_file()
    if not ours or (back.parent / back.read_text().strip()).resolve() != tree.path.resolve() / ".git":
        raise BatonError("its `.git` was changed", str(tree.path), "copy what you need, then `--reject`")
    return make_work(Git(project), WantedCommit(tree.start, "", (), hooks=False)).tree


def _commit(story: StorySession, start: str, tree: str, place: MemoryPlace) -> str:
    """Make the commit, with the date of its parent, so that a call that was killed makes the same."""
    git, message = story.git, message_of(story, place)
    if signs_commits(git):
        return commit_tree(git, tree, [start], message)
    name = git.do("var", "GIT_COMMITTER_IDENT").strip().rsplit(" ", 2)[0]
    when = git.do("log", "-1", "--format=%ct", start).strip()
    return commit_to_look_at(git, tree, [start], message, f"{name} {when} +0000")


def message_of(story: StorySession, place: MemoryPlace) -> str:
    """Return what a commit of memory says."""
    return story_message(story, f"what it taught, in {place.path}").text


def _put(story: StorySession, commit: str) -> None:
    """Have the branch be at a commit, or be gone; a BatonError where it is somebody else's, or checked out."""
    branch, tip = branch_of(story), story.git.branch_commit(branch_of(story))
    if tip == commit:
        return
    if tip and (COMMIT, tip) not in story.state.outbox:
        raise BatonError("baton did not make this branch as it is", branch, "rename or delete it; then call again")
    if commit and (COMMIT, commit) not in story.state.outbox:
        story.note(EffectIntended(COMMIT, commit, ""))
    if tip and not drop(story.git, branch, tip):
        raise BatonError("the branch is checked out", branch, "leave it; then call again")
    if commit and (moved := advance(story.git, branch, "", commit)).how != "moved":
        raise BatonError(moved.said, branch, moved.remedy or "call again")


def drop_branch(story: StorySession, commit: str) -> None:
    """Delete the branch where it is at a commit that is elsewhere now, or was rejected."""
    if commit and story.git.branch_commit(branch_of(story)) == commit:
        drop(story.git, branch_of(story), commit)
