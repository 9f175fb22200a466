"""The verbs that the workflow's jobs call: actions claim, unpack, pack, land. Nobody types them."""

import json
import os
from pathlib import Path

import click

from baton.actions.bundle import pack_story, unpack_story
from baton.actions.claim import claim_stories, have_base
from baton.actions.job_event import find_wanted, read_job
from baton.actions.land_job import Landed, land_story, start_again, take_work
from baton.commands.arguments import persons_project, story_argument
from baton.git.command import Git
from baton.github.client import GitHub
from baton.story.session.open_story import read_journal
from baton.story.session.travel import fetch_state
from baton.text import one_line, visible

LABEL = "baton"
# A line that begins with it is shown, and is no command to the runner.
MARK = "baton: "
NO_TOKEN = (
    "there is no secret BATON_TOKEN: what this job pushes starts no checks, so the pull request is opened and "
    "never merged (`integrate.mode: pr`)"
)


@click.group()
def actions() -> None:
    """Carry out a step of the workflow that `baton init --actions` writes.

    Example: baton actions land 42 worked/42.bundle
    """


@actions.command()
@click.argument("bundles", type=click.Path(path_type=Path))
@click.pass_obj
def claim(start: Path, bundles: Path) -> None:
    """Begin or load the stories this run is for, and write what the other jobs are to do."""
    project, job = persons_project(start), read_job(os.environ)
    wanted = find_wanted(GitHub(_host(), project.root), job, os.environ.get("BATON_LABEL") or LABEL)
    claimed = claim_stories(project, wanted, job.run, bundles)
    _put("GITHUB_OUTPUT", [f"work={json.dumps(claimed.work)}", f"land={json.dumps(claimed.land)}"])
    _tell([wanted.nothing] if wanted.nothing else claimed.told or ["no story has begun that can go on"])


@actions.command()
@story_argument()
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_obj
def unpack(start: Path, story_id: str, path: Path) -> None:
    """Have a story that was claimed, to work on it."""
    project = persons_project(start)
    have_base(Git(project))
    unpack_story(project, story_id, path)


@actions.command()
@story_argument()
@click.argument("path", type=click.Path(path_type=Path))
@click.pass_obj
def pack(start: Path, story_id: str, path: Path) -> None:
    """Write what became of a story, for the job that lands it."""
    pack_story(persons_project(start), story_id, path)


@actions.command()
@story_argument()
@click.argument("path", type=click.Path(path_type=Path))
@click.option("--seconds", type=click.FloatRange(0, 21_600), default=3_000.0, help="Wait for checks so long.")
@click.pass_obj
def land(start: Path, story_id: str, path: Path, seconds: float) -> None:
    """Verify what became of a story, push it, and take it as far as it goes."""
    project, job = persons_project(start), read_job(os.environ)
    have_base(Git(project))
    fetch_state(project, story_id)
    before = len(read_journal(project, story_id).records)
    take_work(project, story_id, path)
    own_token = os.environ.get("BATON_OWN_TOKEN") == "true"
    landed = land_story(project, story_id, own_token, seconds)
    moved = len(read_journal(project, story_id).records) > before
    if landed.how == "again" and moved:
        start_again(GitHub(_host(), project.root), job, story_id)
    _tell([f"story {story_id}: {_words(landed, moved)}", *([] if own_token else [NO_TOKEN])])


def _words(landed: Landed, moved: bool) -> str:
    words = {"done": "done", "asks": "it waits for you", "waits": "GitHub is not done; the next run looks again"}
    words["rests"] = "nothing was done on it: see the job `work`"
    words["again"] = "the workflow was started again" if moved else words["rests"]
    return f"{words[landed.how]}: {landed.told}"


def _host() -> str:
    return os.environ.get("GITHUB_SERVER_URL", "").removeprefix("https://") or "github.com"


def _put(name: str, lines: list[str]) -> None:
    """Add lines to one of the files by which a step speaks to the runner."""
    if path := os.environ.get(name):
        with Path(path).open("a", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)


def _tell(lines: list[str]) -> None:
    """Show the outcome, in the log and in the run's summary, where nothing in it can act."""
    shown = [visible(one_line(line)) for line in lines]
    for line in shown:
        click.echo(f"{MARK}{line}")
    _put("GITHUB_STEP_SUMMARY", ["```", *(line.replace("`", "'") for line in shown), "```"])
