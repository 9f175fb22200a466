"""The next step for a caller of `pr fetch`, `pr plan` and `pr land`: the action first."""

import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType
from typing import Any, NamedTuple

from baton.feedback.plan.round import Round, Unit, next_units, save_round
from baton.feedback.plan.unit_work import UnitWork, combine_work, load_unit_work
from baton.feedback.store.kept_files import owner_of
from baton.feedback.store.questions import Question
from baton.git.command import Git
from baton.git.objects import keep_commit, tree_of
from baton.journal.paths import Project
from baton.story.ask.answer_source import answer_lines
from baton.story.run.begin_run import refs_of
from baton.story.run.progress import label_line, reason_lines
from baton.text import clip, plural

RESOLVER = "baton:pr-comment-resolver"
# A path that a label may hold: a stranger may have named it, and a sentence is no path.
PLAIN_PATH = re.compile(r"[A-Za-z0-9_.+@/-]+")
LONGEST_BEGIN = 280  # characters of what is said as agents begin


class Spawn(NamedTuple):
    """An agent to start: which unit or reading it is for, and its prompt."""

    unit: str
    agent: str
    prompt: str
    label: str
    brief: str
    lost: str  # the verb and options that go on without it, but for its name
    joined: bool = False  # it is for items that belong together
    model: str | None = None
    again: str = ""  # why it is started once more

    def lines(self) -> list[str]:
        """Return how it is started, as text, and why these items."""
        model = [f"MODEL {self.model}"] if self.model else []
        return [f"AGENT {self.agent}", f"PROMPT {self.prompt}", f"LABEL {self.label}", *model, *self.why]

    @property
    def why(self) -> list[str]:
        """For joined items the brief, which says why they are."""
        return [f"BRIEF {self.brief}"] if self.joined else []


class RoundStep(NamedTuple):
    """The next step for a caller, and why; `data` is the rest of it, for JSON."""

    action: str
    rule: str
    reason: str
    spawn: tuple[Spawn, ...] = ()
    lines: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()  # for a model: what it does about an agent that is not at work
    choices: tuple[str, ...] = ()  # what is asked, and the options
    answer: str = ""  # the call that answers it
    then: str = ""
    data: Mapping[str, Any] = MappingProxyType({})
    whole: bool = False  # the lines are all there is to print
    out: tuple[Spawn, ...] = ()  # of a wait: the agents that are waited for

    def text(self) -> str:
        """Return it as text, the action first."""
        if self.whole:
            return "\n".join(self.lines)
        several = ", all in one message" if len(self.spawn) > 1 else ""
        what = f"spawn {plural(len(self.spawn), 'agent')}{several}" if self.spawn else self.action
        started = (line for agent in self.spawn for line in agent.lines())
        return "\n".join([f"DO {what}", *started, *self.after_action()])

    def after_action(self) -> list[str]:
        """Return why, what there is to say, and how it goes on, as text."""
        lines = [f"WHY {self.rule}: {self.reason}", *self.lines, *self.hints, *self.choices]
        lines += answer_lines(self.answer) if self.answer else []
        return [*lines, f"THEN {self.then}"] if self.then else lines

    def for_person(self) -> str:
        """Return it as the person reads it: without what a model is to do, and without the options."""
        asked = [line for line in self.choices if not line.startswith("OPTION ")]
        asked = [re.sub("^ADVICE ", "Recommended: ", line.removeprefix("QUESTION ")) for line in asked]
        return "\n".join([*reason_lines(self.reason), *self.lines, *asked]).strip()

    @property
    def begins(self) -> str:
        """Say in one line what the agents to start are for, and how many more wait for them."""
        pull, tasks = self.spawn[0].label.partition(": ")[0], list[str]()
        for agent in self.spawn:
            tasks.append(agent.label.partition(": ")[2] + (f" ({agent.again})" if agent.again else ""))
        later = sum(not unit["base"] for unit in self.data.get("units", ()))
        more = f"; {plural(later, 'more unit')} when there is room" if later else ""
        return clip(f"{pull}: {'; '.join(tasks)}{more}", LONGEST_BEGIN)

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        spawn = [agent._asdict() for agent in self.spawn]
        return {"action": self.action, "rule": self.rule, "reason": self.reason, "spawn": spawn, **self.data}


def step_to_ask(question: Question, number: int) -> RoundStep:
    """Return a question as the step that shows it."""
    return RoundStep(
        "ask", question.rule, question.reason, lines=tuple(question.shown), choices=tuple(question.choices),
        answer=question.answer_with(number), data=question.data(number),
    )  # fmt: skip


def spawn_of(unit: Unit, number: int) -> Spawn:
    """Return how a unit's agent is started; `number` is that of the pull request."""
    prompt = f"Unit {unit.id}: first call `baton begin {unit.id}`, then do what it prints."
    label, lost = label_line(f"PR {number}", _task(unit)), f"land {number} --skip-unit"
    return Spawn(unit.id, RESOLVER, prompt, label, unit.brief, lost, unit.is_cluster, again=unit.again)


def _task(unit: Unit) -> str:
    """Describe a unit, such as `fix validation in src/auth/, 3 comments`, or `fix login.py:12, 1 comment`."""
    where = unit.area if unit.is_cluster else "".join(unit.files[:1]).rpartition("/")[2]
    known = ":".join(filter(None, (where, unit.lines))) if PLAIN_PATH.fullmatch(where) else ""
    what = " in ".join(filter(None, (unit.theme, known)))
    count, place = plural(len(unit.items), "comment"), "in a file" if unit.files else "on the pull request"
    return (f"fix {what}, {count}" if what else f"settle {count} {place}") + (", once more" if unit.again else "")


def send_out(
    project: Project, folder: Path, round: Round, rule: str, reason: str, repeat: bool = False
) -> RoundStep:
    """Have the units begin that can; return the agents to start as a step, with `repeat` all that are out."""
    taken = load_unit_work(project, folder, round)
    missing = round.missing_units(taken)
    if not missing:
        return RoundStep("land", "round/in", "every unit was handed in", then=f"baton pr land {round.number}")
    begun = {unit.id for unit in next_units(round.units, missing, round.parallel)}
    if begun:
        round = _begin(Git(project), folder, round, begun, taken)
        save_round(project, folder, round)
    out = [unit for unit in round.units if unit.id in missing and unit.is_out]
    shown = [unit for unit in out if repeat or unit.id in begun]
    waiting = len(missing) - len(out)
    which = "one of your agents has" if waiting else "all your agents have"
    then = f"end your turn; when {which} ended: baton pr land {round.number}"
    if not shown:
        return _waiting(round, out, then)
    counts = f"{plural(len(round.units), 'unit')} in all, {len(taken)} handed in, {waiting} yet to begin"
    return RoundStep(
        "spawn", rule, f"{reason}; {counts}", tuple(spawn_of(unit, round.number) for unit in shown), then=then,
        data={"round": round.id, "units": [unit._asdict() for unit in round.units]},
    )  # fmt: skip


def _waiting(round: Round, out: Sequence[Unit], then: str) -> RoundStep:
    """Return the step that waits for agents, and says what to do about one that is not at work."""
    names, first = ", ".join(unit.id for unit in out), out[0]
    start = spawn_of(first, round.number)
    hints = (
        f"IF one was not started, as {first.id}: spawn {RESOLVER} with `{start.prompt}`, shown as `{start.label}`",
        f"IF one has ended and handed nothing in, as {first.id}: start it once more; ended so twice, go on "
        f"without it: baton pr land {round.number} --skip-unit {first.id}",
    )
    waits = tuple(spawn_of(unit, round.number) for unit in out)
    return RoundStep("wait", "round/out", f"not handed in yet: {names}", hints=hints, then=then, out=waits)


def _begin(git: Git, folder: Path, round: Round, begun: Set[str], taken: Mapping[str, UnitWork]) -> Round:
    """Base units on the sum of what is in, and put them after those that are out; return the round with them."""
    tree = combine_work(git, round.head, taken).tree
    plain = tree == tree_of(git, round.head)
    # A unit that goes out once more has a commit of its own to begin from: its first result is void by that.
    bases = {
        unit.id: round.head if plain and not unit.again else _keep_sum(git, folder, unit, tree, round.head)
        for unit in round.units
        if unit.id in begun
    }
    units = (unit._replace(base=bases.get(unit.id, unit.base)) for unit in round.units)
    return round._replace(units=tuple(sorted(units, key=lambda unit: not unit.is_out)))


def _keep_sum(git: Git, folder: Path, unit: Unit, tree: str, head: str) -> str:
    """Keep a commit of a tree on the head for a unit to begin from, on no branch; returns it."""
    ref = f"{refs_of(owner_of(folder))}/base-{unit.id}"
    return keep_commit(git, ref, tree, [head], f"what {unit.id} begins from, {token_hex(4)}")
