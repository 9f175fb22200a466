"""Commits and merges, as git makes them with the user's own hooks: what was made, or what refused it."""

import os
from typing import NamedTuple

from baton.errors import BatonError
from baton.outside.git import Git
from baton.outside.process import Result

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg")
# A user's hooks may run all their tests.
HOOK_SECONDS = 1800.0
# What git ends with where it could merge, and did not: conflicts, or files that would be overwritten.
NOT_MERGED = (1, 2)


class Commit(NamedTuple):
    """A commit that was made, or nothing when nothing differed; or what git's hooks said when they refused it."""

    commit: str
    refused: str = ""


def commit_folder(git: Git, folder: str, message: str) -> Commit:
    """Commit what lies in one folder and nothing else."""
    return _commit(git, [("add", "--", folder)], message, folder)


def commit_changes(git: Git, new_files: list[str], message: str) -> Commit:
    """Commit all tracked changes and the named new files."""
    staging: list[tuple[str, ...]] = [("add", "--update", "--", ".")]
    if new_files:
        staging.append(("add", "--", *new_files))
    return _commit(git, staging, message)


def commit_paths(git: Git, paths: list[str], message: str) -> Commit:
    """Commit these files as they are, new, changed or gone, and nothing else."""
    return _commit(git, [("add", "--", *paths)], message, *paths)


def _commit(git: Git, staging: list[tuple[str, ...]], message: str, *paths: str) -> Commit:
    """Stage and commit; once more when a hook refused and has mended the files itself, as formatters do."""
    for _ in range(2):
        for words in staging:
            git.do(*words)
        # A merge is concluded even where it changes nothing of ours.
        if git.ask("diff", "--cached", "--quiet", "HEAD", "--", *paths).code == 0 and not git.merge_head:
            return Commit("")
        said = git.ask("commit", "--quiet", "--message", message, "--", *paths, seconds=HOOK_SECONDS)
        if said.code == 0:
            return Commit(git.commit_of("HEAD"))
        if not _has_hook(git):
            where = str(git.project.root)
            raise BatonError(f"`git commit` failed ({said.said})", where, "mend it, then call again")
        if git.ask("diff", "--quiet", "--", *paths).code == 0:
            break
    return Commit("", said.tail)


def _has_hook(git: Git) -> bool:
    """Whether a hook may be what refused a commit."""
    folder = git.project.root / git.do("rev-parse", "--git-path", "hooks").strip()
    return any(os.access(folder / name, os.X_OK) for name in COMMIT_HOOKS)


def find_commit(git: Git, after: str, line: str, until: str = "HEAD") -> str:
    """Give the newest commit since `after`, on what is checked out or `until`, whose message has this line."""
    words = ("--first-parent", "--max-count=1", "--format=%H", f"--grep=^{line.replace('.', '[.]')}$")
    return git.do("log", *words, f"{after}..{until}", "--").strip()


class Probe(NamedTuple):
    """What a merge would come to: the tree it leaves, with markers, and the files that conflict."""

    tree: str
    names: list[str]


def probe_merge(git: Git, ours: str, theirs: str) -> Probe:
    """Try a merge without touching anything."""
    tried = git.ask("merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", ours, theirs)
    tree, *names = tried.out.split("\0")
    return Probe(tree.strip(), [name for name in names if name] if tried.code else [])


def conflicts(git: Git, ours: str, theirs: str) -> list[str]:
    """Give the files in which a merge would conflict."""
    return probe_merge(git, ours, theirs).names


def begin_merge(git: Git, commit: str, message: str) -> Commit:
    """Merge a commit that conflicts and leave the merge open; gives the commit, or what git refused with."""
    words = ("merge", "--no-ff", "--no-autostash", "--no-commit", "--quiet", "--message", message, commit)
    said = git.ask(*words, no=range(1, 256), seconds=HOOK_SECONDS)
    if git.merge_head == commit:
        return Commit(commit)
    if said.code not in (0, *NOT_MERGED):
        where = str(git.project.root)
        raise BatonError(f"`git merge` failed ({said.said})", where, "mend it, then call again")
    return Commit("", said.said)


def merge(git: Git, commit: str, message: str) -> Result:
    """Merge a commit into the branch that is checked out, with a merge commit; a failure leaves no trace."""
    begun_before = git.unfinished
    words = ("merge", "--no-ff", "--no-autostash", "--quiet", "--message", message, commit)
    merged = git.ask(*words, no=range(1, 256), seconds=HOOK_SECONDS)
    if merged.code != 0 and git.unfinished and not begun_before:
        git.do("merge", "--abort")
    if merged.code not in (0, *NOT_MERGED):
        where = str(git.project.root)
        raise BatonError(f"`git merge` failed ({merged.said})", where, "mend it, then call again")
    return merged


def revert(git: Git, merged: str) -> Commit:
    """Revert a merge commit on the branch that is checked out; a failure leaves no trace."""
    words = ("-c", "revert.reference=false", "revert", "--no-edit", "--mainline", "1", merged)
    said = git.ask(*words, no=range(1, 256), seconds=HOOK_SECONDS)
    if said.code == 0:
        return Commit(git.commit_of("HEAD"))
    if git.unfinished:
        git.do("revert", "--abort")
    return Commit("", said.said)
