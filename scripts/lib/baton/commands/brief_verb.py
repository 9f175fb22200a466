"""The briefs that a run or a resolver would get, printed and not sent: brief, resume-context, cluster-brief."""

from pathlib import Path

import click

from baton.artifacts.document import read_document
from baton.artifacts.strict_json import JsonFault, load_json
from baton.commands.arguments import read_input, story_argument
from baton.commands.output import say_json
from baton.errors import BatonError
from baton.feedback.plan import cluster_brief as clusters
from baton.git.command import find_project
from baton.journal.paths import Project
from baton.journal.run import ROLES
from baton.journal.state import NextAction
from baton.story.run import resume_context as context
from baton.story.run.brief import brief_text
from baton.story.session.open_story import look_at
from baton.text import printable


@click.command()
@story_argument()
@click.option("--role", type=click.Choice(list(ROLES)), help="The brief that a run of this role would get.")
@click.pass_obj
def brief(start: Path, story_id: str, role: str | None) -> None:
    """Print the brief that a story's run has or would get.

    Without --role, that of the run that is running or due. Nothing is sent or written, and no lock is taken.

    Example: baton brief 42 --role qa
    """
    story = look_at(find_project(start), story_id)
    state = story.state
    run, pending = state.run if state.stage == "running" else None, state.pending
    if run and role in (None, run.role):
        text = read_document(story.folder.brief(run.id))
    else:
        if not pending or pending.then not in ROLES or role not in (None, pending.then):
            role = role or ("planner" if state.stage == "new" else "")
            if not role:
                raise BatonError("no run is due", f"story {story.id}", f"name one: --role {'|'.join(ROLES)}")
            pending = NextAction(role, "by-hand", "printed by hand", "", (), ())
        text = brief_text(story, pending)
    click.echo(printable(text.rstrip()))


@click.command("resume-context")
@click.argument("source", metavar="ID|FILE")
@click.pass_obj
def resume_context(start: Path, source: str) -> None:
    """Print where the next implementer begins, as JSON.

    FILE is a plan; of the handoffs beside it, in `handoffs/`, the newest counts. Nothing is written, and no lock
    is taken.

    Example: baton resume-context 42
    """
    if (start / source).is_file() or "/" in source:
        resumed = context.resume_from_files(start, source)
    else:
        story = look_at(_project_of(start, source), source)
        if not context.plan_of(story).phases:
            raise BatonError("no plan yet", f"story {source}", f"`baton next {source}` says what comes first")
        run = story.state.run if story.state.stage == "running" else None
        out = (run.id, run.dispatched.iteration) if run and run.role == "implementer" else None
        resumed = context.resume_context(story, *(out or context.next_run(story, "implementer")))
    say_json(resumed._asdict())


def _project_of(start: Path, source: str) -> Project:
    """Return the repository whose story is meant; a BatonError outside of one, where a file was meant as well."""
    try:
        return find_project(start)
    except BatonError as error:
        what = f"no such file, and no story here ({error.what})"
        raise BatonError(what, source, "name the file of a plan, or call it in the story's repository") from error


@click.command("cluster-brief")
@click.argument("path", metavar="FILE|-")
@click.pass_obj
def cluster_brief(start: Path, path: str) -> None:
    """Print what a resolver is told of items that belong together.

    FILE is a resolver's brief, or the cluster's record as JSON: theme, area, files[], threads[], hypothesis, and
    the threads that were resolved before as prior_resolutions[] of id, path, category. None of the others may
    be empty, and no id may stand twice. Nothing is written.

    Example: baton cluster-brief cluster.json
    """
    text = read_input(start, path)
    if block := clusters.block_in(text):
        click.echo(printable(block))
        return
    try:
        data = load_json(text)
    except JsonFault as fault:
        remedy = "give a resolver's brief, or a cluster's record"
        raise BatonError(f"not readable as JSON ({fault})", path, remedy) from fault
    if not isinstance(data, dict):
        raise BatonError("no object", path, "give a cluster's record")
    click.echo(printable(clusters.cluster_brief(clusters.brief_from_data(data))))
