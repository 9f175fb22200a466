"""A pull request's round as the client's module carries it out: each call gives one order."""

import re
from collections.abc import Collection

from baton.commands.order import Order, order_of_round
from baton.feedback.answer import answer_pull_request
from baton.feedback.answer_source import Spoken, note_shown
from baton.feedback.decisions import with_decisions
from baton.feedback.land.land_command import land_round
from baton.feedback.plan.build_round import UserVerdicts
from baton.feedback.plan.plan_command import LandFirst, plan_round
from baton.feedback.plan.round import load_round
from baton.feedback.questions import Answers
from baton.feedback.read.digest import Digest
from baton.feedback.read.read_command import find_pull, read_pull_request
from baton.feedback.read.record import PullRequestRecord, load_record_in
from baton.feedback.step import RoundStep, asked
from baton.feedback.store import find_folder
from baton.headless.client_process import plays_round
from baton.journal.events import EffectDone, IntegrationStepDone
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.story.answer_source import DialogAnswer, leave_token, session_here

# What is said of a read where the round goes on: whose words were not taken in, and why.
SAID_OF_A_READ = re.compile(r"(?m)^(?:SCOPE|NOT REVIEWED|WARNING|UNVERIFIED|IGNORED|RECURRENCE) .*")
# The rule by which a story waits for the feedback on its pull request to be settled.
WAITS_FOR_FEEDBACK = "review/open"


def read(project: Project, pull: str) -> Order:
    """Read a pull request, and plan a round; where items need triage, a model has to."""
    digest = read_pull_request(project, find_pull(project, pull)).digest
    record = digest.record
    if record.unverified:
        note_shown(project, record.file.parent, session_here(), record.unverified)
    if record.pending_review:
        return Order(digest.text())
    if not with_decisions(record, Answers(project, record.file.parent)).new:
        return _over(project, record, Order(digest.text()))
    if digest.asks_for_triage:
        return _by_the_skill(project, record, "")  # as it was asked for, perhaps of one comment alone
    return Order("\n".join(SAID_OF_A_READ.findall(digest.text())), then=("plan", str(record.pull.number)))


def plan(project: Project, number: int) -> Order:
    """Plan a round of what was read, and send out its first units."""
    record = load_record_in(project, find_folder(project, number))
    if Digest(record, 0).asks_for_triage:
        return _by_the_skill(project, record, record.pull.url)
    try:
        return _order(project, record, plan_round(project, record, UserVerdicts({}, {})))
    except LandFirst:  # it was cut short, and read again since
        return land(project, number)


def land(project: Project, number: int, skipped: Collection[str] = ()) -> Order:
    """Take a round as far as it goes; `skipped` are units it goes on without."""
    folder = find_folder(project, number)
    return _order(project, load_record_in(project, folder), land_round(project, folder, skipped, dry_run=False))


def take_up(project: Project, number: int) -> Order:
    """Go on with the current round, unless it waits for the user or is over."""
    folder = find_folder(project, number)
    made = load_round(project, folder)
    over = made is None or bool(made.landed) or Answers(project, folder).open is not None
    return Order() if over else land(project, number)


def answer(project: Project, number: int, option: str, note: str, given: DialogAnswer) -> Order:
    """Take the answer to what is open about a pull request, and go on."""
    folder = find_folder(project, number)
    question = Answers(project, folder).open
    if question and option not in question.options:
        return _order(project, load_record_in(project, folder), asked(question, number))
    told, _ = answer_pull_request(project, number, option, note, given)
    says, _, then = told.partition("\nTHEN baton pr ")
    if then:
        return Order(says, then=tuple(then.replace("fetch", "feedback").split()))
    return _over(project, load_record_in(project, folder), Order(says))


def _order(project: Project, record: PullRequestRecord, step: RoundStep) -> Order:
    folder, number = record.file.parent, record.pull.number
    if step.action != "ask":
        order = order_of_round(step, number)
        return _over(project, record, order) if step.action == "report" else order
    note_shown(project, folder, session_here())
    spoken, question = Spoken(project, folder), Answers(project, folder).open
    token = leave_token(project, f"pr-{number}", spoken.question)
    return order_of_round(step, number, question.options if question else (), token)


def _over(project: Project, record: PullRequestRecord, order: Order) -> Order:
    """Go on with the story that waits for this round, if one does."""
    story = _waiting_story(project, record.pull.url)
    return order._replace(then=("go", story)) if story else order


def _by_the_skill(project: Project, record: PullRequestRecord, given: str) -> Order:
    """Have a model go on, with the round or with the story that waits for it: it has to say what items ask for."""
    story = _waiting_story(project, record.pull.url)
    return Order(skill=("implement", story) if story else ("resolve-pr-feedback", given))


def _waiting_story(project: Project, url: str) -> str:
    """Return the id of the story that waits for this round and is not `baton run`'s; empty for none."""
    for state in read_stories(project).states:
        last = state.events[-1]
        waits = isinstance(last, IntegrationStepDone) and last.rule == WAITS_FOR_FEEDBACK
        if waits and any(isinstance(one, EffectDone) and one.commit == url for one in state.events):
            return "" if plays_round(project, state.created.story) else state.created.story
    return ""
