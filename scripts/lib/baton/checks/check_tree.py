"""A check tree: a work tree of the program's own at a stable path, where the commands of one story run.

Nobody works there, so it may be forced and cleaned; its ignored files, the caches, stay.
The standard library alone: the process that runs the commands uses it.
"""

import contextlib
import hashlib
import json
import os
import re
import time
from collections.abc import Collection, Iterator
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from baton.checks.manifests import TreeFile, read_entries
from baton.errors import BatonError
from baton.git.command import CHECKOUT_SECONDS, IN_GIT_DIR, run_git, verb_of
from baton.git.git_refusals import refusal_of
from baton.git.worktrees import clear_path, discard_tree, own_trees, work_trees
from baton.journal.atomic_file import write_durably
from baton.journal.lock import hold_lock

# How far the time that is written beside a file may lag behind the clock.
CLOCK_SECONDS = 0.02
# A hook of the user's is for their own trees, and a submodule is for the set-up.
SETTINGS = ("-c", f"core.hooksPath={os.devnull}", "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false")
GLOB_CHARACTERS = re.compile(r"([\\*?\[\]!# ])")


class CheckTree(NamedTuple):
    """The check tree of a story or a pull request: the repository's git folder, whose it is, and where."""

    common: Path
    owner: str
    path: Path

    @property
    def kept(self) -> Path:
        """The folder of its lock and of the record of it."""
        return trees_folder(self.common) / self.owner

    @property
    def lock(self) -> Path:
        return self.kept / "lock"

    @property
    def link(self) -> Path | None:
        """The link in its place, which may lead to a work tree of the user's: it is removed, never followed."""
        return next((path for path in (self.path.parent, self.path) if path.is_symlink()), None)

    @property
    def known(self) -> dict[str, Any]:
        """The record of it: `setup` a digest of input, `spared` what it made, `moved` when, `stay`, `built`."""
        record = read_record(self.kept / "state.json")
        return record if record.get("path") == str(self.path) else {}

    @property
    def spared(self) -> list[str]:
        """The paths the set-up left there and git does not ignore; a folder without tracked files as one."""
        return read_names(self.known.get("spared"))

    def entries(self, commit: str) -> list[TreeFile]:
        """Return the files of a commit."""
        return read_entries(_git(self.common, IN_GIT_DIR, "ls-tree", "-r", "-z", "--full-tree", commit))

    def note(self, **known: object) -> None:
        """Write values into the record of it, beside those that are there."""
        record = {**self.known, **known, "path": str(self.path)}
        write_durably(self.kept / "state.json", json.dumps(record), self.common)

    def forget(self) -> None:
        """Delete the record of it: it is made anew, or gone."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.kept / "state.json")

    def git(self, *words: str) -> str:
        """Call git in it, and in no other tree should its link be lost; a BatonError quotes what git said."""
        place = (f"--git-dir={self._git_dir()}", f"--work-tree={self.path}")
        return _git(self.path, *place, *SETTINGS, *words)

    def _git_dir(self) -> Path:
        if self.link:
            raise self._damaged("a link is in its place")
        try:
            link = (self.path / ".git").read_text(encoding="utf-8", errors="surrogateescape")
            git_dir = Path(link.removeprefix("gitdir: ").rstrip("\n"))
            back = (git_dir / "gitdir").read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n")
        except OSError as error:
            raise self._damaged(error.strerror or "unreadable") from error
        ours = os.path.realpath(git_dir.parent) == os.path.realpath(self.common / "worktrees")
        if not ours or os.path.realpath(back) != os.path.realpath(self.path / ".git"):
            raise self._damaged("it is not a work tree of this repository")
        return git_dir

    def _damaged(self, why: str) -> BatonError:
        return BatonError(f"a damaged check tree ({why})", str(self.path), "it is made anew")

    def is_at(self, tree: str) -> bool:
        """Whether its index and its tracked files are exactly a tree."""
        try:
            changed = self.git("diff-files", "--name-only", "--ignore-submodules=all")
            return not changed and self.git("write-tree").strip() == tree
        except BatonError:
            return False

    def differing(self) -> list[str]:
        """Return the tracked files that are not as its index has them."""
        out = self.git("diff", "--name-only", "-z", "--ignore-submodules=all", "--no-ext-diff")
        return out.split("\0")[:-1]

    def put_at(self, commit: str, tree: str, spared: Collection[str]) -> bool:
        """Put it at exactly a commit; made anew where it is damaged. Returns whether it was."""
        _git(self.common, IN_GIT_DIR, "cat-file", "-e", f"{commit}^{{commit}}")
        self._await_next_second()
        try:
            self.move(commit, tree, spared)
            anew = False
        except BatonError:
            remove_tree(self)
            self._add(commit)
            self.move(commit, tree, ())
            anew = True
        self.note(moved=int(time.time()))
        return anew

    def _await_next_second(self) -> None:
        """Let no file be changed twice in a second: Python tells sources of one size apart by that (PEP 552)."""
        if self.known.get("moved") == int(time.time()):
            time.sleep(1 - time.time() % 1 + CLOCK_SECONDS)
        self.note(moved=int(time.time()))

    def move(self, commit: str, tree: str, spared: Collection[str]) -> None:
        """Move it to a commit, and take away whatever else is there but ignored files and what is spared."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._git_dir() / "index.lock")  # of a git that was killed: nobody else works here
        # What git itself writes otherwise than it is in the commit, as ends of lines, is so in every work tree.
        self.git("checkout", "--detach", "--force", "--quiet", commit)
        kept = [word for name in spared for word in ("--exclude", GLOB_CHARACTERS.sub(r"\\\1", f"/{name}"))]
        self.git("clean", "-ffdq", *kept)
        hidden = [entry for entry in self.git("ls-files", "-v", "-z").split("\0") if entry[:1].islower()]
        left = [name for name in self.untracked() if name not in spared]
        if hidden or left or self.git("write-tree").strip() != tree:
            raise self._damaged("it cannot be put at a commit")

    def untracked(self) -> list[str]:
        """The files and folders that git neither tracks nor ignores; a folder without any tracked file as one."""
        words = ("ls-files", "--others", "--exclude-standard", "--directory", "--no-empty-directory", "-z")
        return [path.rstrip("/") for path in self.git(*words).split("\0") if path]

    def _add(self, commit: str) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror or "see there"
            raise BatonError("cannot make the check tree", str(self.path), why) from error
        words = ("worktree", "add", "--quiet", "--detach", "--", str(self.path), commit)
        _git(self.common, IN_GIT_DIR, *SETTINGS, *words)


def _git(place: Path, *words: str) -> str:
    answer = run_git(place, *words, seconds=CHECKOUT_SECONDS)
    if answer.code != 0:
        raise refusal_of(verb_of(words), answer, place)
    return answer.out


def trees_folder(common: Path) -> Path:
    """Return the folder of the records of check trees; no story has an id that begins with a dot."""
    return common / "baton" / ".trees"


def repository_label(common: Path) -> str:
    """Name a repository: by its folder, and told from others of that name."""
    top = common.parent if common.name == ".git" else common
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", top.name)[:40].strip("-.") or "repository"
    return f"{name}-{hashlib.sha256(os.fsencode(os.path.realpath(common))).hexdigest()[:8]}"


def check_tree(common: Path, owner: str) -> CheckTree:
    """Return the check tree of a story or a pull request, whether it is there or not."""
    return CheckTree(common, owner, own_trees() / f"{repository_label(common)}-{owner}" / "check")


def known_trees(common: Path) -> list[CheckTree]:
    """Return the check trees of a repository: those git lists, and what else lies in their place."""
    start = f"{repository_label(common)}-"
    paths = [*map(Path, work_trees(common)), *own_trees().glob(f"{start}*/check")]
    unique = {os.path.realpath(path): path for path in paths if path.parent.name.startswith(start)}
    trees = (CheckTree(common, path.parent.name.removeprefix(start), path) for path in unique.values())
    return sorted(tree for tree in trees if tree.path.name == "check")


def remove_tree(tree: CheckTree) -> None:
    """Remove a check tree and git's note of it, as far as that can be done; its lock is to be held."""
    tree.forget()
    if link := tree.link:
        clear_path(str(link))
    discard_tree(tree.common, tree.path)
    with contextlib.suppress(OSError):
        tree.path.parent.rmdir()


def slot_of(tree: CheckTree) -> int:
    """Return the small number that is this tree's alone among those of the repository, from 1 on."""
    with _slots(tree.common) as taken:
        return taken.setdefault(tree.owner, next(slot for slot in count(1) if slot not in taken.values()))


def free_slot(tree: CheckTree) -> None:
    """Let another tree have this one's number."""
    with _slots(tree.common) as taken:
        taken.pop(tree.owner, None)


@contextlib.contextmanager
def _slots(common: Path) -> Iterator[dict[str, int]]:
    """Lock the numbers of all trees, by their owners, and keep what is changed of them."""
    path = trees_folder(common) / ".slots.json"
    with hold_lock(path.with_suffix(".lock"), "numbering a check tree"):
        before = {owner: slot for owner, slot in read_record(path).items() if type(slot) is int and slot > 0}
        taken = dict(before)
        yield taken
        if taken != before:
            write_durably(path, json.dumps(taken), common)


def read_record(path: Path) -> dict[str, Any]:
    """Read a JSON object that can be made again; an empty one where it is missing or damaged."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def read_names(value: object) -> list[str]:
    """Return the strings of a list that was read from a record; none where it is no list."""
    return [name for name in value if isinstance(name, str)] if isinstance(value, list) else []
