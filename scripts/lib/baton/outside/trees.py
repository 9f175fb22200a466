"""What a work tree holds, as a git tree: named without a commit, and without touching the user's index."""

import hashlib
import json
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from baton.errors import BatonError
from baton.outside.git import Git, git_environment
from baton.outside.process import run

GIT_SECONDS = 600.0
# A commit that is thrown away is nobody's, and the same one whenever it is made of the same.
NOBODY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "baton"), ("EMAIL", "baton@localhost"), ("DATE", "1700000000 +0000"))
}


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


def commit_of_work(git: Git, apart: str, left_out: Collection[str]) -> str:
    """Commit what a work tree holds, on top of its HEAD, where no branch and no index sees it; returns the commit.

    That is its tracked files as they are and the new ones that are not ignored, but for what is `left_out`, a file
    or a folder each. The folder `apart` stays as HEAD has it.
    """
    new = [one for one in git.untracked() if not one.endswith("/") and not _is_of(one, (apart, *left_out))]
    index = git.project.git_dir / "index"
    with _scratch() as scratch:
        if index.exists():  # with what git knows of each file, or all of them would be read
            shutil.copy2(index, scratch / "index")
        steps: list[tuple[tuple[str, ...], list[str]]] = [(("add", "--update", "--", "."), [])]
        if new:
            steps.append((("add", "--pathspec-from-file=-", "--pathspec-file-nul"), new))
        steps += [(("reset", "--quiet", "HEAD", "--", apart), []), (("write-tree",), [])]
        for step, names in steps:
            said = _in_index(git, scratch / "index", step, names)
        words = ("commit-tree", "-p", "HEAD", "-m", "a run's work tree as it is", said.strip())
        return _in_index(git, scratch / "index", words, []).strip()


def _is_of(name: str, places: Collection[str]) -> bool:
    return any(f"{name}/".startswith(f"{one}/") for one in places)


def _in_index(git: Git, index: Path, words: Sequence[str], names: Sequence[str]) -> str:
    """Call git with another index, and names on its stdin; returns what it printed."""
    environment = {**git_environment(), **NOBODY, "GIT_INDEX_FILE": str(index)}
    given = "\0".join(names).encode(errors="surrogateescape")
    where = git.project.root
    said = run(("git", "--literal-pathspecs", *words), where, environment, GIT_SECONDS, given)
    if said.code != 0:
        raise BatonError(f"`git {words[0]}` failed ({said.said})", str(where), "fix that, then call again")
    return said.out


def tree_of(git: Git, revision: str) -> str:
    """Return the id of what a commit holds; nothing where there is no such commit."""
    answer = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{tree}}")
    return answer.out.strip() if answer.code == 0 else ""


def tree_without(git: Git, tree: str, folder: str) -> str:
    """Name what a tree holds outside one folder, whether it has that folder or not."""
    beside = []
    for part in folder.split("/"):
        listed = (one.partition("\t") for one in git.do("ls-tree", "-z", tree).split("\0") if one)
        rows = {name: told for told, _, name in listed}
        inner = rows.pop(part, "")
        beside.append(sorted(rows.items()))
        if not inner.startswith("040000"):
            break
        tree = inner.split()[2]
    return hashlib.sha1(json.dumps(beside).encode(), usedforsecurity=False).hexdigest()


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
