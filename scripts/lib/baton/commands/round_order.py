"""The orders of a round on a pull request for the client's module: what it carries out, asks and shows."""

from collections.abc import Collection

from baton.commands.order import Agent, Order, asked_again, dialog_of, left_open, no_option
from baton.commands.pr import without_readers
from baton.commands.step_text import heading
from baton.feedback.answer_round import answer_pull_request
from baton.feedback.land.land_command import land_round
from baton.feedback.plan.agent_ends import end_line, label_of_agent, mark_handled, mark_told, note_starts
from baton.feedback.plan.ask_readers import ask_readers
from baton.feedback.plan.open_decisions import with_decisions
from baton.feedback.plan.plan_command import LandFirst, plan_round
from baton.feedback.plan.round import load_round
from baton.feedback.plan.round_step import RoundStep, Spawn, step_to_ask
from baton.feedback.reader.reader_shares import load_reading
from baton.feedback.record.fetch_pull import current_record, fetch_pull_request, find_pull, find_record
from baton.feedback.record.record import PullRequestRecord, load_record_in
from baton.feedback.store.kept_files import find_folder
from baton.feedback.store.questions import Answers, QuestionReplies, note_shown
from baton.feedback.store.work_names import is_reading
from baton.headless.client_process import plays_round
from baton.journal.events import EffectDone, IntegrationStepDone
from baton.journal.paths import Project
from baton.journal.permit import STAYS_OPEN
from baton.journal.repository import read_stories
from baton.story.ask.answer_source import DialogAnswer, session_here
from baton.story.run.progress import in_plain

# The rule by which a story waits for the feedback on its pull request to be settled.
WAITS_FOR_FEEDBACK = "review/open"
# The verbs of `baton pr` as the module calls them: what is fetched for it is read as well.
VERBS = {"fetch": "feedback", "plan": "plan", "land": "land"}


def fetch_round(project: Project, pull: str) -> Order:
    """Fetch a pull request, and have it read or plan a round."""
    fetched = fetch_pull_request(project, find_pull(project, pull))
    record, digest = fetched.record, fetched.digest
    if record.unverified:
        note_shown(project, record.folder, session_here(), record.unverified)
    if record.pending_review:
        return Order(digest.text())
    notes = "\n".join(digest.notes())
    if readers := ask_readers(project, record, "plan"):
        order = order_round(project, record, readers)
        return order._replace(show=f"{notes}\n{_at_work(order).show}".strip())
    if not with_decisions(record, Answers(project, record.folder)).new:
        return with_waiting_story(project, record, Order(digest.text()))
    return Order(notes, then=("plan", str(record.pull.number)))


def go_plan(project: Project, number: int, given_up: str = "") -> Order:
    """Plan a round of what was read; `given_up` is a reader it goes on without."""
    record = without_readers(project, current_record(project, find_record(project, str(number))), given_up)
    mark_handled(project, record.folder)
    try:
        return _at_work(order_round(project, record, plan_round(project, record, {})))
    except LandFirst:  # it was cut short, and read again since
        return _at_work(go_land(project, number))


def go_land(project: Project, number: int, skipped: Collection[str] = (), given_up: str = "") -> Order:
    """Take a round as far as it goes; `skipped` are units it goes on without, `given_up` a reader."""
    record = without_readers(project, find_record(project, str(number)), given_up)
    mark_handled(project, record.folder)
    step = land_round(project, record.folder, skipped, dry_run=False)
    return order_round(project, record, step) if mark_told(project, record.folder) else Order()


def end_agent(project: Project, number: int, name: str, stopped: bool) -> Order:
    """Tell of the end of an agent, and go on after it, unless another call has; `stopped`: by the person."""
    folder = find_folder(project, number)
    if stopped:
        label = label_of_agent(project, folder, name)
        return Order(f"{label} was stopped; `/resolve-pr-feedback {number}` goes on")
    line = end_line(project, folder, name)
    if not mark_handled(project, folder, name):
        return Order(line)
    reading = load_reading(project, folder) if is_reading(name) else None
    verb = "plan" if is_reading(name) and not (reading and reading.then == "land") else "land"
    return Order(line, then=(verb, str(number)))


def take_up(project: Project, number: int) -> Order:
    """Go on with the current round, unless it waits for the user or is over."""
    folder = find_folder(project, number)
    current, question = load_round(project, folder), Answers(project, folder).open
    if load_record_in(project, folder).unread and not question:
        return go_plan(project, number)
    over = current is None or bool(current.landed) or question is not None
    return Order() if over else go_land(project, number)


def answer_round(project: Project, number: int, option: str, note: str, given: DialogAnswer) -> Order:
    """Take the answer to what is open about a pull request, and go on."""
    folder = find_folder(project, number)
    question = Answers(project, folder).open
    if question and option == STAYS_OPEN[0] and not note:
        return left_open(order_round(project, load_record_in(project, folder), step_to_ask(question, number)))
    if question and option not in question.options:
        order = order_round(project, load_record_in(project, folder), step_to_ask(question, number))
        return asked_again(order, no_option(given.words))
    taken = answer_pull_request(project, number, option, note, given)
    if taken.leads_on:
        return Order(taken.says, then=(VERBS[taken.verb], str(number)))
    order = Order(taken.says, "\n".join(taken.report), plain=True)
    return with_waiting_story(project, load_record_in(project, folder), order)


def order_round(project: Project, record: PullRequestRecord, step: RoundStep) -> Order:
    """Make the step of a pull request's round an order to the module; a question is noted as shown."""
    folder, number = record.folder, str(record.pull.number)
    show = step.for_person()
    if step.action == "ask":
        note_shown(project, folder, session_here())
        question, about = Answers(project, folder).open, QuestionReplies(project, folder).question
        show = f"Pull request {number} {heading(record.pull.title or '')}".rstrip() + f"\n{show}"
        return dialog_of(project, f"pr-{number}", show, question.options if question else {}, about)
    if step.action == "wait" and not step.out:
        return Order(then=("land", number))
    came, page = f"PR {number}: {in_plain(step.reason)}", "\n".join(step.lines)
    if step.action in ("plan", "land"):
        return Order(came, page, plain=True, then=(step.action, number))
    if step.action == "report":
        return with_waiting_story(project, record, Order(came, page, plain=True))
    start = tuple(_unit_agent(job, f"pr-{number}") for job in (*step.spawn, *step.out))
    if not step.spawn:
        return Order(start=start)
    note_starts(project, folder, step.spawn)
    return Order("\n".join([step.begins, *step.lines]), start=start)


def with_waiting_story(project: Project, record: PullRequestRecord, order: Order) -> Order:
    """Return the last order of a round; it goes on with the story that waits for it and is not `baton run`'s."""
    for state in read_stories(project).states:
        last = state.events[-1]
        waits = isinstance(last, IntegrationStepDone) and last.rule == WAITS_FOR_FEEDBACK
        pulls = (event.commit for event in state.events if isinstance(event, EffectDone))
        if waits and record.pull.url in pulls:
            story = state.created.story
            return order if plays_round(project, story) else order._replace(then=("go", story))
    return order


def _at_work(order: Order) -> Order:
    """Return an order that says who is waited for, where it says nothing."""
    labels = "; ".join(agent.label for agent in order.start)
    return order._replace(show=f"At work: {labels}") if labels and not order.show else order


def _unit_agent(job: Spawn, about: str) -> Agent:
    # One that ended and handed nothing in is started once more, then gone on without.
    lost = (*job.lost.split(), job.unit)
    return Agent(about, job.unit, job.unit, job.agent, job.prompt, job.label, job.model, lost=lost)
