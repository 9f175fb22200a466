"""The project's settings, as committed on base, and those confirmed on this machine."""

import json
import os
from contextlib import suppress
from shlex import quote
from typing import NamedTuple

from baton.artifacts.config import CONFIG_FILE, Config
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.git_refusals import FETCH_LOST, GitRefused
from baton.journal.atomic_file import write_durably
from baton.journal.lock import hold_lock
from baton.journal.paths import Project

# How the branches begin that stories and the client's agents have.
OWN_BRANCHES = ("story/", "worktree-agent-")


class ConfirmedSettings(NamedTuple):
    """The mode and the commands that the user confirmed for this repository on this machine."""

    mode: str = ""
    commands: tuple[str, ...] = ()


class Settings(NamedTuple):
    """The base branch, which stories start from and are merged into, and the configuration committed on it."""

    base: str
    config: Config


def find_base(git: Git) -> str:
    """Guess the branch stories start from and merge to: origin's head, main, master, or the only one.

    Never another that is checked out: it may be a stranger's, with their settings.
    """
    origin = git.ask("symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD").out.strip()
    candidates = (origin.removeprefix("origin/"), "main", "master")
    usual = next((branch for branch in candidates if branch and git.branch_commit(branch)), "")
    return usual or _only_branch(git)


def _only_branch(git: Git) -> str:
    """Return the only branch beside those of stories and runs; a BatonError where there are several."""
    if not git.commit_of("HEAD"):
        return ""
    refs = git.refs("%(refname)", "refs/heads/", "refs/remotes/")
    names = {ref.split("/", 2 if ref.startswith("refs/heads/") else 3)[-1] for ref in refs} - {"HEAD"}
    names = {name for name in names if not name.startswith(OWN_BRANCHES)}
    if len(names) > 1:
        call = "`git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/BRANCH`, with a branch that is here"
        remedy = f"`git remote set-head origin -a`; or, without origin, {call}"
        raise BatonError("it is unclear which branch is the base", str(git.project.root), remedy)
    return next((name for name in names if git.branch_commit(name)), "")


def read_settings(git: Git, base: str, made_at: str = "") -> Settings:
    """Return the base branch and the configuration committed on it; `base` is that of a started story.

    `made_at` is the commit it began from, at which a base that is gone can be recreated.
    """
    if base:
        if not git.branch_commit(base):
            if "broken ref" in git.ask("for-each-ref", f"refs/heads/{base}").err:  # of a lost commit, it says so
                raise GitRefused(f"git cannot read where {base} is", str(git.project.root), FETCH_LOST)
            what = f"no branch {base} to merge the story into"
            raise BatonError(what, str(git.project.root), f"make it: {way_to(git, base, made_at)}")
        return Settings(base, config_on(git, base) or Config())
    branch = find_base(git)
    config = config_on(git, branch) if branch else None
    if config is None or config.base in ("", branch):
        return Settings(branch, config or Config())
    if not git.branch_commit(config.base):
        remedy = f"make it, {way_to(git, config.base)}, or correct `base:` and commit it on {branch}"
        raise BatonError(f"no branch {config.base}", f"{CONFIG_FILE} on {branch}", remedy)
    return Settings(config.base, config_on(git, config.base) or Config(base=config.base))


def way_to(git: Git, branch: str, commit: str = "") -> str:
    """Return the command that creates a missing branch: from a remote if there is one, else at `commit`."""
    remotes = git.do("remote").splitlines()
    known = next((remote for remote in remotes if git.commit_of(f"refs/remotes/{remote}/{branch}")), "")
    if remotes and not known:
        return f"`git fetch {quote(remotes[0])} {quote(f'{branch}:{branch}')}`"
    start = f"{known}/{branch}" if known else commit
    return f"`git branch {quote(branch)}{f' {quote(start)}' if start else ''}`"


def config_on(git: Git, branch: str) -> Config | None:
    """Return the configuration committed on a branch; None where there is none."""
    text = git.committed_text(branch, CONFIG_FILE)
    if text is None:
        return None
    from baton.artifacts.load_config import (  # a call that only waits reads none
        digest_of,
        fill_defaults,
        load_config,
    )

    # To hold it against its schema costs more than all else of a call. That a text was found valid is kept by its
    # digest, and nothing of what it says: that is read from the text each time.
    mark = git.project.state / "valid" / digest_of(text)
    known = mark.exists()
    value = load_config(text, f"{CONFIG_FILE} on {branch}", known)
    if not known and git.project.state.is_dir():
        with suppress(BatonError):
            write_durably(mark, b"", git.project.common)
    return fill_defaults(value)


def iterations_in_environment() -> int | None:
    """Return MAX_ITERATIONS, or None where it is not set."""
    text = os.environ.get("MAX_ITERATIONS", "")
    if not text:
        return None
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise BatonError(f"MAX_ITERATIONS is {text!r}", "the environment", "a number from 1 to 100, or unset it")
    return int(text)


def read_confirmed(project: Project) -> ConfirmedSettings:
    """Read the settings confirmed on this machine; empty where the file is missing."""
    path = project.state / "confirmed.json"
    if not path.exists():
        return ConfirmedSettings()
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return ConfirmedSettings(str(value["mode"]), tuple(map(str, value["commands"])))
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise BatonError(f"unreadable ({error})", str(path), "remove it; you will be asked again") from error


def confirm(project: Project, commands: str = "", mode: str = "") -> None:
    """Add a confirmed digest of commands, or a mode, to those kept beside the journals."""
    with hold_lock(project.state / "confirmed.lock", "keeping an answer"):
        before = read_confirmed(project)
        known = dict.fromkeys((*before.commands, *([commands] if commands else [])))
        value = {"mode": mode or before.mode, "commands": list(known)}
        write_durably(project.state / "confirmed.json", json.dumps(value, indent=1) + "\n", project.common)
