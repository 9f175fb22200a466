"""The checks of a set-up, one by one: git, the repository, and every story's journal."""

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from shutil import which

from baton.artifacts.config import CONFIG_FILE, Language, commands_to_confirm
from baton.checks.check_tree import known_trees
from baton.checks.cleanup import is_over, stale_trees
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.worktrees import marked_trees, own_trees, work_trees
from baton.github.access import find_lacks
from baton.github.client import find_gh
from baton.journal.atomic_file import move_durably
from baton.journal.journal import RESTART
from baton.journal.journal_head import head_of
from baton.journal.lock import check_lock, hold_lock
from baton.journal.paths import Project, validate_story_id
from baton.journal.repository import read_repository_id
from baton.project.missing_programs import missing_programs
from baton.project.settings import read_confirmed, read_settings
from baton.story.begin.preflight import NEWER_GIT, check_story_folder, find_problem, is_old
from baton.story.session.open_story import look_at, read_journal
from baton.story.session.story_files import free_name
from baton.story.status.doctor_machine import (
    DoctorResult,
    look_at_client,
    look_at_git_work,
    look_at_hook,
    look_at_plugin,
    look_at_python,
    removal_command,
    story_trouble,
)
from baton.text import plural


def run_doctor(project: Project, story_id: str = "") -> list[DoctorResult]:
    """Look at the set-up and all journals, or at the journal of one story alone."""
    if story_id:
        return [_journal(project, validate_story_id(story_id))]
    looks = (_settings, _repository, _folder, _state, _run_trees, _check_trees)
    results = [_guarded(look, project) for look in (*_machine_looks(), *looks)]
    # Settings that cannot be read stop several looks, and are one problem.
    results = [
        result
        for at, result in enumerate(results)
        if result.ok or result.what not in {before.what for before in results[:at]}
    ]
    return [
        *look_at_python(),
        *results,
        *_git_work(project),
        *_programs(project),
        *_github(project),
        *_journals(project),
    ]


def look_without_project(folder: Path, fault: BatonError) -> list[DoctorResult]:
    """Look at what every project here needs; `fault` says why this folder is in none."""
    place = Project(folder, folder, folder)
    missing = DoctorResult("repository", False, f"{fault.what} at {fault.where}", fault.remedy)
    return [*look_at_python(), *(_guarded(look, place) for look in _machine_looks()), missing]


def _machine_looks() -> tuple[Callable[[Project], DoctorResult], ...]:
    return look_at_hook, look_at_plugin, _git, _gh, look_at_client


def set_aside_story(project: Project, story_id: str) -> str:
    """Put a journal that cannot be used out of the way, and keep it; returns its new name."""
    path = project.journal(validate_story_id(story_id))
    with hold_lock(path.with_name("lock"), f"baton doctor {story_id} --set-aside"):
        seen = _journal(project, story_id)
        if seen.ok and not project.may_travel(story_id):  # else the remote may have another
            what = f"nothing is wrong with it ({seen.what})"
            raise BatonError(what, str(path), f"`baton next {story_id}` goes on")
        if seen.remedy == RESTART:
            raise BatonError(seen.what, str(path), RESTART)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        kept = free_name(path.with_name(f"journal.aside-{stamp}.jsonl"))
        # Its head last: a journal that was cut must not look whole, whatever ends this call between the two.
        for source, name in ((path, kept), (head_of(path), head_of(kept))):
            if os.path.lexists(source):
                move_durably(source, name, project.common)
    return str(kept)


def _guarded(look: Callable[[Project], DoctorResult], project: Project) -> DoctorResult:
    """Return the result of a look; one that raises a BatonError failed with that."""
    try:
        return look(project)
    except BatonError as error:
        return DoctorResult(
            look.__name__.removeprefix("look_at").strip("_").replace("_", " "),
            False,
            f"{error.what} at {error.where}",
            error.remedy,
        )


def _git(project: Project) -> DoctorResult:
    version = Git(project).do("version").strip()
    old = is_old(version)
    return DoctorResult("git", not old, version, NEWER_GIT if old else "")


def _gh(project: Project) -> DoctorResult:
    if not which("gh"):
        return DoctorResult("gh", True, "not installed: issues and pull requests on GitHub need it")
    return DoctorResult("gh", True, f"version {find_gh(project.root)}")


def _settings(project: Project) -> DoctorResult:
    git, own = Git(project), project.root / CONFIG_FILE
    base, config = read_settings(git, "")
    confirmed = read_confirmed(project)
    mode = config.mode or confirmed.mode or "not chosen yet"
    what = f"base {base or 'unknown'}, integration {mode}, {plural(len(config.commands), 'command')}"
    if base and own.is_file() and own.read_bytes() != (git.blob(f"refs/heads/{base}", CONFIG_FILE) or b""):
        what += f"; {CONFIG_FILE} is read as committed on {base}, not as in your checkout"
    if base and git.has(".gitmodules", f"refs/heads/{base}") and "submodule" not in str(config.commands):
        what += "; submodules stay empty where commands run: `setup: git submodule update --init` would fill them"
    return DoctorResult("settings", True, "; ".join([what, *config.warnings]))


def _git_work(project: Project) -> Iterator[DoctorResult]:
    with suppress(BatonError):  # one that says of the whole repository what is wrong
        yield from look_at_git_work(project)


def _programs(project: Project) -> Iterator[DoctorResult]:
    """Name each command that cannot be run; faults of the settings themselves are found by `_settings`."""
    remedy = f"install it or make it executable, or name another command in {CONFIG_FILE}"
    with suppress(BatonError):
        commands = commands_to_confirm(read_settings(Git(project), "").config, Language())
        for command, what in missing_programs(commands, project.root, known_trees(project.common)).items():
            yield DoctorResult(command.name, False, what, remedy)


def _github(project: Project) -> Iterator[DoctorResult]:
    """Name what is missing where the settings ask for GitHub."""
    git = Git(project)
    with suppress(BatonError):
        config = read_settings(git, "").config
        mode = config.mode or read_confirmed(project).mode
        uses = "ask_on: github" if config.ask_on == "github" else ""
        uses = f"integrate.mode: {mode}" if mode in ("pr", "merge") else uses
        for lack in find_lacks(git) if uses else ():
            yield DoctorResult("github", False, f"`{uses}`: {lack.what}", f"{lack.remedy}, or another setting")


def _repository(project: Project) -> DoctorResult:
    git = Git(project)
    what, remedy = find_problem(git, read_settings(git, "").base)
    if not what and (replaced := git.refs("%(refname:short)", "refs/replace/")):
        what = f"git shows other content than is kept, for {plural(len(replaced), 'object')}"
        remedy = "`git replace --list` names them; `git replace --delete ID` removes what you do not know"
    return DoctorResult("repository", not what, what or "ready for a story", remedy)


def _folder(project: Project) -> DoctorResult:
    git = Git(project)
    base, config = read_settings(git, "")
    what, remedy = check_story_folder(git, base, config.dir)
    return DoctorResult("stories", not what, what or f"they live in {config.dir}/", remedy)


def _state(project: Project) -> DoctorResult:
    for path in sorted(project.state.glob("*.lock")):
        check_lock(path)
    folder = project.state if project.state.exists() else project.common
    if not os.access(folder, os.W_OK):
        return DoctorResult("state", False, f"cannot be written to: {folder}", "make it writable for you")
    name = read_repository_id(project)
    if not name:
        return DoctorResult("state", True, "no story was begun here yet")
    if project.state.stat().st_mode & stat.S_IWOTH:
        remedy = f"`chmod -R o-w {project.state}`"
        return DoctorResult("state", False, f"anybody on this machine may write to {project.state}", remedy)
    return DoctorResult("state", True, f"{plural(len(project.story_ids()), 'journal')} in {project.state}")


def _run_trees(project: Project) -> DoctorResult:
    marked = marked_trees(project)
    stale = [tree for tree in marked if is_over(project, tree.mark.story, tree.path)]
    if not stale:
        return DoctorResult("work trees", True, f"{plural(len(marked), 'run')} at work, nothing left over")
    commands = []
    for tree in stale:
        unlock = f"git worktree unlock {quote(str(tree.path))}; " if tree.locked else ""
        commands.append(removal_command(tree.path, unlock))
    what = f"of stories that are over: {', '.join(str(tree.path) for tree in stale)}"
    return DoctorResult("work trees", False, what, f"look what is in it, then {'; '.join(commands)}")


def _check_trees(project: Project) -> DoctorResult:
    folder = own_trees()
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    if not os.access(nearest, os.W_OK):
        remedy = "make it writable for you, or set XDG_CACHE_HOME to another folder"
        return DoctorResult("check trees", False, f"cannot be made: {nearest} cannot be written to", remedy)
    stale = [str(tree.path) for tree in stale_trees(project)]
    if not stale:
        return DoctorResult("check trees", True, "nothing left over")
    known = {os.path.realpath(tree) for tree in work_trees(project.common)}
    commands = [
        removal_command(Path(path)) if os.path.realpath(path) in known else f"delete {quote(path)}"
        for path in stale
    ]
    what = f"of stories that are over: {', '.join(stale)}"
    return DoctorResult("check trees", False, what, f"look what is in it, then {'; '.join(commands)}")


def _journals(project: Project) -> Iterator[DoctorResult]:
    for story_id in project.story_ids():
        yield _journal(project, story_id)


def _journal(project: Project, story_id: str) -> DoctorResult:
    name = f"story {story_id}"
    try:
        journal = read_journal(project, story_id)
        check_lock(journal.path.with_name("lock"))
    except BatonError as error:
        return DoctorResult(name, False, f"{error.what} at {error.where}", error.remedy)
    what, remedy = ("", "") if journal.torn else story_trouble(look_at(project, story_id))
    if what:
        return DoctorResult(name, False, what, remedy)
    torn = ", its last line torn: the next step puts it right" if journal.torn else ""
    return DoctorResult(name, True, f"{plural(len(journal.records), 'event')}{torn}")
