"""What a repository holds at one moment: every ref, stash entry, work tree and file, and the stories in it."""

import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

STATUS = ("status", "-z", "--porcelain=v2", "--untracked-files=all", "--ignored=traditional", "--no-renames")
# How many fields stand before the path, by the mark an entry of `git status` begins with.
FIELDS = {"1": 8, "u": 10, "?": 1, "!": 1}
STORY_SECTION = re.compile(r'(?m)^\[branch "story/[^\n]*\n(?:[ \t]+[^\n]*(?:\n|\Z))*')
SETTINGS = ("config", "config.worktree", "hooks", "info")
# What baton leaves where it is killed as it writes, and sweeps up later.
TEMPORARY = re.compile(r"(^|/)\.[^/]+\.\d+(\.\w+)?\.tmp\Z")


# What git answered about work trees, and how many answers are kept.
_statuses: dict[tuple[object, ...], dict[str, str]] = {}
KEPT = 500

# Tests take git off the PATH, and put something else in the place of what starts a process or opens a file.
GIT = shutil.which("git") or "git"
start = subprocess.Popen


class Answer(NamedTuple):
    """What git answered."""

    code: int
    out: str
    err: str


class Story(NamedTuple):
    """A story as its journal tells of it."""

    journal: str
    base: str = ""
    branch: str = ""
    closed: bool = False


@dataclass(frozen=True)
class Tree:
    """A work tree: what is checked out, its index, its files by their path, and what is not as HEAD has it."""

    head: str
    index: str
    files: Mapping[str, str]
    status: Mapping[str, str]


@dataclass(frozen=True)
class Inventory:
    """A repository, seen from one of its work trees, with every tree that is not the program's own."""

    root: Path
    refs: Mapping[str, str]
    stash: tuple[str, ...]
    trees: Mapping[str, Tree]
    settings: Mapping[str, str]
    stories: Mapping[str, Story] = field(default_factory=dict)


def find_root(start: Path) -> Path | None:
    """Give the top of the work tree a folder lies in, or None."""
    return next((parent for parent in (start, *start.parents) if (parent / ".git").exists()), None)


def take(root: Path) -> Inventory:
    """Look at a repository without changing it; a git process for each tree that is otherwise than any before."""
    root = root.resolve()
    git_dir = _git_dir(root)
    common = _common(git_dir)
    refs, settings = _refs(common), _settings(common)
    return Inventory(
        root=root,
        refs=refs,
        stash=tuple(_read(common / "logs/refs/stash").splitlines()),
        trees=_trees(root, git_dir, common, refs, settings),
        settings=settings,
        stories={path.parent.name: _story(_read(path)) for path in sorted(common.glob("baton/*/journal.jsonl"))},
    )


def ask_git(root: Path, *words: str) -> Answer:
    """Ask git something; it refreshes no index and takes no settings but the repository's."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    env = {**kept, "GIT_OPTIONAL_LOCKS": "0", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    line = (GIT, "--literal-pathspecs", "-c", "core.fsmonitor=false", *words)
    pipe = subprocess.PIPE
    with start(line, cwd=root, env=env, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        out, err = process.communicate()
    return Answer(process.returncode, out.decode("utf-8", "surrogateescape"), err.decode("utf-8", "replace"))


def _git_dir(root: Path) -> Path:
    link = root / ".git"
    if link.is_dir():
        return link
    return Path(os.path.normpath(root / link.read_text(encoding="utf-8").removeprefix("gitdir: ").rstrip("\n")))


def _common(git_dir: Path) -> Path:
    return Path(os.path.normpath(git_dir / (_read(git_dir / "commondir") or ".")))


def _read(path: Path) -> str:
    """Give a file's text; nothing when it is not there, as in a repository where nothing of the kind is."""
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape").strip()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return ""


def _status(root: Path) -> dict[str, str]:
    done = ask_git(root, *STATUS)
    if done.code != 0:  # a repository that a test has damaged: it must stay as damaged as it is
        return {"": done.err}
    entries = [one for one in done.out.split("\0") if one]
    found = {entry.split(" ", FIELDS[entry[0]])[-1]: entry for entry in entries}
    return {path: one for path, one in found.items() if not TEMPORARY.search(path)}


def _files(root: Path) -> dict[str, str]:
    """Give the mode and the content, as git would name it, of every file of a work tree, git's own left out."""
    found = {}
    for folder, names, files in os.walk(root):
        if folder == str(root):
            names[:] = [name for name in names if name != ".git"]
        if folder == str(root / ".claude" / "worktrees"):
            names[:] = []
        links = [name for name in names if os.path.islink(os.path.join(folder, name))]
        for name in (*files, *links):
            path = os.path.join(folder, name)
            if path != os.path.join(root, ".git") and not TEMPORARY.search(name):
                found[os.path.relpath(path, root)] = _content(path)
    return found


def _content(path: str) -> str:
    mode = os.lstat(path).st_mode
    if stat.S_ISLNK(mode):
        return f"120000 {_blob(os.fsencode(os.readlink(path)))}"
    if not stat.S_ISREG(mode):
        return f"{stat.S_IFMT(mode):o}"
    with open(path, "rb") as file:
        return f"{'100755' if mode & 0o100 else '100644'} {_blob(file.read())}"


def _blob(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%b" % (len(data), data), usedforsecurity=False).hexdigest()


def _refs(common: Path) -> dict[str, str]:
    """Give every ref: git's packed ones, and the loose ones that hide them."""
    lines = [line.split(" ") for line in _read(common / "packed-refs").splitlines() if line[:1] not in ("#", "^")]
    found = {words[1]: words[0] for words in lines}
    for path in (common / "refs").rglob("*"):
        if path.suffix != ".lock" and not path.is_dir():
            found[path.relative_to(common).as_posix()] = _read(path)
    return found


def _settings(common: Path) -> dict[str, str]:
    found = [path for name in SETTINGS for path in ((common / name), *sorted((common / name).rglob("*")))]
    kept = {str(one.relative_to(common)): _content(str(one)) for one in found if one.is_file()}
    kept.pop("info/refs", None)  # git's own upkeep writes it (2.55)
    # What a clone notes of a story's branch goes with the branch, as `git branch --delete` has it.
    return {**kept, "config": STORY_SECTION.sub("", _read(common / "config")).strip()}


def _trees(
    root: Path, git_dir: Path, common: Path, refs: Mapping[str, str], settings: Mapping[str, str]
) -> dict[str, Tree]:
    """Return the user's work trees; those of runs and of checks are the program's own."""
    places = {root: git_dir, **{top: place for place, top in _tree_places(common)}}
    return {str(top): _tree(place, top, refs, settings) for top, place in places.items() if not _is_own(top)}


def _is_own(top: Path) -> bool:
    return top.is_relative_to(_cache()) or ".claude/worktrees" in top.as_posix() or not top.is_dir()


def _tree(git_dir: Path, top: Path, refs: Mapping[str, str], settings: Mapping[str, str]) -> Tree:
    index = _content(str(git_dir / "index")) if (git_dir / "index").exists() else ""
    head, files = _read(git_dir / "HEAD"), _files(top)
    at = refs.get(head.removeprefix("ref: "), "") if head.startswith("ref: ") else head
    # All that git's answer follows from, but for submodules, which have a HEAD and an index of their own.
    whole = (head, at, index, *files.items(), *settings.items())
    if not at or not index or ".gitmodules" in files:
        return Tree(head, index, files, _status(top))
    if whole not in _statuses:
        if len(_statuses) > KEPT:
            _statuses.clear()
        _statuses[whole] = _status(top)
    return Tree(head, index, files, _statuses[whole])


def _tree_places(common: Path) -> Iterator[tuple[Path, Path]]:
    if common.name == ".git":
        yield common, common.parent
    for git_dir in (common / "worktrees").glob("*"):
        if link := _read(git_dir / "gitdir"):
            yield git_dir, Path(link).parent


def _cache() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(home, "baton", "trees").resolve()


@lru_cache(maxsize=64)
def _story(text: str) -> Story:
    """Read of a journal what can be read: tests damage them too."""
    events: dict[str, dict[str, Any]] = {}
    rules = set()
    for line in text.splitlines():
        try:
            body = json.loads(line)
            events[body["kind"]] = body["data"]
            rules.add(body["data"].get("rule"))
        except (ValueError, KeyError, TypeError, AttributeError):
            continue
    folder = os.path.basename(events.get("created", {}).get("folder", ""))
    return Story(
        journal=text,
        base=events.get("started", {}).get("base", ""),
        branch=f"story/{folder.replace('_', '-', 1)}" if folder else "",
        closed=not {"close/written", "merge/already"}.isdisjoint(rules),
    )
