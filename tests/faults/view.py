"""What there is to see in a repository, with what time and chance decide made the same."""

import json
import os
import re
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Any

from bench import Bench

TIMES = (
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "TIME"),
    (re.compile(r"\d{8}T\d{6}Z"), "STAMP"),
    (re.compile(r"\b\d+\.\d s\b"), "SECONDS s"),
    (re.compile(r"(?<=Took:\*\* )(?:\d+ (?:h|min|s)\b ?)+"), "MINUTES"),
    (re.compile(r"sess_\d+_"), "sess_TIME_"),
    (re.compile(r"(?<=/checks/)[0-9a-f]{16}"), "KEY"),  # named after a commit, and so after its time
)
HASH = re.compile(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{12}\b")
# What is there twice because its caller said it twice, not knowing that it was heard.
REPEATABLE = ("handed-in", "rejected")
# The files in a git dir that say that something is under way there.
MARKS = ("MERGE_HEAD", "baton-run")
# Not `--all`, which takes the HEADs of work trees, too: git's note of one that is gone goes at its next clean-up.
REFS = ("--glob=refs/*", "HEAD")
# Ours, where git does not look: what is not read again may stay there after a crash.
IGNORED = re.compile(r"(^|/)\..+\.\d+\.tmp$")
UNREAD = re.compile(r"(^|/)([a-z.]*lock|journal\.(jsonl|head)|.*\.tmp)$|(^|/)checks/|^\.trees/")

# What a failing git leaves, and is told to stay: no fault while it is told.
STAYS = re.compile(r"the work tree (\S+) of \S+ stays: [^\"]*")
NOTED = re.compile(r"\n\nNote: the check tree \S+ (?:stays: .*|could not be removed whole)\.")

View = dict[str, Any]


def view(bench: Bench) -> View:
    """Give all that can be seen of a repository and its story."""
    bench.rest()
    names = dict(line.split("\t") for line in bench.git("log", *REFS, "--format=%H%x09%s").splitlines())
    mapped = _mapper(names)
    journal = bench.root / ".git/baton/42/journal.jsonl"
    stays = STAYS.findall(journal.read_text(encoding="utf-8", errors="replace")) if journal.exists() else []
    trees = [tree for tree in _trees(bench) if str(tree) not in stays]
    return {
        "branches": sorted(
            map(mapped, bench.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines())
        ),
        "checked out": bench.git("symbolic-ref", "HEAD"),
        "commits": _commits(bench, mapped),
        "status": sorted(map(mapped, _status(bench))),
        "work trees": {str(tree.relative_to(bench.root.parent)): _tree(tree, mapped) for tree in trees},
        "git's leavings": sorted(lock.name for lock in locks(bench)),
        "files": {mapped(name): mapped(text) for name, text in _files(bench.root) if not IGNORED.search(name)},
        "kept": {mapped(name): mapped(NOTED.sub("", text)) for name, text in _kept(bench.root / ".git/baton")},
        "journal": _journal(journal, mapped),
    }


def differences(found: View, wanted: View) -> str:
    """Say in a few lines what differs; nothing when nothing does."""
    lines = [f"{name}: {_differs(found[name], wanted[name])}" for name in wanted if found[name] != wanted[name]]
    return "\n".join(lines)


def _differs(found: Any, wanted: Any) -> str:
    if isinstance(found, dict):
        names = [one for one in {**wanted, **found} if found.get(one) != wanted.get(one)]
        return "; ".join(f"{name}: {_one(found.get(name))} for {_one(wanted.get(name))}" for name in names)
    if isinstance(found, list):
        before, after = ("\n".join(one).split("\n") for one in (wanted, found))
        lines = unified_diff(before, after, n=0, lineterm="")
        changed = [line for line in lines if line[:3] not in ("---", "+++", "@@ ")]
        return " / ".join(one[:300] for one in changed[:12])
    return f"{_one(found)} for {_one(wanted)}"


def _one(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:300]


def without_chance(text: str) -> str:
    """Give a text without the times and the names of commits in it."""
    for pattern, word in TIMES:
        text = pattern.sub(word, text)
    return HASH.sub("HASH", text)


def _mapper(names: dict[str, str]) -> Callable[[str], str]:
    """Give what puts a commit's subject for its hash, and a word for a time."""
    by_prefix = {name[:12]: subject for name, subject in names.items()}

    def mapped(text: str) -> str:
        for pattern, word in TIMES:
            text = pattern.sub(word, text)
        return HASH.sub(lambda match: f"<{by_prefix.get(match[0][:12], match[0])}>", text)

    return mapped


def _commits(bench: Bench, mapped: Callable[[str], str]) -> list[str]:
    """Give each commit with its parents, message and changes."""
    words = (
        "log",
        *REFS,
        "--patch",
        "--no-renames",
        "--diff-merges=first-parent",
        "--format=%x01%H of %P%n%B",
        "--abbrev=4",
    )
    told = bench.git(*words).split("\x01")[1:]
    return sorted(re.sub(r"(?m)^index .*\n", "", mapped(one)).strip() for one in told)


def locks(bench: Bench) -> list[Path]:
    """Return the locks of git that are there; the program's own are held by the system alone."""
    found = (bench.root / ".git").rglob("*.lock")
    return [path for path in found if not path.relative_to(bench.root).as_posix().startswith(".git/baton")]


def _trees(bench: Bench) -> list[Path]:
    """Return every work tree but the checkout: those of runs, and the user's second one."""
    return [tree for tree in (*bench.trees, bench.beside) if tree != bench.root]


def _tree(root: Path, mapped: Callable[[str], str]) -> dict[str, str]:
    """Return what is checked out in a work tree, what is under way there, and its files."""
    tree = Bench(root)
    told = {"HEAD": mapped(tree.git("log", "-1", "--format=%H %D")), "status": "\n".join(_status(tree))}
    told["under way"] = ", ".join(
        mark for mark in MARKS if (root / tree.git("rev-parse", "--git-path", mark)).exists()
    )
    return {**told, **{name: mapped(text) for name, text in _files(root) if not IGNORED.search(name)}}


def _status(bench: Bench) -> list[str]:
    lines = bench.git("status", "--porcelain", "--untracked-files=all").splitlines()
    return [line for line in lines if not IGNORED.search(line[3:])]


def _files(top: Path) -> Iterator[tuple[str, str]]:
    for folder, names, files in os.walk(top):
        if ".git" in names:
            names.remove(".git")
        for name in files:
            path = Path(folder, name)
            yield str(path.relative_to(top)), path.read_text(encoding="utf-8", errors="surrogateescape")


def _kept(top: Path) -> Iterator[tuple[str, str]]:
    return ((name, text) for name, text in _files(top) if not UNREAD.search(name)) if top.exists() else iter(())


def _journal(path: Path, mapped: Callable[[str], str]) -> list[str]:
    """Return the events, without their seals, and once what was said twice or made anew by a second call."""
    told: list[str] = []
    first = ""
    data = path.read_bytes() if path.exists() else b""
    for line in data.split(b"\n")[:-1]:  # what follows the last end of a line is torn, and counts for nothing
        record = json.loads(line)
        kind, what = record["kind"], record["data"]
        if kind == "effect-intended":  # what came of it is what counts
            first = what["about"] if not what["before"] else first
            continue
        if kind == "effect-done" and what["about"] == first:
            continue  # the branch of a new story: made by whichever call comes to it
        text = mapped(STAYS.sub("", f"{kind} {json.dumps(what, sort_keys=True)}"))
        told = [one for one in told if not _is_anew(one, text)]
        if not (told and told[-1] == text and kind in REPEATABLE):
            told.append(text)
    return told


def _is_anew(before: str, text: str) -> bool:
    """Whether a commit was journalled that a later call made once more, before it went anywhere."""
    same = [(one.split(" ")[0], re.findall(r'"(?:run|rule)": "[^"]*"', one)) for one in (before, text)]
    return same[0] == same[1] and (text.startswith("kept ") or "close/written" in text)
