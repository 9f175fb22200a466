"""Where memory is kept, and the limits of its changes: few lines of text there, and nothing that acts unseen."""

import os
import re
from collections.abc import Iterator
from typing import NamedTuple

from baton.artifacts.config import CONFIG_FILE
from baton.artifacts.findings import writable_name
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.listing import Listing, end_of, name_twins
from baton.git.object_store import FILE, Entry
from baton.git.objects import read_object
from baton.git.paper_trees import changes_between
from baton.memory.client_imports import new_imports
from baton.project.protected_files import protected_sort
from baton.secrets.scan import DIFF, HUNK, added_lines, secrets_added, secrets_in
from baton.text import clip, hidden, one_line, visible

# Where memory is looked for when the settings do not say.
KNOWN = ("CLAUDE.md", "AGENTS.md", ".gaai/project/contexts/memory")
REMEDY = (
    f"name a file or a folder in `{CONFIG_FILE}`, as in `memory: {{keep: docs/memory.md}}`, and commit it on base"
)
TEXTS = (".md", ".mdc", ".markdown", ".txt")
MOST_LINES, LONGEST, QUOTED = 200, 2_000, 60
HUNKS = re.compile(rf"^{HUNK.pattern}", re.M)
# What a new file may be called, below the folder.
NEW_FILE = re.compile(r"(?:\w[\w. -]*/)*\w[\w. -]*\.(?:md|mdc|markdown)")
# What a reader of the page does not see: comments and their like, and links that lead nowhere.
COMMENT = r"<!--.*?(?:-->|\Z)|<[!?](?!--)[^>]*>?"
UNSEEN = re.compile(rf"{COMMENT}|^[\s>*+-]*\[[^\]\n]+\]:[\s>]*(?:#|<>|\S+\s+[\"'(])[^\n]*", re.S | re.M)


class MemoryPlace(NamedTuple):
    """A file, or a folder with all text files below it, by its path from the root."""

    path: str
    is_folder: bool

    def has(self, path: str) -> bool:
        """Whether a file is part of memory."""
        return path == self.path if not self.is_folder else path.startswith(f"{self.path}/")


def find_place(git: Git, commit: str, keep: str) -> MemoryPlace:
    """Return where memory is kept, as a commit has it; a BatonError where it is nowhere, or leads out."""
    listing = Listing(git, commit)
    named = keep or next((name for name in KNOWN if name in listing.modes.keys() | listing.folders), "")
    if not named:
        raise BatonError(f"nowhere to keep it: base has none of {', '.join(KNOWN)}", "memory", REMEDY)
    path = end_of(listing, named)
    if not path:
        problem = "links that lead in a circle" if path == "" else "a link that leads out of the repository"
        raise BatonError(problem, named, REMEDY)
    is_folder = path in listing.folders or (path not in listing.modes and keep.endswith("/"))
    if not is_folder and not path.endswith(TEXTS):
        raise BatonError(f"no text file: its name ends in none of {', '.join(TEXTS)}", path, REMEDY)
    return MemoryPlace(path, is_folder)


def check_change(git: Git, start: str, tree: str, place: MemoryPlace) -> list[str]:
    """Return the problems of a change from one tree to another, each with its place; none for a good one."""
    diff = git.do(*DIFF, start, tree, "--")
    gone, new = (sum(int(hunk[side] or 1) for hunk in HUNKS.findall(diff)) for side in (0, 2))
    if max(gone, new) > MOST_LINES:
        return [f"{new} lines added and {gone} removed, {MOST_LINES} at most"]
    changes = changes_between(git, start, tree)
    problems = [(path, why) for path, both in changes.items() for why in _file(git, path, both, place)]
    fresh = [path for path, (old, _) in changes.items() if old is None]
    for path, other in name_twins(fresh, Listing(git, start), Listing(git, tree)):
        problems.append((path, f"named like {writable_name(other)} but for its case"))
    for path, text in ((path, text) for path, rows in added_lines(diff).items() for _, text in rows):
        if hidden(text):
            problems.append((path, f"characters nobody sees: {clip(visible(text), QUOTED)}"))
        if len(text) > LONGEST:
            problems.append((path, f"a line of {len(text)} characters, {LONGEST} at most"))
    secrets = [(f"{secret.path}:{secret.line}", secret.kind) for secret in secrets_added(diff, os.environ)]
    secrets += [("a name", secret.kind) for secret in secrets_in("\n".join(changes), os.environ)]
    problems += [(where, f"what looks like a secret ({kind})") for where, kind in secrets]
    return [f"{writable_name(where)}: {why}" for where, why in problems]


def _file(git: Git, path: str, both: tuple[Entry | None, Entry | None], place: MemoryPlace) -> Iterator[str]:
    """Return the problems of one file: the first with its name and kind, else all with its content."""
    if why := _kind(path, both, place):
        yield why
        return
    before, after = (_text(git, entry) if entry else "" for entry in both)
    if after is None or before is None:
        yield "binary, not in UTF-8, or not kept in git"
    elif not after.strip():
        yield "empty; memory is only edited"
    else:
        for text in new_imports(before, after):
            yield f"`{clip(visible(text), QUOTED)}` would be imported by the client"
        known = UNSEEN.findall(before)
        for text in dict.fromkeys(passage for passage in UNSEEN.findall(after) if passage not in known):
            yield f"a reader does not see this: {clip(visible(one_line(text)), QUOTED)}"


def _kind(path: str, both: tuple[Entry | None, Entry | None], place: MemoryPlace) -> str:
    old, new = both
    if not place.has(path):
        return f"not below {place.path}"
    if new is None:
        return "deleted; memory is only edited"
    if new.mode != (old.mode if old else FILE) or not new.mode.startswith("100"):
        return f"no plain file, or another mode ({old.mode if old else 'new'}, then {new.mode})"
    if not path.endswith(TEXTS) or not (
        old or not place.is_folder or NEW_FILE.fullmatch(path, len(place.path) + 1)
    ):
        return "no text file, by its name: letters, digits, blanks, `.`, `_` and `-`, with `.md` at its end"
    what = "" if old or protected_sort(place.path) else protected_sort(path)
    return f"{what}: tools read it by its name" if what else ""


def _text(git: Git, entry: Entry) -> str | None:
    """Return a file as text; None for a binary, or a pointer to what git does not keep."""
    data = read_object(git, entry.id).content
    try:
        return None if b"\0" in data or data.startswith(b"version https://git-lfs") else data.decode()
    except UnicodeDecodeError:
        return None
