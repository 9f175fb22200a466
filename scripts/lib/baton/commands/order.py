"""The orders for the client's module: one shape for the steps of stories and, in `round_order`, of rounds."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from baton.commands.step_text import step_text
from baton.journal.paths import PULL_REQUEST, Project
from baton.journal.permit import STAYS_OPEN
from baton.journal.state import fold
from baton.story.ask.answer_source import leave_token
from baton.story.ask.step import Step
from baton.story.session.open_story import read_journal
from baton.text import clip, one_line, visible

# How many options the client's dialog takes.
MOST_OPTIONS = 4
# How much of an answer that was not taken is shown again.
LONGEST_ANSWER = 80


class Agent(NamedTuple):
    """An agent to be started unless it is at work: `run` is its run or unit, `name` the same as a person reads it.

    `seen` is the id under which its start was seen before, `lost` the call to go on with if it is at work no more.
    `about` is what it works for, as a question has it.
    """

    about: str
    run: str
    name: str
    type: str
    prompt: str
    label: str
    model: str | None = None
    seen: str = ""
    lost: tuple[str, ...] = ()


class DialogQuestion(NamedTuple):
    """A question for the client's own dialog, with a token by which the answer counts as the person's."""

    about: str  # as `baton for-module answer` takes it
    text: str
    options: tuple[tuple[str, str], ...]  # those that the dialog has room for: name, and as it stands there
    left: str  # what is shown where it stays open
    token: str


class Order(NamedTuple):
    """An order, carried out so: start agents, ask, pause, then call again; `show` goes to the person first.

    `page` is Markdown to be drawn as such, or, if `plain`, a text that is shown as it is; `modes` what is told of
    each permission mode. `skill` is the command and its arguments that go on by the skill's text, where a model
    has to judge.
    """

    show: str = ""
    page: str = ""
    plain: bool = False
    modes: Mapping[str, str] | None = None
    start: tuple[Agent, ...] = ()
    ask: DialogQuestion | None = None
    pause: int = 0
    then: tuple[str, ...] = ()
    skill: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        start = [agent._asdict() for agent in self.start]
        return {**self._asdict(), "start": start, "ask": self.ask._asdict() if self.ask else None}


def order_step(project: Project, step: Step, end_line: str = "", rests: bool = False) -> Order:
    """Make a story's step an order to the module; a question gets a permit for its answer.

    `end_line` says what came of the run before, and what follows; `rests`: the user has just stopped something,
    and is asked nothing now.
    """
    if step.question and not step.question["options"]:
        return Order(skill=("implement", ""))  # what `/implement` was given has to be talked over
    parts = step_text(step)
    show = parts.for_person()
    if step.question:
        if rests:
            return Order(f"{show}\n`/implement {step.story}` asks you")
        asked_seq = fold(read_journal(project, step.story).records).asked_seq
        options = {option["id"]: option["does"] for option in step.question["options"]}
        return dialog_of(project, step.story, show, options, str(asked_seq))._replace(show=end_line)
    if step.action == "feedback":
        return Order(show, then=("feedback", str(step.pull)))
    if step.action == "spawn":  # what came of the run before says why
        what = end_line or f"{step.label} · {parts.because}"
        return Order(f"{what}\n{parts.more}".strip(), start=(_run_agent(step),))
    show = f"{end_line}\n{show}".strip()
    if step.started_elsewhere:
        ends = f"`! baton next {step.story} --ended {step.run}`"
        return Order(f"{show}\nIf that client was closed: {ends}, then the same command again.")
    if step.action == "wait" and step.seconds:  # what is not on GitHub is waited for within the call
        return Order(show, pause=step.seconds if step.pull else 0, then=("go", step.story))
    if step.action == "wait" and step.run:
        return Order(f"{step.label} is running\n{parts.more}".strip(), start=(_run_agent(step),))
    page = "\n".join(parts.page)
    return Order(end_line if page and end_line else show, page)


def dialog_of(project: Project, about: str, text: str, options: Mapping[str, str], question: str) -> Order:
    """Return the order to ask a question in the client's dialog; `question` tells it from other ones."""
    # The client draws a line break in an option as another character, and gives that back.
    shown = tuple((name, visible(" ".join(f"{name}: {does}".split()))) for name, does in options.items())
    if len(shown) == 1:  # the client adds a bare "Yes" to a lone one, which answers nothing
        shown += ((STAYS_OPEN[0], ": ".join(STAYS_OPEN)),)
    labels = [label for _, label in shown]
    dialog = "\n".join([text, *labels[MOST_OPTIONS:], "To add a note, type an option's first word, then yours."])
    command = f"/resolve-pr-feedback {about[3:]}" if PULL_REQUEST.match(about) else f"/implement {about}"
    how = f"Not answered: `baton answer {about} OPTION` in a terminal answers."
    again = f"`{command}` asks again, where the client shows dialogs."
    left = "\n".join([text, *(f"- {label}" for label in labels), "", f"{how} {again}"])
    token = leave_token(project, about, question)
    return Order(ask=DialogQuestion(about, dialog, shown[:MOST_OPTIONS], left, token))


def left_open(order: Order) -> Order:
    """Return what is shown of an order's question that stays open."""
    return Order(order.ask.left) if order.ask else order


def no_option(words: str) -> str:
    """Say why these words were not taken for an answer."""
    return f"Not taken, as it begins with no option: {clip(one_line(words), LONGEST_ANSWER)}"


def asked_again(order: Order, why: str) -> Order:
    """Return an order whose question says first why the answer before was not taken; empty for one that was."""
    return (
        order._replace(ask=order.ask._replace(text=f"{why}\n\n{order.ask.text}")) if order.ask and why else order
    )


def _run_agent(step: Step) -> Agent:
    assert step.run is not None
    name = f"{step.story}-{step.run.rpartition('_')[2]}"  # on the client's screen
    lost = ("ended", name) if step.start_seen else ()
    fields = (name, str(step.agent), str(step.prompt), str(step.label))
    return Agent(step.story, step.run, *fields, step.model, step.started_as or "", lost)
