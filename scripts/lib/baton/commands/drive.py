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
from baton.commands.arguments import persons_project
from baton.commands.order import Order, asked_again, left_open, no_option, order_step
from baton.commands.output import say_json
from baton.commands.request import parse_request
from baton.commands.round_order import answer_round, end_agent, fetch_round, go_land, go_plan, take_up
from baton.commands.start_verb import begin_step
from baton.errors import BatonError
from baton.feedback.store.work_names import number_of
from baton.journal.paths import PULL_REQUEST, Project
from baton.journal.permit import STAYS_OPEN
from baton.journal.repository import read_stories
from baton.journal.run import Run
from baton.journal.state import State
from baton.project.permissions import ASKS, permission_line
from baton.story.answer.answer import apply_answer
from baton.story.ask.answer_source import DialogAnswer, session_here
from baton.story.begin.story_intake import NoNote
from baton.story.next_step import NextOptions, run_next
from baton.story.run.end_line import run_end_line
from baton.story.session.open_story import open_story

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
        raise BatonError("only the client's module may call this", "`baton for-module`", remedy)


@drive.result_callback()
@click.pass_context
def print_order(context: click.Context, order: Order) -> None:
    """Print the order that a call has come to; with a command's first one go the lines on permission modes."""
    if context.invoked_subcommand in ("implement", "feedback"):
        project = persons_project(context.obj)
        order = order._replace(modes={mode: permission_line(project, mode) for mode in ASKS})
    say_json(order.to_data())


@drive.command()
@click.pass_obj
def implement(start: Path) -> Order:
    """Begin with what `/implement` was given, on stdin."""
    project = persons_project(start)
    return order_step(project, begin_step(start, project, parse_request(sys.stdin.read()), "/implement"))


@drive.command()
@click.argument("pull", default="")
@click.pass_obj
def feedback(start: Path, pull: str) -> Order:
    """Fetch a pull request, and have it read or plan a round."""
    return fetch_round(persons_project(start), pull)


@drive.command()
@click.argument("story_id")
@click.pass_obj
def go(start: Path, story_id: str) -> Order:
    """Go on with a story."""
    return _go(persons_project(start), story_id)


@drive.command()
@click.argument("number", type=int)
@click.option("--give-up", "given_up", default="")
@click.pass_obj
def plan(start: Path, number: int, given_up: str) -> Order:
    """Plan a round of what was read, and send out its first units."""
    return go_plan(persons_project(start), number, given_up)


@drive.command()
@click.argument("number", type=int)
@click.option("--skip-unit", "skipped", multiple=True)
@click.option("--give-up", "given_up", default="")
@click.pass_obj
def land(start: Path, number: int, skipped: tuple[str, ...], given_up: str) -> Order:
    """Take a round as far as it goes."""
    return go_land(persons_project(start), number, skipped, given_up)


@drive.command()
@click.argument("name")
@click.option("--stopped", is_flag=True)
@click.pass_obj
def ended(start: Path, name: str, stopped: bool) -> Order:
    """Go on after the agent of a run or a unit has ended; `stopped`: by the person, who will go on."""
    project = persons_project(start)
    if number := number_of(name):
        return end_agent(project, number, name, stopped)
    if not (agent_run := _run_of(project, name)):  # an agent of somebody else's
        return Order()
    before = agent_run[1]
    options = NextOptions(before.id, stopped=stopped, session=session_here())
    step = run_next(project, agent_run[0].created.story, f"the end of {before.id}", options)
    state, run = _run_of(project, name) or agent_run
    is_news = run.judged != before.judged and not stopped
    return order_step(project, step, run_end_line(state, run, step) if is_news else "", rests=stopped)


@drive.command()
@click.argument("name")
@click.pass_obj
def reloaded(start: Path, name: str) -> Order:
    """Go on with what an agent works for, unless that waits for the user; its module was loaded anew."""
    project = persons_project(start)
    if number := number_of(name):
        return take_up(project, number)
    state = agent_run[0] if (agent_run := _run_of(project, name)) else None
    if not state or state.stage not in ("running", "ready") or (state.run and state.run.was_stopped):
        return Order()
    return _go(project, state.created.story)


@drive.command()
@click.argument("about")
@click.option("--token", required=True)
@click.pass_obj
def answer(start: Path, about: str, token: str) -> Order:
    """Answer a question with what was chosen or typed in the client's dialog, on stdin; then go on."""
    project, words = persons_project(start), sys.stdin.read()
    match = FIRST_WORD.match(words)
    option, note = (match[1].lower(), match[2].strip()) if match else ("", "")
    given = DialogAnswer(token, words)
    if pull := PULL_REQUEST.match(about):
        return answer_round(project, int(pull[1]), option, note, given)
    if option == STAYS_OPEN[0] and not note:
        return left_open(_go(project, about))
    why, outcome = "", ""
    with open_story(project, about, f"answering {about}") as story:
        question = story.state.question
        try:
            if question and option in question.answers:
                outcome = apply_answer(story, option, note, given)
            elif question:
                why = no_option(words)
        except NoNote as error:
            why = f"Not taken: {error.what}. Type `{option}:`, and your note behind it."
    return Order(outcome) if option == "abandon" and outcome else asked_again(_go(project, about), why)


def _go(project: Project, story_id: str) -> Order:
    options = NextOptions(session=session_here())
    return order_step(project, run_next(project, story_id, f"driving {story_id}", options))


def _run_of(project: Project, name: str) -> tuple[State, Run] | None:
    """Return the run whose agent is called so, and its story; a BatonError where that cannot be read."""
    story_id, _, suffix = name.rpartition("-")
    states, faults = read_stories(project, [story_id])
    if faults:
        raise faults[0]
    run = states[0].find_run(f"{states[0].created.session}_{suffix}") if states else None
    return (states[0], run) if run else None
