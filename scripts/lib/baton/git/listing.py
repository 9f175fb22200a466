"""All names of a tree, and where its links lead."""

from collections.abc import Iterable, Iterator
from functools import cached_property

from baton.artifacts.file_name import folded_name, is_git_folder
from baton.git.command import Git
from baton.git.object_store import LINK
from baton.git.objects import read_object

# As many as Linux follows (path_resolution(7)).
MOST_LINKS = 40


class Listing:
    """All files and links of a tree, by name; they are listed when somebody asks."""

    def __init__(self, git: Git, tree: str) -> None:
        self.git, self.tree = git, tree

    @cached_property
    def modes(self) -> dict[str, str]:
        """The mode of each file, by its name."""
        rows = self.git.do("ls-tree", "-r", "-z", "--full-tree", self.tree).split("\0")[:-1]
        return {name: about[:6] for about, _, name in (row.partition("\t") for row in rows)}

    @cached_property
    def folders(self) -> set[str]:
        """The names of all folders that hold a file."""
        return {above for name in self.modes for above in folders_above(name)}

    def target(self, name: str) -> str:
        """Return where a link leads, as it is written."""
        return read_object(self.git, f"{self.tree}:{name}").content.decode(errors="surrogateescape")


def end_of(listing: Listing, link: str) -> str | None:
    """Return where a link leads, through whatever other links; None for out of the repository, or git's folder."""
    at, todo, followed = list[str](), link.split("/"), 0
    while todo:
        part = todo.pop(0)
        if (part == ".." and not at) or is_git_folder(part):
            return None
        if part == "..":
            at.pop()
        elif part not in ("", "."):
            at.append(part)
            if listing.modes.get("/".join(at)) == LINK:
                to, followed = listing.target("/".join(at)), followed + 1
                if to.startswith("/"):
                    return None
                if followed > MOST_LINKS:
                    return ""
                at.pop()
                todo = [*to.split("/"), *todo]
    return "/".join(at)


def folders_above(name: str) -> list[str]:
    """Return the folders a file is in, by their names from the top."""
    parts = name.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def name_twins(added: Iterable[str], old: Listing, new: Listing) -> Iterator[tuple[str, str]]:
    """Return added names that some file system takes for another's, with that: by case or unseen characters."""
    if not (parts := dict.fromkeys(part for name in added for part in (name, *folders_above(name)))):
        return
    taken, known = old.modes.keys() | old.folders, dict[str, list[str]]()
    for mode in [*new.modes, *new.folders]:
        known.setdefault(_as_any_system(mode), []).append(mode)
    for name in (part for part in parts if part not in taken):
        if others := [other for other in known.get(_as_any_system(name), ()) if other != name]:
            yield name, others[0]


def _as_any_system(name: str) -> str:
    return "/".join(map(folded_name, name.split("/")))
