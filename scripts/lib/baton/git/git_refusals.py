"""Git's refusals in words, and what fixes them without the loss of anything; nothing here calls git."""

import re
from collections.abc import Callable
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, TypeVar

from baton.errors import BatonError

if TYPE_CHECKING:
    from baton.process import Result

T = TypeVar("T")
UNRELATED_HISTORIES = "refusing to merge unrelated histories"
FETCH_LOST = "`git fsck` names what is missing: fetch it from a clone that has it, or take `.git` from a backup"
# What git says, what that means, and what to do. The first that fits; the text may name what the pattern finds.
REFUSALS = (
    (r"Unable to create '(?P<path>[^']+\.lock)': File exists",
     "a lock of git's is there: {path}", "if no git is at work here, delete that file"),
    (r"No space left on device|Disk quota exceeded|write error: .*space|couldn't write '",
     "the disk is full", "make room on it"),
    (r"cannot lock ref '(?P<ref>[^']+)': reference already exists",
     "the commit of {ref} is gone from git's store", FETCH_LOST),
    (r"gpg failed to sign|failed to write commit object|[Cc]ouldn't sign|[Ll]oad key|signing failed",
     "the commit cannot be signed", "unlock your key, or see why the program that signs fails"),
    (r"index file (?:corrupt|smaller|open failed)|bad (?:signature 0x|index file)|unknown index entry",
     "git's index is damaged", "in that folder: `mv \"$(git rev-parse --git-path index)\" index.damaged`, then "
     "`git reset`, which changes no file"),
    (UNRELATED_HISTORIES,
     "base and the story have no commit in common", "base was made anew: bring back the commits it had, or "
     "abandon the story and begin it anew"),
    (r"outside of your sparse-checkout",
     "a file lies outside of what the sparse checkout has", "`git sparse-checkout add FOLDER`, in that folder"),
    (r"(?:smudge|clean|process|external) filter|git[- ]lfs.*not found",
     "a filter of files failed or is not installed, as that of git LFS", "install it, as by `git lfs install`"),
    (r"Please tell me who you are|unable to auto-detect email",
     "git does not know who you are", "`git config user.name NAME` and `git config user.email ADDRESS`"),
    (r"unable to access '(?:https?|ftp):",  # git's own line says why, and is quoted
     "the remote does not let you in, or cannot be reached", "see that `git fetch` works in a terminal"),
    (r"(?P<why>Permission denied \([a-z, -]+\)|Host key verification failed|Could not resolve host"
     r"|Authentication failed|could not read Username|Connection (?:refused|timed out))",
     "the remote does not let you in, or cannot be reached: {why}", "see that `git fetch` works in a terminal"),
    (r"Permission denied|Read-only file system|Operation not permitted|insufficient permission",
     "a file cannot be read or written", "make it yours, or writable"),
    (r"ref updates aborted by hook",
     "a hook of this repository refuses it, `reference-transaction`", "see what that wants"),
    (r"unable to read|bad object|object file .* is empty|is corrupt"
     r"|(?:missing|invalid|corrupt\w*) (?:\w+ )?(?:objects?|blob|tree)\b"
     r"|loose object|invalid sha1|[Nn]ot a valid object|could not parse|bad tree|not a tree object|: bad file\b",
     "an object is missing or damaged in git's store", FETCH_LOST),
)  # fmt: skip
# How it is said that a program of a hook's is not there, or a file of its own: by a shell, git, or what starts it.
NO_PROGRAM = (
    r"(?m): (?:line )?\d+: .*(?:not found|cannot open .*|No such file or directory)$|^`pre-commit` not found"
    r"|^(?:fatal|error): cannot (?:run|exec) |^\S*python[\d.]*: No module named "
    r"|^npm (?:ERR!|error) code E(?!LIFECYCLE)"
    r"|(?i:command not found(?:: |$)|no such command: |\bcommand \"\S+\" not found|failed to spawn: )"
    r"|^make(?:\[\d+\])?: \*\*\* .* Error 12[67]$"
)


def _way_to_work_tree(bare: Path) -> str:
    """Say from where to call baton instead: from here, put right, from a work tree there is, or from a clone."""
    if (bare / "commondir").exists():  # the setting is the main repository's, and holds for its work trees, too
        return "`git config --worktree core.bare false`, here; then call again"
    if bare.name == ".git":  # of a checkout that is one, whatever has set it
        return f"`git -C {quote(str(bare))} config core.bare false`; then call again"
    links = sorted(bare.glob("worktrees/*/gitdir"))
    trees = [(link.parent / link.read_text(encoding="utf-8", errors="replace").strip()).parent for link in links]
    if places := [quote(str(tree)) for tree in trees if tree.is_dir()]:
        return f"call baton from one of its work trees: {', '.join(places[:5])}"
    return f"call baton from a clone of it: `git clone {quote(str(bare))}`"


class GitRefused(BatonError):
    """Git, or a program that it calls, refuses a step in the middle: in a story the user is asked.

    `late`: it did not answer in time, and is not asked again at once.
    """

    def __init__(self, what: str, where: str, remedy: str, late: bool = False) -> None:
        super().__init__(what, where, f"{remedy}, then call again")
        self.fix, self.late = remedy, late


def ask_twice(call: Callable[[], T]) -> T:
    """Do what needs git; once more where git refuses it, but for what did not answer in time."""
    try:
        return call()
    except GitRefused as first:
        if first.late:
            raise
        return call()


def refusal_of(verb: str, answer: "Result", where: Path) -> GitRefused:
    """Return why a command of git's failed, in words, with what fixes it."""
    for pattern, what, remedy in REFUSALS:
        if match := re.search(pattern, f"{answer.err}\n{answer.out}"):
            cause = what.format_map(match.groupdict())
            return GitRefused(f"{cause} (`git {verb}`: {answer.said})", str(where), remedy)
    return GitRefused(f"`git {verb}` failed ({answer.said})", str(where), "fix what git names")


OTHER_OWNER = "detected dubious ownership"
TRUST_COMMAND = "git config --global --add safe.directory "
NO_REPOSITORY = "not a git repository (or any"


def no_work_tree(start: Path, answer: "Result", git_dir: "Result") -> BatonError:
    """Say why no work tree was found from `start`, by what git said of it and of the git folder it lies in.

    `git_dir` is the answer to `rev-parse --is-bare-repository --absolute-git-dir`.
    """
    error = answer.err
    if OTHER_OWNER in error:
        remedy = next(
            (line.strip() for line in error.splitlines() if line.strip().startswith(TRUST_COMMAND)), TRUST_COMMAND
        )
        return BatonError("the folder is another user's, and git does not trust it", str(start), f"`{remedy}`")
    if NO_REPOSITORY in error:
        what = "not inside a git work tree"
        return BatonError(what, str(start), "call baton from one, or `git init` first")
    if git_dir.code == 0:
        bare, _, folder = git_dir.out.rstrip("\n").partition("\n")
        if bare == "true":
            what = "not inside a git work tree but in a bare repository"
            return BatonError(what, str(start), _way_to_work_tree(Path(folder)))
        remedy = "call baton from the work tree it belongs to"
        return BatonError("not inside a git work tree but in git's own folder", str(start), remedy)
    return BatonError(f"git cannot read this repository ({answer.said})", str(start), "fix what git names")
