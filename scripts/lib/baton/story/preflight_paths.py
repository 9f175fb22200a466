"""Whether there is room for a story: a folder git will take, and a branch that is nobody else's."""

from pathlib import PurePosixPath

from baton.artifacts.config import NAME
from baton.git.command import Git
from baton.git.history import branches, kind_in

USES = {"submodule": "a submodule", "link": "a symbolic link", "file": "a file"}


def obstacle_in_folder(git: Git, base: str, directory: str) -> tuple[str, str]:
    """Say what keeps stories from living in a folder and how to fix it; two empty strings when nothing does."""
    path = PurePosixPath(directory)
    for one in [*reversed(path.parents[:-1]), path] if path.parts and base else []:
        if use := USES.get(kind_in(git, f"refs/heads/{base}", str(one))):
            remedy = f"make it a folder of this repository, or name another `dir:` in {NAME}, committed"
            return f"stories are to live in {one}, which is {use} on {base}", remedy
    return "", ""


def clashing_branch(git: Git, own: str) -> str:
    """Name a branch that is where a story's would be made; empty when there is none."""
    return next((other for other in branches(git) if names_clash(own, other)), "")


def names_clash(name: str, other: str) -> bool:
    """Whether two branches cannot both be: the same but for case, or one named like a folder of the other.

    Case is let go of everywhere: a clone may come to lie where it makes no difference.
    """
    one, two = name.casefold(), other.casefold()
    return one == two or one.startswith(f"{two}/") or two.startswith(f"{one}/")
