"""The user's decision: answer."""

from pathlib import Path

import click

from baton.commands.arguments import completed_by, json_option, option_names, story_argument
from baton.commands.caller import PULL_REQUEST, persons_project, read_input, token_here
from baton.commands.render import print_result
from baton.story.session import open_story


@click.command()
@story_argument()
@click.argument("option", metavar="OPTION", shell_complete=completed_by(option_names))
@click.option("--note", default="", metavar="TEXT|-", help="What the next run is to know; - reads stdin.")
@json_option
@click.pass_obj
def answer(start: Path, story_id: str, option: str, note: str, as_json: bool) -> None:
    """Answer the open question of a story with one of its options.

    Example: baton answer 42 retry --note "use the existing palette"
    """
    text = read_input(start, note) if note == "-" else note
    text, after = _answered(start, story_id, option, text.strip())
    print_result(as_json, {"accepted": True, "next": after, "says": text}, text, "")


def _answered(start: Path, name: str, option: str, note: str) -> tuple[str, str]:
    """Answer for a story, or for a pull request; returns what to say, and the next command."""
    project = persons_project(start)
    if pull := PULL_REQUEST.match(name):
        from baton.feedback.answer import answer_pull_request

        return answer_pull_request(project, int(pull[1]), option, note, token_here())
    from baton.story.answer import apply_answer

    with open_story(project, name, f"baton answer {name}") as story:
        return apply_answer(story, option, note, token_here()), f"baton next {name}"
