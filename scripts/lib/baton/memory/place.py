"""Where a project keeps its memory: a file or a folder, as base has it."""

import posixpath
from typing import NamedTuple

from baton.artifacts.config import NAME
from baton.errors import BatonError
from baton.git.command import Git

# Where memory is looked for when the settings do not say.
KNOWN = ("CLAUDE.md", "AGENTS.md", ".gaai/project/contexts/memory")
REMEDY = f"name a file or a folder in `{NAME}`, as in `memory: {{keep: docs/memory.md}}`, and commit it on base"
LINK, FOLDER, SUBMODULE = "120000", "040000", "160000"
MOST_LINKS = 10
TEXTS = (".md", ".mdc", ".markdown", ".txt")


class MemoryPlace(NamedTuple):
    """A file, or a folder with all text files below it, by its path from the root."""

    path: str
    is_folder: bool

    def has(self, path: str) -> bool:
        """Whether a file is part of memory."""
        return path == self.path if not self.is_folder else path.startswith(f"{self.path}/")


def find_place(git: Git, commit: str, keep: str) -> MemoryPlace:
    """Return where memory is kept, as a commit has it; a BatonError where it is nowhere, or leads out."""
    names = [keep] if keep else [one for one in KNOWN if _mode(git, commit, one)]
    if not names:
        raise BatonError(f"nowhere to keep it: base has none of {', '.join(KNOWN)}", "memory", REMEDY)
    path = _followed(git, commit, names[0].rstrip("/"))
    mode = _mode(git, commit, path)
    if mode == SUBMODULE:
        raise BatonError("memory is kept in a submodule", path, REMEDY)
    is_folder = mode == FOLDER or (not mode and keep.endswith("/"))
    if not is_folder and not path.endswith(TEXTS):
        raise BatonError(f"no text file: its name ends in none of {', '.join(TEXTS)}", path, REMEDY)
    return MemoryPlace(path, is_folder)


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
