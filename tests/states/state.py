"""A folder as a text, and the folder of it: repositories by their objects and refs, everything else by its files.

Nothing here asks the program: what a recorded journal, ref or paper is like is said by its text alone.
"""

import hashlib
import json
import os
import subprocess
import zlib
from collections.abc import Iterator
from itertools import filterfalse
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PLUGIN = str(HERE.parents[1])
TOP = "@TOP@"  # stands for the folder all of it lies in
SOMEWHERE = "/baton"  # and this for the plugin's own, which no story asks for again
WORK, REMOTE = "work", "remote.git"  # and another repository, should there be one, ends so, too
TREES = "home/.cache/baton/trees"
# What git writes again, and what is this machine's own: index and logs, locks, the trees in which commands run.
GITS_OWN = ("objects", "refs", "logs", "index", "packed-refs", "COMMIT_EDITMSG", "ORIG_HEAD", "FETCH_HEAD")
FIRST = "0" * 32


def git(place: Path, *words: str, stdin: bytes = b"") -> bytes:
    return subprocess.run(("git", *words), cwd=place, input=stdin, capture_output=True, check=True).stdout


# A folder as a text


def pack(top: Path) -> dict[str, Any]:
    """Return all that `unpack` makes such a folder of."""
    places = [top / WORK, *sorted(top.glob("*.git"))]
    runs = [*sorted((top / TREES).glob("*/*")), *sorted((top / WORK / ".claude/worktrees").glob("*/"))]
    trees = [top / WORK, *(run for run in runs if run.name != "check")]
    found = {path: _placeless(_text(path.read_bytes()), top) for path in _files(top, trees)}
    for path in found:
        if path.name == "journal.jsonl":
            found[path] = _unsealed(found[path])
    objects = {sha: one for place in places for sha, one in _objects(place)}
    return {
        "objects": [list(objects[sha]) for sha in sorted(objects, key=lambda sha: (objects[sha], sha))],
        "refs": {place.name: _refs(place) for place in places},
        "trees": {str(tree.relative_to(top)): _index(tree) for tree in trees},
        "gone": [str((tree / name).relative_to(top)) for tree in trees for name in _changed(tree, "D")],
        "programs": [str(path.relative_to(top)) for path in found if os.access(path, os.X_OK)],
        "files": {str(path.relative_to(top)): text for path, text in found.items()},
    }


def _placeless(text: str, top: Path) -> str:
    return text.replace(str(top), TOP).replace(PLUGIN, SOMEWHERE)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _files(top: Path, trees: list[Path]) -> Iterator[Path]:
    """Find what git does not have: what differs in the work trees, its own folders, and the home."""
    for tree in trees:
        untracked = _text(git(tree, "ls-files", "-z", "--others")).split("\0")
        yield from (
            tree / name for name in sorted({*_changed(tree, "d"), *untracked}) if name[-1:] not in ("", "/")
        )
        if tree != trees[0]:
            yield tree / ".git"
    for folder in (top / WORK / ".git", *sorted(top.glob("*.git")), top / "home"):
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            if path.is_file() and not name.startswith(".cache/baton/trees/") and not _is_gits_own(name):
                yield path


def _is_gits_own(name: str) -> bool:
    parts = name.removeprefix("worktrees/").split("/")
    inside = parts[1:] if name.startswith("worktrees/") else parts
    is_check = name.startswith("worktrees/check") or name.startswith("baton/.trees/")
    return (
        is_check
        or inside[0] in GITS_OWN
        or parts[-1] in ("lock", "journal.journal_head")
        or name.endswith(".lock")
    )


def _changed(tree: Path, kinds: str) -> list[str]:
    """Name the files of a work tree that are not as its HEAD has them, or, with `D`, that are gone."""
    words = ("diff", "--name-only", "--no-renames", "-z", f"--diff-filter={kinds}", "HEAD", "--")
    return [one for one in _text(git(tree, *words)).split("\0") if one]


def _index(tree: Path) -> str:
    """Return what is staged where that is not what HEAD has."""
    differs = git(tree, "diff", "--name-only", "--cached", "HEAD", "--")
    return _text(git(tree, "ls-files", "--stage")) if differs else ""


def _refs(place: Path) -> dict[str, str]:
    lines = _text(git(place, "for-each-ref", "--format=%(refname) %(objectname)")).splitlines()
    return dict(line.rsplit(" ", 1) for line in lines)


def _objects(place: Path) -> Iterator[tuple[str, tuple[str, str]]]:
    """Give each object git has, whatever names it: a tree by its lines, any other as it is."""
    data = git(place, "cat-file", "--batch-all-objects", "--batch")
    while data:
        head, _, data = data.partition(b"\n")
        sha, kind, size = head.decode().split()
        content, data = data[: int(size)], data[int(size) + 1 :]
        yield (
            sha,
            (kind, _text(git(place, "ls-tree", "-z", sha).replace(b"\0", b"\n") if kind == "tree" else content)),
        )


def _unsealed(journal: str) -> str:
    """Leave out by what a line vouches for the one before it: the folder's place is in its text."""
    return "".join(line.rpartition(',"prev":"')[0] + "}\n" for line in journal.split("\n")[:-1])


# The folder of a text


def unpack(state: dict[str, Any], top: Path) -> None:
    """Make the folder; its home may be there."""
    for name, refs in state["refs"].items():
        place = top / name / ".git" if name == WORK else top / name
        for kind, text in state["objects"]:
            _write_object(place / "objects", kind, text)
        for ref, sha in refs.items():
            _write(place / ref, f"{sha}\n")
        (place / "refs").mkdir(exist_ok=True)
    files = {name: text.replace(TOP, str(top)) for name, text in state["files"].items()}
    for name in filter(_is_beside, files):
        _write(top / name, files[name])
        if name.endswith("/journal.jsonl"):
            _seal(top / name)
    for name, staged in state["trees"].items():
        git(top / name, "read-tree", "--reset", "-u", "HEAD")
        if staged:
            git(top / name, "update-index", "--index-info", stdin=staged.encode())
    for name in filterfalse(_is_beside, files):  # what differs in a work tree, and lies in the home
        _write(top / name, files[name])
    for name in state["programs"]:
        (top / name).chmod(0o755)
    for name in state["gone"]:
        (top / name).rmdir() if (top / name).is_dir() else (top / name).unlink()  # of a submodule, its folder


def _is_beside(name: str) -> bool:
    return name.startswith(f"{WORK}/.git/") or name.partition("/")[0].endswith(".git") or name.endswith("/.git")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))


def _write_object(folder: Path, kind: str, text: str) -> None:
    data = text.encode("utf-8", "surrogateescape")
    if kind == "tree":
        entries = (line.split(b"\t") for line in data.split(b"\n")[:-1])
        parts = ((head.split(), name) for head, name in entries)
        data = b"".join(
            b"%b %b\0%b" % (mode.lstrip(b"0"), name, bytes.fromhex(sha.decode())) for (mode, _, sha), name in parts
        )
    whole = b"%b %d\0%b" % (kind.encode(), len(data), data)
    sha = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    path = folder / sha[:2] / sha[2:]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(zlib.compress(whole, 1))


def _seal(journal: Path) -> None:
    """Have each line of a journal vouch for the one before it, and its head for the last."""
    seal, lines = FIRST, journal.read_bytes().split(b"\n")[:-1]
    for number, line in enumerate(lines):
        whole = b'%b,"prev":"%b"}' % (line[:-1], seal.encode())
        seal = hashlib.sha256(whole).hexdigest()[:32]
        lines[number] = b'%b,"sum":"%b"}\n' % (whole[:-1], seal.encode())
    journal.write_bytes(b"".join(lines))
    journal.with_suffix(".head").write_text(f"{len(lines)} {seal}\n", encoding="utf-8")


# Kept as what is otherwise than in the state it was reached from


def path_of(name: str) -> Path:
    return HERE / f"{name}.json"


def read_state(name: str) -> dict[str, Any]:
    """Read a recorded state whole."""
    state: dict[str, Any] = json.loads(path_of(name).read_text(encoding="utf-8"))
    if state["base"]:
        base = read_state(state["base"])
        files = {name: text for name, text in base["files"].items() if name not in state["without"]}
        for name, text in state["files"].items():
            files[name] = files[name] + text["more"] if isinstance(text, dict) else text
        state["files"] = files
        state["objects"] = [*base["objects"], *state["objects"]]
    return state


def write_state(name: str, state: dict[str, Any]) -> None:
    """Write a state down."""
    kept = dict(state)
    if state["base"]:
        base = read_state(state["base"])
        kept["objects"] = [one for one in state["objects"] if one not in base["objects"]]
        kept["without"] = [name for name in base["files"] if name not in state["files"]]
        kept["files"] = {
            name: _after(base["files"].get(name, ""), text)
            for name, text in state["files"].items()
            if text != base["files"].get(name)
        }
    path_of(name).parent.mkdir(exist_ok=True)
    path_of(name).write_text(f"{json.dumps(kept, indent=1)}\n", encoding="utf-8")


def _after(before: str, text: str) -> Any:
    return {"more": text.removeprefix(before)} if before and text.startswith(before) else text
