"""Git, as the program uses it: porcelain a user could type, nothing forced, every path literal."""

import os
import re
from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, TypedDict, Unpack

from baton.errors import BatonError
from baton.git.discover import plain_work_tree
from baton.git.git_refusals import UNRELATED_HISTORIES, no_work_tree, refusal_of
from baton.journal.paths import Project

# What starts git is imported where it is started: most calls of `next` only wait, and ask git nothing.
if TYPE_CHECKING:
    from baton.git.object_store import ObjectStore
    from baton.process import Result

# What speaks with a remote; only these, and the hooks they run, see the user's tokens.
REMOTE = ("push", "fetch", "ls-remote")
# What git says, before it does anything, while another makes a work tree; how often it is called again, how soon.
HALF_MADE, TRIES, PAUSE_S = re.compile(r"failed to read (?:\S*/)?worktrees/"), 40, 0.05
# For git called in its own folder: where the user set safe.bareRepository, it takes none that is not named
# (git-config(1)).
IN_GIT_DIR = "--git-dir=."
# A checkout of a large repository, with the user's own hooks.
CHECKOUT_SECONDS = 1800.0


class How(TypedDict, total=False):
    """Options of a call of git, as `run_git` takes them."""

    seconds: float
    stdin: bytes
    index: Path | None
    literal: bool


def verb_of(arguments: Sequence[str]) -> str:
    """Return the command among the words of a call, which settings may come before."""
    pairs = pairwise(("", *arguments))
    return next((word for before, word in pairs if not word.startswith("-") and before != "-c"), "")


def run_git(
    cwd: Path,
    *arguments: str,
    seconds: float = 120,
    literal: bool = True,
    stdin: bytes = b"",
    index: Path | None = None,
    apart: bool = False,
) -> "Result":
    """Run git in `cwd`, `apart` as any program; the caller judges its code. `index`: not the work tree's own."""
    from baton.git.call_git import call_git, git_environment, git_words

    verb = verb_of(arguments)
    words, environment = git_words(*arguments, literal=literal), git_environment(verb in REMOTE)
    if index:
        environment["GIT_INDEX_FILE"] = str(index)
    for _ in range(TRIES):
        result = call_git(cwd, verb, words, environment, seconds, stdin, apart)
        if result.code == 0 or not HALF_MADE.search(result.said):
            break
        sleep(PAUSE_S)
    return result


def find_project(start: Path) -> Project:
    """Find the work tree `start` lies in, a run's too; a BatonError when there is none."""
    if not start.is_dir():
        raise BatonError("no such folder", str(start), "give one that is there, inside a git work tree")
    if project := plain_work_tree(start):
        return project
    wanted = ("--show-toplevel", "--git-dir", "--git-common-dir")
    answer = run_git(start, "rev-parse", "--path-format=absolute", *wanted)
    if answer.code != 0:
        raise no_work_tree(
            start, answer, run_git(start, "rev-parse", "--is-bare-repository", "--absolute-git-dir")
        )
    places = answer.out.split("\n")[:-1]
    if len(places) != len(wanted):  # a path with a line break in it
        places = [run_git(start, "rev-parse", "--path-format=absolute", option).out[:-1] for option in wanted]
    root, git_dir, common = map(Path, places)
    return Project(root, git_dir, common)


def project_at(top: Path) -> Project:
    """Return the work tree with this top folder; a BatonError where git would take a tree above it instead."""
    project = find_project(top)
    if os.path.realpath(project.root) != os.path.realpath(top):
        raise BatonError("a work tree that lost its link to git", str(top), "`git worktree repair`")
    return project


def git_works(cwd: Path) -> bool:
    """Whether git works here at all: else there is no point in asking about what it refuses."""
    return run_git(cwd, "rev-parse", "--git-dir").code == 0


def listed_trees(common: Path) -> list[dict[str, str]]:
    """Return what git lists of each work tree, the main one first: `worktree` (its path), `HEAD`, `branch`."""
    listed = run_git(common, IN_GIT_DIR, "worktree", "list", "--porcelain", "-z")
    if listed.code != 0:
        raise refusal_of("worktree list", listed, common)
    entries = [text.split("\0") for text in listed.out.split("\0\0")[:-1]]
    return [dict(line.partition(" ")[::2] for line in entry) for entry in entries]


class Git:
    """Git in one work tree."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._store: ObjectStore | None = None

    @property
    def store(self) -> "ObjectStore":
        """The store that reads and makes objects here; one for all of a thread in this work tree."""
        if self._store is None:
            from baton.git.call_git import store_at

            self._store = store_at(self.project.root)
        return self._store

    def ask(self, *arguments: str, no: Collection[int] = (1,), **how: Unpack[How]) -> "Result":
        """Run a command that may answer no, by one of the exit codes `no`; a BatonError quotes any other failure.

        Git ends with 128 where it could not look: taken for a no, a setting that is there would count as none.
        """
        where = self.project.root
        answer = run_git(where, *arguments, **how)
        if answer.code != 0 and answer.code not in no:
            raise refusal_of(verb_of(arguments), answer, where)
        return answer

    def do(self, *arguments: str, **how: Unpack[How]) -> str:
        """Run a command that must succeed and return its output; a BatonError quotes what git said."""
        return self.ask(*arguments, no=(), **how).out

    def find(self, name: str) -> str:
        """Return the id of the object a name leads to, or nothing when there is none."""
        if target := self.store.find(name):
            return target.id
        answer = self.ask("rev-parse", "--verify", "--quiet", "--end-of-options", name)
        return answer.out.strip() if answer.code == 0 else ""

    def refs(self, form: str, *prefixes: str) -> list[str]:
        """Return each ref below some prefixes, or each there is, in a form; a name may hold a line separator."""
        return self.do("for-each-ref", f"--format={form}", *prefixes).split("\n")[:-1]

    def commit_of(self, revision: str) -> str:
        """Return the commit a revision names, or nothing when there is none."""
        return self.find(f"{revision}^{{commit}}")

    def branch_commit(self, branch: str) -> str:
        """Return the commit a local branch points at, or nothing when there is no such branch."""
        return self.commit_of(f"refs/heads/{branch}")

    @property
    def branch(self) -> str:
        """The branch that is checked out, or nothing on a detached HEAD."""
        answer = self.ask("symbolic-ref", "--quiet", "--short", "HEAD")
        return answer.out.strip() if answer.code == 0 else ""

    @property
    def has_identity(self) -> bool:
        """Whether git knows the committer and the author."""
        return all(self.ask("var", f"GIT_{who}_IDENT", no=(128,)).code == 0 for who in ("COMMITTER", "AUTHOR"))

    def has(self, path: str, commit: str = "HEAD") -> bool:
        """Whether a commit holds this path, be it there or deleted in the work tree."""
        return bool(self.find(f"{commit}:{path}"))

    def ignored_by(self, path: str) -> str:
        """Return the line by which git ignores a path, as `.gitignore:1:*.log`; nothing where it does not."""
        return self.ask("check-ignore", "-v", "--", path, no=(1, 128), literal=False).out.partition("\t")[0]

    def committed_text(self, branch: str, path: str) -> str | None:
        """Return a file as it is committed on a branch, or None when it is not there."""
        data = self.blob(f"refs/heads/{branch}", path)
        return None if data is None else data.decode(errors="surrogateescape")

    def blob(self, revision: str, path: str) -> bytes | None:
        """Return a file as a commit or a tree has it, or None where it has no such file."""
        if (read := self.store.read(f"{revision}:{path}")) and read.kind == "blob":
            return read.content
        words = ("cat-file", "blob", f"{revision}:{path}")
        answer = self.ask(*words, no=(128,))
        if answer.code == 0:
            return answer.out.encode(errors="surrogateescape")
        # It says the same of a file that is not there and of one that cannot be read.
        if self.find(revision) and " blob " in self.do("ls-tree", revision, "--", path).partition("\t")[0]:
            self.do(*words)
        return None

    def contains(self, ancestor: str, descendant: str) -> bool:
        """Whether `descendant` has `ancestor` in its history."""
        answer = self.ask("merge-base", "--is-ancestor", ancestor, descendant, no=(1, 128))
        if answer.code == 128 and self.commit_of(ancestor) and self.commit_of(descendant):
            raise refusal_of("merge-base", answer, self.project.root)
        return answer.code == 0

    def fork_point(self, ours: str, theirs: str) -> str:
        """Return the commit two histories have in common."""
        answer = self.ask("merge-base", ours, theirs)
        if answer.code:
            raise refusal_of("merge-base", answer._replace(err=UNRELATED_HISTORIES), self.project.root)
        return answer.out.strip()

    def changed(self, base: str, head: str) -> list[str]:
        """Return the files that `head` changed since it and `base` parted."""
        out = self.do("diff", "--name-only", "-z", "--no-renames", f"{base}...{head}", "--")
        return [name for name in out.split("\0") if name]

    def merge_of(self, head: str, branch: str) -> str:
        """Return the merge commit that brought `head` to a branch that contains it, or nothing when none did."""
        words = ("log", "--first-parent", "--merges", "--format=%H %P", f"{head}..refs/heads/{branch}", "--")
        entries = [line.split() for line in self.do(*words).splitlines()]
        return next((entry[0] for entry in reversed(entries) if head in entry[2:]), "")
