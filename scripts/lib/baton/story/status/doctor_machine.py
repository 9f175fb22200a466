"""The checks of what baton runs on: its Python, its hook, its own files, the client, git."""

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from baton.errors import BatonError
from baton.git.command import Git, find_project, project_at
from baton.git.commits import changed_files
from baton.git.discover import plain_work_tree
from baton.git.git_refusals import FETCH_LOST
from baton.git.objects import commit_tree, empty_tree
from baton.git.worktrees import marked_trees
from baton.journal.paths import Project
from baton.project.installed_client import PLUGIN, find_client, is_bare, why_no_hand_in, why_off
from baton.project.settings import read_settings
from baton.rules.pages import check_pages
from baton.story.session.session import StorySession, base_commit_of, tip_of

# What of the plugin's files decides or runs, and how many of them are named.
OWN = ("skills", "agents", "commands", "scripts", "bin", ".claude-plugin")
MOST = 10
# A lock that is older was left behind; less room than this is soon used up.
OLD_SECONDS, LEAST_BYTES = 60, 50_000_000
LOCKS = ("*.lock", "refs/**/*.lock", "worktrees/*/*.lock")


class DoctorResult(NamedTuple):
    """The result of a look: whether all is well, what was seen, and what fixes it."""

    name: str
    ok: bool
    what: str
    remedy: str = ""


def look_at_python() -> Iterator[DoctorResult]:
    yield DoctorResult("python", True, f"{sys.version.split()[0]} at {sys.executable}")


def look_at_hook(_: Project) -> DoctorResult:
    if not (why := why_no_hand_in()):
        return DoctorResult("hook", True, "it lets an agent hand in")
    remedy = "set BATON_PYTHON to another Python 3.11 to 3.14, or install the plugin again"
    return DoctorResult("hook", False, f"it does not let an agent hand in: {why}", remedy)


def look_at_plugin(_: Project) -> DoctorResult:
    """Read every rule, and name the files that are not as the plugin's commit has them."""
    check_pages()
    project = plain_work_tree(PLUGIN)
    if project is None or project.root != PLUGIN:
        return DoctorResult("plugin", True, f"its rules can be read; {PLUGIN} has no git checkout to compare with")
    changed = [
        entry[3:]
        for entry in Git(project).do("status", "--porcelain", "--no-renames", "-z", "--", *OWN).split("\0")
        if entry
    ]
    more = f" and {len(changed) - MOST} more" if len(changed) > MOST else ""
    differs = f"its commit has these otherwise: {', '.join(changed[:MOST])}{more}"
    return DoctorResult("plugin", True, f"its rules can be read; {differs if changed else 'as its commit has it'}")


def look_at_client(project: Project) -> DoctorResult:
    if is_bare(os.environ):
        remedy = "start it without --bare: no story can run there"
        return DoctorResult("client", False, "with --bare it has no Agent tool", remedy)
    version = find_client(project.root, os.environ)
    if not version:
        return DoctorResult("client", True, "Claude Code is not on PATH: run `! baton doctor` in it")
    why = why_off(project.root, version, os.environ)
    what = f"Claude Code {'.'.join(map(str, version))}; stories are driven"
    if why:
        return DoctorResult("client", True, f"{what} by the skills' text, as the module is off: {why}")
    return DoctorResult("client", True, f"{what} by its module, without a model between steps")


def look_at_git_work(project: Project) -> Iterator[DoctorResult]:
    """Name what git would refuse in the middle of a story."""
    git, common = Git(project), project.common
    now = time.time()
    locks = {path for pattern in LOCKS for path in common.glob(pattern) if path.is_file()}
    if old := sorted(str(lock) for lock in locks if now - lock.stat().st_mtime > OLD_SECONDS):
        yield _trouble(f"locks that git left: {', '.join(old)}", "if no git is at work here, delete them")
    refs = (line.split(" ") for line in git.refs("%(objectname) %(refname)", "refs/heads/"))
    if lost := [name for commit, name in refs if not git.store.find(commit)]:
        yield _trouble(f"the commits of these branches are gone: {', '.join(lost)}", FETCH_LOST)
    if shutil.disk_usage(common).free < LEAST_BYTES:
        yield _trouble(f"the disk of {common} is full, or nearly", "make room on it")
    for tree in marked_trees(project):
        if tree.path.is_dir():
            yield from _refused(partial(_look_into, tree.path))
    if git.commit_of("HEAD") and git.has_identity:
        yield from _refused(lambda: commit_tree(git, empty_tree(git), [], "made by baton doctor, to sign"))
    yield from _made_hooks(git)


def _trouble(what: str, remedy: str) -> DoctorResult:
    return DoctorResult("git's work", False, what, remedy)


def _refused(call: Callable[[], object]) -> Iterator[DoctorResult]:
    try:
        call()
    except BatonError as error:
        yield _trouble(f"{error.what} at {error.where}", error.remedy)


def _look_into(tree: Path) -> object:
    return changed_files(Git(project_at(tree)))


def _made_hooks(git: Git) -> Iterator[DoctorResult]:
    """Report a folder of hooks that a fresh work tree lacks, where no set-up can make it."""
    configured = git.ask("config", "--get", "core.hooksPath").out.strip()
    base, config = read_settings(git, "")
    if not configured or Path(configured).is_absolute() or "setup" in config.commands:
        return
    if base and not git.has(configured.strip("/"), f"refs/heads/{base}"):
        what = f"git's hooks are in {configured}, which no fresh work tree has"
        yield _trouble(what, "have `commands: {setup: …}` in .baton.yaml make it")


def story_trouble(story: StorySession) -> tuple[str, str]:
    """Say what git would refuse of one story, and what to do about it; two empty strings for nothing."""
    tip, base = tip_of(story), base_commit_of(story)
    if tip and base and story.git.ask("merge-base", tip, base).code:
        what = f"{story.branch} and {story.settings().base} have no commit in common"
        return what, "bring back the commits base had, or `baton answer` its question with abandon"
    question = story.state.question
    return (
        (question.reason, question.text["question"]) if question and question.rule == "git/refused" else ("", "")
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
