"""The verbs of the loop: next, hand-in, answer, escalation.

`next` is called most often, so what it does without is imported by the verb that needs it.
"""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baton.artifacts.document import decode, read_document
from baton.artifacts.findings import faults
from baton.commands.call_site import persons_project, token_here
from baton.commands.output import say, say_json
from baton.commands.text import package_lines, report_text, step_text
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.state import fold
from baton.story.advance import Asked
from baton.story.answer_source import note_shown, session_here
from baton.story.next_step import take_turn
from baton.story.session import opened, read_journal
from baton.story.step import Step

if TYPE_CHECKING:
    from baton.story.hand_in import Receipt

# A resolver hands in for a unit of a pull request: its round stands where a story's journal would.
PULL_REQUEST = re.compile(r"pr-([1-9][0-9]{0,9})\Z")


def print_step(step: Step, as_json: bool) -> None:
    """Print a step, with the report itself when the story is complete."""
    if as_json:
        say_json(step.to_data())
        return
    say(step_text(step, report_text(step)), step.report or f"baton next {step.story} --json")


@click.command("next")
@click.argument("story_id", metavar="ID")
@click.option("--ended", metavar="RUN", default="", help="This run has ended.")
@click.option("--plan-only", is_flag=True, help="Stop when the plan is ready, until it is approved.")
@click.option("--no-loop", is_flag=True, help="Ask after every implementation run.")
@click.option("--max-iterations", type=click.IntRange(1, 100), help="Implementation runs allowed.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def next_step(
    start: Path,
    story_id: str,
    ended: str,
    plan_only: bool,
    no_loop: bool,
    max_iterations: int | None,
    as_json: bool,
) -> None:
    """Say what to do next with a story; always safe to call.

    Example: baton next 42 --ended sess_1771355557_680126_iter2
    """
    asked = Asked(ended, plan_only, max_iterations, no_loop, session_here())
    print_step(take_turn(persons_project(start), story_id, f"baton next {story_id}", asked), as_json)


@click.command("hand-in")
@click.argument("story_id", metavar="ID")
@click.argument("kind", metavar="KIND")
@click.option("--run", "run_id", required=True, metavar="RUN", help="The run that hands in.")
@click.option("--file", "path", metavar="F", default="-", help="The artifact; - or nothing: stdin.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def hand_in(start: Path, story_id: str, kind: str, run_id: str, path: str, as_json: bool) -> int:
    """Hand an artifact over: checked, then put in its place; rejected, nothing is written.

    Example: baton hand-in 42 plan --run sess_1771355557_680126_plan1 --file plan.md
    """
    text = decode(sys.stdin.buffer.read(), "stdin") if path == "-" else read_document(start / path)
    receipt = _received(start, story_id, kind, run_id, text, "stdin" if path == "-" else path)
    if as_json:
        say_json({**receipt._asdict(), "findings": [one._asdict() for one in receipt.findings]})
    elif receipt.accepted:
        notes = [f"normalized: {one}" for one in receipt.normalized]
        say("\n".join([f"accepted: {receipt.path}", *notes, *map(str, receipt.findings)]), receipt.path)
    else:
        lines = [f"rejected: nothing was written; fix {len(faults(receipt.findings))} and hand in again"]
        say("\n".join([*lines, *map(str, receipt.findings)]), f"baton validate {kind} FILE --json")
    return 0 if receipt.accepted else 1


def _received(start: Path, name: str, kind: str, run_id: str, text: str, source: str) -> "Receipt":
    """Give an artifact to the story it is for, or a resolver's result to its pull request."""
    project = find_project(start)
    pull = PULL_REQUEST.match(name) if kind == "resolver-result" else None
    if pull:
        from baton.feedback.land.hand_in import receive_result

        return receive_result(project, int(pull[1]), run_id, text, source)
    from baton.story.hand_in import receive

    with opened(project, name, f"baton hand-in {name} {kind}") as story:
        return receive(story, kind, run_id, text, source)


@click.command()
@click.argument("story_id", metavar="ID")
@click.argument("option", metavar="OPTION")
@click.option("--note", default="", metavar="TEXT|-", help="What the next run is to know; - reads stdin.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def answer(start: Path, story_id: str, option: str, note: str, as_json: bool) -> None:
    """Answer the open question of a story with one of its options.

    Example: baton answer 42 retry --note "use the existing palette"
    """
    text = decode(sys.stdin.buffer.read(), "stdin") if note == "-" else note
    said, after = _answered(start, story_id, option, text.strip())
    if as_json:
        say_json({"accepted": True, "next": after, "says": said})
    else:
        say(said, "")


def _answered(start: Path, name: str, option: str, note: str) -> tuple[str, str]:
    """Answer for a story, or for a pull request; gives what to say, and the next command."""
    project = persons_project(start)
    if pull := PULL_REQUEST.match(name):
        from baton.feedback.answer import answer_pull_request

        return answer_pull_request(project, int(pull[1]), option, note, token_here())
    from baton.story.answer import respond

    with opened(project, name, f"baton answer {name}") as story:
        return respond(story, option, note, token_here()), f"baton next {name}"


@click.command()
@click.argument("story_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def escalation(start: Path, story_id: str, as_json: bool) -> None:
    """Show the open question of a story.

    Example: baton escalation 42
    """
    project = persons_project(start)
    state = fold(read_journal(project, story_id).records)
    package = state.package
    if package is None:
        raise BatonError("no question is open", f"story {story_id}", f"`baton next {story_id}` goes on")
    if as_json:
        say_json(package.text)
    else:
        say("\n".join(package_lines(package.text)), f"baton escalation {story_id} --json")
    session = session_here()
    if session and session not in state.shown:
        note_shown(project, story_id, session)
