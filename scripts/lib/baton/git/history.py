"""A repository's branches and history, as they are looked at before a story."""

from baton.git.command import Git

MODES = {"120000": "link", "160000": "submodule", "040000": "folder"}


def branch_names(git: Git) -> list[str]:
    """Return the names of all local branches."""
    return [ref.removeprefix("refs/heads/") for ref in git.refs("%(refname)", "refs/heads/")]


def is_shallow(git: Git) -> bool:
    """Whether the clone lacks older history."""
    return (git.project.common / "shallow").exists()


def is_severed(git: Git, revision: str, other: str) -> bool:
    """Whether a shallow clone lacks the history that joins two commits: which has the other is unknown."""
    if not is_shallow(git):
        return False
    return git.ask("merge-base", revision, other).code != 0


def kind_in(git: Git, revision: str, path: str) -> str:
    """Say what a path is in a commit: a folder, a file, a link, a submodule, or nothing."""
    entry = git.do("ls-tree", revision, "--", path)
    return MODES.get(entry.split(" ")[0], "file") if entry else ""


def folders_in(git: Git, revision: str, folder: str) -> list[str]:
    """Return the folders that a folder of a commit has, named from the root."""
    return git.do("ls-tree", "-d", "-z", "--name-only", revision, "--", f"{folder}/").split("\0")[:-1]


def brought_back(git: Git, base: str, revert: str) -> bool:
    """Whether somebody has reverted the revert since."""
    if not git.commit_of(revert):
        return False  # made elsewhere, and not fetched yet
    words = ("--max-count=1", "--format=%H", f"--grep=^This reverts commit {revert}")
    return bool(git.do("log", *words, f"{revert}..refs/heads/{base}", "--").strip())


def memory_branch(story_id: str) -> str:
    """Return the branch of the lessons of a story."""
    return f"story/{story_id}-memory"


def find_story_branch(git: Git, story_id: str) -> str:
    """Return the ref of the story's branch, here or on a remote; empty for none or several.

    The branch of its lessons is another.
    """
    for pattern in (f"refs/heads/story/{story_id}-*", f"refs/remotes/*/story/{story_id}-*"):
        names = git.refs("%(refname)", pattern)
        names = [name for name in names if not name.endswith(f"/{memory_branch(story_id)}")] or names
        if len({name[name.index("story/") :] for name in names}) == 1:
            return names[0]
    return ""
