"""The first call of a run: begin."""

import re
from pathlib import Path

import click

from baton.commands.arguments import completed_by, json_option, run_names
from baton.commands.render import say_json
from baton.git.command import find_project
from baton.journal.paths import Project
from baton.story import begin_run
from baton.story.begin_run import BegunRun
from baton.text import printable

# A unit of a pull request's round; every other name is that of a story's run.
UNIT = re.compile(r"pr[1-9][0-9]{0,9}-r[0-9a-f]{1,16}-u[1-9][0-9]{0,5}\Z")


@click.command()
@click.argument("run", metavar="RUN", shell_complete=completed_by(run_names))
@click.option("--make", is_flag=True, help="Make a work tree for the run: for work without the client.")
@json_option
@click.pass_obj
def begin(start: Path, run: str, make: bool, as_json: bool) -> None:
    """Put a run's work tree at its commit, and print its brief.

    A unit of a pull request begins so, too.

    Example: baton begin sess_1771355557_680126_iter2
    """
    ready = _begun(find_project(start), run, make)
    if as_json:
        say_json(ready._asdict())
    else:
        where = f"Your work tree: {ready.tree}, at {ready.head[:12]}\n\n"
        click.echo(printable(f"{where}{ready.brief.rstrip()}"))


def _begun(project: Project, run: str, make: bool) -> BegunRun:
    if UNIT.match(run):
        from baton.feedback.plan.begin_unit import begin_unit

        return begin_unit(project, run, make)
    return begin_run.begin_run(project, run, make)
