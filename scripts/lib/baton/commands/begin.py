"""The first call of a run: begin."""

from pathlib import Path

import click

from baton.commands.output import printable, say_json
from baton.drive.begin import begin as begin_run
from baton.outside.git import find_project


@click.command()
@click.argument("run", metavar="RUN")
@click.option("--make", is_flag=True, help="Make a work tree for the run: for work without the client.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def begin(start: Path, run: str, make: bool, as_json: bool) -> None:
    """Put the work tree of a run at the commit to work on, and print the run's brief.

    Example: baton begin sess_1771355557_680126_iter2
    """
    ready = begin_run(find_project(start), run, make)
    if as_json:
        say_json(ready._asdict())
    else:
        where = f"Your work tree: {ready.tree}, at {ready.head[:12]}\n\n"
        click.echo(printable(f"{where}{ready.brief.rstrip()}"))
