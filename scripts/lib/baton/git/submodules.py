"""Submodules in a run's work tree: git removes no tree that has one, and its commits may be nowhere else."""

from pathlib import Path
from shlex import quote

from baton.git.command import run_git
from baton.journal.paths import Project


def kept_for_submodules(path: Path) -> str:
    """Say that git keeps a tree for its submodules, whether work is in them, and what to do; empty without any."""
    entries = run_git(path, "ls-files", "--stage", "-z").out.split("\0")
    names = [entry.partition("\t")[2] for entry in entries if entry.startswith("160000 ")]
    cloned = [name for name in names if (path / name / ".git").exists()]
    if not cloned:
        return ""
    changed = run_git(path, "status", "--porcelain=v1", "--ignore-submodules=all")
    if changed.code != 0 or changed.out:
        return "it holds changes that are not committed: commit or copy them elsewhere"
    by_hand = f"`git worktree remove --force {quote(str(path))}`"
    if work := [name for name in cloned if _has_own_work(path / name)]:
        warning = f"its submodules have work of their own: {', '.join(work[:5])}"
        return f"{warning}: commit and push it there, then {by_hand}"
    return f"git keeps it for its submodules, which have no work of their own: {', '.join(cloned[:5])}: {by_hand}"


def _has_own_work(submodule: Path) -> bool:
    """Whether something in a submodule is not committed, or on no branch of a remote; so counts the unknown."""
    changed = run_git(submodule, "status", "--porcelain=v1", "--ignore-submodules=none")
    words = ("--max-count=1", "HEAD", "--exclude=refs/tags/*", "--all", "--not", "--remotes")
    ahead = run_git(submodule, "rev-list", *words)
    return any(answer.code != 0 or bool(answer.out) for answer in (changed, ahead))


def is_published(project: Project, commit: str) -> bool:
    """Whether a submodule that is cloned here, or in a run's tree, has a commit on a branch of its remote."""
    for head in (*project.common.glob("modules/**/HEAD"), *project.common.glob("worktrees/*/modules/**/HEAD")):
        known = run_git(head.parent, "rev-list", "--max-count=1", commit, "--not", "--remotes", "--")
        if head.parent.name != "logs" and known.code == 0 and not known.out:
            return True
    return False


def edited_in(path: Path) -> list[str]:
    """Return the submodules of a work tree in which something is not committed."""
    if not (path / ".gitmodules").exists():
        return []
    out = run_git(path, "status", "--porcelain=v2", "-z", "--ignore-submodules=none", "--untracked-files=no").out
    # `1 .M S.MU …`: of a submodule, M for changed files in it, U for new ones (git-status(1), version 2).
    entries = [line.split(" ", 8) for line in out.split("\0") if line.startswith("1 ")]
    return [entry[8] for entry in entries if entry[2].startswith("S") and set(entry[2][2:]) != {"."}]
