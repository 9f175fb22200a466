"""The program as its callers use it, and the demo's output: short lines, printed at once."""

import io
import json
import sys
import textwrap
from collections.abc import Mapping
from contextlib import redirect_stdout
from itertools import count
from pathlib import Path
from shlex import quote
from shutil import get_terminal_size
from typing import Any

import click

from baton.commands.answer_verb import answer
from baton.commands.begin import begin
from baton.commands.hand_in_verb import hand_in
from baton.commands.output import on_terminal
from baton.errors import BatonError
from baton.feedback.store import questions as spoken
from baton.feedback.store.kept_files import find_folder
from baton.git.command import Git, find_project, run_git
from baton.git.worktrees import make_tree
from baton.hooks.pre_tool_use import decide
from baton.journal.events import Said
from baton.journal.journal import Journal
from baton.journal.paths import PULL_REQUEST
from baton.journal.state import fold
from baton.project.installed_client import event_of, why_stopped
from baton.story.ask.answer_source import note_said
from baton.text import printable

EDITS = Path(__file__).with_name("edits")
WIDTH, LABEL_WIDTH = 100, 10
AGENTS = count(1)


class Program:
    """baton on one project: each call runs a whole command, which knows only the files on the disk.

    The conversation calls, or the agent that `caller` names, and the client's hook is asked first.
    """

    def __init__(self, root: Path, caller: Mapping[str, str] | None = None) -> None:
        self.root = root
        self.caller = caller or {}

    def call(self, command: click.Command, *arguments: str, given: str = "") -> Any:
        """Return the JSON of a command."""
        return json.loads(self.said(command, *arguments, given=given, form=("--json",)))

    def said(self, command: click.Command, *arguments: str, given: str = "", form: tuple[str, ...] = ()) -> str:
        """Return the output of a command, with `given` on its stdin; a fault where the hook stops the call."""
        # A verb of a group is in the module of its group.
        group = command.callback.__module__.rpartition(".")[2].removesuffix("_verb").replace("_", "-")
        line = " ".join(map(quote, ("baton", *dict.fromkeys((group, str(command.name))), *arguments)))
        if why := why_stopped(decide(event_of(line, given, self.root, self.caller))):
            raise fault(f"the client's hook does not let `{line}` through ({why})")
        printed = io.StringIO()
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given.encode()))
        try:
            with redirect_stdout(printed):
                command.main([*arguments, *form], prog_name="baton", standalone_mode=False, obj=self.root)
        finally:
            sys.stdin = stdin
        return printed.getvalue()

    def begin(self, run: str, kind: str) -> "Program":
        """Begin a run or a unit in a tree made as by the client; returns the program as called there."""
        agent = f"a{next(AGENTS)}"
        tree = self.root / ".claude" / "worktrees" / f"agent-{agent}"
        make_tree(Git(find_project(self.root)), tree, "HEAD")
        program = Program(tree, {"agent_id": agent, "agent_type": kind})
        program.call(begin, run)
        return program

    def answer(self, name: str, rule: str, answers: Mapping[str, str]) -> None:
        """Answer the open question; the demo's word is noted first, as a user's would be."""
        if (option := answers.get(rule)) is None:
            raise fault(f"the demo has no answer to {rule}")
        tell_item("answer", f"{option}: the demo says so in your place, with `baton answer {name} {option}`")
        project = find_project(self.root)
        word = Said("demo", "demo", option, "the demo says so in your place")
        if pull := PULL_REQUEST.match(name):
            folder = find_folder(project, int(pull[1]))
            spoken.note_said(project, folder, word, spoken.QuestionReplies(project, folder).question)
        else:
            note_said(project, name, word, fold(Journal(project.journal(name)).records).asked_seq)
        self.call(answer, name, option)

    def hand_in(self, owner: str, kind: str, run: str, text: str, label: str, accepted: bool = True) -> None:
        """Hand in an artifact, as a run or a unit, and print the result; a fault where it is not as expected."""
        data = self.call(hand_in, owner, kind, "--run", run, given=text)
        findings = "; ".join(f"{finding['message']} [{finding['rule']}]" for finding in data["findings"])
        tell_item("hand-in", f"{label}: " + ("accepted" if data["accepted"] else f"rejected, {findings}"), 2)
        if data["accepted"] != accepted:
            raise fault(f"{label} should have been {'accepted' if accepted else 'rejected'}")

    def edit(self, part: str) -> list[str]:
        """Edit the files by a prepared patch; returns their names."""
        patch = str(EDITS / f"{part}.patch")
        counted = run_git(self.root, "apply", "--numstat", "--apply", patch)
        if counted.code != 0:
            raise fault(f"the edits of {part} do not apply ({counted.said})")
        rows = [line.split("\t") for line in counted.out.splitlines()]
        tell_item("edits", ", ".join(f"{name} +{added} -{gone}" for added, gone, name in rows), 2)
        return [name for _, _, name in rows]


def fault(what: str) -> BatonError:
    """Make the error of a demo that failed, which only a fault in baton itself can cause."""
    return BatonError(what, "the demo", "this is a fault of baton: please report it")


def tell(text: str) -> None:
    """Print a paragraph, wrapped."""
    _print_wrapped(text, "", "  ")


def tell_item(label: str, text: str, depth: int = 1) -> None:
    """Print an action under a label, `depth` steps in."""
    first = "  " * depth + label.ljust(LABEL_WIDTH)
    _print_wrapped(text, first, " " * len(first))


def tell_raw(text: str) -> None:
    """Print lines as they are: commands to copy, a graph."""
    click.echo(printable(text))


def _print_wrapped(text: str, first: str, rest: str) -> None:
    words, width = " ".join(text.split()), min(get_terminal_size().columns, WIDTH) if on_terminal() else WIDTH
    lines = textwrap.wrap(
        words, width, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )
    tell_raw("\n".join(lines))
