"""What `baton check` does: the project's commands on a run's work tree as it is, in the story's check tree."""

import shlex
from collections.abc import Sequence
from typing import NamedTuple

from baton.artefacts.config import Command, commands_digest
from baton.artefacts.strict_json import load_json
from baton.drive.checking import Subject, subject_of
from baton.drive.opened import OpenStory, read_journal
from baton.drive.settings import read_confirmed, read_settings
from baton.errors import BatonError
from baton.outside.checks import Checks
from baton.outside.git import Git
from baton.outside.trees import commit_of_work
from baton.outside.upkeep import learned
from baton.story.durable import read_plain
from baton.story.places import Folder, Project
from baton.story.state import fold

MARK = "baton-run"
STEPS = ("build", "test", "prepush")
AT_COMMAND_LINE = "the command line"


class Own(NamedTuple):
    """The commands that are run on a run's work tree as it is, and the tree they are run for."""

    checks: Checks
    tree: str


def own_check(project: Project, words: Sequence[str]) -> Own:
    """Give the check of the run's work tree `project` by what was asked for; a BatonError where it cannot be."""
    story = _story(project)
    if not (commands := story.commands):
        raise BatonError(f"no command is configured on {story.base}", ".baton.yaml", "there is nothing to check")
    if commands_digest(commands) not in read_confirmed(project).commands:
        remedy = f"`baton next {story.id}` asks them"
        raise BatonError("a person has not confirmed the commands", f".baton.yaml on {story.base}", remedy)
    commit = commit_of_work(story.git, story.folder.relative, learned(project, story.id))
    subject = subject_of(story)
    checks = subject.run(subject.place, commit, _chosen(subject, commit, words))
    return Own(checks, checks.tree_id)


def _story(project: Project) -> OpenStory:
    """Read the story of the run whose work tree this is; nothing is locked, and nothing may be written."""
    name = _marked(project)
    journal = read_journal(project, name)
    state, git = fold(journal.records), Git(project)
    if state.started is None:
        raise BatonError(f"story {name} has not begun", str(project.root), f"`baton next {name}` begins it")
    base, config = read_settings(git, state.started.base)
    return OpenStory(project, git, Folder(project.root, state.created.folder, name), journal, state, base, config)


def _marked(project: Project) -> str:
    """Give the story whose run works in this tree."""
    path = project.git_dir / MARK
    try:
        data = read_plain(path, project.git_dir)
        story = load_json(data.decode())["story"] if data is not None else ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BatonError(f"unreadable ({error})", str(path), "call `baton begin` with your run again") from error
    if not isinstance(story, str) or not story:
        remedy = "`baton check` is for a run, and called from the work tree that `baton begin` gave it"
        raise BatonError("no work tree of a run", str(project.root), remedy)
    return story


def _chosen(subject: Subject, commit: str, words: Sequence[str]) -> list[Command]:
    """Give the commands that are asked for, with the set-up and the build they rest on."""
    asked, arguments = _parsed(words)
    named = [one for one in subject.commands if one.step == asked or one.name.partition(" (")[0] == asked]
    if asked == "prepush":
        named = subject.affected(commit)
    if not asked:
        named = [one for one in [*subject.general, *subject.affected(commit)] if one.step != "setup"]
    if not named:
        known = ", ".join(dict.fromkeys(one.name for one in subject.commands if one.step != "setup"))
        what = "no prepush command is for what is changed" if asked == "prepush" else f"no command `{asked}`"
        raise BatonError(what, AT_COMMAND_LINE, f"one of: {known}")
    ground = [one for one in subject.general if one.step == "setup" or (one.step == "build" and one not in named)]
    if arguments:
        if len(named) > 1:
            names = ", ".join(one.name for one in named)
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
