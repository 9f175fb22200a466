"""The records of check trees: what set-ups leave, which trees are stale; removal."""

import time
from collections.abc import Sequence
from pathlib import Path

from baton.artifacts.config import Command
from baton.checks.check_tree import (
    CheckTree,
    check_tree,
    free_slot,
    known_trees,
    read_names,
    read_record,
    remove_tree,
    trees_folder,
)
from baton.checks.foreign_paths import find_foreign, look_around
from baton.errors import BatonError
from baton.journal.journal import Journal
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.state import OVER, fold

# After how long a pull request's tree is taken for forgotten: its next round may use it.
UNUSED_DAYS = 14


def learned_paths(project: Project, owner: str) -> frozenset[str]:
    """Return the paths of what the set-up leaves and git does not ignore, a folder without tracked files as one.

    As it was on base; before it ran there, as it was in the check tree of `owner`.
    """
    on_base = read_record(trees_folder(project.common) / ".learned.json").get("names")
    return frozenset(check_tree(project.common, owner).spared if on_base is None else read_names(on_base))


def hooks_made(project: Project, owner: str) -> list[str]:
    """Return the hooks that a set-up put into the user's own folder of hooks: that folder, then their names."""
    return read_names(check_tree(project.common, owner).known.get("hooks"))


def foreign_now(project: Project, owner: str, commands: Sequence[Command], commit: str) -> str:
    """Return what leads the commands into another work tree, and what to do about it; empty when nothing does."""
    lines = [command.line for command in commands if command.step != "setup"]
    return find_foreign(look_around(check_tree(project.common, owner), commit, lines))


def remove_trees(project: Project, owner: str) -> str:
    """Remove the check tree of a story or a pull request that is over; return why it stays, or an empty text."""
    tree = check_tree(project.common, owner)
    if not tree.kept.is_dir() and not tree.path.exists():
        free_slot(tree)
        return ""
    tree = next((known for known in known_trees(project.common) if known.owner == owner), tree)
    try:
        with hold_lock(tree.lock, "removing the check tree", 0):
            remove_tree(tree)
    except BatonError as error:
        return f"the check tree {tree.path} stays: {error.what}"
    free_slot(tree)
    return f"the check tree {tree.path} could not be removed whole" if tree.path.exists() else ""


def stale_trees(project: Project) -> list[CheckTree]:
    """Return the check trees whose owners need them no more."""
    present = [tree for tree in known_trees(project.common) if tree.path.exists() and not tree.link]
    return [tree for tree in present if is_over(project, tree.owner, tree.path)]


def is_over(project: Project, owner: str, tree: Path) -> bool:
    """Whether the owner of a tree needs it no more: a story that is over or gone, a pull request not seen lately.

    Nobody can say so of a story whose journal cannot be read.
    """
    if owner not in project.story_ids():
        return not owner.startswith("pr-") or _is_unused(CheckTree(project.common, owner, tree))
    try:
        return fold(Journal(project.journal(owner)).records).stage in OVER
    except BatonError:
        return False


def _is_unused(tree: CheckTree) -> bool:
    """Whether a tree is gone, or was not put at a commit lately: that leaves its folder's time as it is."""
    try:
        changed, moved = tree.path.stat().st_mtime, tree.known.get("moved")
        used = max(changed, moved) if isinstance(moved, int) else changed
        return (time.time() - used) / 86_400 > UNUSED_DAYS
    except FileNotFoundError:
        return True
