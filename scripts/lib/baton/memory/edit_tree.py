"""The work tree in which memory is edited, by a run or by you; what lies there becomes one commit."""

import os
from pathlib import Path
from typing import NamedTuple

from baton.delivery.destination import find_destination
from baton.delivery.remote_base import fetch_renamed
from baton.errors import BatonError
from baton.git.command import Git, project_at
from baton.git.commits import WantedCommit, make_work
from baton.git.history import memory_branch
from baton.git.objects import commit_tree, parents_of, set_refs, tree_of
from baton.git.worktrees import discard_tree, make_tree
from baton.journal.events import EffectDone
from baton.memory.check_change import MemoryPlace, check_change, find_place
from baton.story.integrate.story_memory import LANDS
from baton.story.run.begin_run import refs_of, trees_of
from baton.story.run.commit_message import story_message
from baton.story.session.session import StorySession, is_delivered

# The refs, of the program's own, of the base that the tree was made at, and of the commit that was made of it.
START_REF, WAITING_REF = "memory-start", "memory-waits"
LANDS_LATER = "what you accepted is noted, and lands at the next call: `baton next {id}`"


class EditTree(NamedTuple):
    """A work tree for memory, and the base it was made at; no base where there is none, or it is half made."""

    path: Path
    start: str = ""


def fetch_memory_base(story: StorySession) -> str:
    """Return the base that memory belongs to: of a story that is delivered, the remote's, fetched."""
    if not is_delivered(story):
        return story.git.branch_commit(story.settings().base)
    return fetch_renamed(story, find_destination(story.git, story.branch))


def place_at(story: StorySession, commit: str) -> MemoryPlace:
    """Return where memory is kept, as a commit has it."""
    return find_place(story.git, commit, story.settings().config.keep)


def branch_of(story: StorySession) -> str:
    """Return the branch for what a story taught: not the story's own, which may have that name."""
    name = memory_branch(story.id)
    return name if name != story.branch else f"{name}-delta"


def find_tree(story: StorySession) -> EditTree:
    """Return the work tree for a story's memory, as far as there is one."""
    path, start = trees_of(story.project, story.id) / "memory", story.git.commit_of(_ref(story, START_REF))
    return EditTree(path, start if path.is_dir() else "")


def begin_tree(story: StorySession) -> EditTree:
    """Return the work tree at base as it is now; one that holds what is in no commit stays, with a BatonError."""
    base, tree = fetch_memory_base(story), find_tree(story)
    place_at(story, base)
    if tree.start != base:
        known = [tree_of(story.git, commit) for commit in (tree.start, waiting_commit(story)) if commit]
        if tree.start and _written(story, tree) not in known:
            what = "base moved on, and this tree holds what is in no commit"
            raise BatonError(what, str(tree.path), "copy what you need, then `--reject`")
        _point(story, START_REF, "")
        make_tree(story.git, tree.path, base)
        _point(story, START_REF, base)
    return EditTree(tree.path, base)


def end_tree(story: StorySession, commit: str = "") -> None:
    """Let go of what waits; of the work tree, too, unless it holds anything but the files of the named commit."""
    tree = find_tree(story)
    if not (tree.start and commit) or _written(story, tree) == tree_of(story.git, commit):
        _point(story, START_REF, "")
        discard_tree(story.git.project.common, tree.path)
    _point(story, WAITING_REF, "")


def waiting_commit(story: StorySession) -> str:
    """Return the commit that waits for a decision, empty for none."""
    return story.git.commit_of(_ref(story, WAITING_REF))


def take_change(story: StorySession) -> tuple[str, list[str]]:
    """Make the tree's files the one commit that waits; returns it, or the problems with it."""
    git, tree, commit = story.git, find_tree(story), waiting_commit(story)
    if not (tree.start or commit):
        return "", []
    start = tree.start or parents_of(git, commit)[0]
    written = _written(story, tree) if tree.start else tree_of(git, commit)
    place = place_at(story, start)
    if problems := check_change(git, start, written, place):
        return "", problems
    if written == tree_of(git, start):
        commit = ""
    elif not commit or (tree_of(git, commit), parents_of(git, commit)) != (written, [start]):
        commit = commit_tree(git, written, [start], message_of(story, place))
    _point(story, WAITING_REF, commit)
    return commit, []


def message_of(story: StorySession, place: MemoryPlace) -> str:
    """Return the message of a commit of memory."""
    return story_message(story, f"what it taught, in {place.path}").text


def _ref(story: StorySession, name: str) -> str:
    return f"{refs_of(story.id)}/{name}"


def _point(story: StorySession, name: str, commit: str) -> None:
    """Have a ref be at a commit, or be gone."""
    if story.git.commit_of(_ref(story, name)) != commit:
        set_refs(story.git, {_ref(story, name): commit})


def _written(story: StorySession, tree: EditTree) -> str:
    """Return the files of the work tree as a tree of git, without those that it ignores.

    A BatonError where its `.git` leads elsewhere: nothing is read by the settings of another repository.
    """
    project, top = project_at(tree.path), tree.path.resolve()
    back = project.git_dir / "gitdir"
    leads = (back.parent / os.fsdecode(back.read_bytes().rstrip())).resolve() if back.is_file() else back
    if leads != top / ".git" or project.common.resolve() != story.project.common.resolve():
        raise BatonError("its `.git` was changed", str(tree.path), "copy what you need, then `--reject`")
    return make_work(Git(project), WantedCommit(tree.start, "", (), hooks=False)).tree


def note_landed(story: StorySession, commit: str, where: str) -> None:
    """Note where a commit landed, and tidy up."""
    end_tree(story, commit)
    story.note(EffectDone(LANDS, commit, where))
