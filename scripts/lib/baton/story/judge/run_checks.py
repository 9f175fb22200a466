"""`baton check`: the project's commands, on a run's work tree as it is, in the story's check tree."""

import json
import os
import shlex
import time
from collections.abc import Sequence

from baton.artifacts.config import Command, commands_digest
from baton.checks.check_tree import CheckTree, read_record
from baton.checks.child_environment import command_environment, with_installed, without_trees
from baton.checks.job import Checks, is_running
from baton.checks.logged_process import end_at_sigterm, run_logged
from baton.checks.manifests import setup_digest
from baton.checks.result import Outcome
from baton.errors import BatonError
from baton.git.worktrees import RunMark, other_trees, read_mark
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project
from baton.journal.run import Run
from baton.project.settings import read_confirmed
from baton.story.checks.compare_checks import STEPS, Subject, subject_of
from baton.story.run.run_work import work_as_it_is
from baton.story.session.open_story import look_at
from baton.story.session.session import StorySession, commands_for

AT_COMMAND_LINE = "the command line"


def own_check(project: Project, words: Sequence[str], again: bool = False) -> Checks:
    """Return the check of the run's work tree `project` by what was asked for; a BatonError where it cannot be.

    It is the newest of these commands on this tree, or, `again`, one more once that has ended.
    """
    story, commit = _own_work(project)
    subject = subject_of(story)
    return _newest(subject, commit, _chosen(subject, commit, words), again)


def set_up(project: Project) -> tuple[Outcome, bool]:
    """Run the project's setup in the run's own work tree, where it needs its tools; return how it went.

    The second tells whether that is kept: what the setup reads is as it was when it last ran there.
    """
    story, commit = _own_work(project)
    setup = next((command for command in commands_for(story) if command.step == "setup"), None)
    if setup is None:
        what = f"no setup is configured on {story.settings().base}"
        raise BatonError(what, ".baton.yaml", "your tree has all that the project says it needs")
    root, record, log = project.root, project.git_dir / "baton-setup.json", project.git_dir / "baton-setup.log"
    tree = CheckTree(project.common, story.id, root)
    digest = setup_digest(setup.line, story.git.find(f"{commit}^{{tree}}"), root, tree.entries(commit))
    if read_record(record).get("digest") == digest:
        return Outcome("setup", 0, 0.0, log), True
    before, began = tree.differing(), time.monotonic()
    environment = without_trees(command_environment(os.environ), str(root), other_trees(project.common, root))
    limit = story.settings().config.command_timeout_s
    end_at_sigterm()
    words = ["sh", "-c", setup.line]  # a shell line by contract; the user confirmed it, word for word
    code, ended = run_logged(str(log), words, str(root), with_installed(environment, str(root)), limit)
    if code == 0:
        write_durably(record, json.dumps({"digest": digest}), project.git_dir)
    wrote = tuple(name for name in tree.differing() if name not in before)
    return Outcome("setup", code, round(time.monotonic() - began, 1), log, ended, wrote), False


def _own_work(project: Project) -> tuple[StorySession, str]:
    """Return the story of the run whose tree this is, whose commands are confirmed, and its work as a commit."""
    mark = _mark(project)
    story = _story(project, mark.story)
    base, commands = story.settings().base, commands_for(story)
    if not commands:
        raise BatonError(f"no command is configured on {base}", ".baton.yaml", "there is nothing to check")
    if commands_digest(commands) not in read_confirmed(project).commands:
        remedy = f"`baton next {story.id}` asks them"
        raise BatonError("the user has not confirmed the commands", f".baton.yaml on {base}", remedy)
    return story, work_as_it_is(story, _run(story, mark.run))


def _newest(subject: Subject, commit: str, chosen: Sequence[Command], again: bool) -> Checks:
    """Return the newest run of these commands on a commit; the gate takes the first, whatever came after it."""

    def run(number: int) -> Checks:
        return subject.run(subject.place, commit, chosen, f" again {number} by the run" if number else "")

    number = 0
    while (later := run(number + 1)).outcomes() is not None or is_running(later.folder):
        number += 1
    newest = run(number)
    return later if again and newest.outcomes() is not None else newest


def _story(project: Project, name: str) -> StorySession:
    """Read a story that has begun; nothing is locked, and nothing may be written."""
    story = look_at(project, name)
    if story.state.started is None:
        raise BatonError(f"story {name} has not begun", str(project.root), f"`baton next {name}` begins it")
    return story


def _run(story: StorySession, name: str) -> Run:
    """Return the run that works in this tree; a BatonError for one that is over."""
    run = story.state.run
    if run is None or name != run.id or story.state.stage != "running":
        raise BatonError("the run of this work tree is over", str(story.project.root), "end your turn")
    return run


def _mark(project: Project) -> RunMark:
    """Return the mark of this tree, with the run that works in it and its story; a BatonError for none."""
    mark = read_mark(project)
    if mark and mark.story.startswith("pr-") and not project.has_story(mark.story):
        remedy = "hand in what you changed: they run on all units together when these land"
        raise BatonError(f"no command runs for {mark.run}, a unit of {mark.story}", str(project.root), remedy)
    if mark:
        return mark
    remedy = "`baton check` and `baton setup` are for a run, in the work tree that `baton begin` gave it"
    raise BatonError("no work tree of a run", str(project.root), remedy)


def _chosen(subject: Subject, commit: str, words: Sequence[str]) -> list[Command]:
    """Return the commands that are asked for, with the set-up and the build they rest on."""
    asked, arguments = _parsed(words)
    named = [
        command
        for command in subject.commands
        if command.step == asked or command.name.partition(" (")[0] == asked
    ]
    if asked == "prepush":
        named = subject.affected(commit)
    if not asked:
        named = [command for command in [*subject.general, *subject.affected(commit)] if command.step != "setup"]
    if not named:
        known = ", ".join(dict.fromkeys(command.name for command in subject.commands if command.step != "setup"))
        what = "no prepush command is for what is changed" if asked == "prepush" else f"no command `{asked}`"
        raise BatonError(what, AT_COMMAND_LINE, f"one of: {known}")
    ground = [
        command
        for command in subject.general
        if command.step == "setup" or (command.step == "build" and command not in named)
    ]
    if arguments:
        if len(named) > 1:
            names = ", ".join(command.name for command in named)
            raise BatonError(f"arguments for {len(named)} commands", AT_COMMAND_LINE, f"name one of: {names}")
        named = [named[0]._replace(line=f"{named[0].line} {shlex.join(arguments)}")]
    return [*ground, *named]


def _parsed(words: Sequence[str]) -> tuple[str, list[str]]:
    """Tell the command that is named, if any, from the arguments that are added to it."""
    if words[:2] == ("prepush", "in") and len(words) > 2:
        return f"prepush in {words[2].strip('/')}", list(words[3:])
    if words and words[0] not in STEPS:
        what = f"no command `{words[0]}`"
        raise BatonError(what, AT_COMMAND_LINE, f"one of: {', '.join(STEPS)}, prepush in PATH; then -- ARGS")
    return (words[0], list(words[1:])) if words else ("", [])
