"""The backlog: where every story with a journal stands, and the specs that could become one."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from baton.artifacts.document import read_document
from baton.artifacts.plan import Plan, read_plan
from baton.artifacts.story_file import read_story
from baton.artifacts.strict_yaml import YamlFault
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import brought_back
from baton.journal.client_dialog import open_dialog
from baton.journal.journal import Journal, utc_now
from baton.journal.paths import Project, natural_sort_key, stamp_of, validate_story_id
from baton.journal.state import OVER, State, fold
from baton.story.begin.create import find_spec_problem, stories_folder
from baton.story.begin.dependencies import KnownStory, read_own
from baton.story.integrate.story_memory import delta_stands
from baton.story.run.progress import task_of
from baton.story.session.open_story import find_journal
from baton.story.status.row_cache import KeptRow, read_rows, write_rows
from baton.text import one_line
from baton.usage.spending import spending_of, sum_of
from baton.usage.spending_words import sum_data, sum_words

if TYPE_CHECKING:
    from baton.feedback.open_rounds import OpenRound

# Defaults of a row; nothing adds to them.
NO_NAMES: list[str] = []
NO_SPENDING: dict[str, Any] = {}
NO_PLAN: dict[str, Any] = {"phases_completed": 0, "phases_total": 0}


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
    undone: list[str] = NO_NAMES  # on which base, by which commit
    spent: dict[str, Any] = NO_SPENDING  # in all, nothing while nobody knows
    until: str | None = None  # when the service that refused the last run takes requests again
    depends_on: list[str] = NO_NAMES
    claims: list[str] | None = None  # what its plan says it changes
    changing: bool = False  # past planning and not over: what it does next is code
    held: str = ""  # why `baton run` does not go on with it
    asked: list[str] = NO_NAMES  # in the client, for the run's agent: what, and when
    task: str = ""  # of its run
    delta: str = ""  # what it taught: `waits` for you, or `accepted` and not landed

    def known(self, *, running: bool) -> KnownStory:
        """Return it as other stories see it."""
        claims = None if self.claims is None else tuple(self.claims)
        return KnownStory(self.id, tuple(self.depends_on), self.status, claims, self.changing, running)


class Adoptable(NamedTuple):
    """A spec where stories live, without a journal: the command that makes it a story, or what it lacks."""

    path: str
    title: str
    command: str
    lacks: str


class BacklogProblem(NamedTuple):
    """An error in what could not be read; `id` is empty when it is no story's."""

    id: str
    says: str


class Backlog(NamedTuple):
    """All stories, newest first, and where it was asked for, what is open of pull requests."""

    stories: list[BacklogRow]
    adoptable: list[Adoptable]
    problems: list[BacklogProblem]
    pull_requests: "Sequence[OpenRound]" = ()


def read_backlog(project: Project) -> Backlog:
    """Read every journal that changed and every spec; one that cannot be read hides no other."""
    before, now, problems = read_rows(project, BacklogRow._fields), dict[str, KeptRow](), list[BacklogProblem]()
    for story_id in reversed(project.story_ids()):
        row = before.get(story_id)
        if row is None or not row.stamp or row.stamp != stamp_of(project.journal(story_id)):
            row = _read_anew(project, story_id, problems)
        if row is not None:
            now[story_id] = row
    if now != before:
        write_rows(project, BacklogRow._fields, now)
    rows = [_as_it_is(project, BacklogRow(*row.fields)) for row in now.values()]
    known = {row.folder for row in now.values()}
    try:
        adoptable = _adoptable(project, known, tuple(f"{problem.id}_" for problem in problems))
    except BatonError as error:
        adoptable = []
        problems.append(BacklogProblem("", str(error)))
    return Backlog(sorted(rows, key=lambda row: row.updated, reverse=True), adoptable, problems)


def _read_anew(project: Project, story_id: str, problems: list[BacklogProblem]) -> KeptRow | None:
    """Return the row of a story as its journal has it, without a stamp where a plan is unread; None for none."""
    stamp = stamp_of(project.journal(story_id))
    try:
        journal = find_journal(project, validate_story_id(story_id))
        if journal is None:  # it was never begun, and counts as a spec
            return None
        state = fold(journal.records)
    except BatonError as error:
        problems.append(BacklogProblem(story_id, str(error)))
        return None
    try:
        return KeptRow(stamp, state.created.folder, _row(state, _papers(project, state), _spent(journal)))
    except BatonError as error:  # of its plan: where it stands is known without
        problems.append(BacklogProblem(story_id, str(error)))
        return KeptRow((), state.created.folder, _row(state))


def read_row(project: Project, journal: Journal) -> BacklogRow:
    """Return the row of one story; a BatonError when its plan cannot be read."""
    return row_of(project, fold(journal.records), _spent(journal))


def row_of(project: Project, state: State, spent: dict[str, Any] = NO_SPENDING) -> BacklogRow:
    """Return the row of a story by its state; a BatonError when its file or its plan cannot be read."""
    return _as_it_is(project, _row(state, _papers(project, state), spent))


def _spent(journal: Journal) -> dict[str, Any]:
    total = sum_of(spending_of(journal.records))
    return {**sum_data(total), "says": sum_words(total)} if total.tokens.requests else {}


def _row(state: State, papers: dict[str, Any] = NO_PLAN, spent: dict[str, Any] = NO_SPENDING) -> BacklogRow:
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
        status="undone" if (undone := state.undone) and not question else state.status,
        iteration=state.count("implementer"),
        updated=state.updated,
        run=state.run.id if state.run and state.stage == "running" else None,
        stage="ended" if state.stage == "running" and state.run and state.run.has_ended else state.stage,
        rule=question.rule if question else None,
        options=list(question.answers) if question else [],
        next=commands.get(state.stage, f"baton next {story_id}"),
        tree=state.run.begun.tree if state.run and state.run.begun and state.stage == "running" else None,
        undone=undone,
        task=task_of(state.run) if state.run and state.stage == "running" else "",
        spent=spent,
        until=state.run.end.until or None if state.stage == "ready" and state.run and state.run.end else None,
        **papers,
    )


def _as_it_is(project: Project, row: BacklogRow) -> BacklogRow:
    """Leave out what is over: a work tree that is gone, a wait, a revert that was reverted by hand."""
    if row.until and row.until <= utc_now():
        row = row._replace(until=None)
    if row.tree and not Path(row.tree).is_dir():
        row = row._replace(tree=None)
    if row.run and (dialog := open_dialog(project, row.id, row.run)):
        row = row._replace(asked=[dialog.what, dialog.time])
    if row.undone and brought_back(Git(project), *row.undone):
        row = row._replace(status="complete", undone=[])
    return row


def _papers(project: Project, state: State) -> dict[str, Any]:
    """Return what a story's file and its plan say: how far it is, what it waits for and what it changes."""
    judged = [run.judged for run in state.runs if run.judged]
    folder = project.copy_of(state.created.folder, state.created.story)
    path = folder.artifact("plan")
    over = state.stage in OVER
    counted = bool(judged and judged[-1].total)
    plan = Plan(()) if (counted and over) or not path.exists() else read_plan(read_document(path))
    closed, total = (judged[-1].closed, judged[-1].total) if counted else (plan.closed, len(plan.phases))
    phases = {"phases_completed": closed, "phases_total": total, "delta": delta_stands(folder, state)}
    if over:
        return phases
    story = read_own(project, state)
    begins = bool(plan.phases) or (story.is_small and not state.flags.plan_only)
    changing = begins if state.stage == "new" else state.phase != "planning"
    claims = None if plan.claims is None else list(plan.claims)
    return {**phases, "depends_on": list(story.depends_on), "claims": claims, "changing": changing}


def _adoptable(project: Project, known: set[str], unreadable: tuple[str, ...]) -> list[Adoptable]:
    specs = list[Adoptable]()
    folders = stories_folder(project).glob("*_*/")
    for folder in sorted(folders, key=lambda folder: natural_sort_key(folder.name), reverse=True):
        relative = folder.relative_to(project.root).as_posix()
        is_new = relative not in known and not folder.name.startswith(unreadable)
        if is_new and (folder / "story.md").is_file() and (spec := _read_spec(project, relative)):
            specs.append(spec)
    return specs


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
