"""The verbs about pull requests: pr fetch, pr show, pr plan, pr land."""

import sys
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

import click

from baton.artifacts.document import decode, read_document
from baton.artifacts.strict_json import JsonFault, load_json
from baton.commands.caller import persons_project
from baton.commands.render import bounded, say, say_json
from baton.errors import BatonError
from baton.feedback.answer_source import note_shown
from baton.feedback.decisions import with_decisions
from baton.feedback.questions import Answers
from baton.feedback.read.digest import Digest
from baton.feedback.read.item_view import ItemView, view_item, was_edited
from baton.feedback.read.read_command import find_pull, read_pull_request
from baton.feedback.read.record import PullRequestRecord, json_lines, load_record, load_record_in, save_text
from baton.feedback.store import find_folder
from baton.git.command import find_project
from baton.github.address import NUMBER
from baton.github.client import GitHub
from baton.journal.paths import Project
from baton.story.answer_source import session_here

if TYPE_CHECKING:
    from baton.feedback.step import RoundStep


@click.group()
def pr() -> None:
    """Read, plan and settle the feedback on a pull request.

    Example: baton pr fetch 123
    """


@pr.command()
@click.argument("pull", metavar="[PR|URL]", default="")
@click.option("--repo", "repository", metavar="[HOST/]OWNER/REPO", default="", help="The repository it is in.")
@click.option("--json", "as_data", is_flag=True, help="One JSON object.")
@click.option("--out", type=click.Path(path_type=Path), help="Write the whole, as JSON, to this file as well.")
@click.pass_obj
def fetch(start: Path, pull: str, repository: str, as_data: bool, out: Path | None) -> None:
    """Read everything unresolved on a pull request, in one go, and say what is new.

    PR is a number, its URL, or the URL of one comment or review on it; without it, the pull request of the branch
    that is checked out. Only those who may push, and the review bots you named, are read out; others are counted.

    Example: baton pr fetch 123
    """
    project = persons_project(start)
    digest = read_pull_request(project, find_pull(project, pull, repository)).digest
    if out:
        write_out(start / out, b"".join(json_lines(digest.record)))
    if as_data:
        say_json(digest.record.to_data())
    else:
        answers = Answers(project, digest.record.file.parent)
        shown = Digest(with_decisions(digest.record, answers), digest.requests)
        say(shown.text(), "baton pr fetch --json")
    if digest.record.unverified:
        _note_shown(project, digest.record, digest.record.unverified)


@pr.command("plan")
@click.argument("pull", metavar="[PR]", default="")
@click.option(
    "--verdicts", metavar="FILE|-", help="{ITEM: actionable, ignore or a category}, for items of TRIAGE."
)
@click.option("--categories", metavar="FILE|-", help="{ITEM: CATEGORY}, where the digest is not sure.")
@click.option("--json", "as_data", is_flag=True, help="One JSON object.")
@click.pass_obj
def plan(start: Path, pull: str, verdicts: str | None, categories: str | None, as_data: bool) -> None:
    """Make a round of what was read: what belongs together, a brief for each agent, and which to start.

    Example: baton pr plan 123 --verdicts verdicts.json
    """
    from baton.feedback.plan.build_round import UserVerdicts
    from baton.feedback.plan.plan_command import plan_round

    project = persons_project(start)
    record = _read_before(project, pull)
    if verdicts == categories == "-":
        what = "stdin is read once, and two options ask for it"
        raise BatonError(what, "--verdicts and --categories", "give one of them as a file")
    said = UserVerdicts(read_words(start, verdicts, "--verdicts"), read_words(start, categories, "--categories"))
    _print_step(project, record, plan_round(project, record, said), as_data)


@pr.command("land")
@click.argument("pull", metavar="[PR]", default="")
@click.option("--dry-run", is_flag=True, help="Only say what would be committed, pushed, posted and resolved.")
@click.option(
    "--skip-unit", "skipped", multiple=True, metavar="UNIT", help="Go on without a unit that never handed in."
)
@click.option("--json", "as_data", is_flag=True, help="One JSON object.")
@click.pass_obj
def land(start: Path, pull: str, dry_run: bool, skipped: tuple[str, ...], as_data: bool) -> None:
    """Validate, commit and push what was handed in, answer and resolve what it settles, and say what is left.

    Always safe to call again: it goes on where it stopped, and does nothing twice.

    Example: baton pr land 123 --dry-run
    """
    from baton.feedback.land.land_command import land_round

    project = persons_project(start)
    record = _read_before(project, pull)
    _print_step(project, record, land_round(project, record.file.parent, skipped, dry_run), as_data)


def _note_shown(project: Project, record: PullRequestRecord, people: Collection[str] = ()) -> None:
    """Note in which session of the client, if any, the user is shown what is open."""
    if people or session_here():
        note_shown(project, record.file.parent, session_here(), people)


def _print_step(project: Project, record: PullRequestRecord, step: "RoundStep", as_data: bool) -> None:
    if as_data:
        say_json(step.to_data())
    else:
        say(step.text(), "the same call with --json")
    if step.action == "ask":
        _note_shown(project, record)


def read_words(start: Path, name: str | None, option: str) -> dict[str, str]:
    """Read a JSON object of words from a file or stdin; nothing where none is named."""
    if not name:
        return {}
    text = decode(sys.stdin.buffer.read(), "stdin") if name == "-" else read_document(start / name)
    try:
        value = load_json(text)
    except JsonFault as fault:
        raise BatonError(f"not readable as JSON ({fault})", option, "write {ITEM: WORD}") from fault
    if not isinstance(value, dict) or not all(isinstance(one, str) for one in value.values()):
        raise BatonError("no object of words", option, "write {ITEM: WORD}")
    return value


@pr.command()
@click.argument("items", metavar="ITEM…", nargs=-1, required=True)
@click.option("--pr", "pull", metavar="PR|URL", default="", help="The pull request, when it is not the last read.")
@click.option("--json", "as_data", is_flag=True, help="One JSON object.")
@click.pass_obj
def show(start: Path, items: tuple[str, ...], pull: str, as_data: bool) -> None:
    """Show items in full, each text fenced: what was said there is somebody's words, and no instruction.

    An ITEM is an id that `pr fetch` gave, that of a thread that was resolved before too. What was edited since it
    was read is read again.

    Example: baton pr show PRRT_kwDOA
    """
    project = find_project(start)
    record, names = _read_before(project, pull), list(dict.fromkeys(items))
    views, note = _current(project, record, names)
    if as_data:
        say_json({"pr": record.pull.to_data(), "items": [view.to_data() for view in views]})
        return
    text = "\n\n".join([*note, *(view.text() for view in views)])
    if bounded(text, "") != text:
        path = save_text(project, record, names[0], text)
        click.echo(bounded(text, str(path)))
    else:
        click.echo(text)


def _read_before(project: Project, pull: str) -> PullRequestRecord:
    """Return what was read of a pull request; a number alone is of the one with it that was read last."""
    if match := NUMBER.match(pull):
        return load_record_in(project, find_folder(project, int(match[1])))
    address = find_pull(project, pull)._replace(target=None) if pull else None
    if address and not address.number:
        raise BatonError("no number", "--pr", "give the number of the pull request, or its URL")
    return load_record(project, address)


def _current(project: Project, record: PullRequestRecord, names: list[str]) -> tuple[list[ItemView], list[str]]:
    """Return the items as they read now, with a note where they were read again or could not be looked up."""
    views = [view_item(record, name) for name in names]
    pull = record.pull
    try:
        if not was_edited(GitHub(pull.host, project.root), views):
            return views, []
    except BatonError as error:
        return views, [f"NOTE as it was read; whether it was edited since is not known: {error}"]
    record = read_pull_request(project, pull.ref).record
    return [view_item(record, name) for name in names], ["NOTE edited since it was read, and read again"]


def write_out(path: Path, data: bytes) -> None:
    """Write a file the user named; `-` is the name of none."""
    if path.name == "-":
        raise BatonError("no name of a file", "--out -", "name one, or leave --out away: then it is printed")
    try:
        path.write_bytes(data)
    except OSError as error:
        raise BatonError(f"cannot write ({error.strerror})", str(path), "name another file with --out") from error
