"""Why git gives no work tree: each case named, with what fixes it."""

from pathlib import Path
from shlex import quote

from baton.errors import BatonError
from baton.process import Result

OWNER = "detected dubious ownership"
EXCEPTION = "git config --global --add safe.directory "
NONE_AT_ALL = "not a git repository (or any"


def no_work_tree(start: Path, answer: Result, git_dir: Result) -> BatonError:
    """Say why no work tree was found from `start`, by what git said of it and of the git folder it lies in.

    `git_dir` is the answer to `rev-parse --is-bare-repository --absolute-git-dir`.
    """
    said = answer.err
    if OWNER in said:
        remedy = next(
            (line.strip() for line in said.splitlines() if line.strip().startswith(EXCEPTION)), EXCEPTION
        )
        return BatonError("the folder is another user's, and git does not trust it", str(start), f"`{remedy}`")
    if NONE_AT_ALL in said:
        what = "not inside a git work tree"
        return BatonError(what, str(start), "call baton from one, or `git init` first")
    if git_dir.code == 0:
        bare, _, folder = git_dir.out.rstrip("\n").partition("\n")
        if bare == "true":
            remedy = f"call baton from a clone of it: `git clone {quote(folder)}`"
            return BatonError("not inside a git work tree but in a bare repository", str(start), remedy)
        remedy = "call baton from the work tree it belongs to"
        return BatonError("not inside a git work tree but in git's own folder", str(start), remedy)
    return BatonError(f"git cannot read this repository ({answer.said})", str(start), "fix what git names")
