"""The calls of the client's module, which carries a story or a round out without a model between its steps.

Each call prints one order (`order.py`) as JSON. A model is denied all of them: an answer given here counts as the
person's, by the token that came with the question.
"""

import os
import re
import sys
from collections.abc import Collection
from pathlib import Path

import click

from baton.bootstrap import HOOKS
from baton.commands.arguments import persons_project
from baton.commands.order import Order, asked_again, order_round, order_step, with_waiting_story
from baton.commands.output import say_json
from baton.commands.pr import without_readers
from baton.commands.request import parse_request
from baton.commands.start_verb import begin_step
from baton.errors import BatonError
from baton.feedback.answer_round import answer_pull_request
from baton.feedback.land.land_command import land_round
from baton.feedback.plan.ask_readers import ask_readers
from baton.feedback.plan.open_decisions import with_decisions
from baton.feedback.plan.plan_command import LandFirst, plan_round
from baton.feedback.plan.round import load_round
from baton.feedback.plan.round_step import step_to_ask
from baton.feedback.reader.reader_shares import load_reading
from baton.feedback.record.fetch_pull import current_record, fetch_pull_request, find_pull, find_record
from baton.feedback.record.record import load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import Answers, note_shown
from baton.feedback.store.work_names import is_reading, number_of
from baton.journal.paths import PULL_REQUEST, Project
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
from baton.text import clip, one_line

# A word at the beginning that may be an option, and what follows it, of `edit -AC3` with its mark; a letter only
# before a mark or the end.
FIRST_WORD = re.compile(r"\W*([\w-]{2,}|\w(?=\s*(?:[:,.;-]|\Z)))(?:[\s:,.;]|-(?!\s*AC\d))*(.*)\Z", re.DOTALL)
# How much of an answer that was not taken is shown again.
LONGEST_ANSWER = 80
# The verbs of `baton pr` as the module calls them: what is fetched for it is read as well.
VERBS = {"fetch": "feedback", "plan": "plan", "land": "land"}


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
    project = persons_project(start)
    fetched = fetch_pull_request(project, find_pull(project, pull))
    record, digest = fetched.record, fetched.digest
    if record.unverified:
        note_shown(project, record.folder, session_here(), record.unverified)
    if record.pending_review:
        return Order(digest.text())
    notes = "\n".join(digest.notes())
    if readers := ask_readers(project, record, "plan"):
        order = order_round(project, record, readers)
        return order._replace(show=f"{notes}\n{order.show}".strip())
    if not with_decisions(record, Answers(project, record.folder)).new:
        return with_waiting_story(project, record, Order(digest.text()))
    return Order(notes, then=("plan", str(record.pull.number)))


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
    return _plan(persons_project(start), number, given_up)


@drive.command()
@click.argument("number", type=int)
@click.option("--skip-unit", "skipped", multiple=True)
@click.option("--give-up", "given_up", default="")
@click.pass_obj
def land(start: Path, number: int, skipped: tuple[str, ...], given_up: str) -> Order:
    """Take a round as far as it goes."""
    return _land(persons_project(start), number, skipped, given_up)


@drive.command()
@click.argument("name")
@click.option("--stopped", is_flag=True)
@click.pass_obj
def ended(start: Path, name: str, stopped: bool) -> Order:
    """Go on after the agent of a run or a unit has ended; `stopped`: by the person, who will go on."""
    project = persons_project(start)
    if number := number_of(name):
        if stopped:
            return Order(f"{name} was stopped; `/resolve-pr-feedback {number}` goes on")
        reading = load_reading(project, find_folder(project, number)) if is_reading(name) else None
        go_on = _plan if is_reading(name) and not (reading and reading.then == "land") else _land
        return go_on(project, number)
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
        return _take_up(project, number)
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
        return _answer_round(project, int(pull[1]), option, note, given)
    why, outcome = "", ""
    with open_story(project, about, f"answering {about}") as story:
        question = story.state.question
        try:
            if question and option in question.answers:
                outcome = apply_answer(story, option, note, given)
            elif question:
                why = _no_option(words)
        except NoNote as error:
            why = f"Not taken: {error.what}. Type `{option}:`, and your note behind it."
    return Order(outcome) if option == "abandon" and outcome else asked_again(_go(project, about), why)


def _no_option(words: str) -> str:
    return f"Not taken, as it begins with no option: {clip(one_line(words), LONGEST_ANSWER)}"


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


def _plan(project: Project, number: int, given_up: str = "") -> Order:
    """Plan a round of what was read; `given_up` is a reader it goes on without."""
    record = without_readers(project, current_record(project, find_record(project, str(number))), given_up)
    try:
        return order_round(project, record, plan_round(project, record, {}))
    except LandFirst:  # it was cut short, and read again since
        return _land(project, number)


def _land(project: Project, number: int, skipped: Collection[str] = (), given_up: str = "") -> Order:
    """Take a round as far as it goes; `skipped` are units it goes on without, `given_up` a reader."""
    record = without_readers(project, find_record(project, str(number)), given_up)
    return order_round(project, record, land_round(project, record.folder, skipped, dry_run=False))


def _take_up(project: Project, number: int) -> Order:
    """Go on with the current round, unless it waits for the user or is over."""
    folder = find_folder(project, number)
    current, question = load_round(project, folder), Answers(project, folder).open
    if load_record_in(project, folder).unread and not question:
        return _plan(project, number)
    over = current is None or bool(current.landed) or question is not None
    return Order() if over else _land(project, number)


def _answer_round(project: Project, number: int, option: str, note: str, given: DialogAnswer) -> Order:
    """Take the answer to what is open about a pull request, and go on."""
    folder = find_folder(project, number)
    question = Answers(project, folder).open
    if question and option not in question.options:
        return order_round(project, load_record_in(project, folder), step_to_ask(question, number))
    taken = answer_pull_request(project, number, option, note, given)
    if taken.leads_on:
        return Order(taken.says, then=(VERBS[taken.verb], str(number)))
    return with_waiting_story(project, load_record_in(project, folder), Order(taken.says))
