"""The paths of a project's and a story's files."""

import os
import re
import stat
import unicodedata
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.journal_head import head_of

STORY_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z")
# A pull request, where a verb may be given one in place of a story.
PULL_REQUEST = re.compile(r"pr-([1-9][0-9]{0,9})\Z")
# What lies beside the stories' folders, in lower case; and what may be taken for a pull request.
RESERVED = re.compile(
    r"(?:confirmed\.json|report\.html|repository|valid|baselines|checks|trees|keep|stories|packed|pr-[0-9]+)\Z"
)
# Where pull requests are kept: no story has this name, as those begin with a letter or a digit.
PULLS_FOLDER = ".pull-requests"
SLUG_LENGTH = 40
# The refs stories travel by, here and on the remote, each by its id.
STORIES = "refs/baton/stories"


class Project(NamedTuple):
    """A git work tree: its top folder, its own git folder and the one it shares with its other work trees."""

    root: Path
    git_dir: Path
    common: Path

    @property
    def state(self) -> Path:
        """The folder of all journals, which no branch switch and no `git clean` touches."""
        return self.common / "baton"

    def copy_of(self, folder: str, story_id: str) -> "Folder":
        """The program's own copy of a story's folder, named as in a work tree."""
        return Folder(self.state / story_id / "files", folder, story_id)

    def journal(self, story_id: str) -> Path:
        """The journal of one story."""
        return self.state / story_id / "journal.jsonl"

    def has_story(self, story_id: str) -> bool:
        """Whether a story was begun: it has a journal, or the head of one that was emptied or removed."""
        try:
            status = self.journal(story_id).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return os.path.lexists(head_of(self.journal(story_id)))
        except OSError:  # whoever reads it says why it cannot be read
            return True
        is_empty = stat.S_ISREG(status.st_mode) and not status.st_size
        return not is_empty or os.path.lexists(head_of(self.journal(story_id)))

    def may_travel(self, story_id: str) -> bool:
        """Whether a story may have the ref it travels by, without asking git; True where there is a reftable."""
        ref, packed = f"{STORIES}/{story_id}", self.common / "packed-refs"
        if (self.common / ref).exists() or (self.common / "reftable").exists():
            return True
        return packed.exists() and f" {ref}\n" in packed.read_text(encoding="utf-8", errors="replace")

    def is_story(self, name: str) -> bool:
        """Whether a name is the id of a story that was begun."""
        return bool(STORY_ID.match(name)) and self.has_story(name)

    def story_ids(self) -> list[str]:
        """The ids of all stories that were begun, in natural order."""
        if not self.state.is_dir():
            return []
        return sorted(filter(self.has_story, os.listdir(self.state)), key=natural_sort_key)


class Folder(NamedTuple):
    """A story's folder, `specs/<id>_<slug>`, and the artifacts in it.

    `relative` is from `root`: the top of a work tree, or of the program's copy beside the journal.
    Briefs, return metadata and history are kept beside that copy and never in git.
    """

    root: Path
    relative: str
    story: str

    @property
    def path(self) -> Path:
        return self.root / self.relative

    def artifact(self, kind: str) -> Path:
        """The path of the artifact of `kind`; KeyError for a kind that has no single path."""
        if kind == "return-meta":
            return self.root.parent / ARTIFACTS[kind]
        return self.path / ARTIFACTS[kind].format(id=self.story)

    def brief(self, run_id: str) -> Path:
        """The path of a run's brief."""
        return self.root.parent / "briefs" / f"{run_id}.md"

    def history(self, run_id: str) -> Path:
        """The folder of artifacts that a run handed in and a later one replaces."""
        return self.root.parent / "history" / run_id

    def relative_to_root(self, path: Path) -> str:
        """Return `path` from the root as text; in full where it lies outside."""
        return path.relative_to(self.root).as_posix() if path.is_relative_to(self.root) else str(path)

    @property
    def papers(self) -> "Papers":
        """The story's papers, by their paths."""
        return Papers(self.relative, self.story)

    @property
    def branch(self) -> str:
        """The story branch: `story/<id>-<slug>`."""
        return f"story/{self.path.name.replace('_', '-', 1)}"


ARTIFACTS = {
    "story": "story.md",
    "source": "source/text.md",
    "criteria": "{id}.criteria.md",
    "plan": "{id}.execution-plan.md",
    "plan-blocked": "{id}.plan-blocked.md",
    "impl-report": "{id}.impl-report.md",
    "qa-report": "{id}.qa-report.md",
    "micro-delivery-report": "{id}.micro-delivery-report.md",
    "memory-delta": "{id}.memory-delta.md",
    "return-meta": "return-meta.json",
    "completion-report": "{id}.completion-report.md",
}
# What else baton writes in a story's folder.
MORE_PAPERS = re.compile(r"(?:handoffs/phase-[^/]*-handoff|summaries/implementation-summary)-[^/]*\.md")


class Papers(NamedTuple):
    """The files of a repository that are a story's papers; none where those stay out of git.

    All else in a story's folder counts as code.
    """

    folder: str = ""
    story: str = ""

    def has(self, path: str) -> bool:
        """Whether a path, named from the root, is one of them."""
        inside = path.removeprefix(f"{self.folder}/")
        if not self.folder or inside == path:
            return False
        names = {name.format(id=self.story) for kind, name in ARTIFACTS.items() if kind != "return-meta"}
        return inside in names or inside.startswith("source/") or bool(MORE_PAPERS.fullmatch(inside))


def stamp_of(path: Path) -> tuple[int, ...]:
    """Return a file's size, time and inode, which differ once it has changed; empty where there is no file."""
    try:
        status = path.lstat()
    except OSError:
        return ()
    return status.st_size, status.st_mtime_ns, status.st_ino


def natural_sort_key(story_id: str) -> list[tuple[int, int, str]]:
    """A sort key that puts story 9 before story 10."""
    parts = re.split(r"(\d+)", story_id)
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in parts if part]


def validate_story_id(text: str) -> str:
    """Return `text` back when it is a story id; a BatonError otherwise."""
    if not STORY_ID.match(text) or text.lower().endswith(".lock") or ".." in text or text.endswith("."):
        raise BatonError(
            "not a story id", repr(text), "use letters, digits, '.', '_' or '-', at most 32, as in 42 or E06S41"
        )
    if RESERVED.match(text.lower()):
        raise BatonError("a name that baton itself uses", repr(text), "give the story another id, as 42 or E06S41")
    return text


def slug(title: str) -> str:
    """Make the readable end of a folder's or branch's name from a title: ASCII, never empty."""
    ascii_only = unicodedata.normalize("NFKD", title.replace("ß", "ss")).encode("ascii", "ignore").decode().lower()
    words = re.findall(r"[a-z0-9]+", ascii_only)
    while len(words) > 1 and len("-".join(words)) > SLUG_LENGTH:
        words.pop()
    return "-".join(words)[:SLUG_LENGTH] or "story"


def is_inside(root: Path, name: str) -> bool:
    """Whether a name is that of a file under `root`, with its links followed."""
    try:
        path = (root / name).resolve()
        return path.is_relative_to(root.resolve()) and path.is_file()
    except (OSError, ValueError):  # too long, a loop of links, a NUL: no name a file can have
        return False
