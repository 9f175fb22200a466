"""Where a project keeps its memory: a file or a folder, as base has it."""

from typing import NamedTuple

from baton.artifacts.config import NAME
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.listing import Listing, end_of

# Where memory is looked for when the settings do not say.
KNOWN = ("CLAUDE.md", "AGENTS.md", ".gaai/project/contexts/memory")
REMEDY = f"name a file or a folder in `{NAME}`, as in `memory: {{keep: docs/memory.md}}`, and commit it on base"
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
