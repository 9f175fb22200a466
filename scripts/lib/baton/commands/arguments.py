"""Arguments that several verbs have, and what a shell completes them with."""

from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import click

from baton.commands.caller import PULL_REQUEST
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.paths import Project, validate_story_id
from baton.journal.repository import read_stories
from baton.journal.state import fold
from baton.story.session.open_story import read_journal

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object.")


class FiniteRange(click.FloatRange):
    """A number in a range, which `nan` and `inf` are not."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the number; click tells the user what is wrong with another text."""
        number = float(super().convert(value, param, ctx))
        return number if isfinite(number) else self.fail(f"{value} is no number that ends", param, ctx)


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
