"""The pull requests whose feedback waits for the user or is being worked on, by what is kept here alone.

The client's status line reads it often: what is imported here is little.
"""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.feedback.plan.round import Round, load_round
from baton.feedback.store.kept_files import RECORD_FILE, find_folder
from baton.feedback.store.outbox import read_effects
from baton.feedback.store.questions import Answers
from baton.journal.events import EffectDone
from baton.journal.journal import TIME_FORMAT
from baton.journal.paths import PULLS_FOLDER, Project
from baton.text import plural


class OpenRound(NamedTuple):
    """A pull request: what it asks or how far its round is, and the command that is due."""

    id: str  # as `baton answer` takes it
    title: str
    stage: str  # `question` or `running`, as of a story
    says: str
    updated: str
    next: str
    rule: str | None = None
    options: tuple[str, ...] = ()


def open_rounds(project: Project) -> tuple[list[OpenRound], list[BatonError]]:
    """Return a row for each, and the errors of those that cannot be read."""
    rows, faults = list[OpenRound](), list[BatonError]()
    numbers = {path.parent.name for path in (project.state / PULLS_FOLDER).glob(f"*/*/*/*/{RECORD_FILE}")}
    for number in sorted(map(int, filter(str.isdecimal, numbers))):
        try:
            rows += _rows(project, find_folder(project, number), f"pr-{number}")
        except BatonError as error:
            faults.append(error)
    return rows, faults


def _rows(project: Project, folder: Path, name: str) -> list[OpenRound]:
    if question := Answers(project, folder).open:
        at, options = _changed(folder / "answers.json"), tuple(question.options)
        command, says = f"baton question {name}", question.question
        return [OpenRound(name, _title(folder), "question", says, at, command, question.rule, options)]
    current = load_round(project, folder)
    if current is None or current.landed:
        return []
    at = max(_changed(folder / "round.json"), _changed(folder / "journal.jsonl"))
    command = f"baton pr land {folder.name}"
    return [OpenRound(name, _title(folder), "running", _how_far(folder, current), at, command)]


def _how_far(folder: Path, current: Round) -> str:
    effects = (record.event for record in read_effects(folder).records)
    done = {event.about for event in effects if isinstance(event, EffectDone) and not event.refused}
    count = sum(unit.id in done for unit in current.units)
    return f"{count} of {plural(len(current.units), 'unit')} handed in"


def _title(folder: Path) -> str:
    """Return the title; of a record that cannot be read, none: whoever fetches it anew is told."""
    try:
        data = json.loads((folder / RECORD_FILE).read_bytes())
        return str((data.get("pull") or data["pr"])["title"] or "")
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""


def _changed(path: Path) -> str:
    """Return when a file changed last, as the journal writes it; empty where there is none."""
    try:
        return datetime.fromtimestamp(path.stat().st_mtime, UTC).strftime(TIME_FORMAT)
    except OSError:
        return ""
