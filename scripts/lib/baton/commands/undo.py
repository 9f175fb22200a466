"""The verb that takes a story's merge back: undo."""

from pathlib import Path

import click

from baton.commands.arguments import json_option, story_argument
from baton.commands.caller import check_allowed, persons_project
from baton.commands.render import print_result
from baton.story.session import open_story
from baton.story.undo import undo_story


@click.command()
@story_argument()
@json_option
@click.pass_obj
def undo(start: Path, story_id: str, as_json: bool) -> None:
    """Revert the merge of a complete story, in its own commit.

    Example: baton undo 42
    """
    with open_story(persons_project(start), story_id, f"baton undo {story_id}") as story:
        check_allowed(story, "undo")
        undone = undo_story(story)
    lines = [
        f"undone: {undone.base} has the commit {undone.commit[:12]}, which reverts the merge {undone.merge[:12]}",
        f"THEN to bring it back: git switch {undone.base} && git revert {undone.commit[:12]}",
    ]
    print_result(as_json, undone._asdict(), "\n".join(lines), f"baton timeline {story_id}")
