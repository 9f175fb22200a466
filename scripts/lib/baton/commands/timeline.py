"""What happened to a story: timeline."""

from pathlib import Path

import click

from baton.commands.render import newest, say, say_json
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.journal import Journal
from baton.journal.timeline import describe_record
from baton.story.session import read_journal
from baton.unicode import printable


@click.command()
@click.argument("story_id", metavar="ID")
@click.option("--all", "whole", is_flag=True, help="Every event, however many there are.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def timeline(start: Path, story_id: str, whole: bool, as_json: bool) -> None:
    """Show what happened to a story, event by event.

    Example: baton timeline 42
    """
    journal: Journal = read_journal(find_project(start), story_id)
    if journal.torn:
        error = BatonError(
            "a torn last line", str(journal.path), "it was never acknowledged; the next step cuts it off"
        )
        click.echo(f"baton: {error}", err=True)
    rows = [describe_record(record) for record in journal.records]
    if as_json:
        say_json({"events": [row._asdict() for row in rows]})
        return
    lines = [f"{row.seq:>3} {row.time[11:19]} {row.kind:<11} {row.rule:<22} {row.detail[:160]}" for row in rows]
    if whole:
        click.echo(printable("\n".join(lines)))
        return
    shown = newest(lines)
    if len(shown) < len(lines):
        shown.insert(0, f"… {len(lines) - len(shown)} earlier events: baton timeline {story_id} --all")
    say("\n".join(shown), f"baton timeline {story_id} --all")
