"""Git's own operations that may be left half-done in a work tree."""

from pathlib import Path
from typing import NamedTuple


class Operation(NamedTuple):
    """An operation that stops halfway: the name it goes by, the file that shows it, and what gives it up."""

    name: str
    mark: str
    undo: str


# Those that run others come first: a rebase that stopped in a merge is given up as a rebase.
OPERATIONS = (
    Operation("git am", "rebase-apply/applying", "git am --abort"),
    Operation("rebase", "rebase-merge", "git rebase --abort"),
    Operation("rebase", "rebase-apply", "git rebase --abort"),
    Operation("merge", "MERGE_HEAD", "git merge --abort"),
    Operation("cherry-pick", "CHERRY_PICK_HEAD", "git cherry-pick --abort"),
    Operation("revert", "REVERT_HEAD", "git revert --abort"),
)
BETWEEN = {"pick": OPERATIONS[4], "revert": OPERATIONS[5]}
BISECT = Operation("bisect", "BISECT_LOG", "git bisect reset")


def operation_in(git_dir: Path) -> Operation | None:
    """Return the operation that was begun and not concluded in the work tree of `git_dir`."""
    marked = (operation for operation in OPERATIONS if (git_dir / operation.mark).exists())
    return next(marked, None) or _between(git_dir) or (BISECT if (git_dir / BISECT.mark).exists() else None)


def _between(git_dir: Path) -> Operation | None:
    """Return the operation of several commits that waits between two of them."""
    todo = git_dir / "sequencer" / "todo"
    words = todo.read_text(encoding="utf-8", errors="replace").split(maxsplit=1) if todo.exists() else []
    return BETWEEN.get(words[0]) if words else None
