"""The summary of the round that landed last, as it is kept: it is shown again until another has landed."""

import re
from pathlib import Path
from typing import Any, NamedTuple

from baton.feedback.plan.round_step import RoundStep, step_to_ask
from baton.feedback.store.kept_files import read_as, write_as
from baton.feedback.store.questions import Answers, Question
from baton.journal.paths import Project

LANDED_FILE = "landed.json"
REPORT, AFTER = "report", "AFTER THAT"
PASSED = re.compile(r"\d+ commands? passed")  # how an older version kept that all did


class LandedRound(NamedTuple):
    """The summary of a round as it is kept, and whether the round's trees and refs are gone."""

    step: RoundStep
    cleared: bool
    asked: str = ""  # the key of the question it ends with
    passed: bool = False  # every command passed on its commit
    round: str = ""
    done: tuple[str, ...] = ()  # what it did, where its summary is no report
    earlier: tuple[str, ...] = ()  # the same of the rounds before it that ended so

    def after_earlier(self, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Return lines of this round below what the rounds before it did."""
        return (*self.earlier, AFTER, *lines) if self.earlier else lines


def keep_landed(project: Project, folder: Path, landed: LandedRound) -> None:
    """Keep the summary of a round, in place of the one before."""
    write_as(project, folder / LANDED_FILE, landed)


def load_landed(project: Project, folder: Path) -> LandedRound | None:
    """Read the summary of the round that landed last; None where it is gone."""
    remedy = f"`baton pr fetch {folder.name}` says what is open now"
    question = Answers(project, folder).open
    return read_as(project, folder / LANDED_FILE, LandedRound, remedy, lambda data: _upgraded(data, question))


def keep_summary(project: Project, folder: Path, landed: LandedRound) -> LandedRound:
    """Keep the summary of a round that has just landed; a report begins with what no report before it had."""
    before = load_landed(project, folder)
    if before and before.round == landed.round:  # kept by a call that was cut short
        landed = landed._replace(earlier=before.earlier)
    elif before and before.done:
        landed = landed._replace(earlier=before.after_earlier(before.done))
    if landed.step.action == REPORT:
        lines = landed.after_earlier(landed.step.lines)
        landed = landed._replace(step=landed.step._replace(lines=lines), done=())
    keep_landed(project, folder, landed)
    return landed


def report_left(project: Project, folder: Path, asked: Question, reason: str) -> tuple[str, ...]:
    """Make the last summary a report, since the user leaves open what was asked; returns its lines."""
    landed = load_landed(project, folder)
    if landed is None or landed.step.action == REPORT:
        return ()
    step, lines = landed.step, landed.after_earlier(landed.step.lines)
    data = {name: value for name, value in step.data.items() if name not in asked.data(0)}
    step = RoundStep(REPORT, asked.rule, reason, lines=lines, data=data)
    keep_landed(project, folder, landed._replace(step=step, asked="", done=()))
    return lines


def asking_step(project: Project, folder: Path, question: Question) -> RoundStep:
    """Return the step that asks a question: the summary of the round that ended with it, if one did."""
    landed = load_landed(project, folder)
    return landed.step if landed and landed.asked == question.key else step_to_ask(question, int(folder.name))


def _upgraded(data: Any, question: Question | None) -> Any:
    """Bring a summary that was kept as text alone into fields; it asked the open question if it has its words.

    Written before 436af40f (`step`) and 56c5aa76 (`asked`, `passed`), both of 28 November 2026, so by no release.
    A summary is replaced when a round lands again: this can go once rounds from before then may be refused.
    """
    step = data["step"]
    if step.pop("whole", False):
        step["lines"] = step["lines"][2:]  # without the action, and why
        asked, _, call = step.pop("then", "").rpartition("THEN ")
        if asked:
            step |= {"choices": asked.partition("\nOR ")[0].rstrip("\n").split("\n"), "answer": call}
        else:
            step["then"] = call
    if question and step.get("choices") == question.choices:
        data.setdefault("asked", question.key)
    if PASSED.fullmatch(step.get("data", {}).get("validation", "")):
        data.setdefault("passed", True)
    return data
