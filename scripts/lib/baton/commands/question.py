"""What the user is asked: question."""

from pathlib import Path

import click

from baton.commands.arguments import json_option, story_argument
from baton.commands.caller import persons_project
from baton.commands.render import print_result
from baton.commands.step_text import question_lines
from baton.errors import BatonError
from baton.journal.state import fold
from baton.story.answer_source import note_shown, session_here
from baton.story.session import read_journal


@click.command()
@story_argument()
@json_option
@click.pass_obj
def question(start: Path, story_id: str, as_json: bool) -> None:
    """Show the open question of a story.

    Example: baton question 42
    """
    project = persons_project(start)
    state = fold(read_journal(project, story_id).records)
    question = state.question
    if question is None:
        raise BatonError("no question is open", f"story {story_id}", f"`baton next {story_id}` goes on")
    more = f"baton question {story_id} --json"
    print_result(as_json, question.text, "\n".join(question_lines(question.text)), more)
    session = session_here()
    if session and session not in state.shown:
        note_shown(project, story_id, session)
