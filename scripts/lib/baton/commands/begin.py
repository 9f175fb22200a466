"""The first call of a run: begin."""

from pathlib import Path

import click

from baton.commands.arguments import completed_by, json_option, run_names
from baton.commands.output import print_result
from baton.errors import BatonError
from baton.feedback.plan.reader_run import begin_reading
from baton.feedback.plan.unit_work import begin_unit
from baton.feedback.store.work_names import is_reading, is_unit
from baton.git.command import find_project
from baton.story.run.begin_run import begin_run


@click.command()
@click.argument("run", metavar="RUN", shell_complete=completed_by(run_names))
@click.option("--part", type=click.IntRange(1), default=1, help="The part of a reader's brief to print.")
@click.option("--make", is_flag=True, help="Make a work tree for the run: for work without the client.")
@json_option
@click.pass_obj
def begin(start: Path, run: str, part: int, make: bool, as_json: bool) -> None:
    """Put a run's work tree at its commit, and print its brief.

    A unit of a pull request begins in the same way; so does a reading of what was said there, which has no tree
    and whose brief comes in parts.

    Example: baton begin sess_1771355557_680126_iter2
    """
    project = find_project(start)
    if is_reading(run):
        brief = begin_reading(project, run, part)
        print_result(as_json, {"tree": None, "head": None, "brief": brief}, brief, "", whole=True)
        return
    if part > 1:
        raise BatonError("only the brief of a reader has parts", "--part", "leave it out")
    begun = begin_unit(project, run, make) if is_unit(run) else begin_run(project, run, make)
    where = f"Your work tree: {begun.tree}, at {begun.head[:12]}\n\n"
    print_result(as_json, begun._asdict(), f"{where}{begun.brief}", "", whole=True)
