"""What a caller of `pr fetch`, `pr plan` and `pr land` is to do now: always said, the action first."""

import re
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from secrets import token_hex
from types import MappingProxyType
from typing import Any, NamedTuple

from baton.feedback.land.accepted_work import Taken, load_taken, put_together
from baton.feedback.plan.round import Round, Unit, save_round
from baton.feedback.plan.schedule import next_units
from baton.feedback.questions import Question
from baton.feedback.store import owner_of
from baton.git.command import Git
from baton.git.objects import keep_commit, tree_of
from baton.journal.paths import Project
from baton.story.begin_run import refs_of
from baton.story.progress import label_line
from baton.text import plural

AGENT = "baton:pr-comment-resolver"
# A path that a label may hold: a stranger may have named it, and a sentence is no path.
PLAIN_PATH = re.compile(r"[A-Za-z0-9_.+@/-]+")


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

    def lines(self) -> list[str]:
        """Return how it is started, as text; of joined items also where it stands why."""
        why = [f"BRIEF {self.brief}"] if self.joined else []
        model = [f"MODEL {self.model}"] if self.model else []
        return [f"AGENT {self.agent}", f"PROMPT {self.prompt}", f"LABEL {self.label}", *model, *why]


class RoundStep(NamedTuple):
    """What a caller is to do now, and why; `data` is the rest of what there is to say, for JSON."""

    action: str
    rule: str
    reason: str
    spawn: tuple[Spawn, ...] = ()
    lines: tuple[str, ...] = ()
    then: str = ""
    data: Mapping[str, Any] = MappingProxyType({})
    whole: bool = False  # the lines, and then `then`, are all there is to print
    out: tuple[Spawn, ...] = ()  # of a wait: the agents that are waited for

    def text(self) -> str:
        """Return it as text, the action first."""
        if self.whole:
            return "\n".join([*self.lines, *filter(None, [self.then])])
        several = ", all in one message" if len(self.spawn) > 1 else ""
        what = f"spawn {plural(len(self.spawn), 'agent')}{several}" if self.spawn else self.action
        told = [f"DO {what}"]
        told += [line for one in self.spawn for line in one.lines()]
        told += [f"WHY {self.rule}: {self.reason}", *self.lines]
        return "\n".join([*told, f"THEN {self.then}"] if self.then else told)

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        spawn = [one._asdict() for one in self.spawn]
        return {"action": self.action, "rule": self.rule, "reason": self.reason, "spawn": spawn, **self.data}


def asked(question: Question, number: int) -> RoundStep:
    """Return a question as the step that shows it."""
    lines, data = tuple(question.lines(number)), question.data(number)
    return RoundStep("ask", question.rule, question.reason, lines=lines, data=data, whole=True)


def spawn_of(unit: Unit, number: int) -> Spawn:
    """Return how a unit's agent is started; `number` is that of the pull request."""
    prompt = f"Unit {unit.id}: first call `baton begin {unit.id}`, then do what it prints."
    label, lost = label_line(f"PR {number}", _task(unit)), f"land {number} --skip-unit"
    return Spawn(unit.id, AGENT, prompt, label, unit.brief, lost, unit.is_cluster)


def _task(unit: Unit) -> str:
    """Say what a unit is, such as `3 comments, validation in src/auth/`."""
    where = unit.area if unit.is_cluster else "".join(unit.files[:1]).rpartition("/")[2]
    known = f" in {where}" if PLAIN_PATH.fullmatch(where) else ""
    about = f", {unit.theme}" if unit.is_cluster else ""
    return f"{plural(len(unit.items), 'comment')}{about}{known}{', once more' if unit.again else ''}"


def send_out(
    project: Project, folder: Path, made: Round, rule: str, reason: str, repeat: bool = False
) -> RoundStep:
    """Have the units begin that can; say which agents are to be started, with `repeat` all that are out."""
    taken = load_taken(project, folder, made)
    missing = made.missing_units(taken)
    if not missing:
        return RoundStep("land", "round/in", "every unit was handed in", then=f"baton pr land {made.number}")
    begun = {unit.id for unit in next_units(made.units, missing, made.parallel)}
    if begun:
        made = _begin(Git(project), folder, made, begun, taken)
        save_round(project, folder, made)
    out = [unit for unit in made.units if unit.id in missing and unit.is_out]
    shown = [one for one in out if repeat or one.id in begun]
    waiting = len(missing) - len(out)
    which = "one of your agents has" if waiting else "all your agents have"
    then = f"end your turn; when {which} ended: baton pr land {made.number}"
    if not shown:
        return _waiting(made, out, then)
    counts = f"{plural(len(made.units), 'unit')} in all, {len(taken)} handed in, {waiting} yet to begin"
    return RoundStep(
        "spawn", rule, f"{reason}; {counts}", tuple(spawn_of(one, made.number) for one in shown), then=then,
        data={"round": made.id, "units": [unit._asdict() for unit in made.units]},
    )  # fmt: skip


def _waiting(made: Round, out: Sequence[Unit], then: str) -> RoundStep:
    """Say which agents are waited for, and what to do about one that is not at work."""
    names, first = ", ".join(one.id for one in out), out[0]
    start = spawn_of(first, made.number)
    lines = (
        f"IF one was not started, as {first.id}: spawn {AGENT} with `{start.prompt}`, shown as `{start.label}`",
        f"IF one has ended and handed nothing in, as {first.id}: start it once more; ended so twice, go on "
        f"without it: baton pr land {made.number} --skip-unit {first.id}",
    )
    waits = tuple(spawn_of(one, made.number) for one in out)
    return RoundStep("wait", "round/out", f"not handed in yet: {names}", lines=lines, then=then, out=waits)


def _begin(git: Git, folder: Path, made: Round, begun: Set[str], taken: Mapping[str, Taken]) -> Round:
    """Put units on the sum of what is in, and after those that began before; returns the round with them."""
    tree = put_together(git, made.head, taken).tree
    plain = tree == tree_of(git, made.head)
    # A unit that goes out once more has a commit of its own to begin from: its first result is void by that.
    bases = {
        unit.id: made.head if plain and not unit.again else _keep_sum(git, folder, unit, tree, made.head)
        for unit in made.units
        if unit.id in begun
    }
    units = (unit._replace(base=bases.get(unit.id, unit.base)) for unit in made.units)
    return made._replace(units=tuple(sorted(units, key=lambda one: not one.is_out)))


def _keep_sum(git: Git, folder: Path, unit: Unit, tree: str, head: str) -> str:
    """Return a commit of a tree on the head for a unit to begin from; it is on no branch."""
    ref = f"{refs_of(owner_of(folder))}/base-{unit.id}"
    return keep_commit(git, ref, tree, [head], f"what {unit.id} begins from, {token_hex(4)}")
