"""The work trees of runs: the mark that says whose one is, what lay in it from the start, and its removal."""

import hashlib
import json
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from itertools import filterfalse
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import CHECKOUT_SECONDS, IN_GIT_DIR, Git, listed_trees, run_git
from baton.git.discover import git_dir_of
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project

# The file in a tree's git dir that says which run works there.
MARK = "baton-run"
# How the client names the git dir of the tree it makes for an agent (`tree-place` in docs/clients/).
AGENT_TREE = re.compile(r"worktrees/agent-([A-Za-z0-9_-]+)\Z")
NO_HOOKS = ("-c", f"core.hooksPath={os.devnull}")


class RunMark(NamedTuple):
    """The run that works in a tree, its story, and the folder of that there; none for a pull request's."""

    run: str
    story: str
    folder: str = ""


def read_mark(project: Project) -> RunMark | None:
    """Return the mark of a work tree; None for one that is no run's."""
    try:
        value = json.loads((project.git_dir / MARK).read_text(encoding="utf-8"))
        return RunMark(str(value["run"]), str(value["story"]), str(value.get("folder", "")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, KeyError) as error:
        remedy = "run `baton begin RUN` again: it writes it anew"
        raise BatonError("unreadable mark of a run", str(project.git_dir / MARK), remedy) from error


def is_linked(tree: Project) -> bool:
    """Whether a tree is there and its `.git` leads to its git dir; a BatonError when it cannot be read."""
    link = tree.root / ".git"
    try:
        word, _, path = link.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n").partition(" ")
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return False
    except OSError as error:
        what = f"unreadable ({error.strerror})"
        raise BatonError(what, str(link), "make it readable, then call again") from error
    return word == "gitdir:" and os.path.realpath(tree.root / path) == os.path.realpath(tree.git_dir)


class Marked(NamedTuple):
    """A work tree of a run, as git knows it, and whether it is locked."""

    path: Path
    locked: bool
    mark: RunMark


def marked_trees(project: Project) -> list[Marked]:
    """Return the work trees of runs, those that are gone from the disk with them."""
    trees = []
    for path in sorted((project.common / "worktrees").glob(f"*/{MARK}")):
        try:
            link = (path.parent / "gitdir").read_text("utf-8", "surrogateescape").rstrip("\n")
            tree = (path.parent / link).parent
        except OSError as error:
            remedy = f"{error.strerror}; `git worktree repair PATH`, with the path of that work tree"
            raise BatonError("git lost where a work tree is", str(path.parent), remedy) from error
        if mark := read_mark(Project(tree, path.parent, project.common)):
            trees.append(Marked(tree, (path.parent / "locked").exists(), mark))
    return trees


def write_mark(project: Project, mark: RunMark) -> None:
    """Mark a work tree as a run's."""
    write_durably(project.git_dir / MARK, json.dumps(mark._asdict()) + "\n", project.git_dir)


def agent_of(project: Project) -> str:
    """Return the agent the client made this work tree for; empty for every other tree, linked or not."""
    match = AGENT_TREE.match(os.path.relpath(project.git_dir, project.common))
    return match[1] if match else ""


def ignore_trees(git: Git) -> None:
    """Keep the client's trees out of the user's `git status`: a `.gitignore` in their folder, if there is none."""
    folder = main_root(git) / ".claude" / "worktrees"
    if not os.path.lexists(folder / ".gitignore"):
        write_durably(folder / ".gitignore", "*\n", folder.parent.parent)


def main_root(git: Git) -> Path:
    """Return the top of the main work tree; of a bare repository the folder itself."""
    if git.project.common.name == ".git":
        return git.project.common.parent
    return Path(work_trees(git.project.common)[0])


def own_trees() -> Path:
    """Return the folder of the work trees the program itself makes."""
    cache = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(cache):
        cache = os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "baton", "trees")


def work_trees(common: Path) -> list[str]:
    """Return the paths of the repository's work trees, the main one first; of a bare repository itself."""
    return [tree["worktree"] for tree in listed_trees(common)]


def other_trees(common: Path, but: Path) -> list[str]:
    """Return the paths of the repository's work trees, one left out."""
    return [tree for tree in work_trees(common) if os.path.realpath(tree) != os.path.realpath(but)]


def make_tree(git: Git, path: Path, commit: str) -> None:
    """Make a linked work tree at a commit, on a detached HEAD; what a killed call left there is removed first."""
    discard_tree(git.project.common, path)
    path.parent.mkdir(parents=True, exist_ok=True)
    words = (*NO_HOOKS, "worktree", "add", "--quiet", "--detach", "--", str(path), commit)
    git.do(*words, seconds=CHECKOUT_SECONDS)


def put_at(git: Git, commit: str) -> None:
    """Put a run's tree at a commit, on a detached HEAD; git refuses where a file is in the way."""
    git.do(*NO_HOOKS, "checkout", "--quiet", "--detach", commit, seconds=CHECKOUT_SECONDS)


def local_changes(git: Git) -> dict[str, str]:
    """Return the paths that differ from HEAD or are new, each with what it holds; new folders as a whole."""
    out = git.do("status", "--porcelain=v1", "-z", "--untracked-files=normal", "--no-renames", "--ignored=no")
    names = [entry[3:].rstrip("/") for entry in out.split("\0") if entry]
    return {name: content_of(git.project.root / name) for name in names}


def content_of(path: Path) -> str:
    """Say what a path holds, so that a change of it is seen: its kind, size and digest, or where a link leads."""
    try:
        status = path.lstat()
    except OSError:
        return "gone"
    if stat.S_ISLNK(status.st_mode):
        return f"link {os.readlink(path)}"
    if not stat.S_ISREG(status.st_mode):
        return "folder" if stat.S_ISDIR(status.st_mode) else "special"
    return f"file {hashlib.sha256(path.read_bytes()).hexdigest()}"


def begin_merge(git: Git, commit: str) -> None:
    """Merge a commit into a run's tree and leave the conflicts there."""
    words = (*NO_HOOKS, "-c", "merge.autoStash=false", "merge", "--no-ff", "--no-commit", "--quiet", commit)
    answer = git.ask(*words, no=range(1, 256), seconds=CHECKOUT_SECONDS)
    if not (git.project.git_dir / "MERGE_HEAD").exists():
        remedy = "fix what git names, then run `baton begin` again"
        raise BatonError(f"git does not begin the merge ({answer.said})", str(git.project.root), remedy)


def remove_worktree(git: Git, path: Path, spared: Mapping[str, str]) -> str:
    """Remove a run's work tree that holds no work; returns why it stays, or an empty string.

    `spared` is what lay there from the start. Git refuses a tree with changes; what it ignores is looked at first,
    for it would be deleted without a word.
    """
    if not path.is_dir():
        discard_tree(git.project.common, path)
        return ""
    words = ("status", "--porcelain=v1", "-z", "--no-renames", "--ignored=matching", "--untracked-files=normal")
    ignored = run_git(path, *words)
    if ignored.code != 0:
        return ignored.said
    kept = [entry[3:] for entry in ignored.out.split("\0") if entry.startswith("!! ")]
    if work := [name for name in kept if not _is_nobodys(path, name, spared)]:
        return f"it holds ignored files: {', '.join(work[:5])}"
    if (git_dir_of(path) / "locked").exists():
        git.ask("worktree", "unlock", str(path), no=(128,))
    answer = git.ask("worktree", "remove", str(path), no=(1, 128), seconds=CHECKOUT_SECONDS)
    if answer.code == 0:
        return ""
    from baton.git.submodules import kept_for_submodules  # git refused: rare

    return kept_for_submodules(path) or answer.said


def discard_tree(common: Path, path: Path) -> None:
    """Remove a work tree in which nobody works, and git's note of it, as far as that can be done.

    A prune would have git forget the user's trees, too, on a disk that is away.
    """
    clear_path(str(path))
    if not os.path.lexists(path) and os.path.realpath(path) in work_trees(common):
        for verb in ("unlock", "remove"):  # while git makes a tree, it is locked: one that was killed left it so
            run_git(common, IN_GIT_DIR, "worktree", verb, "--", str(path))


def clear_path(path: str) -> None:
    """Remove what is at a path where nobody works, as far as that can be done; of a link, the link alone."""
    import shutil  # `next` that waits removes nothing

    if not os.path.isdir(path) or os.path.islink(path):
        with suppress(OSError):
            os.unlink(path)
        return
    for folder, names, _ in os.walk(path):  # a command may have left folders nobody can write to
        for subfolder in filterfalse(os.path.islink, (os.path.join(folder, name) for name in names)):
            with suppress(OSError):
                os.chmod(subfolder, 0o700)
    shutil.rmtree(path, ignore_errors=True)


# What tools leave behind and make again: of no worth to anyone, ignored or not.
CACHES = frozenset({
    "node_modules", ".venv", "venv", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".tox", ".nox",
    ".eggs", ".hypothesis", "htmlcov", ".gradle", ".next", ".nuxt", ".turbo", ".parcel-cache", ".nyc_output",
    ".terraform", ".DS_Store",
})  # fmt: skip
CACHE_ENDS = (".pyc", ".pyo", ".class", ".o", ".egg-info", ".tsbuildinfo")
# The same, where the project has git ignore it.
OUTPUT = frozenset({
    "target", "build", "dist", "bin", "obj", "out", "vendor", "env", "coverage", ".cache", ".coverage",
})  # fmt: skip
OUTPUT_ENDS = (".log", ".so", ".a", ".dll", ".pid", ".tmp")


def is_cache(name: str) -> bool:
    """Whether a path, as git names it, is an environment, a cache or an object file."""
    parts = name.rstrip("/").split("/")
    return not CACHES.isdisjoint(parts) or any(part.endswith(CACHE_ENDS) for part in parts)


def _is_nobodys(root: Path, name: str, spared: Mapping[str, str]) -> bool:
    """Whether a path that git ignores may go: made by a tool, or as it was when the tree was made."""
    parts = name.rstrip("/").split("/")
    output = not OUTPUT.isdisjoint(parts) or parts[-1].endswith(OUTPUT_ENDS)
    return output or is_cache(name) or spared.get(name.rstrip("/")) == content_of(root / name)
