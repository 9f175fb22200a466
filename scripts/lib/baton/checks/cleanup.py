"""What is kept of check trees: what set-ups leave, what leads elsewhere, what is stale or damaged; removal."""

import json
import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from baton.artifacts.config import Command
from baton.checks.check_tree import (
    CheckTree,
    check_tree,
    free_slot,
    known_trees,
    label,
    read_record,
    remove_tree,
    trees_folder,
)
from baton.checks.child_environment import command_environment, without_trees
from baton.checks.foreign_paths import Surroundings, foreign
from baton.checks.manifests import read_entries
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.worktrees import other_trees, own_trees
from baton.journal.journal import Journal
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.journal.state import fold

# After how long a pull request's tree is taken for forgotten: its next round may use it.
UNUSED_DAYS = 14
OVER = ("complete", "abandoned")
# Records in the folders of what was run.
RECORDS = ("*/checks/*/*.json", ".pull-requests/**/checks/*/*.json", ".trees/*/state.json", ".trees/.*.json")


def learned(project: Project, owner: str) -> frozenset[str]:
    """Return the paths of what the set-up leaves and git does not ignore, a folder without tracked files as one.

    As it was on base; before it ran there, as it was in the check tree of `owner`.
    """
    on_base = read_record(trees_folder(project.common) / ".learned.json").get("names")
    found = check_tree(project.common, owner).known.get("spared") if on_base is None else on_base
    return frozenset(one for one in found if isinstance(one, str)) if isinstance(found, list) else frozenset()


def foreign_now(project: Project, owner: str, commands: Sequence[Command] = (), commit: str = "HEAD") -> str:
    """Say what leads the commands into another work tree, and what to do about it; nothing when nothing does."""
    tree = check_tree(project.common, owner)
    others = other_trees(project.common, tree.path)
    environment = without_trees(command_environment(os.environ), str(tree.path), others)
    entries = read_entries(Git(project).do("ls-tree", "-r", "-z", commit))
    lines = [one.line for one in commands if one.step != "setup"]
    return foreign(Surroundings(str(tree.path), others, environment, lines, entries))


def remove_trees(project: Project, owner: str) -> str:
    """Remove the check tree of a story or a pull request that is over; says why where it stays."""
    tree = _place(project, owner)
    if not tree.kept.is_dir() and not tree.path.exists():
        return ""
    try:
        with hold_lock(tree.lock, "removing the check tree", 0):
            remove_tree(tree)
    except BatonError as error:
        return f"the check tree {tree.path} stays: {error.what}"
    free_slot(tree)
    return f"the check tree {tree.path} could not be removed whole" if tree.path.exists() else ""


def stale_trees(project: Project) -> list[CheckTree]:
    """Return the check trees whose owners need them no more."""
    known = {one.path: one for one in known_trees(project.common)}
    start = f"{label(project.common)}-"
    for path in sorted(own_trees().glob(f"{start}*/check")):
        owner = path.parent.name.removeprefix(start)
        known.setdefault(path, CheckTree(project.common, owner, path))
    there = [one for one in known.values() if one.path.exists() and not one.link]
    return [one for one in there if is_over(project, one.owner, one.path)]


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


def damaged_records(project: Project) -> list[Path]:
    """Return what is kept of runs of commands and cannot be read: it is thrown away, and they are run again."""
    return sorted(_damaged(project))


def _damaged(project: Project) -> Iterator[Path]:
    for pattern in RECORDS:
        for path in project.state.glob(pattern):
            try:
                if not isinstance(json.loads(path.read_bytes()), dict):
                    yield path
            except FileNotFoundError:  # it was swept away at this moment
                continue
            except (OSError, ValueError, RecursionError):
                yield path


def _place(project: Project, owner: str) -> CheckTree:
    """Return an owner's check tree where it was made."""
    return next(
        (one for one in known_trees(project.common) if one.owner == owner), check_tree(project.common, owner)
    )
