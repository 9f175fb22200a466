"""Units put together: the change of each on a commit, in order, as git merges them; and one commit of the sum."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from baton.feedback.land.accepted_work import Taken
from baton.git.command import Git, find_project
from baton.git.commits import Wanted, Work, make_work
from baton.git.objects import Merged, commit_tree, merge_trees, tree_of
from baton.git.worktrees import NO_HOOKS, discard, make_tree


class Sum(NamedTuple):
    """The tree that units make on a commit, and the files in which a unit's change does not apply there."""

    tree: str
    conflicts: dict[str, list[str]]


def put_together(git: Git, onto: str, taken: Mapping[str, Taken]) -> Sum:
    """Put the change of each unit on a commit, in order; one that conflicts is left out."""
    tree, conflicts = tree_of(git, onto), {}
    for unit, one in taken.items():
        merged = _applied(git, tree, one)
        if merged.conflicts:
            conflicts[unit] = merged.conflicts
        else:
            tree = merged.tree
    return Sum(tree, conflicts)


def _applied(git: Git, tree: str, one: Taken) -> Merged:
    """Merge a unit's change into a tree; what the unit began from is the common ancestor."""
    before = tree_of(git, one.base)
    if before in (tree, one.tree):
        return Merged(one.tree if before == tree else tree, [])
    return merge_trees(git, commit_tree(git, tree, [one.base], "sum", own=True), one.commit)


def run_hooks(git: Git, place: Path, wanted: Wanted, tree: str) -> Work:
    """Run the user's commit hooks on a tree, in a work tree that is made for it and thrown away."""
    with _scratch(git, place, wanted.head) as own:
        own.do(*NO_HOOKS, "read-tree", "--reset", "-u", tree)
        return make_work(own, wanted)


@contextmanager
def _scratch(git: Git, place: Path, commit: str) -> Iterator[Git]:
    """Return a work tree of the program's own at a commit; one a killed call left there is removed first."""
    discard(git.project.common, place)
    make_tree(git, place, commit)
    try:
        yield Git(find_project(place))
    finally:
        discard(git.project.common, place)
