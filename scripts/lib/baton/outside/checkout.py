"""Commits on the branch that is checked out, with the user's own hooks: what was made, or what refused it."""

import os
from typing import NamedTuple

from baton.errors import BatonError
from baton.outside.git import Git

COMMIT_HOOKS = ("pre-commit", "prepare-commit-msg", "commit-msg")
# A user's hooks may run all their tests.
HOOK_SECONDS = 1800.0


class Commit(NamedTuple):
    """A commit that was made, or nothing when nothing differed; or what git's hooks said when they refused it."""

    commit: str
    refused: str = ""


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
