"""Move a branch forward, wherever it may be checked out: the one procedure for base and story branches.

A branch that nobody has checked out moves by compare-and-swap. One that is checked out moves by a fast-forward in
that work tree, which git refuses where it would overwrite a file. One that is being rebased or bisected stays.
"""

import os
import re
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Literal, NamedTuple

from baton.errors import BatonError
from baton.git.command import CHECKOUT_SECONDS, Git, listed_trees, project_at, run_git
from baton.git.git_refusals import refusal_of
from baton.git.unfinished import Forward, operation_in
from baton.git.worktrees import NO_HOOKS

IN_USE = re.compile(r"(?:checked out|used by worktree) at '(.*)'")


class Advance(NamedTuple):
    """The end of a move (`lost`: the branch was not where it was expected), what is in the way, the remedy."""

    how: Literal["moved", "lost", "in the way"]
    said: str = ""
    remedy: str = ""


def advance_branch(git: Git, branch: str, old: str, new: str, *, hooks: bool = True) -> Advance:
    """Move a branch from one commit to a later one; `old` is empty for a branch that is not there yet.

    Without `hooks` none of the user's run where it is checked out.
    """
    now = git.branch_commit(branch)
    if to := target_of(git, branch):
        remedy = f"`git update-ref --no-deref {quote(f'refs/heads/{branch}')} {now}`; then retry"
        return Advance("in the way", f"{branch} is a symbolic ref to {to}, which would move for it", remedy)
    if now == new:
        return Advance("moved")
    if now != old:
        return Advance("lost", f"{branch} is at {now[:12] or 'no commit'}, not at {old[:12]}")
    if place := tree_with(git, branch):
        return _fast_forward(git, Path(place), branch, (old, new), () if hooks else NO_HOOKS)
    if place := user_of(git, branch, new):
        reason = f"{branch} is being rebased or bisected in {place}"
        return Advance("in the way", reason, "finish that, or give it up; then retry")
    set_it = git.ask("update-ref", "--no-deref", "-m", "baton", f"refs/heads/{branch}", new, old, no=(1, 128))
    if set_it.code == 0:
        return Advance("moved")
    if git.branch_commit(branch) != old:
        return Advance("lost", set_it.said)
    why = refusal_of("update-ref", set_it, git.project.common)
    return Advance("in the way", why.what, f"{why.fix}, then retry")


def target_of(git: Git, branch: str) -> str:
    """Return the ref that a branch leads to, as a symbolic one; empty for a branch as any other."""
    return git.ask("symbolic-ref", "--quiet", f"refs/heads/{branch}", no=(1, 128)).out.strip()


def tree_with(git: Git, branch: str) -> str:
    """Return the work tree that has a branch checked out; empty when none has."""
    if _is_in_no_head(git.project.common, branch):
        return ""
    for number, tree in enumerate(listed_trees(git.project.common)):
        if tree.get("branch") == f"refs/heads/{branch}":
            # The main one is listed first (git-worktree(1)); of a submodule it is named by its git folder.
            is_ours = number == 0 and git.project.git_dir == git.project.common
            return str(git.project.root) if is_ours else tree["worktree"]
    return ""


def _is_in_no_head(common: Path, branch: str) -> bool:
    """Whether no HEAD names a branch, where that shows without git; not in a link, or with refs in a table."""
    heads = (common / "HEAD", *common.glob("worktrees/*/HEAD"))
    texts = {b"" if head.is_symlink() or not head.is_file() else head.read_bytes() for head in heads}
    return texts.isdisjoint((b"", b"ref: refs/heads/.invalid\n", os.fsencode(f"ref: refs/heads/{branch}\n")))


def user_of(git: Git, branch: str, new: str) -> str:
    """Return where git says a branch is in use (also by a rebase or a bisect, which no list shows), or nothing."""
    if not _is_between(git.project.common):
        return ""
    words = ("fetch", "--quiet", "--dry-run", "--no-write-fetch-head", "--no-tags", "--no-recurse-submodules")
    tried = git.ask(*words, ".", f"{new}:refs/heads/{branch}", no=(1, 128))
    match = IN_USE.search(tried.err) if tried.code else None
    return match[1] if match else ""


def _is_between(common: Path) -> bool:
    """Whether any work tree is in a rebase or a bisect, by what git leaves in its git dir meanwhile."""
    marks, places = ("rebase-merge", "rebase-apply", "BISECT_LOG"), (common, *common.glob("worktrees/*"))
    return any((place / mark).exists() for place in places for mark in marks)


def drop_branch(git: Git, branch: str, old: str) -> bool:
    """Delete a branch that is at `old` and in nobody's hands; whether it is gone."""
    if tree_with(git, branch) or user_of(git, branch, old):
        return False
    return git.ask("update-ref", "--no-deref", "-d", f"refs/heads/{branch}", old, no=(1, 128)).code == 0


def _fast_forward(
    git: Git, place: Path, branch: str, commits: tuple[str, str], settings: tuple[str, ...]
) -> Advance:
    old, new = commits
    command = f"git -C {quote(str(place))} merge --ff-only {new[:12]}"
    if not place.is_dir():
        remedy = f"`git worktree remove {quote(str(place))}`"
        return Advance("in the way", f"{branch} is checked out in {place}, which is gone", remedy)
    if operation := operation_in(project_at(place).git_dir):
        reason = f"a {operation.name} is in progress in {place}, which has {branch} checked out"
        return Advance("in the way", reason, f"finish it, or `{operation.undo}`; then `{command}`, or retry")
    forward = Forward(Git(project_at(place)), old, new)
    forward.take_back()
    forward.begin()
    words = ("-c", "merge.autoStash=false", "merge", "--ff-only", "--no-overwrite-ignore", "--quiet", new)
    tried = run_git(place, *settings, *words, seconds=CHECKOUT_SECONDS)
    now = git.branch_commit(branch)
    if now == new:
        forward.end()
        return Advance("moved")
    with suppress(BatonError):  # of a full disk: it is tried again before the next fast-forward
        forward.take_back()
    if now != old:
        return Advance("lost", tried.said)
    return Advance("in the way", f"git cannot move {branch} forward in {place}: {tried.tail}", f"`{command}`")
