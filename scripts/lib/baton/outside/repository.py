"""What is asked of a repository before a story: its branches, its history, what it ignores and would not take."""

from baton.outside.git import Git, run_git

MODES = {"120000": "link", "160000": "submodule", "040000": "folder"}


def branches(git: Git) -> list[str]:
    """Give the names of all local branches."""
    names = git.do("for-each-ref", "--format=%(refname)", "refs/heads/").splitlines()
    return [one.removeprefix("refs/heads/") for one in names]


def work_trees(git: Git) -> list[str]:
    """Give the paths of all work trees."""
    entries = git.do("worktree", "list", "--porcelain", "-z").split("\0")
    return [one.removeprefix("worktree ") for one in entries if one.startswith("worktree ")]


def strayed(git: Git) -> bool:
    """Whether HEAD has commits that no branch and no tag holds."""
    return bool(git.commit_of("HEAD")) and not git.do("for-each-ref", "--count=1", "--contains", "HEAD").strip()


def unmerged(git: Git) -> list[str]:
    """Give the files whose conflict is not resolved."""
    out = git.do("ls-files", "--unmerged", "--full-name", "-z")
    return list(dict.fromkeys(entry.partition("\t")[2] for entry in out.split("\0") if entry))


def is_severed(git: Git, branch: str, other: str) -> bool:
    """Whether a shallow clone lacks the history that joins two branches: no merge of them could be made."""
    if not (git.project.common / "shallow").exists():
        return False
    return git.ask("merge-base", f"refs/heads/{branch}", f"refs/heads/{other}").code != 0


def kind_on(git: Git, branch: str, path: str) -> str:
    """Say what a path is on a branch: a folder, a file, a link, a submodule, or nothing."""
    entry = git.do("ls-tree", f"refs/heads/{branch}", "--", path)
    return MODES.get(entry.split(" ")[0], "file") if entry else ""


def ignored(git: Git, paths: list[str], tracked_too: bool = False) -> list[tuple[str, str]]:
    """Give those of the paths that git ignores, each with the pattern and where it stands.

    A file that is tracked is not ignored, unless `tracked_too` says to look at the patterns alone.
    """
    flags = ("--no-index",) if tracked_too else ()
    words = ("-c", "core.quotePath=false", "check-ignore", "--verbose", *flags, "--", *paths)
    lines = run_git(git.project.root, *words, literal=False).out.splitlines()
    told = [(path, why) for why, _, path in (line.partition("\t") for line in lines)]
    return [(path, why) for path, why in told if not why.split(":", 2)[-1].startswith("!")]


def refusal_to_add(git: Git, path: str) -> str:
    """Say why git would not take a file into its index; nothing when it would."""
    tried = git.ask("add", "--dry-run", "--", path, no=(1, 128))
    return "" if tried.code == 0 else tried.said
