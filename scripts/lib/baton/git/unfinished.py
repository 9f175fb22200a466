"""What git leaves half-done in a work tree: its own operations, and a fast-forward that it broke off late.

What a fast-forward had written is taken back, and what is the user's stays. Git writes the files first, then the
index, then the branch. Where it stops in between, as by a hook that refuses the branch or a full disk, each file
is as it was, or as it was to be, or the beginning of that.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from baton.git.command import CHECKOUT_SECONDS, Git
from baton.git.object_store import FILE, LINK, Entry
from baton.git.paper_trees import changes_between
from baton.git.worktrees import NO_HOOKS
from baton.journal.atomic_file import write_durably

# In the work tree's git dir, from before a fast-forward until it is through or taken back.
MARK = "baton-forward"


class Operation(NamedTuple):
    """An operation that stops halfway: the name it goes by, the file that shows it, and what gives it up."""

    name: str
    mark: str
    undo: str


# The marks that `git status` goes by (`wt-status.c`). Those that run others come first: a rebase that stopped in a
# merge is given up as a rebase.
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


class Forward(NamedTuple):
    """A fast-forward in a work tree: git there, and the commits it goes from and to."""

    git: Git
    old: str
    new: str

    @property
    def mark(self) -> Path:
        return self.git.project.git_dir / MARK

    @property
    def was_begun(self) -> bool:
        """Whether it was begun before, in a checkout in which nothing was in its way, and not ended."""
        with suppress(OSError):
            return self.mark.read_text(encoding="utf-8").split() == [self.old, self.new]
        return False

    def begin(self) -> None:
        """Note the fast-forward as begun, unless a file it would write is the user's: git refuses that at once."""
        self.mark.unlink(missing_ok=True)
        if not self._differing():
            write_durably(self.mark, f"{self.old} {self.new}\n", self.mark.parent)

    def end(self) -> None:
        """Note the fast-forward as ended."""
        self.mark.unlink(missing_ok=True)

    def take_back(self) -> None:
        """Put back what it has written; a file that is anything else by now is the user's, and stays."""
        if not self.was_begun:
            return
        changed = changes_between(self.git, self.old, self.new)
        ours = {name: changed[name][0] for name in self._differing() if self._is_ours(name, *changed[name])}
        to_restore = "\0".join(name for name, before in ours.items() if before)
        gone = "\0".join(name for name, before in ours.items() if not before)
        for name in gone.split("\0") if gone else ():
            with suppress(OSError):
                (self.git.project.root / name).unlink()
                os.removedirs((self.git.project.root / name).parent)
        if gone:
            self._do("update-index", "--force-remove", "-z", "--stdin", stdin=gone)
        if to_restore:
            words = ("restore", f"--source={self.old}", "--staged", "--worktree", "--pathspec-from-file=-")
            self._do(*NO_HOOKS, *words, "--pathspec-file-nul", stdin=to_restore)
        if not self._differing():
            self.end()

    def _do(self, *words: str, stdin: str) -> None:
        self.git.do(*words, stdin=stdin.encode(errors="surrogateescape"), seconds=CHECKOUT_SECONDS)

    def _differing(self) -> list[str]:
        """Return the paths it changes that are not as they were before it, in the index or on the disk."""
        changed = changes_between(self.git, self.old, self.new)
        new = [name for name, (before, _) in changed.items() if before is None]
        present = {name for name in new if os.path.lexists(self.git.project.root / name)}
        words = ("status", "--porcelain=v1", "-z", "--untracked-files=no", "--no-renames")
        entries = self.git.do("--no-optional-locks", *words).split("\0")
        return sorted(present | ({entry[3:] for entry in entries} & changed.keys()))

    def _is_ours(self, name: str, before: Entry | None, after: Entry | None) -> bool:
        """Whether a path holds what the fast-forward writes there, or the beginning of it, or nothing yet."""
        path = self.git.project.root / name
        if not os.path.lexists(path):
            return True
        if {entry.mode for entry in (before, after) if entry} - {FILE, "100755", LINK}:
            return False
        wanted = [self._written(self.new, name)] if after else []
        held = os.fsencode(os.readlink(path)) if path.is_symlink() else path.read_bytes()
        as_it_was = before is not None and held == self._written(self.old, name)
        return as_it_was or any(content.startswith(held) for content in wanted)

    def _written(self, commit: str, name: str) -> bytes:
        """Return a file as git writes it into this work tree."""
        return self.git.do("cat-file", "--filters", f"{commit}:{name}").encode(errors="surrogateescape")
