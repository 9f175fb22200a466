"""The untracked files that `.worktreeinclude` names, as the client copies them into each tree of an agent.

What it does: https://code.claude.com/docs/en/worktrees, "Copy gitignored files into worktrees".
The standard library alone: the process that runs the commands uses it.
"""

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from baton.checks.check_tree import CheckTree
from baton.checks.child_environment import is_within
from baton.errors import BatonError
from baton.git.command import run_git
from baton.git.git_refusals import refusal_of
from baton.git.worktrees import work_trees

INCLUDE = ".worktreeinclude"


def copy_included(tree: CheckTree, tracked: Collection[str]) -> None:
    """Copy them from the main work tree into a story's check tree, over none of its tracked files.

    A pull request's gets none: the code that runs there may be a stranger's, and such files hold secrets.
    A BatonError where one cannot be copied: tests that skip themselves without it would pass.
    """
    main = next(iter(work_trees(tree.common)), "")
    if tree.owner.startswith("pr-") or not os.path.isfile(os.path.join(main, INCLUDE)):
        return
    ignored = _untracked(main, f"--exclude-from={INCLUDE}") & _untracked(main, "--exclude-standard")
    for name in sorted(ignored.difference(tracked)):
        source, target = Path(main, name), tree.path / name
        if source.is_symlink() or not is_within(str(target.parent), str(tree.path)):
            continue
        try:
            if not target.is_file() or _stamp(source) != _stamp(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target, follow_symlinks=False)  # into a folder `copy2` would put it
                shutil.copystat(source, target)
        except OSError as error:
            why = error.strerror or "unreadable"
            raise BatonError(
                f"{INCLUDE} names it, and it cannot be copied ({why})", str(source), "see why"
            ) from error


def _untracked(main: str, excludes: str) -> set[str]:
    """Return the untracked files that an exclude rule names; a BatonError where git does not say."""
    answer = run_git(Path(main), "ls-files", "--others", "--ignored", excludes, "-z")
    if answer.code != 0:
        raise refusal_of("ls-files", answer, Path(main))
    return {name for name in answer.out.split("\0") if name}


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns
