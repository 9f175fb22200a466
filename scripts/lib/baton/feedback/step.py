"""What a caller of `pr plan` and `pr land` is to do now: always said, the action first."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from baton.feedback.land.accepted_work import Taken, load_taken, put_together
from baton.feedback.land.head import refs_of
from baton.feedback.plan.round import Round, Unit, save_round
from baton.feedback.questions import Question
from baton.git.command import Git
from baton.git.objects import commit_tree, set_ref, tree_of
from baton.journal.paths import Project
from baton.text import plural

AGENT = "baton:pr-comment-resolver"


class Spawn(NamedTuple):
    """An agent to start: which unit it is for, and its prompt."""

    unit: str
    agent: str
    prompt: str
    brief: str


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

    def text(self) -> str:
        """Return it as text, the action first."""
        if self.whole:
            return "\n".join([*self.lines, *filter(None, [self.then])])
        several = ", all in one message" if len(self.spawn) > 1 else ""
        what = f"spawn {plural(len(self.spawn), 'agent')}{several}" if self.spawn else self.action
        told = [f"DO {what}"]
        told += [f"AGENT {one.agent}\nPROMPT {one.prompt}" for one in self.spawn]
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


def spawn_of(unit: Unit) -> Spawn:
    return Spawn(
        unit.id, AGENT, f"Unit {unit.id}: first call `baton begin {unit.id}`, then do what it prints.", unit.brief
    )


def send_out(project: Project, folder: Path, made: Round, rule: str, reason: str) -> RoundStep:
    """Say which agents are to be started: those of the first wave that is not in; or what is waited for."""
    taken = load_taken(project, folder, made)
    by_wave = made.missing_units(taken)
    number = next((index for index, due in enumerate(by_wave) if due), None)
    if number is None:
        return RoundStep("land", "round/in", "every unit was handed in", then=f"baton pr land {made.number}")
    if number >= made.started_waves:
        made = _on_those_before(Git(project), folder, made, by_wave[number], taken)._replace(
            started_waves=number + 1
        )
        save_round(project, folder, made)
    due = [made.unit(one.id) for one in by_wave[number]]
    waves = f"wave {number + 1} of {len(made.waves)}, {plural(len(made.units), 'unit')} in all"
    return RoundStep(
        "spawn", rule, f"{reason}; {waves}", tuple(map(spawn_of, due)),
        then=f"end your turn; when all of them have ended: baton pr land {made.number}",
        data={"round": made.id, "units": [one._asdict() for one in made.units], "waves": len(made.waves)},
    )  # fmt: skip


def _on_those_before(
    git: Git, folder: Path, made: Round, due: Sequence[Unit], taken: Mapping[str, Taken]
) -> Round:
    """Have units begin from the sum of what is in: they wait for it as they share files with it."""
    sum_of = put_together(git, made.head, taken)
    if sum_of.tree == tree_of(git, made.head):
        return made
    for one in due:
        if not one.base:
            base = keep_sum(git, folder, one, sum_of.tree, made.head)
            made = made.with_unit(one._replace(base=base))
    return made


def keep_sum(git: Git, folder: Path, unit: Unit, tree: str, head: str) -> str:
    """Return a commit of a tree on the head for a unit to begin from; it is on no branch."""
    commit = commit_tree(git, tree, [head], f"what {unit.id} begins from", own=True)
    set_ref(git, f"{refs_of(folder)}/base-{unit.id}", commit)
    return commit
