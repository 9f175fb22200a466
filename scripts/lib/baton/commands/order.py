"""The orders for the client's module: one shape for the steps of stories and of pull requests' rounds."""

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from baton.commands.step_text import report_text, step_text
from baton.journal.paths import Project
from baton.journal.repository import read_stories
from baton.journal.run import Run
from baton.journal.state import State
from baton.story.ask.step import Step
from baton.story.run.progress import in_plain

if TYPE_CHECKING:
    from baton.feedback.plan.round_step import RoundStep

# The lines of a step that say what a model is to do; what else it says is for the person.
FOR_A_MODEL = re.compile(r"(?m)^(?:DO|STAGE|AGENT|PROMPT|LABEL|MODEL|THEN|IF|OR) .*\n?")
# Why, without the rule that decided.
WHY = re.compile(r"(?m)^WHY (?:[a-z-]+/[a-z-]+: )?(.*)")


class Agent(NamedTuple):
    """An agent to be started unless it is at work: `run` is its run or unit, `name` the same as a person reads it.

    `seen` is the id under which its start was seen before, `lost` the call to go on with if it is at work no more.
    """

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
    options: tuple[str, ...]
    token: str


class Order(NamedTuple):
    """An order, carried out so: start agents, ask, pause, then call again; `show` goes to the person first.

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
        start = [agent._asdict() for agent in self.start]
        return {**self._asdict(), "start": start, "ask": self.ask._asdict() if self.ask else None}


def order_of_step(step: Step, token: str = "", end_line: str = "") -> Order:
    """Return a story's step as the module carries it out.

    `token` is that of its question, `end_line` says what came of the run before, and what follows.
    """
    if step.question and not step.question["options"]:
        return Order(skill=("implement", ""))  # what `/implement` was given has to be talked over
    show = for_the_person(step_text(step, report_text(step)))
    if step.question:
        options = tuple(option["id"] for option in step.question["options"])
        return Order(ask=DialogQuestion(step.story, show, options, token))
    if step.action == "feedback":
        return Order(show, then=("feedback", str(step.pull)))
    because, _, more = show.partition("\n")
    if step.action == "spawn":  # what came of the run before says why
        return Order(f"{end_line or f'{step.label} · {because}'}\n{more}".strip(), start=(_agent(step),))
    show = f"{end_line}\n{show}".strip()
    if step.started_elsewhere:
        ends = f"`! baton next {step.story} --ended {step.run}`"
        return Order(f"{show}\nIf that client was closed: {ends}, then the same command again.")
    if step.action != "wait":
        return Order(show)
    if step.seconds:  # what is not on GitHub is waited for within the call
        return Order(show, pause=step.seconds if step.pull else 0, then=("go", step.story))
    if not step.run:
        return Order(show)
    return Order(f"{step.label} is running\n{more}".strip(), start=(_agent(step),))


def _agent(step: Step) -> Agent:
    assert step.run is not None
    name = agent_name(step.story, step.run)
    lost = ("ended", name) if step.start_seen else ()
    fields = (name, str(step.agent), str(step.prompt), str(step.label))
    return Agent(step.run, *fields, step.model, step.started_as or "", lost)


def agent_name(story_id: str, run_id: str) -> str:
    """Return the name of a run's agent on the client's screen."""
    return f"{story_id}-{run_id.rpartition('_')[2]}"


def run_of(project: Project, name: str) -> tuple[State, Run] | None:
    """Return the run whose agent is called so, and its story; a BatonError where that cannot be read."""
    story_id, _, suffix = name.rpartition("-")
    states, faults = read_stories(project, [story_id])
    if faults:
        raise faults[0]
    run = states[0].find_run(f"{states[0].created.session}_{suffix}") if states else None
    return (states[0], run) if run else None


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
        Agent(job.unit, job.unit, job.agent, job.prompt, job.unit, job.model, lost=(*job.lost.split(), job.unit))
        for job in (*step.spawn, *step.out)
    )
    return Order(show, start=tuple(agents))


def for_the_person(text: str) -> str:
    """Return a step's text without the lines that are for a model."""
    head, blank, rest = text.partition("\n\n")
    shown = WHY.sub(lambda why: in_plain(why[1]), FOR_A_MODEL.sub("", f"{head}\n"))
    return (shown + blank[1:] + rest).strip()
