"""One tree object is made of a run's tree, under the user's own commit hooks; no ref moves here."""

import re
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.findings import writable_name
from baton.git.command import Git, run_git
from baton.git.git_refusals import NO_PROGRAM, refusal_of
from baton.git.worktrees import main_root
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.process import Result

# A user's hooks may run all their tests.
HOOK_SECONDS = 1800.0
# How long the hooks of one commit are waited for by the next.
LOCK_SECONDS = 900.0
# What git says of a path that it cannot have, whatever is done again; and of any, where it cannot write.
NO_PATH = re.compile(
    "invalid path|unable to index file|beyond a symbolic link|did not match any files"
    "|would be replaced by|BOM is (?:required|prohibited)|failed to encode"
)
NO_STORE = re.compile("No space left|quota exceeded|Read-only file system|temporary file|insufficient permission")
# What a hook ends with that has judged: not one that was killed, or lacks a program.
REFUSES = range(126)
GIT_DIED = 128


class HookFailed(Exception):
    """A hook could not run, and so has judged nothing."""


class Work(NamedTuple):
    """The work of a run, as a tree and the message its commit will have; or what a hook said when it refused.

    `changed` says whether anything differs from the commit the run began from, `message_refused` what the hook for
    messages said when it took none, `broken` why a hook could not run.
    """

    tree: str
    message: str
    changed: bool
    refused: str = ""
    message_refused: str = ""
    broken: str = ""


class WantedCommit(NamedTuple):
    """A commit to be made: its parent, its message, and the new or changed paths that are left out of it.

    `branch` is what HEAD names while the hooks run, empty for none; without `hooks` none are run. `scratch` is an
    index to use in place of the tree's own, which then stays as it is. `fallback` is a message to try where a hook
    refuses the first.
    """

    head: str
    message: str
    leave: Collection[str]
    branch: str = ""
    hooks: bool = True
    merging: bool = False
    scratch: Path | None = None
    fallback: str = ""


def hold_hooks(project: Project, purpose: str) -> AbstractContextManager[None]:
    """Have no other call run hooks meanwhile: they share what they cache, and their programs the machine."""
    return hold_lock(project.state / "commits.lock", f"the commit of {purpose}", LOCK_SECONDS)


def make_work(git: Git, wanted: WantedCommit) -> Work:
    """Stage what lies in a run's tree, run the hooks, and return the tree; nothing is committed."""
    stage_work(git, wanted)
    return run_hooks(git, wanted, changed=bool(staged_files(git, wanted)))


def run_hooks(git: Git, wanted: WantedCommit, *, changed: bool) -> Work:
    """Run the hooks on what is staged, and return the tree as they leave it; nothing is committed."""
    if not (changed or wanted.merging) or not wanted.hooks:
        return Work(staged_tree(git, wanted), wanted.message, changed)
    message = message_refused = refused = broken = ""
    with _head_on(git, wanted.branch):
        try:
            refused = _pre_commit(git, wanted)
            for text in () if refused else filter(None, (wanted.message, wanted.fallback)):
                message, why = _message_hooks(git, text)
                message_refused = message_refused or why
                if message:
                    break
        except (HookFailed, OSError) as failed:  # the latter, where one has taken the message's file away
            broken = str(failed)
        message_refused = "" if message or broken else message_refused
    if refused or message_refused or broken:
        stage_work(git, wanted)
    return Work(staged_tree(git, wanted), message or wanted.message, changed, refused, message_refused, broken)


def stage_work(git: Git, wanted: WantedCommit) -> None:
    """Make the index hold a commit and what lies in the tree on top of it, but for the paths to leave."""
    reset_to(git, wanted.head, wanted.scratch)
    stage_files(git, wanted, changed_files(git, wanted.scratch))


def stage_files(git: Git, wanted: WantedCommit, names: list[str]) -> list[str]:
    """Add what differs from the commit, which the index holds, but for the paths to leave.

    Returns the paths that git does not take, each with what it says of it; they stay out.
    """
    names = [name for name in names if name not in wanted.leave]
    if not names:  # without one, `git add --all` takes all there is (git-add(1))
        return []
    text = "\0".join(names).encode(errors="surrogateescape")
    words = ("add", "--all", "--sparse", "--pathspec-from-file=-", "--pathspec-file-nul")
    answer = git.ask(*words, stdin=text, seconds=HOOK_SECONDS, index=wanted.scratch, no=range(1, 256))
    if answer.code == 0:
        return []
    if not NO_PATH.search(answer.err) or NO_STORE.search(answer.err):
        raise refusal_of("add", answer, git.project.root)
    if len(names) == 1:
        return [f"git does not take `{writable_name(names[0])}`: {answer.said}"]
    middle = len(names) // 2
    return [*stage_files(git, wanted, names[:middle]), *stage_files(git, wanted, names[middle:])]


def reset_to(git: Git, head: str, index: Path | None = None) -> set[str]:
    """Have HEAD and the index name a commit, whatever was committed or staged since; returns what git tracks then.

    Files stay as they are; of an index in place of the tree's own, that alone changes.
    """
    if index:
        git.do("read-tree", "--reset", head, index=index)
    else:
        on_branch = (git.project.git_dir / "HEAD").read_bytes().startswith(b"ref:")
        # A branch that somebody went to would move with the reset (git-reset(1)).
        if on_branch and git.commit_of("HEAD") != head:
            git.do("update-ref", "--no-deref", "HEAD", head)
        git.do("reset", "--quiet", "--mixed", head)
    entries = git.do("ls-files", "-v", "-z", index=index).split("\0")[:-1]
    _look_at_all(git, entries, index)
    return {entry[2:] for entry in entries}


def _look_at_all(git: Git, entries: list[str], index: Path | None) -> None:
    """Have git look at the files too that it was told to take for unchanged; what is not checked out stays so."""
    sparse = any(entry[:1] == "S" for entry in entries) and (
        git.ask("config", "--type=bool", "--get", "core.sparseCheckout").out.strip() == "true"
    )
    hidden = [entry[2:] for entry in entries if entry[:1].islower() or (entry[:1] == "S" and not sparse)]
    text = "\0".join(hidden).encode(errors="surrogateescape")
    for flag in ("--no-assume-unchanged", "--no-skip-worktree") if hidden else ():
        git.do("update-index", flag, "-z", "--stdin", index=index, stdin=text)


def changed_files(git: Git, index: Path | None = None) -> list[str]:
    """Return the tracked files that differ from the index, and the new ones that git does not ignore."""
    words = ("status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames")
    out = git.do(*words, "--ignore-submodules=dirty", index=index)
    return [entry[3:] for entry in out.split("\0") if entry and entry[1] != " "]


def take_files(git: Git, before: str, after: str) -> None:
    """Bring what differs between two trees into a work tree that has the first: what hooks changed elsewhere."""
    names = git.do("diff", "--name-only", "-z", "--no-renames", before, after, "--").split("\0")[:-1]
    paths = {name: git.project.root / name for name in names}
    on_disk = {name: path.read_bytes() if path.is_file() else None for name, path in paths.items()}
    same = [name for name in names if on_disk[name] == git.blob(before, name)]  # the rest was not taken: it stays
    if same:
        git.do("restore", f"--source={after}", "--worktree", "--", *same)


def staged_files(git: Git, wanted: WantedCommit) -> list[str]:
    """Return the files whose staged content differs from the commit's."""
    out = git.do("diff", "--cached", "--name-only", "--no-renames", "-z", wanted.head, "--", index=wanted.scratch)
    return [name for name in out.split("\0") if name]


def missing_hooks(git: Git, made: bool = False) -> str:
    """Name the hooks folder that is configured and not there, so that no hook runs; empty when all is well.

    `made`: only one that something has made in the user's checkout, and would have to make here.
    """
    configured = git.ask("config", "--get", "core.hooksPath").out.strip()
    folder = git.project.root / git.do("rev-parse", "--git-path", "hooks").strip() if configured else None
    if folder is None or folder.exists() or (made and not (main_root(git) / configured).is_dir()):
        return ""
    return str(folder)


def staged_tree(git: Git, wanted: WantedCommit) -> str:
    """Return the tree of what is staged."""
    return git.do("write-tree", index=wanted.scratch).strip()


@contextmanager
def _head_on(git: Git, branch: str) -> Iterator[None]:
    """Have HEAD name a branch while hooks run, for some read its name; it is detached again where it was."""
    if not branch:
        yield
        return
    before = git.commit_of("HEAD")
    git.do("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    try:
        yield
    finally:
        git.do("update-ref", "--no-deref", "HEAD", before)


def _pre_commit(git: Git, wanted: WantedCommit) -> str:
    """Run the pre-commit hook; once more where it refused and has fixed the files itself, as formatters do."""
    for _ in range(2):
        result = _hook(git, "pre-commit")
        if result.code == 0:
            return ""
        if git.ask("diff", "--quiet", "--").code == 0:
            break
        stage_work(git, wanted)
    return result.tail


def _message_hooks(git: Git, message: str) -> tuple[str, str]:
    """Run the hooks that write and judge a message; returns it as they leave it, or why not."""
    path = git.project.git_dir / "COMMIT_EDITMSG"
    path.write_text(f"{message}\n", encoding="utf-8")
    for name, more in (("prepare-commit-msg", ("message",)), ("commit-msg", ())):
        result = _hook(git, name, str(path), *more)
        if result.code != 0:
            return "", result.tail
    text = path.read_text(encoding="utf-8", errors="replace")
    kept = git.do("stripspace", "--strip-comments", stdin=text.encode()).strip()
    return (kept, "") if kept else ("", "a commit hook left the message empty")


def _hook(git: Git, name: str, *arguments: str) -> Result:
    words, index = ("hook", "run", "--ignore-missing", name, "--", *arguments), git.project.git_dir / "index"
    # Not with literal pathspecs: a hook's own git would inherit that (git(1)), and find no `*.py`.
    run = partial(run_git, git.project.root, *words, seconds=HOOK_SECONDS, literal=False, index=index)
    if folder := missing_hooks(git, made=True):
        raise HookFailed(f"git's hooks are in {folder}, which is in your checkout and not in this tree")
    if (result := run()).code == GIT_DIED:  # git's own failure is no word of the hook
        result = run()
    if result.code not in REFUSES or (result.code and re.search(NO_PROGRAM, result.tail)):
        raise HookFailed(f"the {name} hook ended with {result.code}: {result.tail}")
    return result
