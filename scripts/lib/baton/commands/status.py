"""Where every story and every round on a pull request stands, what waits for the user first: status."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baton import __version__
from baton.commands.arguments import json_option, story_argument
from baton.commands.output import count_fitting, fitted, in_client, on_terminal, print_result, show_time
from baton.commands.status_line import line_for, read_rounds
from baton.commands.watch import Screen, watch
from baton.commands.wrap_lines import wrapped
from baton.errors import BatonError
from baton.git.command import Git, find_project
from baton.journal.client_dialog import open_dialog
from baton.journal.paths import Project, stamp_of
from baton.project.settings import read_settings
from baton.story.begin.dependencies import why_held, with_dependencies
from baton.story.integrate.story_memory import delta_line
from baton.story.session.open_story import read_journal
from baton.story.status.backlog import Adoptable, Backlog, BacklogProblem, BacklogRow, read_backlog, read_row
from baton.text import printable
from baton.usage.spending import Spending, join_conversation, spending_of
from baton.usage.spending_words import spending_data, spending_words

if TYPE_CHECKING:
    from baton.feedback.open_rounds import OpenRound

NOTHING = f"baton {__version__}, and no story yet: `/implement` and what is wanted, in Claude Code, begins one"
WHOLE = "baton status --json"
TITLE_BYTES = 90
PROBLEM_BYTES = 300
# Which stages stand under which heading.
GROUPS = {
    "NEEDS YOU": ("question",),
    "RUNNING": ("running", "ended", "ready"),
    "NEW": ("new",),
    "DONE": ("complete", "abandoned"),
}
UNDER_WAY = (*GROUPS["NEEDS YOU"], *GROUPS["RUNNING"])


@click.command()
@story_argument(required=False)
@click.option("--line", is_flag=True, help="One short line, for the client's status line.")
@click.option("--watch", "drawn", is_flag=True, help="Redraw what goes on, until nothing does or you stop it.")
@json_option
@click.pass_obj
def status(start: Path, story_id: str | None, line: bool, drawn: bool, as_json: bool) -> None:
    """Show where stories stand, and the command each one needs.

    With --line, one line of at most 80 columns of the stories that are under way, and nothing where none is. With
    --watch, the same as without, drawn anew on a terminal until nothing is under way.

    Example: baton status --watch
    """
    if line + drawn + as_json > 1:
        raise click.UsageError("--line, --watch and --json exclude one another")
    if line and story_id:
        raise click.UsageError("--line is of all stories that are under way")
    if line:
        click.echo(line_for(start), nl=False)
        return
    project = find_project(start)
    if drawn and on_terminal() and os.environ.get("TERM", "dumb") != "dumb":
        watch(_looks(project, story_id), Screen())
        return
    backlog, spending = _read(project, story_id)
    data = {name: [row._asdict() for row in rows] for name, rows in backlog._asdict().items()}
    data |= {"spending": [spending_data(spent) for spent in spending]} if story_id else {}
    print_result(as_json, data, "\n".join(wrapped(_lines(backlog, spending, story_id))), WHOLE)


def _looks(project: Project, story_id: str | None) -> Iterator[tuple[list[str], bool]]:
    """Yield the screen and whether a story on it is under way, again and again; journals that changed are read."""
    before, backlog, spending = None, Backlog([], [], []), list[Spending]()
    while True:
        names = [story_id] if story_id else project.story_ids()
        stamps = {name: stamp_of(project.journal(name)) for name in names}
        dialogs = [open_dialog(project, row.id, row.run) for row in backlog.stories if row.run]
        if (now := (stamps, [*filter(None, dialogs)], [] if story_id else read_rounds(project)[0])) != before:
            before, (backlog, spending) = now, _read(project, story_id)
        lines = [printable(line) for line in _lines(backlog, spending, story_id)]
        under_way = any(row.stage in UNDER_WAY for row in backlog.stories)
        yield lines, under_way or bool(backlog.pull_requests)


def _read(project: Project, story_id: str | None) -> tuple[Backlog, list[Spending]]:
    """Return a story as a backlog of its own, with what it spent, or all stories."""
    if story_id:
        journal = read_journal(project, story_id)
        rows = with_reasons(project, [read_row(project, journal)])
        return Backlog(rows, [], []), spending_of(journal.records)
    backlog = read_all(project)
    return backlog._replace(stories=with_reasons(project, backlog.stories)), []


def read_all(project: Project) -> Backlog:
    """Return the backlog with the rounds on pull requests."""
    backlog, (rounds, unread) = read_backlog(project), read_rounds(project)
    problems = [*backlog.problems, *(BacklogProblem("", str(error)) for error in unread)]
    return backlog._replace(problems=problems, pull_requests=rounds)


def _lines(backlog: Backlog, spending: list[Spending], story_id: str | None) -> list[str]:
    return [*story_lines(*backlog.stories), *run_lines(spending)] if story_id else backlog_lines(backlog)


def with_reasons(project: Project, rows: list[BacklogRow]) -> list[BacklogRow]:
    """Return rows that say why `baton run` does not go on with them: which other story each waits for."""
    waiting = [row for row in rows if row.stage in ("new", "ready", "ended") and (row.depends_on or row.changing)]
    if not waiting:
        return rows
    others = rows if len(rows) > 1 else read_backlog(project).stories
    begun = [other.known(running=other.run is not None) for other in others]
    try:
        known, exclusive = with_dependencies(project, begun), read_settings(Git(project), "").config.exclusive
    except BatonError:  # whoever needs the settings says what is wrong with them
        return rows
    how = {"exclusive": exclusive, "together": False}
    reasons = {row.id: why_held(row.known(running=False), known, **how) for row in waiting}
    return [row._replace(held=reasons.get(row.id, "")) for row in rows]


def backlog_lines(backlog: Backlog) -> list[str]:
    """Return the backlog in the order in which it asks for something, newest first; in the client, what fits."""
    lines = list[str]()
    for heading, stages in GROUPS.items():
        rows = [row for row in backlog.stories if row.stage in stages]
        if heading == "DONE":  # what waits comes first: the rest may not fit
            rows.sort(key=lambda row: not memory_lines(row))
        entries = [_done_lines(row) if heading == "DONE" else story_lines(row) for row in rows]
        lines += _part(heading, [*entries, *(_round(row) for row in backlog.pull_requests if row.stage in stages)])
    lines += _part("IMPORTABLE SPECS", [_adoptable(spec) for spec in backlog.adoptable])
    lines += _part("ERRORS", [_problem(problem) for problem in backlog.problems])
    fitting = count_fitting(lines) if in_client() else len(lines)
    return lines[:fitting] + [f"… the rest: {WHOLE}"] * (fitting < len(lines)) or [NOTHING]


def story_lines(row: BacklogRow) -> list[str]:
    """Return one story, where its run works, and the command it needs, or the two that a question does."""
    answer = _how_to_answer(row.id, row.options)
    tree = [f"    in {row.tree}"] if row.tree else []
    spent = [f"    spent: {row.spent['says']}"] if row.spent else []
    held = [f"    with `baton run` it {row.held}"] if row.held else []
    asked = [f"    asked in the client {show_time(row.asked[1])}: {row.asked[0]}"] if row.asked else []
    return [_line(row), *asked, *tree, *spent, *held, f"    {row.next}", *answer, *memory_lines(row)]


def _how_to_answer(name: str, options: Sequence[str]) -> list[str]:
    return [f"    baton answer {name} OPTION, one of: {', '.join(options)}"] if options else []


def _round(row: "OpenRound") -> list[str]:
    """Return a pull request, and the command it needs, or the two that a question does."""
    status, rule = ("asking", f"{row.rule}, ") if row.rule else (row.says, "")
    line = f"{row.id}  {status}  {_short(row.title)}  ({rule}updated {show_time(row.updated)})"
    return [line, f"    {row.next}", *_how_to_answer(row.id, row.options)]


def _done_lines(row: BacklogRow) -> list[str]:
    return [f"{_line(row)}  {row.next}", *memory_lines(row)]


def memory_lines(row: BacklogRow) -> list[str]:
    """Return the line that says what is due of a story's memory delta; none where nothing is."""
    line = delta_line(row.delta, row.id)
    return [f"    {line}"] if line else []


def run_lines(spending: list[Spending]) -> list[str]:
    """Return the spending of each run and of the conversation, a line each; none while nobody knows of any."""
    known = join_conversation(spending) if any(spent.models for spent in spending) else []
    return [f"    {_short_run(spent.run) or spent.phase}: {spending_words(spent)}" for spent in known]


def _short_run(run: str) -> str:
    """Return the end of a run's id, which is its own within the story, such as `iter2`."""
    return run.rpartition("_")[2]


def _part(heading: str, entries: list[list[str]]) -> list[str]:
    return [f"{heading} ({len(entries)})", *(line for entry in entries for line in entry)] if entries else []


def _line(row: BacklogRow) -> str:
    progress = f", {row.phases_completed}/{row.phases_total} phases" if row.phases_total else ""
    waits = ", waits for its next step" if row.stage in ("ended", "ready") else ""
    waits = f", waits until {row.until} for the service to take requests" if row.until else waits
    name = f"{row.task} ({_short_run(row.run)})" if row.run else ""
    active = f", {'last run' if waits else 'running'}: {name}" if row.run else ""
    rule = f"{row.rule}, " if row.rule else ""
    about = f"({rule}updated {show_time(row.updated)}{waits}{active})"
    return f"{row.id}  {row.status}{progress}  {_short(row.title)}  {about}"


def _adoptable(spec: Adoptable) -> list[str]:
    first = f"{_short(spec.path)}  {_short(spec.title)}".rstrip()
    return [first, f"    not yet: {_short(spec.lacks, PROBLEM_BYTES)}" if spec.lacks else f"    {spec.command}"]


def _problem(problem: BacklogProblem) -> list[str]:
    return [f"{problem.id}  {_short(problem.says, PROBLEM_BYTES)}".lstrip()]


def _short(text: str, limit: int = TITLE_BYTES) -> str:
    """Return a text on one line, in the client cut where it is long."""
    return fitted(" ".join(printable(text).split()), limit, "…")
