"""A question to the user, and their decision: question, answer."""

from pathlib import Path

import click

from baton.commands.arguments import (
    completed_by,
    json_option,
    option_names,
    persons_project,
    read_input,
    story_argument,
    token_here,
)
from baton.commands.output import print_result
from baton.commands.step_text import heading, question_text
from baton.delivery.source_issue import tell_abandoned
from baton.errors import BatonError
from baton.feedback.answer_round import answer_pull_request
from baton.feedback.land.kept_summary import asking_step
from baton.feedback.record.record import load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import Answers
from baton.feedback.store.questions import note_shown as note_round_shown
from baton.journal.paths import PULL_REQUEST, Project
from baton.journal.state import fold
from baton.story.answer.answer import apply_answer
from baton.story.answer.notify import journal_notice
from baton.story.ask.answer_source import note_shown, session_here
from baton.story.ask.question import shown_question
from baton.story.session.open_story import open_story, read_journal
from baton.story.session.travel import fetch_state


@click.command()
@story_argument()
@json_option
@click.pass_obj
def question(start: Path, story_id: str, as_json: bool) -> None:
    """Show the open question of a story or a pull request.

    ID is that of a story, or `pr-` and the number of a pull request.

    Example: baton question 42
    """
    project = persons_project(start)
    if pull := PULL_REQUEST.match(story_id):
        _show_rounds_question(project, int(pull[1]), as_json)
        return
    state = fold(read_journal(project, story_id).records)
    if state.question is None:
        raise BatonError(
            "no question is open", f"story {story_id}", f"`baton next {story_id}` says where it stands"
        )
    asked = shown_question(state)
    print_result(as_json, asked, question_text(asked).text(), f"baton question {story_id} --json")
    session = session_here()
    if session and session not in state.shown:
        with open_story(project, story_id, f"showing the question of {story_id}") as story:
            note_shown(story, session)


@click.command()
@story_argument()
@click.argument("option", metavar="OPTION", default="", shell_complete=completed_by(option_names))
@click.option("--note", default="", metavar="TEXT|-", help="What the next run is to know; - reads stdin.")
@json_option
@click.pass_obj
def answer(start: Path, story_id: str, option: str, note: str, as_json: bool) -> None:
    """Answer the open question of a story with one of its options.

    Example: baton answer 42 retry --note "use the existing palette"
    """
    note = (read_input(start, note) if note == "-" else note).strip()
    project = persons_project(start)
    if pull := PULL_REQUEST.match(story_id):
        number = int(pull[1])
        taken = answer_pull_request(project, number, option, note, token_here())
        text, after = taken.text(number), taken.call(number)
    else:
        text, after = _answer_story(project, story_id, option, note), f"baton next {story_id}"
    print_result(as_json, {"accepted": True, "next": after, "says": text}, text, "")


def _show_rounds_question(project: Project, number: int, as_json: bool) -> None:
    folder = find_folder(project, number)
    if (asked := Answers(project, folder).open) is None:
        remedy = f"`baton pr fetch {number}` says where it stands"
        raise BatonError("no question is open", f"pr-{number}", remedy)
    title = heading(load_record_in(project, folder).pull.title or "")
    text = "\n".join([f"PR {number} {title}".rstrip(), *asking_step(project, folder, asked).after_action()])
    print_result(as_json, asked.data(number), text, f"baton question pr-{number} --json")
    if session_here():
        note_round_shown(project, folder, session_here())


def _answer_story(project: Project, story_id: str, option: str, note: str) -> str:
    """Take the answer to a story's question; that it is abandoned is told on its issue, and by a notice."""
    fetch_state(project, story_id)
    with open_story(project, story_id, f"baton answer {story_id}") as story:
        text = apply_answer(story, option, note, token_here())
        if story.state.stage != "abandoned":
            return text
        tell_abandoned(story)
        notice = journal_notice(story, text)
    if notice:
        notice.call()
    return text
