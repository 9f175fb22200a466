"""What several verbs are given: the project, arguments and what completes them, a text, the user's consent."""

import sys
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import click

from baton.artifacts.document import decode, read_document
from baton.errors import BatonError
from baton.git.command import find_project
from baton.git.worktrees import read_mark
from baton.journal.paths import PULL_REQUEST, Project, validate_story_id
from baton.journal.permit import Permit
from baton.journal.repository import read_stories
from baton.journal.state import fold
from baton.story.ask.answer_source import check_asked, had_hooks, session_here
from baton.story.session.open_story import read_journal
from baton.story.session.session import StorySession

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


def persons_project(start: Path) -> Project:
    """Find the work tree a verb is called in; a BatonError in a run's, where no run decides or starts anything."""
    project = find_project(start)
    if mark := read_mark(project):
        remedy = (
            "a run calls begin, setup, check, hand-in, validate, explain, status, timeline, show and pr show alone"
        )
        raise BatonError(f"this is the work tree of run {mark.run}", str(project.root), remedy)
    return project


def read_input(start: Path, name: str) -> str:
    """Read a file that was named on the command line; `-` is stdin."""
    return decode(sys.stdin.buffer.read(), "stdin") if name == "-" else read_document(start / name)


def token_here() -> str:
    """Return the token that the client put into this call once the user had allowed it."""
    return str(click.get_current_context().find_root().params.get("permit", ""))


def check_allowed(story: StorySession, call: str) -> None:
    """Raise a BatonError where the client's hooks are on, and it did not ask the user about this call."""
    check_asked(story.project, Permit(session_here(), call), token_here(), had_hooks(story.state.events))


class FiniteRange(click.FloatRange):
    """A number in a range, which `nan` and `inf` are not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; click tells the user what is wrong with another text."""
        number = float(super().convert(value, param, ctx))
        return number if isfinite(number) else self.fail(f"{value} is not a finite number", param, ctx)


Names = Callable[[Project, click.Context], Iterable[str]]
Complete = Callable[[click.Context, click.Parameter, str], list[str]]


def completed_by(names: Names) -> Complete:
    """Make what click completes an argument with; where the project cannot be read, nothing is offered."""

    def complete(context: click.Context, _: click.Parameter, begun: str) -> list[str]:
        try:
            project = find_project(Path(context.find_root().params.get("project") or "").absolute())
            return [name for name in names(project, context) if name.startswith(begun)]
        except BatonError:
            return []

    return complete


def story_argument(required: bool = True) -> Callable[[Any], Any]:
    """Make the argument that names a story, or where both are asked, a pull request; an empty one names none."""
    metavar, complete = "ID" if required else "[ID]", completed_by(lambda project, _: project.story_ids())

    def named(_: click.Context, __: click.Parameter, given: str | None) -> str | None:
        return given if given is None or PULL_REQUEST.match(given) else validate_story_id(given)

    return click.argument("story_id", metavar=metavar, required=required, shell_complete=complete, callback=named)


def run_names(project: Project, context: click.Context) -> Iterator[str]:
    """Name the runs of the story that is named, or of all stories, the newest first."""
    for state in reversed(read_stories(project).states):
        if context.params.get("story_id") in (None, state.created.story):
            yield from (run.id for run in reversed(state.runs))


def option_names(project: Project, context: click.Context) -> Iterable[str]:
    """Name the options of the question that is open for a story."""
    question = fold(read_journal(project, context.params["story_id"]).records).question
    return question.answers if question else ()
