"""A work tree found without git, where nothing about it is out of the ordinary; every call of baton begins so.

The files that lead from one folder to another are those of gitrepository-layout(5).
"""

import os
from pathlib import Path

from baton.journal.paths import Project

# Variables of git(1) that lead elsewhere, or say how far up it looks.
SETTINGS = (
    "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_TEST_ASSUME_DIFFERENT_OWNER",
)  # fmt: skip
# What in a repository's settings may make another folder the work tree.
UNUSUAL = (b"worktree", b"bare = true", b"include", b"extensions")
USUAL = b"repositoryformatversion = 0"


def plain_work_tree(start: Path) -> Project | None:
    """Return the work tree a folder lies in; None where git must say, as it may know better or refuse."""
    if any(name in os.environ for name in SETTINGS):
        return None
    top = place = Path(os.path.realpath(start))
    while not os.path.lexists(top / ".git"):
        if top == top.parent:
            return None
        top = top.parent
    if place.is_relative_to(top / ".git"):
        return None
    try:
        return _project(top)
    except (OSError, ValueError):
        return None


def _project(top: Path) -> Project | None:
    link = top / ".git"
    if link.is_symlink():
        return None
    git_dir = link if link.is_dir() else _named(link, "gitdir: ")
    shared = git_dir / "commondir"
    common = _named(shared) if shared.exists() else git_dir
    own = all(os.stat(place).st_uid == os.geteuid() for place in (top, git_dir, common))
    whole = (git_dir / "HEAD").is_file() and (common / "objects").is_dir() and (common / "refs").is_dir()
    settings = (common / "config").read_bytes().lower()
    plain = USUAL in settings and not any(word in settings for word in UNUSUAL)
    linked_back = git_dir == link or Path(os.path.realpath(_named(git_dir / "gitdir"))) == link
    return Project(top, git_dir, common) if own and whole and plain and linked_back else None


def git_dir_of(tree: Path) -> Path:
    """Return the git dir of a linked work tree, as its `.git` says."""
    try:
        return _named(tree / ".git", "gitdir: ")
    except (OSError, ValueError):
        return tree / ".git"


def _named(path: Path, start: str = "") -> Path:
    """Return the folder that a file of git's names."""
    text = path.read_text(encoding="utf-8", errors="surrogateescape").removesuffix("\n")
    if not text.startswith(start) or "\n" in text:
        raise ValueError(text)
    return Path(os.path.realpath(path.parent / text.removeprefix(start)))
