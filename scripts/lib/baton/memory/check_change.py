"""What a change of memory may be: few lines of text where memory is kept, with nothing in it that acts unseen."""

import os
import re
from collections.abc import Iterator

from baton.artifacts.file_name import folded
from baton.artifacts.findings import shown
from baton.git.command import Git
from baton.git.objects import read_object
from baton.git.papers import changes_between
from baton.git.store import FILE, Entry
from baton.memory.imports import new_imports
from baton.memory.place import TEXTS, MemoryPlace
from baton.project.protected import protection
from baton.secrets.scan import DIFF, added, secrets_added
from baton.text import clip, hidden, one_line, visible

MOST_LINES, LONGEST, QUOTED = 200, 2_000, 60
# What a reader of the page does not see, and the client does not show: comments, and links that lead nowhere.
UNSEEN = re.compile(r"<!--.*?(?:-->|\Z)|^ {0,3}\[[^\]\n]+\]:[ \t]*(?:#|<>)[^\n]*", re.S | re.M)


def check_change(git: Git, start: str, tree: str, place: MemoryPlace) -> list[str]:
    """Return what is wrong with a change from one tree to another, each with its place; nothing for a good one."""
    changes = changes_between(git, start, tree)
    found = [
        f"{shown(path)}: {why}" for path, both in changes.items() for why in _file(git, tree, path, both, place)
    ]
    diff = git.do(*DIFF, start, tree, "--")
    lines = [(path, text) for path, rows in added(diff).items() for _, text in rows]
    gone = sum(int(row.split("\t")[1].replace("-", "0")) for row in _counts(git, start, tree))
    if max(len(lines), gone) > MOST_LINES:
        found.append(f"{len(lines)} lines added and {gone} removed, {MOST_LINES} at most")
    for path, text in lines:
        if hidden(text):
            found.append(f"{shown(path)}: characters nobody sees: {clip(visible(text), QUOTED)}")
        if len(text) > LONGEST:
            found.append(f"{shown(path)}: a line of {len(text)} characters, {LONGEST} at most")
    secrets = secrets_added(diff, os.environ)
    return found + [f"{shown(one.path)}:{one.line}: what looks like a secret ({one.kind})" for one in secrets]


def _counts(git: Git, start: str, tree: str) -> list[str]:
    return git.do(
        "diff", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", start, tree, "--"
    ).splitlines()


def _file(
    git: Git, tree: str, path: str, both: tuple[Entry | None, Entry | None], place: MemoryPlace
) -> Iterator[str]:
    """Say what is wrong with one file: the first thing of its name and kind, else all of its content."""
    old, new = both
    if why := _kind(git, tree, path, both, place):
        yield why
        return
    before, after = (_text(git, one) if one else "" for one in both)
    if after is None or before is None:
        yield "binary, or not in UTF-8"
    elif old and before.strip() and not after.strip():
        yield "emptied; memory is only edited"
    else:
        for one in new_imports(before, after):
            yield f"`{clip(visible(one), QUOTED)}` would be imported by the client"
        for one in dict.fromkeys(UNSEEN.findall(after)) if new else ():
            if one not in UNSEEN.findall(before):
                yield f"a reader does not see this: {clip(visible(one_line(one)), QUOTED)}"


def _kind(git: Git, tree: str, path: str, both: tuple[Entry | None, Entry | None], place: MemoryPlace) -> str:
    old, new = both
    if not place.has(path):
        return f"not below {place.path}"
    if new is None:
        return "deleted; memory is only edited"
    wanted = old.mode if old else FILE
    if new.mode != wanted or not wanted.startswith("100"):
        return f"no plain file, or another mode ({old.mode if old else 'new'}, then {new.mode})"
    if not path.endswith(TEXTS) or hidden(path) or "\n" in path:
        return f"no text file: its name ends in none of {', '.join(TEXTS)}, or has what nobody sees"
    if old is None and (what := protection(path)) and not protection(place.path):
        return f"{what}: tools read it by its name"
    names = [] if old else git.do("ls-tree", "-r", "-z", "--name-only", tree, "--", place.path).split("\0")
    other = next((one for one in names if one != path and folded(one) == folded(path)), "")
    return f"named like {shown(other)} but for its case" if other else ""


def _text(git: Git, entry: Entry) -> str | None:
    """Return a file as text; None for what is none."""
    data = read_object(git, entry.id).content
    try:
        return None if b"\0" in data else data.decode()
    except UnicodeDecodeError:
        return None
