"""What a caller of `pr plan` and `pr land` is to do now: always said, the action first."""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from baton.feedback.digest import counted
from baton.feedback.questions import Question
from baton.feedback.round import Round, Unit, load_results, save_round
from baton.story.places import Project

AGENT = "baton:pr-comment-resolver"


class Spawn(NamedTuple):
    """An agent to start: which unit it is for, and its prompt."""

    unit: str
    agent: str
    prompt: str
    brief: str


class Step(NamedTuple):
    """What a caller is to do now, and why; `data` is the rest of what there is to say, for JSON."""

    action: str
    rule: str
    reason: str
    spawn: tuple[Spawn, ...] = ()
    lines: tuple[str, ...] = ()
    then: str = ""
    data: Mapping[str, Any] = MappingProxyType({})
    whole: bool = False  # the lines are all there is to print

    def text(self) -> str:
        """Give it as text, the action first."""
        if self.whole:
            return "\n".join(self.lines)
        several = ", all in one message" if len(self.spawn) > 1 else ""
        what = f"spawn {counted(len(self.spawn), 'agent')}{several}" if self.spawn else self.action
        told = [f"DO {what}"]
        told += [f"AGENT {one.agent}\nPROMPT {one.prompt}" for one in self.spawn]
        told += [f"WHY {self.rule}: {self.reason}", *self.lines]
        return "\n".join([*told, f"THEN {self.then}"] if self.then else told)

    def to_data(self) -> dict[str, Any]:
        """Give it as JSON has it."""
        spawn = [one._asdict() for one in self.spawn]
        return {"action": self.action, "rule": self.rule, "reason": self.reason, "spawn": spawn, **self.data}


def asked(question: Question, number: int) -> Step:
    """Give a question as the step that shows it."""
    lines, data = tuple(question.lines(number)), question.data(number)
    return Step("ask", question.rule, question.reason, lines=lines, data=data, whole=True)


def spawn_of(unit: Unit) -> Spawn:
    return Spawn(unit.id, AGENT, f"Unit {unit.id}: read {unit.brief} and do what it says.", unit.brief)


def send_out(project: Project, folder: Path, made: Round, rule: str, reason: str) -> Step:
    """Say which agents are to be started: those of the first wave that is not in; or what is waited for."""
    results = load_results(project, folder, made)
    by_wave = made.due(results)
    number = next((index for index, due in enumerate(by_wave) if due), None)
    if number is None:
        return Step("land", "round/in", "every unit was handed in", then=f"baton pr land {made.number}")
    due = by_wave[number]
    if number >= made.sent:
        save_round(project, folder, made._replace(sent=number + 1))
    waves = f"wave {number + 1} of {len(made.waves)}, {counted(len(made.units), 'unit')} in all"
    return Step(
        "spawn", rule, f"{reason}; {waves}", tuple(map(spawn_of, due)),
        then=f"end your turn; when all of them have ended: baton pr land {made.number}",
        data={"round": made.id, "units": [one._asdict() for one in made.units], "waves": len(made.waves)},
    )  # fmt: skip
