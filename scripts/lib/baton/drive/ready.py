"""Whether a repository is ready for a step of a story: small checks, each with what mends it; the first counts."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from baton.artefacts.config import NAME
from baton.drive.merging import story_merging
from baton.drive.opened import OpenStory
from baton.drive.room import obstacle_in_room
from baton.drive.settings import way_to
from baton.outside.git import Git
from baton.outside.operations import lock_left, operation_in
from baton.outside.repository import branches, is_severed, strayed, unmerged

NAMES = ("GIT_COMMITTER_NAME", "GIT_AUTHOR_NAME")


class Standing(NamedTuple):
    """How a repository stands: what the checks look at. Names are as a shell takes them; empty: there is none."""

    commit: bool
    branch: str
    home: str  # a branch to go to
    strayed: bool  # commits were made that no branch has
    operation: str
    merging: str  # a story whose merge with base was begun here, for a run to resolve
    undo: str
    lock: str
    unmerged: str
    empty_name: str  # a variable of the environment that gives git an empty name
    identity: bool
    base: str
    base_there: bool
    way_to_base: str  # what makes it
    base_tree: str  # another work tree that has it checked out
    own: str  # the story branch, once it is made
    own_tree: str
    gone: bool  # that other work tree is no more
    severed: bool  # a shallow clone lacks what joins base and the story branch
    story: str


class Check(NamedTuple):
    """Something that may be in the way: when it is, what to call it, and what mends it."""

    name: str
    holds: Callable[[Standing], object]
    what: str
    remedy: str


CHECKS = (
    Check("locked", lambda at: at.lock, "git is locked here by {lock}",
          "wait for the git that holds it; when none runs, one was killed: `rm {lock}`"),
    Check("merging", lambda at: at.merging, "story {merging} is being merged with its base here",
          "let a run of it resolve that: `baton next {merging}`"),
    Check("under way", lambda at: at.operation, "a {operation} is in progress",
          "conclude it, or give it up: `{undo}`"),
    Check("unborn beside base", lambda at: not at.commit and at.base_there,
          "no commit yet on {branch} (an unborn branch)", "`git switch {base}`, or make a first commit"),
    Check("unborn", lambda at: not at.commit, "no commit yet (an unborn branch)",
          "make a first commit, if only `git commit --allow-empty --message start`"),
    Check("strayed", lambda at: not at.branch and at.strayed, "HEAD is detached, with commits no branch has",
          "give them a branch: `git switch --create NAME`"),
    Check("detached", lambda at: not at.branch, "HEAD is detached", "check out a branch: `git switch {home}`"),
    Check("unmerged", lambda at: at.unmerged, "a conflict is left in {unmerged}",
          "mend that, then `git add` and commit it"),
    Check("empty name", lambda at: at.empty_name and not at.identity, "{empty_name} is set, and empty",
          "`unset {empty_name}`, or set it to a name"),
    Check("no identity", lambda at: not at.identity, "git does not know who commits",
          "`git config user.name NAME` and `git config user.email ADDRESS`"),
    Check("no base named", lambda at: not at.base, "no base branch", f"name it: `base:` in {NAME}, committed"),
    Check("no base", lambda at: not at.base_there, "no branch {base}, to which the story is to be merged",
          "make it: {way_to_base}"),
    Check("tree gone", lambda at: (at.own_tree or at.base_tree) and at.gone,
          "a branch of this story is checked out in {own_tree}{base_tree}, a work tree that is gone",
          "`git worktree prune`"),
    Check("story elsewhere", lambda at: at.own_tree, "{own} is checked out in {own_tree}",
          "call from there: `baton --project {own_tree} next {story}`"),
    Check("base elsewhere", lambda at: at.base_tree, "{base} is checked out in {base_tree}",
          "work there, or check out another branch there: `git -C {base_tree} switch --detach` frees it"),
    Check("severed", lambda at: at.severed, "this shallow clone lacks the history that joins {own} and {base}",
          "`git fetch --unshallow`"),
)  # fmt: skip


def obstacle(story: OpenStory, own: str = "", merging: bool = False) -> tuple[str, str]:
    """Say what is wrong with the repository and how to mend it; two empty strings when nothing is.

    `own` is the story branch where the story has not begun, and uses one that is there; `merging` says that a
    merge of ours, with its conflicts, is nothing to refuse.
    """
    started = story.state.started
    own, made_at = (started.branch, started.base_commit) if started else (own, "")
    return first_of(CHECKS, standing(story.git, story.base, own, made_at, story.id, merging))


def obstacle_to_start(story: OpenStory, adopted: bool = False) -> tuple[str, str]:
    """Say what keeps a story from beginning here and how to mend it; two empty strings when nothing does.

    `adopted` says that a story branch that is there already is this story's, and will be used.
    """
    found = obstacle(story, story.folder.branch if adopted else "")
    return found if found[0] else obstacle_in_room(story, adopted)


def first_of(checks: Sequence[Check], at: Standing) -> tuple[str, str]:
    """Give the words and the remedy of the first check that holds; two empty strings when none does."""
    check = next((one for one in checks if one.holds(at)), None)
    told = at._asdict()
    return (check.what.format(**told), check.remedy.format(**told)) if check else ("", "")


def standing(
    git: Git, base: str, own: str = "", made_at: str = "", story_id: str = "ID", merging: bool = False
) -> Standing:
    """Look how the repository stands for a story of this base, whose branch `own` was made at a commit of it."""
    operation = operation_in(git.project.git_dir)
    ours = merging and operation is not None and operation.name == "merge"
    branch, own_there = git.branch, bool(own and git.branch_commit(own))
    base_there = bool(base and git.branch_commit(base))
    base_tree = git.work_tree_of(base) if base_there else ""
    own_tree = git.work_tree_of(own) if own_there and own != branch else ""
    return Standing(
        commit=bool(git.commit_of("HEAD")),
        branch=quote(branch) if branch else "",
        home=_home(git, own if own_there else base if base_there else ""),
        strayed=not branch and strayed(git),
        operation=operation.name if operation and not ours else "",
        merging=story_merging(git) if operation and operation.name == "merge" and not ours else "",
        undo=operation.undo if operation else "",
        lock=quote(found) if (found := lock_left(git.project, [base, own])) else "",
        unmerged="" if ours else ", ".join(unmerged(git)[:10]),
        empty_name=next((one for one in NAMES if os.environ.get(one) == ""), ""),
        identity=git.has_identity,
        base=quote(base) if base else "",
        base_there=base_there,
        way_to_base=way_to(git, base, made_at) if base and not base_there else "",
        base_tree=quote(base_tree) if base_tree and not own_tree else "",
        own=quote(own) if own else "",
        own_tree=quote(own_tree) if own_tree else "",
        gone=bool(own_tree or base_tree) and not Path(own_tree or base_tree).exists(),
        severed=base_there and own_there and is_severed(git, base, own),
        story=story_id,
    )


def _home(git: Git, known: str) -> str:
    """Give a branch to go to: the one that is known, else the first there is."""
    return quote(known or next(iter(branches(git)), "") or "BRANCH")
