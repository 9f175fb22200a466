"""The verbs about stories as a whole: story new, status, timeline."""

import sys
from pathlib import Path

import click

from baton.artefacts.kinds import decode, read_document
from baton.artefacts.plan import read_plan
from baton.commands.output import newest, say, say_json
from baton.drive.create import NewStory, adopt_story, create_story
from baton.drive.opened import read_journal
from baton.errors import BatonError
from baton.outside.git import find_project
from baton.story.journal import Journal
from baton.story.places import Folder, Project
from baton.story.state import State, fold
from baton.story.timeline import describe


@click.group()
def story() -> None:
    """Make stories.

    Example: baton story new "Dark mode" --criterion "A switch turns it on"
    """


@story.command("new")
@click.argument("title", default="")
@click.option("--id", "story_id", help="Its id; the next free number when left out.")
@click.option("--complexity", type=click.IntRange(0, 10), help="0 trivial to 10 very hard.")
@click.option("--language", help="What it is written in, when that matters.")
@click.option("--criterion", "criteria", multiple=True, metavar="TEXT", help="An acceptance criterion.")
@click.option("--body-file", metavar="F|-", help="The description; - reads stdin.")
@click.option("--from", "source", metavar="FILE", help="An existing spec, taken as it is.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def new(
    start: Path,
    title: str,
    story_id: str | None,
    complexity: int | None,
    language: str | None,
    criteria: tuple[str, ...],
    body_file: str | None,
    source: str | None,
    as_json: bool,
) -> None:
    """Create a story, from a title or from an existing spec.

    With --body-file - or --from - the text comes on stdin: a whole story.md, or a description that may hold its
    own `## Acceptance Criteria`.

    Example: baton story new "Dark mode" --id 42 --criterion "A switch turns it on"
    """
    project = find_project(start)
    if source:
        made = adopt_story(project, _text(start, source), "stdin" if source == "-" else source, title, story_id)
    else:
        body = _text(start, body_file) if body_file else ""
        made = create_story(project, NewStory(title, story_id, complexity, language or "", criteria, body))
    path = made.relative_to_root(made.artefact("story"))
    if as_json:
        say_json({"id": made.story, "path": path})
    else:
        say(f"story {made.story}: {path}\nTHEN baton next {made.story}", path)


def _text(start: Path, name: str) -> str:
    return decode(sys.stdin.buffer.read(), "stdin") if name == "-" else read_document(start / name)


@click.command()
@click.argument("story_id", metavar="[ID]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def status(start: Path, story_id: str | None, as_json: bool) -> None:
    """Show where every story stands, or one of them.

    Example: baton status
    """
    project = find_project(start)
    ids = [story_id] if story_id else project.story_ids()
    rows = [_row(project, fold(read_journal(project, one).records)) for one in ids]
    if as_json:
        say_json({"stories": rows})
    elif not rows:
        say("no story yet; `baton story new TITLE` makes one", "")
    else:
        say("\n".join(map(_line, rows)), "baton status --json")


def _row(project: Project, state: State) -> dict[str, object]:
    plan = Folder(project.root, state.created.folder, state.created.story).artefact("plan")
    judged = [run.judged for run in state.runs if run.judged]
    closed, total = (judged[-1].closed, judged[-1].total) if judged else (0, 0)
    if not total and plan.exists():
        phases = read_plan(read_document(plan)).phases
        closed, total = sum(phase.closed for phase in phases), len(phases)
    return {
        "id": state.created.story,
        "title": state.created.title,
        "phase": state.phase,
        "status": state.status,
        "iteration": state.count("implementer"),
        "updated": state.updated,
        "phases_completed": closed,
        "phases_total": total,
        "run": state.run.id if state.run and state.stage == "out" else None,
    }


def _line(row: dict[str, object]) -> str:
    progress = f", {row['phases_completed']}/{row['phases_total']} phases" if row["phases_total"] else ""
    out = f", out: {row['run']}" if row["run"] else ""
    return f"{row['id']}  {row['status']}{progress}  {row['title']}  (updated {row['updated']}{out})"


@click.command()
@click.argument("story_id", metavar="ID")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def timeline(start: Path, story_id: str, as_json: bool) -> None:
    """Show what happened to a story, event by event.

    Example: baton timeline 42
    """
    journal: Journal = read_journal(find_project(start), story_id)
    if journal.torn_at is not None:
        error = BatonError(
            "a torn last line", str(journal.path), "it was never acknowledged; the next step cuts it off"
        )
        click.echo(f"baton: {error}", err=True)
    rows = [describe(record) for record in journal.records]
    if as_json:
        say_json({"events": [row._asdict() for row in rows]})
        return
    lines = [f"{row.seq:>3} {row.time[11:19]} {row.kind:<11} {row.rule:<22} {row.detail[:160]}" for row in rows]
    shown = newest(lines)
    if len(shown) < len(lines):
        shown.insert(0, f"… {len(lines) - len(shown)} earlier events: baton timeline {story_id} --json")
    say("\n".join(shown), f"baton timeline {story_id} --json")
