"""Run each detected command once on base, in a check tree of baton's own, as stories run it later."""

import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from baton.artifacts.config import Command
from baton.checks.check_tree import CheckTree, check_tree, trees_folder
from baton.checks.cleanup import hooks_made, remove_trees
from baton.checks.failures import first_error
from baton.checks.job import Checks
from baton.checks.result import Outcome
from baton.journal.lock import hold_lock
from baton.journal.paths import Project
from baton.project.missing_programs import missing_programs
from baton.text import join_words

OWNER = "init"
# All of them together: an install and a test suite take minutes, and for longer nobody sits and waits.
TRY_SECONDS = 600
TELL_SECONDS = 5
# The shell found no program, or could not start it (POSIX, 2.8.2 Exit Status); alone or through a runner of
# scripts, which says so last.
NOT_FOUND = re.compile(r"\b(?:Error|exit (?:code|status)):? 12[67]\b")
NO_DEVICE = "(?:no such device or address|device not configured)"  # of Linux and macOS, for a `/dev/tty`
NO_TERMINAL = re.compile(
    r"(?i)\bnot a (?:tty|terminal)\b|inappropriate ioctl for device"
    rf"|/dev/tty\b.*{NO_DEVICE}|{NO_DEVICE}.*/dev/tty\b"
)
REMEDY = "add that to `.gitignore`, or commit it if it is a lock file"
FEW = 3


class Tried(NamedTuple):
    """The result of a command on base, and the end of its output or why it was not run."""

    name: str
    how: str
    why: str = ""

    @property
    def unfit(self) -> str:
        """The reason it cannot be among a project's checks; empty for one that ran, with any result."""
        return f"{self.how}: {self.why}" if self.how in ("cannot run here", "changes files") else ""


class Trial(NamedTuple):
    """The results of the commands, and warnings on files that they leave and hooks that the set-up changed."""

    tried: Sequence[Tried] = ()
    warnings: Sequence[str] = ()


def try_commands(
    project: Project, commit: str, commands: Sequence[Command], tell: Callable[[str], None], deadline: float
) -> Trial:
    """Run commands on a commit, each once, until a monotonic time; cleans up, also when it is interrupted."""
    setup = [command for command in commands if command.step == "setup"]
    others = [command for command in commands if command.step != "setup"]
    tried, makers = list[Tried](), dict[str, str]()
    with _tree_for(project) as tree:
        for command in others:
            build = [other for other in others if other.step == "build" and Tried(other.name, "passed") in tried]
            ground = [*setup, *build]
            checks = Checks(project, tree.kept / "tried", commit, [*ground, command], TRY_SECONDS, owner=OWNER)
            outcome = _outcome(checks, deadline, tell)
            if outcome is None or outcome.name != command.name:
                missing = missing_programs(commands, tree.path, [tree])
                tried += _not_run(outcome, others[others.index(command) :], missing)
                break
            changed = tree.git("diff", "--name-only", "--ignore-submodules=all").splitlines()
            tried.append(_read(outcome, changed))
            makers |= dict.fromkeys(tree.spared, "setup")
            makers |= dict.fromkeys([name for name in tree.untracked() if name not in makers], command.name)
        passed = [Tried(command.name, "passed") for command in setup if len(tried) == len(others) and others]
        return Trial([*passed, *tried], _left(project, makers))


@contextmanager
def _tree_for(project: Project) -> Iterator[CheckTree]:
    """Hold the check tree for trying commands, and remove it afterwards."""
    tree = check_tree(project.common, OWNER)
    with hold_lock(trees_folder(project.common) / ".init.lock", "trying the commands", 0):
        try:
            yield tree
        finally:
            remove_trees(project, OWNER)
            shutil.rmtree(tree.kept, ignore_errors=True)


def _outcome(checks: Checks, deadline: float, tell: Callable[[str], None]) -> Outcome | None:
    """Run a job, telling its progress; returns the outcome of its last command, or None when time is up."""
    try:
        outcomes = checks.begin()
        while outcomes is None and (left := deadline - time.monotonic()) > 0:
            outcomes = checks.wait(min(left, TELL_SECONDS))
            if outcomes is None:
                tell(checks.progress(time.time()))
    finally:
        checks.stop()
    return outcomes[-1] if outcomes else None


def _not_run(
    outcome: Outcome | None, commands: Sequence[Command], missing: Mapping[Command, str]
) -> Iterator[Tried]:
    """Give the rest as not tried, with why: time is up, the set-up failed, or the tree cannot be used.

    One whose program is missing cannot run here, whatever kept it from being tried.
    """
    why = f"not done within {TRY_SECONDS // 60} minutes"
    if outcome:
        why = f"{outcome.name} failed" if outcome.name == "setup" else _reason(outcome)
        if outcome.name == "setup":
            yield _read(outcome, [])
    for command in commands:
        lack = missing.get(command)
        yield Tried(command.name, *(("cannot run here", lack) if lack else ("not tried", why)))


def _read(outcome: Outcome, changed: Sequence[str]) -> Tried:
    """Return a command's result, by its exit code, its last lines and the files it changed."""
    why, end = _reason(outcome), "\n".join(outcome.tail.splitlines()[-FEW:])
    if changed:
        return Tried(outcome.name, "changes files", join_words(changed, FEW))
    if outcome.ended == "no-folder":
        return Tried(outcome.name, "not tried", "base has no such folder")
    if outcome.code == 0:
        return Tried(outcome.name, "passed")
    if outcome.code in (126, 127) or NOT_FOUND.search(end) or NO_TERMINAL.search(outcome.tail):
        return Tried(outcome.name, "cannot run here", why)
    return Tried(outcome.name, "failed", why)


def _reason(outcome: Outcome) -> str:
    return first_error(outcome.shown) or f"exit code {outcome.code}"


def _left(project: Project, makers: Mapping[str, str]) -> list[str]:
    """Return warnings on files that git does not ignore, with the command that made them, and on git's hooks."""
    warnings, hooks = list[str](), hooks_made(project, OWNER)
    for name in dict.fromkeys(makers.values()):
        files = join_words([file for file, maker in makers.items() if maker == name], FEW)
        warnings.append(f"{name} makes {files}, which git does not ignore: {REMEDY}")
    return [*warnings, *([f"setup changes git's hooks in {hooks[0]}"] if hooks else [])]
