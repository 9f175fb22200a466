"""What is asked of a repository before a story: its branches and its history."""

from baton.git.command import Git

MODES = {"120000": "link", "160000": "submodule", "040000": "folder"}


def branches(git: Git) -> list[str]:
    """Return the names of all local branches."""
    names = git.do("for-each-ref", "--format=%(refname)", "refs/heads/").splitlines()
    return [one.removeprefix("refs/heads/") for one in names]


def is_severed(git: Git, revision: str, other: str) -> bool:
    """Whether a shallow clone lacks the history that joins two commits: whether one has the other is unknown."""
    if not (git.project.common / "shallow").exists():
        return False
    return git.ask("merge-base", revision, other).code != 0


def kind_in(git: Git, revision: str, path: str) -> str:
    """Say what a path is in a commit: a folder, a file, a link, a submodule, or nothing."""
    entry = git.do("ls-tree", revision, "--", path)
    return MODES.get(entry.split(" ")[0], "file") if entry else ""
