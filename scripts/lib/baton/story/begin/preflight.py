"""Whether a repository is ready for a story: small checks, each with what fixes it; the first counts."""

import os
import re
from collections.abc import Callable
from pathlib import PurePosixPath
from shlex import quote
from typing import NamedTuple

from baton.artifacts.config import CONFIG_FILE
from baton.git.branches import target_of
from baton.git.command import Git
from baton.git.git_refusals import FETCH_LOST
from baton.git.history import branch_names, is_severed, kind_in
from baton.project.settings import way_to

# `git merge-tree --write-tree` and what else the program asks of git came with it.
OLDEST_GIT = (2, 38)
NEWER_GIT = f"install git {OLDEST_GIT[0]}.{OLDEST_GIT[1]} or later"
NAMES = ("GIT_COMMITTER_NAME", "GIT_AUTHOR_NAME")


class RepositoryStatus(NamedTuple):
    """The state of a repository, as the checks look at it. Names are quoted for a shell; empty: there is none."""

    old_git: str  # git's version, where that is too old
    commit: bool
    lost: str  # the commit of HEAD, where git has no more of it than its name
    empty_name: str  # a variable of the environment that gives git an empty name
    identity: bool
    base: str
    base_there: bool
    way_to_base: str  # what makes it
    leads_to: str  # the ref in whose place base stands, as a symbolic one
    own: str  # the story branch
    severed: bool  # a shallow clone lacks what joins base and the story branch


class PreflightCheck(NamedTuple):
    """Something that may be in the way: when it is, its name, and what fixes it."""

    holds: Callable[[RepositoryStatus], object]
    what: str
    remedy: str


CHECKS = (
    PreflightCheck(lambda at: at.old_git, "{old_git} is too old", NEWER_GIT),
    PreflightCheck(lambda at: at.lost, "the commit of HEAD, {lost}, is gone from git's store", FETCH_LOST),
    PreflightCheck(lambda at: not at.commit and not at.base_there, "no commit yet",
          "make a first commit, if only `git commit --allow-empty --message start`"),
    PreflightCheck(lambda at: at.empty_name and not at.identity, "{empty_name} is set, and empty",
          "`unset {empty_name}`, or set it to a name"),
    PreflightCheck(lambda at: not at.identity, "git does not know who commits",
          "`git config user.name NAME` and `git config user.email ADDRESS`"),
    PreflightCheck(lambda at: not at.base, "no base branch", f"name it: `base:` in {CONFIG_FILE}, committed"),
    PreflightCheck(lambda at: not at.base_there, "no branch {base} to merge the story into",
          "make it: {way_to_base}"),
    PreflightCheck(lambda at: at.leads_to, "{base} is a symbolic ref to {leads_to}, which would move for it",
          f"name that one in {CONFIG_FILE}, committed, "
          "or `git update-ref --no-deref refs/heads/{base} {base}`"),
    PreflightCheck(lambda at: at.severed, "this shallow clone lacks the history that joins {own} and {base}",
          "`git fetch --unshallow`"),
)  # fmt: skip


def find_problem(git: Git, base: str, own: str = "") -> tuple[str, str]:
    """Say what is wrong with the repository for a story and how to fix it; two empty strings when nothing is."""
    at = inspect_repository(git, base, own)
    check = next((check for check in CHECKS if check.holds(at)), None)
    values = at._asdict()
    return (check.what.format(**values), check.remedy.format(**values)) if check else ("", "")


def is_old(version: str) -> bool:
    """Whether what `git version` says is too old, or no version."""
    match = re.search(r"(\d+)\.(\d+)", version)
    return not match or tuple(map(int, match.groups())) < OLDEST_GIT


def inspect_repository(git: Git, base: str, own: str) -> RepositoryStatus:
    """Return the state of the repository for a story of this base, with the branch `own`."""
    own_there, base_there = bool(own and git.branch_commit(own)), bool(base and git.branch_commit(base))
    version, head = git.do("version").strip(), git.commit_of("HEAD")
    return RepositoryStatus(
        old_git=version if is_old(version) else "",
        commit=bool(head),
        lost="" if head else git.ask("rev-parse", "--verify", "--quiet", "HEAD", no=(1, 128)).out[:12],
        empty_name=next((name for name in NAMES if os.environ.get(name) == ""), ""),
        identity=git.has_identity,
        base=quote(base) if base else "",
        base_there=base_there,
        way_to_base=way_to(git, base) if base and not base_there else "",
        leads_to=target_of(git, base) if base_there else "",
        own=quote(own) if own else "",
        severed=base_there and own_there and is_severed(git, f"refs/heads/{base}", f"refs/heads/{own}"),
    )


USES = {"submodule": "a submodule", "link": "a symbolic link", "file": "a file"}


def check_story_folder(git: Git, base: str, directory: str) -> tuple[str, str]:
    """Say what keeps stories from living in a folder and how to fix it; two empty strings when nothing does."""
    path = PurePosixPath(directory)
    for parent in [*reversed(path.parents[:-1]), path] if path.parts and base else []:
        if use := USES.get(kind_in(git, f"refs/heads/{base}", str(parent))):
            remedy = f"make it a folder of this repository, or name another `dir:` in {CONFIG_FILE}, committed"
            return f"stories are to live in {parent}, which is {use} on {base}", remedy
    return "", ""


def clashing_branch(git: Git, own: str) -> str:
    """Return a branch that keeps that of a story, `own`, from being made; empty when there is none."""
    return next((other for other in branch_names(git) if names_clash(own, other)), "")


def names_clash(name: str, other: str) -> bool:
    """Whether two branches cannot both be: the same but for case, or one named like a folder of the other.

    Case is ignored everywhere: a clone may lie where it makes no difference.
    """
    first, second = name.casefold(), other.casefold()
    return first == second or first.startswith(f"{second}/") or second.startswith(f"{first}/")
