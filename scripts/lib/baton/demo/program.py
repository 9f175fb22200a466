"""The program as its callers know it: its own commands, with what they read and print."""

import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import click

from baton.commands.answer import answer
from baton.commands.begin import begin
from baton.commands.caller import PULL_REQUEST
from baton.commands.hand_in import hand_in
from baton.commands.next import next_step
from baton.commands.pr import plan
from baton.commands.story import new
from baton.errors import BatonError
from baton.feedback import answer_source as spoken
from baton.feedback.store import find_folder
from baton.git.command import find_project
from baton.journal.events import Said
from baton.journal.journal import Journal
from baton.journal.state import fold
from baton.story.answer_source import note_said
from baton.story.resume_context import Resume
from baton.story.step import Step


class Program:
    """baton on one project: each call runs a whole command, which knows nothing but what is on the disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def new_story(self, spec: str, story_id: str) -> str:
        """Make a story of a spec in the repository; returns the path of its file."""
        return str(self._call(new, "--from", spec, "--id", story_id)["path"])

    def next(self, story_id: str, ended: str) -> Step:
        """Ask for the next step, after the run `ended` if there was one."""
        data = self._call(next_step, story_id, *(("--ended", ended) if ended else ()))
        resume = data["resume"]
        del data["stage"]
        return Step(**{**data, "resume": Resume(**resume) if resume else None})

    def answer(self, story_id: str, option: str) -> None:
        """Answer the open question; the demo's word is noted first, as the user's would be."""
        project = find_project(self.root)
        said = Said("demo", "demo", option, "the demo says so in your place")
        if pull := PULL_REQUEST.match(story_id):
            folder = find_folder(project, int(pull[1]))
            spoken.note_said(project, folder, said, spoken.Spoken(project, folder).question)
        else:
            asked_at = fold(Journal(project.journal(story_id)).records).asked_at
            note_said(project, story_id, said, asked_at)
        self._call(answer, story_id, option)

    def begin(self, run: str) -> "Program":
        """Begin a run or a unit in a work tree that is made for it; returns the program as called from there."""
        return Program(Path(self._call(begin, run, "--make")["tree"]))

    def hand_in(self, step: Step, kind: str, text: str) -> list[str]:
        """Hand an artifact over as the run of `step`; returns the findings, none when it was accepted."""
        return self.hand_in_as(step.story, kind, str(step.run), text)

    def hand_in_as(self, owner: str, kind: str, run: str, text: str) -> list[str]:
        """Hand an artifact over as a run of a story, or as a unit of a pull request; returns the findings."""
        data = self._call(hand_in, owner, kind, "--run", run, given=text)
        return [f"{one['message']} [{one['rule']}]" for one in data["findings"]]

    def plan_round(self, number: str) -> dict[str, Any]:
        """Plan a round of what was read on a pull request; returns the agents to start, and their units."""
        return self._call(plan, number)

    def _call(self, command: click.Command, *arguments: str, given: str = "") -> dict[str, Any]:
        answered: dict[str, Any] = json.loads(self.said(command, *arguments, "--json", given=given))
        return answered

    def said(self, command: click.Command, *arguments: str, given: str = "") -> str:
        """Return what a command prints, with `given` as what it reads."""
        printed = io.StringIO()
        stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(given.encode()))
        try:
            with redirect_stdout(printed):
                command.main([*arguments], prog_name="baton", standalone_mode=False, obj=self.root)
        finally:
            sys.stdin = stdin
        return printed.getvalue()


def fault(what: str) -> BatonError:
    """Make the error of a demo that did not go as it must; only a fault in baton itself leads to one."""
    return BatonError(what, "the demo", "this is a fault of baton: please report it")
