"""Find the top of a work tree and its git folders by their files, as gitrepository-layout(5) has them.

They are asked for at most events of the client, and before every call of an agent: git is not started for them.
"""

import os


def top_of(folder: str) -> str:
    """Return the top of the work tree that an absolute path lies in; nothing outside of one."""
    while folder.startswith("/") and not os.path.lexists(os.path.join(folder, ".git")):
        folder = os.path.dirname(folder) if folder != "/" else ""
    return folder if folder.startswith("/") else ""


def common_dir(git: str) -> str:
    """Return the git folder that all work trees share, from the `.git` of one of them."""
    git = named_git_dir(git) or git  # a linked work tree, or a submodule
    try:
        if os.path.isfile(shared := os.path.join(git, "commondir")):
            git = os.path.join(git, _first_line(shared))
    except (OSError, ValueError):
        pass
    return git


def named_git_dir(link: str) -> str:
    """Return the git folder that the file `.git` of a work tree names; nothing where there is no such file."""
    try:
        path = _first_line(link)
    except (OSError, ValueError):  # mostly a folder: the user's own checkout
        return ""
    return os.path.normpath(os.path.join(os.path.dirname(link), path[8:])) if path.startswith("gitdir: ") else ""


def _first_line(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.readline().rstrip("\n")
