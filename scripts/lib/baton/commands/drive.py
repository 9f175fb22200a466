"""The calls of the client's module, which carries a story or a round out without a model between its steps.

Each call prints one order (`order.py`) as JSON. A model is denied all of them: an answer given here counts as the
person's, by the token that came with the question.
"""

import os
import re
import sys
from pathlib import Path

import click

from baton.bootstrap import HOOKS
from baton.commands import drive_round
from baton.commands.begin import READING, UNIT
from baton.commands.caller import PULL_REQUEST, persons_project
from baton.commands.order import Order, order_of_step, run_of
from baton.commands.output import say_json
from baton.commands.request import parse_request
from baton.commands.start_verb import find_story
from baton.errors import BatonError
from baton.feedback.store.kept_files import number_of
from baton.journal.paths import Project
from baton.journal.state import fold
from baton.story.answer.answer import apply_answer
from baton.story.ask.answer_source import DialogAnswer, leave_token, session_here
from baton.story.ask.step import Step
from baton.story.next_step import NextOptions, run_next
from baton.story.run.end_line import run_end_line
from baton.story.session.open_story import open_story, read_journal

# A word at the beginning that may be an option, and what follows it, of `edit -AC3` with its mark; a letter only
# before a mark or the end.
FIRST_WORD = re.compile(r"\W*([\w-]{2,}|\w(?=\s*(?:[:,.;-]|\Z)))(?:[\s:,.;]|-(?!\s*AC\d))*(.*)\Z", re.DOTALL)


@click.group("for-module", hidden=True)
def drive() -> None:
    """Give the client's module its next order; every other caller has `baton next`.

    Example: baton for-module go 42
    """
    if HOOKS in os.environ:  # the shells of a client have it, and what its module starts has not
        remedy = "call `baton next`, `baton answer` or `baton pr`"
        raise BatonError("only the client's module drives", "`baton for-module`", remedy)


@drive.command()
@click.pass_obj
def implement(start: Path) -> None:
    """Begin with what `/implement` was given, on stdin."""
    project = persons_project(start)
    request = parse_request(sys.stdin.read())
    meant = find_story(start, project, request)
    step = run_next(project, meant, "/implement", request.asked) if isinstance(meant, str) else meant
    _print_step(project, step)


@drive.command()
@click.argument("story_id")
@click.pass_obj
def go(start: Path, story_id: str) -> None:
    """Go on with a story."""
    _go(persons_project(start), story_id, NextOptions(session=session_here()))


@drive.command()
@click.argument("name")
@click.option("--stopped", is_flag=True)
@click.pass_obj
def ended(start: Path, name: str, stopped: bool) -> None:
    """Go on after the agent of a run or a unit has ended; `stopped`: by the person, who will go on."""
    project = persons_project(start)
    if UNIT.match(name) or READING.match(name):
        number = number_of(name)
        text = f"{name} was stopped; `/resolve-pr-feedback {number}` goes on"
        go_on = drive_round.after_reading if READING.match(name) else drive_round.after_unit
        _print(Order(text) if stopped else go_on(project, name))
        return
    if not (agent_run := run_of(project, name)):  # an agent of somebody else's
        _print(Order())
        return
    before = agent_run[1]
    options = NextOptions(before.id, stopped=stopped, session=session_here())
    step = run_next(project, agent_run[0].created.story, f"the end of {before.id}", options)
    state, run = run_of(project, name) or agent_run
    is_news = run.judged != before.judged and not stopped
    _print_step(project, step, rests=stopped, end_line=run_end_line(state, run, step) if is_news else "")


@drive.command()
@click.argument("name")
@click.pass_obj
def reloaded(start: Path, name: str) -> None:
    """Go on with what an agent works for, unless that waits for the user; its module was loaded anew."""
    project = persons_project(start)
    if UNIT.match(name) or READING.match(name):
        _print(drive_round.take_up(project, number_of(name)))
        return
    state = agent_run[0] if (agent_run := run_of(project, name)) else None
    if not state or state.stage not in ("running", "ready") or (state.run and state.run.was_stopped):
        _print(Order())
    else:
        _go(project, state.created.story, NextOptions(session=session_here()))


@drive.command()
@click.argument("about")
@click.option("--token", required=True)
@click.pass_obj
def answer(start: Path, about: str, token: str) -> None:
    """Answer a question with what was chosen or typed in the client's dialog, on stdin; then go on."""
    project, words = persons_project(start), sys.stdin.read()
    match = FIRST_WORD.match(words)
    option, note = (match[1].lower(), match[2].strip()) if match else ("", "")
    given = DialogAnswer(token, words)
    if pull := PULL_REQUEST.match(about):
        _print(drive_round.answer(project, int(pull[1]), option, note, given))
        return
    with open_story(project, about, f"answering {about}") as story:
        asked = story.state.question
        outcome = apply_answer(story, option, note, given) if asked and option in asked.answers else ""
    if option == "abandon" and outcome:
        _print(Order(outcome))
    else:
        _go(project, about, NextOptions(session=session_here()))


@drive.command()
@click.argument("pull", default="")
@click.pass_obj
def feedback(start: Path, pull: str) -> None:
    """Read a pull request, and plan a round."""
    _print(drive_round.read(persons_project(start), pull))


@drive.command()
@click.argument("number", type=int)
@click.option("--give-up", "given_up", default="")
@click.pass_obj
def plan(start: Path, number: int, given_up: str) -> None:
    """Plan a round of what was read, and send out its first units."""
    _print(drive_round.plan(persons_project(start), number, given_up))


@drive.command()
@click.argument("number", type=int)
@click.option("--skip-unit", "skipped", multiple=True)
@click.option("--give-up", "given_up", default="")
@click.pass_obj
def land(start: Path, number: int, skipped: tuple[str, ...], given_up: str) -> None:
    """Take a round as far as it goes."""
    _print(drive_round.land(persons_project(start), number, skipped, given_up))


def _go(project: Project, story_id: str, options: NextOptions) -> None:
    _print_step(project, run_next(project, story_id, f"driving {story_id}", options))


def _print_step(project: Project, step: Step, rests: bool = False, end_line: str = "") -> None:
    """Print a step; with `rests` the user has just stopped something, and is asked nothing now."""
    token = ""
    if step.question and step.question["options"] and not rests:
        asked_at = fold(read_journal(project, step.story).records).asked_at
        token = leave_token(project, step.story, str(asked_at))
    order = order_of_step(step, token, end_line)
    _print(Order(f"{order.ask.text}\n`/implement {step.story}` asks you") if rests and order.ask else order)


def _print(order: Order) -> None:
    say_json(order.to_data())
