"""Where a project keeps its memory: a file, a folder, or GAAI's folder; read and changed as base has it."""

import posixpath
import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from typing import Literal, NamedTuple

from baton.artifacts.config import NAME
from baton.artifacts.outline import read_outline
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.objects import files_in

# Where memory is looked for when the settings do not say.
KNOWN = ("CLAUDE.md", "AGENTS.md", ".gaai/project/contexts/memory")
REMEDY = f"name a file or a folder in `{NAME}`, as in `memory: {{keep: docs/memory.md}}`, and commit it on base"
GAAI = re.compile(r"(?:^|/)\.gaai/(?:.*/)?memory$")
# GAAI's categories that a story can teach something of; its decisions are only ever added to.
CATEGORIES, DECISIONS = ("patterns", "decisions", "project"), "decisions"
LINK, FOLDER, SUBMODULE = "120000", "040000", "160000"
MOST_LINKS = 10
TEXTS = (".md", ".mdc", ".markdown", ".txt")
HEADER = re.compile(r"\|\s*File\s*\|\s*Category\s*\|", re.I)


class MemoryPlace(NamedTuple):
    """A place where memory is kept: its form, and its path from the root."""

    form: Literal["file", "folder", "gaai"]
    path: str

    def home_of(self, entry_category: str, story_id: str) -> str:
        """Return the file that what a story taught is added to."""
        if self.form == "file":
            return self.path
        name = f"story-{story_id}.md"
        if self.form == "folder":
            return f"{self.path}/{name}"
        category = entry_category if entry_category in CATEGORIES else CATEGORIES[0]
        return f"{self.path}/{category}/{name}"

    def may_replace(self, path: str) -> bool:
        """Whether a line of this file may give way to another."""
        return self.form != "gaai" or not path.startswith((f"{self.path}/{DECISIONS}/", f"{self.path}/index.md"))


def find_place(git: Git, commit: str, keep: str) -> MemoryPlace:
    """Return where memory is kept, as a commit has it; a BatonError where it is nowhere, or leads out."""
    names = [keep] if keep else [one for one in KNOWN if _mode(git, commit, one)]
    if not names:
        raise BatonError(f"nowhere to keep it: base has none of {', '.join(KNOWN)}", "memory", REMEDY)
    path = _followed(git, commit, names[0].rstrip("/"))
    mode = _mode(git, commit, path)
    if mode == SUBMODULE:
        raise BatonError("memory is kept in a submodule", path, REMEDY)
    if mode != FOLDER and (mode or not keep.endswith("/")):
        if not path.endswith(TEXTS):
            raise BatonError(f"no text file: its name ends in none of {', '.join(TEXTS)}", path, REMEDY)
        return MemoryPlace("file", path)
    return MemoryPlace("gaai" if GAAI.search(path) else "folder", path)


def _mode(git: Git, commit: str, path: str) -> str:
    return git.do("ls-tree", commit, "--", path).split(" ")[0]


def _followed(git: Git, commit: str, path: str) -> str:
    """Follow the links on the way to a path, within the repository."""
    for _ in range(MOST_LINKS):
        parts = path.split("/")
        above = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        link = next((one for one in above if _mode(git, commit, one) == LINK), "")
        if not link:
            return path
        target = (git.blob(commit, link) or b"").decode(errors="surrogateescape")
        rest = path[len(link) :]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(link), target)) + rest
        if target.startswith("/") or path.split("/")[0] in ("..", ".git"):
            raise BatonError(f"a link that leads out of the repository ({target})", link, REMEDY)
    raise BatonError("links that lead in a circle", path, REMEDY)


def read_memory(git: Git, commit: str, place: MemoryPlace) -> dict[str, str]:
    """Return the texts of memory by their path; bytes that are no UTF-8 stay what they are."""
    if place.form == "file":
        found = {place.path: git.blob(commit, place.path) or b""}
    else:
        below = files_in(git, commit, place.path)
        found = {f"{place.path}/{name}": data for name, data in below.items() if name.endswith(TEXTS)}
        found = {path: data for path, data in found.items() if ".example." not in path}
    for path, data in found.items():
        if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise BatonError("UTF-16", path, "save it as UTF-8 on base")
    return {path: data.decode(errors="surrogateescape") for path, data in found.items()}


def begin_file(place: MemoryPlace, path: str, story_id: str, day: str) -> str:
    """Return what a new file of memory begins with."""
    if place.form == "file":
        return ""
    if place.form == "folder":
        return f"# Story {story_id}\n\n"
    category = path.removeprefix(f"{place.path}/").partition("/")[0]
    head = f"type: memory\ncategory: {category}\nid: {_id(category, story_id)}\ntags:\n  - story-{story_id}\n"
    return f"---\n{head}created_at: {day}\nupdated_at: {day}\n---\n\n# Story {story_id}\n\n"


def with_index(place: MemoryPlace, files: Mapping[str, str], path: str, story_id: str, day: str) -> dict[str, str]:
    """Return GAAI's index with a row for a file, once; nothing where the form has none."""
    name, index = path.removeprefix(f"{place.path}/"), f"{place.path}/index.md"
    if place.form != "gaai" or f"`{name}`" in files.get(index, ""):
        return {}
    category = name.partition("/")[0]
    row = f"| `{name}` | {category} | {_id(category, story_id)} | {day} |"
    text = files.get(index, "")
    lines = text.split("\n")
    heads = [one.number for one in read_outline(text) if not one.fenced and HEADER.match(one.text)]
    if not heads:
        table = f"| File | Category | ID | Last updated |\n|---|---|---|---|\n{row}\n"
        return {index: f"{text}{'' if text.endswith(chr(10)) or not text else chr(10)}\n{table}".lstrip("\n")}
    at = heads[0]
    while at < len(lines) and lines[at].lstrip().startswith("|"):
        at += 1
    lines.insert(at, row + ("\r" if lines[at - 1].endswith("\r") else ""))
    return {index: "\n".join(lines)}


def _id(category: str, story_id: str) -> str:
    return f"{category.upper()}-STORY-{story_id}"
