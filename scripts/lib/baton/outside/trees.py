"""What a work tree holds, as a git tree: named without a commit, and without touching the user's index."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from baton.errors import BatonError
from baton.outside.git import Git, git_environment
from baton.outside.process import run


def tree_outside(git: Git, folder: str, new_files: list[str]) -> str:
    """Name what the work tree holds outside one folder: its tracked and the named new files."""
    steps = [("read-tree", "HEAD"), ("add", "--update", "--", ".")]
    steps += [("add", "--", *new_files)] if new_files else []
    steps += [("rm", "-r", "--cached", "--quiet", "--ignore-unmatch", "--", folder), ("write-tree",)]
    where = git.project.root
    with _scratch() as scratch:
        index = {**git_environment(), "GIT_INDEX_FILE": str(scratch / "index")}
        for step in steps:
            said = run(("git", "--literal-pathspecs", *step), where, index)
            if said.code != 0:
                raise BatonError(f"`git {step[0]}` failed ({said.said})", str(where), "mend it, then call again")
    return said.out.strip()


@contextmanager
def _scratch() -> Iterator[Path]:
    try:
        made = Path(mkdtemp(prefix="baton-index-"))
    except OSError as error:
        remedy = f"{error.strerror}; set TMPDIR to a folder that can be written to"
        raise BatonError("cannot make a temporary folder", gettempdir(), remedy) from error
    try:
        yield made
    finally:
        shutil.rmtree(made, ignore_errors=True)
