"""The verb by which a run hands its work over: hand-in."""

from pathlib import Path

import click

from baton.artifacts.findings import faults
from baton.artifacts.report_text import form_lines
from baton.commands.arguments import json_option, read_input, story_argument
from baton.commands.output import print_result
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.paths import PULL_REQUEST, Project
from baton.story.judge.hand_in import HandInResult, hand_in_artifact, note_unreadable
from baton.story.session.open_story import open_story


@click.command("hand-in")
@story_argument()
@click.argument("kind", metavar="KIND")
@click.option("--run", "run_id", required=True, metavar="RUN", help="The run that hands in.")
@click.option("--file", "path", metavar="F", default="-", help="The artifact; - or nothing: stdin.")
@json_option
@click.pass_obj
def hand_in(start: Path, story_id: str, kind: str, run_id: str, path: str, as_json: bool) -> int:
    """Hand an artifact over; rejected, nothing is written.

    Example: baton hand-in 42 plan --run sess_1771355557_680126_plan1 --file plan.md
    """
    source = "stdin" if path == "-" else path
    project = find_project(start)
    try:
        text = read_input(start, path)
    except BatonError as error:
        if not _is_of_a_pull_request(story_id, kind):
            with open_story(project, story_id, f"baton hand-in {story_id} {kind}") as story:
                note_unreadable(story, kind, run_id, error.what)
        raise
    receipt = _receive(project, (story_id, kind, run_id), text, source)
    shown, more = list(map(str, receipt.findings)), f"baton validate {kind} FILE --json"
    if receipt.accepted:
        lines = [f"accepted: {receipt.path}", *(f"normalized: {note}" for note in receipt.normalized), *shown]
    else:
        count = len(faults(receipt.findings))
        lines = [f"rejected: nothing was written; fix {count} and hand in again", *shown]
        lines += form_lines(kind, receipt.form) if receipt.form else []
    data = {**receipt._asdict(), "findings": [finding._asdict() for finding in receipt.findings]}
    print_result(as_json, data, "\n".join(lines), receipt.path if receipt.accepted else more)
    return 0 if receipt.accepted else 1


def _is_of_a_pull_request(name: str, kind: str) -> bool:
    return kind in ("resolver-result", "feedback-reading") and bool(PULL_REQUEST.match(name))


def _receive(project: Project, about: tuple[str, str, str], text: str, source: str) -> HandInResult:
    """Take what was handed in for a story or a pull request, of a kind and by a run, or refuse it."""
    name, kind, run_id = about
    if not _is_of_a_pull_request(name, kind):
        with open_story(project, name, f"baton hand-in {name} {kind}") as story:
            return hand_in_artifact(story, kind, run_id, text, source)
    from baton.feedback.land.hand_in_unit import receive_artifact  # a story's hand-in goes without

    return receive_artifact(project, about, text, source)
