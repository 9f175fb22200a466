"""How a run hands over what it made: hand-in."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from baton.artifacts.findings import faults
from baton.commands.arguments import json_option, story_argument
from baton.commands.caller import PULL_REQUEST, read_input
from baton.commands.render import print_result
from baton.git.command import find_project
from baton.story.session import open_story

if TYPE_CHECKING:
    from baton.story.hand_in import HandInResult


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
    text, source = read_input(start, path), "stdin" if path == "-" else path
    receipt = _received(start, story_id, kind, run_id, text, source)
    shown, more = list(map(str, receipt.findings)), f"baton validate {kind} FILE --json"
    if receipt.accepted:
        lines = [f"accepted: {receipt.path}", *(f"normalized: {note}" for note in receipt.normalized), *shown]
    else:
        count = len(faults(receipt.findings))
        lines = [f"rejected: nothing was written; fix {count} and hand in again", *shown]
    data = {**receipt._asdict(), "findings": [finding._asdict() for finding in receipt.findings]}
    print_result(as_json, data, "\n".join(lines), receipt.path if receipt.accepted else more)
    return 0 if receipt.accepted else 1


def _received(start: Path, name: str, kind: str, run_id: str, text: str, source: str) -> "HandInResult":
    """Hand an artifact to its story, or a resolver's result to its pull request."""
    project = find_project(start)
    pull = PULL_REQUEST.match(name) if kind == "resolver-result" else None
    if pull:
        from baton.feedback.land.hand_in import receive_result

        return receive_result(project, int(pull[1]), run_id, text, source)
    from baton.story.hand_in import hand_in_artifact

    with open_story(project, name, f"baton hand-in {name} {kind}") as story:
        return hand_in_artifact(story, kind, run_id, text, source)
