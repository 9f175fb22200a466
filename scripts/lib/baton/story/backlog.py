"""Where every story stands: those with a journal, and the specs that could become one."""

import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from baton import __version__
from baton.artifacts.document import read_document
from baton.artifacts.front_matter import YamlFault
from baton.artifacts.plan import read_plan
from baton.artifacts.story_file import read_story
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.journal import Journal
from baton.journal.paths import Project, natural_sort_key, validate_story_id
from baton.journal.state import State, fold
from baton.story.create import stories_folder
from baton.story.import_spec import find_spec_problem
from baton.story.session import check_owner
from baton.story.undo import brought_back
from baton.text import one_line

# Nothing adds to it.
NEVER: list[str] = []


class BacklogRow(NamedTuple):
    """A story: where it stands, and the command that is due."""

    id: str
    title: str
    phase: str
    status: str
    iteration: int
    updated: str
    phases_completed: int
    phases_total: int
    run: str | None
    stage: str
    rule: str | None
    options: list[str]
    next: str
    tree: str | None = None
    undone: list[str] = NEVER  # on which base, by which commit


class Adoptable(NamedTuple):
    """A spec where stories live, without a journal: the command that makes it a story, or what it lacks."""

    path: str
    title: str
    command: str
    lacks: str


class BacklogProblem(NamedTuple):
    """What could not be read; `id` is nothing when it is no story's."""

    id: str
    says: str


class Backlog(NamedTuple):
    """All stories, newest first."""

    stories: list[BacklogRow]
    adoptable: list[Adoptable]
    problems: list[BacklogProblem]


def read_backlog(project: Project) -> Backlog:
    """Read every journal and every spec; one that cannot be read hides no other."""
    rows, problems, known = list[BacklogRow](), list[BacklogProblem](), set[str]()
    kept = RowCache(project, len(BacklogRow._fields))
    for story_id in reversed(project.story_ids()):
        if (found := kept.find(story_id)) is not None:
            known.add(found[0])
            rows.append(_as_it_is(project, BacklogRow(*found[1])))
            continue
        try:
            journal = Journal(project.journal(story_id))
            if not journal.records:  # it was never begun, and counts as a spec
                continue
            check_owner(project, journal, validate_story_id(story_id))
            state = fold(journal.records)
        except BatonError as error:
            problems.append(BacklogProblem(story_id, str(error)))
            continue
        known.add(state.created.folder)
        try:
            row = _row(state, *_phases(project, state))
            kept.keep(story_id, state.created.folder, row)
            rows.append(_as_it_is(project, row))
        except BatonError as error:  # of its plan: where it stands is known without
            rows.append(_row(state, 0, 0))
            problems.append(BacklogProblem(story_id, str(error)))
    kept.write()
    try:
        adoptable = _adoptable(project, known, tuple(f"{one.id}_" for one in problems))
    except BatonError as error:
        adoptable = []
        problems.append(BacklogProblem("", str(error)))
    return Backlog(sorted(rows, key=lambda row: row.updated, reverse=True), adoptable, problems)


def read_row(project: Project, state: State) -> BacklogRow:
    """Return the row of one story; a BatonError when its plan cannot be read."""
    return _as_it_is(project, _row(state, *_phases(project, state)))


def _row(state: State, closed: int, total: int) -> BacklogRow:
    story_id = state.created.story
    question = state.question
    commands = {
        "question": f"baton question {story_id}",
        "complete": f"baton show {story_id}",
        "abandoned": f"baton story new --from {shlex.quote(state.created.folder)}",
    }
    return BacklogRow(
        id=story_id,
        title=state.created.title,
        phase=state.phase,
        status="undone" if (undone := _undone(state)) else state.status,
        iteration=state.count("implementer"),
        updated=state.updated,
        phases_completed=closed,
        phases_total=total,
        run=state.run.id if state.run and state.stage == "running" else None,
        stage="ended" if state.stage == "running" and state.run and state.run.has_ended else state.stage,
        rule=question.rule if question else None,
        options=list(question.answers) if question else [],
        next=commands.get(state.stage, f"baton next {story_id}"),
        tree=state.run.begun.tree if state.run and state.run.begun and state.stage == "running" else None,
        undone=undone,
    )


def _undone(state: State) -> list[str]:
    """Return the base branch and the commit on it that reverted the story's merge; nothing for none."""
    reverts = [about for (effect, about), sent in state.outbox.items() if effect == "revert" and sent.done]
    return [state.started.base, reverts[-1]] if reverts and state.started else []


def _as_it_is(project: Project, row: BacklogRow) -> BacklogRow:
    """Leave out what the journal cannot know: a work tree that is gone, a revert that was reverted by hand."""
    if row.tree and not Path(row.tree).is_dir():
        row = row._replace(tree=None)
    if row.undone and brought_back(Git(project), *row.undone):
        row = row._replace(status="complete", undone=[])
    return row


def _phases(project: Project, state: State) -> tuple[int, int]:
    judged = [run.judged for run in state.runs if run.judged]
    if judged and judged[-1].total:
        return judged[-1].closed, judged[-1].total
    plan = project.copy_of(state.created.folder, state.created.story).artifact("plan")
    if not plan.exists():
        return 0, 0
    phases = read_plan(read_document(plan)).phases
    return sum(phase.closed for phase in phases), len(phases)


def _adoptable(project: Project, known: set[str], unreadable: tuple[str, ...]) -> list[Adoptable]:
    folders = sorted(
        stories_folder(project).glob("*_*/"), key=lambda one: natural_sort_key(one.name), reverse=True
    )
    named = [(one, one.relative_to(project.root).as_posix()) for one in folders]
    found = [
        _read_spec(project, relative)
        for folder, relative in named
        if relative not in known and not folder.name.startswith(unreadable) and _has_file(folder)
    ]
    return [one for one in found if one is not None]


def _has_file(folder: Path) -> bool:
    return (folder / "story.md").is_file()


def _read_spec(project: Project, relative: str) -> Adoptable | None:
    """Read a spec that has no journal; None for one that says that it is complete."""
    command = f"baton story new --from {shlex.quote(relative)}"
    try:
        text = read_document(project.root / relative / "story.md")
        story = read_story(text)
        if story.status == "complete":
            return None
        lack, remedy = find_spec_problem(relative, text)
    except (BatonError, YamlFault) as fault:
        return Adoptable(relative, "", command, str(fault))
    return Adoptable(relative, one_line(story.title), command, f"{lack}: {remedy}" if lack else "")


NAME = ".rows.json"


class RowCache:
    """For each story a stamp of its journal (size, time of change, inode), the story's folder, and its row."""

    def __init__(self, project: Project, width: int) -> None:
        self._project = project
        self._width = width
        self._stamps = dict[str, list[int]]()
        self._rows = _read(project.state / NAME)
        self._changed = False

    def find(self, story_id: str) -> tuple[str, list[Any]] | None:
        """Return the folder and the fields of the row of a story whose journal is as it was; else None."""
        try:
            found = os.lstat(self._project.journal(story_id))
        except OSError:
            return None
        stamp = self._stamps[story_id] = [found.st_size, found.st_mtime_ns, found.st_ino]
        match self._rows.get(story_id):
            case [kept, str(folder), list(fields)] if kept == stamp and len(fields) == self._width:
                return folder, fields
        return None

    def keep(self, story_id: str, folder: str, row: tuple[Any, ...]) -> None:
        """Keep a row whose journal was read after it was looked for."""
        if story_id in self._stamps:
            self._rows[story_id] = [self._stamps[story_id], folder, row]
            self._changed = True

    def write(self) -> None:
        """Write what is new; where that cannot be, the journals are read again next time."""
        path = self._project.state / NAME
        new = path.with_name(f"{NAME}.{os.getpid()}")
        if self._changed:
            with suppress(OSError):
                new.write_text(json.dumps({"version": __version__, "rows": self._rows}, separators=(",", ":")))
                new.replace(path)


def _read(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text())
        return dict(data["rows"]) if data["version"] == __version__ else {}
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return {}
