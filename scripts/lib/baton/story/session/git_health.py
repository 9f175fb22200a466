"""Find what git would refuse in the middle of a story, before it does: locks, lost objects, keys, hooks, disks."""

import shutil
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git, find_project, project_at
from baton.git.commits import changed_files
from baton.git.git_refusals import LOST
from baton.git.objects import commit_tree, empty_tree
from baton.git.worktrees import marked_trees
from baton.journal.paths import Project
from baton.project.settings import read_settings
from baton.story.session.session import StorySession, base_commit_of, tip_of

# A lock that is older was left behind; less room than this is soon used up.
OLD_SECONDS, LEAST_BYTES = 60, 50_000_000
LOCKS = ("*.lock", "refs/**/*.lock", "worktrees/*/*.lock")


class Trouble(NamedTuple):
    """Something git would refuse, and what to do about it."""

    what: str
    remedy: str


def git_troubles(project: Project) -> Iterator[Trouble]:
    """Find what git would refuse in this repository."""
    git, common = Git(project), project.common
    now = time.time()
    locks = {path for pattern in LOCKS for path in common.glob(pattern) if path.is_file()}
    if old := sorted(str(lock) for lock in locks if now - lock.stat().st_mtime > OLD_SECONDS):
        yield Trouble(f"locks that git left: {', '.join(old)}", "if no git is at work here, delete them")
    refs = (line.split(" ") for line in git.refs("%(objectname) %(refname)", "refs/heads/"))
    if lost := [name for commit, name in refs if not git.store.find(commit)]:
        yield Trouble(f"the commits of these branches are gone: {', '.join(lost)}", LOST)
    if shutil.disk_usage(common).free < LEAST_BYTES:
        yield Trouble(f"the disk of {common} is full, or nearly", "make room on it")
    for tree in marked_trees(project):
        if tree.path.is_dir():
            yield from _refused(partial(_look_into, tree.path))
    if git.commit_of("HEAD") and git.has_identity:
        yield from _refused(lambda: commit_tree(git, empty_tree(git), [], "made by baton doctor, to sign"))
    yield from _made_hooks(git)


def _refused(call: Callable[[], object]) -> Iterator[Trouble]:
    try:
        call()
    except BatonError as error:
        yield Trouble(f"{error.what} at {error.where}", error.remedy)


def _look_into(tree: Path) -> object:
    return changed_files(Git(project_at(tree)))


def _made_hooks(git: Git) -> Iterator[Trouble]:
    """Report a folder of hooks that a fresh work tree lacks, where no set-up can make it."""
    configured = git.ask("config", "--get", "core.hooksPath").out.strip()
    base, config = read_settings(git, "")
    if not configured or Path(configured).is_absolute() or "setup" in config.commands:
        return
    if base and not git.has(configured.strip("/"), f"refs/heads/{base}"):
        what = f"git's hooks are in {configured}, which no fresh work tree has"
        yield Trouble(what, "have `commands: {setup: …}` in .baton.yaml make it")


def story_trouble(story: StorySession) -> Trouble | None:
    """Say what git would refuse of one story."""
    tip, base = tip_of(story), base_commit_of(story)
    if tip and base and story.git.ask("merge-base", tip, base).code:
        what = f"{story.branch} and {story.settings().base} have no commit in common"
        return Trouble(what, "bring back the commits base had, or `baton answer` its question with abandon")
    question = story.state.question
    return (
        Trouble(question.reason, question.text["question"])
        if question and question.rule == "git/refused"
        else None
    )


def removal_command(tree: Path, unlock: str = "") -> str:
    """Return the command that removes a work tree: git refuses one with changes, and those are in no commit."""
    try:
        changed = bool(changed_files(Git(find_project(tree))))
    except BatonError:
        changed = False
    force = "--force " if changed else ""
    kept = " (what is changed in it is in no commit: copy what you want to keep)" if changed else ""
    return f"`{unlock}git worktree remove {force}{quote(str(tree))}`{kept}"
