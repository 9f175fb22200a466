"""What the client's module is to carry out: one shape for the steps of stories and of pull requests' rounds."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from baton.commands.step_text import report_text, step_text
from baton.story.step import Step

if TYPE_CHECKING:
    from baton.feedback.step import RoundStep

# The lines of a step that say what a model is to do; what else it says is for the person.
FOR_A_MODEL = re.compile(r"(?m)^(?:DO|STAGE|AGENT|PROMPT|LABEL|MODEL|THEN|IF) .*\n?")


class Agent(NamedTuple):
    """An agent to be started unless it is at work: `name` is its run's or unit's.

    `seen` is the id under which its start was seen before, `lost` the call to go on with if it is at work no more.
    """

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
    options: tuple[str, ...]
    token: str


class Order(NamedTuple):
    """What to do, in this order: start agents, ask, pause, then call again; `show` goes to the person first.

    `skill` is the command and its arguments that go on by the skill's text, where a model has to judge.
    """

    show: str = ""
    start: tuple[Agent, ...] = ()
    ask: DialogQuestion | None = None
    pause: int = 0
    then: tuple[str, ...] = ()
    skill: tuple[str, ...] = ()

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        start = [one._asdict() for one in self.start]
        return {**self._asdict(), "start": start, "ask": self.ask._asdict() if self.ask else None}


def order_of_step(step: Step, token: str = "") -> Order:
    """Return a story's step as the module carries it out; `token` is that of its question."""
    if step.question and not step.question["options"]:
        return Order(skill=("implement", ""))  # what `/implement` was given has to be talked over
    show = for_the_person(step_text(step, report_text(step)))
    if step.question:
        options = tuple(one["id"] for one in step.question["options"])
        return Order(ask=DialogQuestion(step.story, show, options, token))
    if step.action == "feedback":
        return Order(show, then=("feedback", str(step.pull)))
    if step.action == "spawn":
        return Order(f"{step.label} · {show}", start=(_agent(step),))
    if step.started_elsewhere:
        ends = f"`! baton next {step.story} --ended {step.run}`"
        return Order(f"{show}\nIf that client was closed: {ends}, then the same command again.")
    if step.action != "wait":
        return Order(show)
    if step.seconds:  # what is not on GitHub is waited for within the call
        return Order(show, pause=step.seconds if step.pull else 0, then=("go", step.story))
    return Order(show, start=(_agent(step),)) if step.run else Order(show)


def _agent(step: Step) -> Agent:
    assert step.run is not None
    lost = ("ended", step.run) if step.start_seen else ()
    told = (str(step.agent), str(step.prompt), str(step.label))
    return Agent(step.run, *told, step.model, step.started_as or "", lost)


def order_of_round(step: "RoundStep", number: int, options: Iterable[str] = (), token: str = "") -> Order:
    """Return the step of a pull request's round as the module carries it out; `options` are its question's."""
    show = for_the_person(step.text())
    if step.action == "ask":
        return Order(ask=DialogQuestion(f"pr-{number}", show, tuple(options), token))
    if step.action in ("plan", "land"):
        return Order(show, then=(step.action, str(number)))
    if step.action == "wait" and not step.out:
        return Order(then=("land", str(number)))
    # One that ended and handed nothing in is started once more, then gone on without.
    agents = (
        Agent(one.unit, one.agent, one.prompt, one.unit, lost=("land", str(number), "--skip-unit", one.unit))
        for one in (*step.spawn, *step.out)
    )
    return Order(show, start=tuple(agents))


def for_the_person(text: str) -> str:
    """Return a step's text without the lines that are for a model."""
    head, blank, rest = text.partition("\n\n")
    return (FOR_A_MODEL.sub("", f"{head}\n") + blank[1:] + rest).strip()
