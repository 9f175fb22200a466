"""A pull request's round as the client's module carries it out: each call gives one order."""

import re
from collections.abc import Collection

from baton.commands.order import Order, order_of_round
from baton.feedback.answer_round import answer_pull_request
from baton.feedback.land.land_command import land_round
from baton.feedback.plan.ask_readers import ask_readers
from baton.feedback.plan.open_decisions import with_decisions
from baton.feedback.plan.plan_command import LandFirst, plan_round
from baton.feedback.plan.reader_run import give_up
from baton.feedback.plan.round import load_round
from baton.feedback.plan.round_step import RoundStep, step_to_ask
from baton.feedback.reader.reader_shares import load_reading
from baton.feedback.record.fetch_pull import current_record, fetch_pull_request, find_pull
from baton.feedback.record.record import PullRequestRecord, load_record_in
from baton.feedback.store.kept_files import find_folder, number_of
from baton.feedback.store.questions import Answers, QuestionReplies, note_shown
from baton.headless.client_process import plays_round
from baton.journal.events import EffectDone, IntegrationStepDone
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.story.ask.answer_source import DialogAnswer, leave_token, session_here

# What is said of a read where the round goes on: whose words were not taken in, and why.
SAID_OF_A_READ = re.compile(
    r"(?m)^(?:SCOPE|NOT REVIEWED|NOT READ|WARNING|UNVERIFIED|IGNORED|AFTER OUR ANSWER|RECURRENCE) .*"
)
# The rule by which a story waits for the feedback on its pull request to be settled.
WAITS_FOR_FEEDBACK = "review/open"


def read(project: Project, pull: str) -> Order:
    """Fetch a pull request, and have it read or plan a round."""
    fetched = fetch_pull_request(project, find_pull(project, pull))
    record, digest = fetched.record, fetched.digest
    if record.unverified:
        note_shown(project, record.folder, session_here(), record.unverified)
    if record.pending_review:
        return Order(digest.text())
    notes = "\n".join(SAID_OF_A_READ.findall(digest.text()))
    if readers := ask_readers(project, record, "plan"):
        order = order_of_round(readers, record.pull.number)
        return order._replace(show=f"{notes}\n{order.show}".strip())
    if not with_decisions(record, Answers(project, record.folder)).new:
        return _over(project, record, Order(digest.text()))
    return Order(notes, then=("plan", str(record.pull.number)))


def plan(project: Project, number: int, given_up: str = "") -> Order:
    """Plan a round of what was read, and send out its first units; `given_up` is a reader it goes on without."""
    record = current_record(project, load_record_in(project, find_folder(project, number)))
    if given_up:
        give_up(project, record.folder, given_up)
        record = load_record_in(project, record.folder)
    try:
        return _order(project, record, plan_round(project, record, {}))
    except LandFirst:  # it was cut short, and read again since
        return land(project, number)


def land(project: Project, number: int, skipped: Collection[str] = (), given_up: str = "") -> Order:
    """Take a round as far as it goes; `skipped` are units it goes on without, `given_up` a reader."""
    folder = find_folder(project, number)
    if given_up:
        give_up(project, folder, given_up)
    return _order(project, load_record_in(project, folder), land_round(project, folder, skipped, dry_run=False))


def after_unit(project: Project, name: str) -> Order:
    """Go on after the agent of a unit has ended."""
    return land(project, number_of(name))


def after_reading(project: Project, name: str) -> Order:
    """Go on after a reader has ended, with what waits for it."""
    number = number_of(name)
    waits = load_reading(project, find_folder(project, number))
    return land(project, number) if waits and waits.then == "land" else plan(project, number)


def take_up(project: Project, number: int) -> Order:
    """Go on with the current round, unless it waits for the user or is over."""
    folder = find_folder(project, number)
    current, asked = load_round(project, folder), Answers(project, folder).open
    if load_record_in(project, folder).unread and not asked:
        return plan(project, number)
    over = current is None or bool(current.landed) or asked is not None
    return Order() if over else land(project, number)


def answer(project: Project, number: int, option: str, note: str, given: DialogAnswer) -> Order:
    """Take the answer to what is open about a pull request, and go on."""
    folder = find_folder(project, number)
    question = Answers(project, folder).open
    if question and option not in question.options:
        return _order(project, load_record_in(project, folder), step_to_ask(question, number))
    text, _ = answer_pull_request(project, number, option, note, given)
    says, _, then = text.partition("\nTHEN baton pr ")
    if then:
        return Order(says, then=tuple(then.replace("fetch", "feedback").split()))
    return _over(project, load_record_in(project, folder), Order(says))


def _order(project: Project, record: PullRequestRecord, step: RoundStep) -> Order:
    folder, number = record.folder, record.pull.number
    if step.action != "ask":
        order = order_of_round(step, number)
        return _over(project, record, order) if step.action == "report" else order
    note_shown(project, folder, session_here())
    spoken, question = QuestionReplies(project, folder), Answers(project, folder).open
    token = leave_token(project, f"pr-{number}", spoken.question)
    return order_of_round(step, number, question.options if question else (), token)


def _over(project: Project, record: PullRequestRecord, order: Order) -> Order:
    """Go on with the story that waits for this round, if one does."""
    story = _waiting_story(project, record.pull.url)
    return order._replace(then=("go", story)) if story else order


def _waiting_story(project: Project, url: str) -> str:
    """Return the id of the story that waits for this round and is not `baton run`'s; empty for none."""
    for state in read_stories(project).states:
        last = state.events[-1]
        waits = isinstance(last, IntegrationStepDone) and last.rule == WAITS_FOR_FEEDBACK
        if waits and any(isinstance(event, EffectDone) and event.commit == url for event in state.events):
            return "" if plays_round(project, state.created.story) else state.created.story
    return ""
