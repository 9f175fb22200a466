"""The specs that other tools keep here: listed, found by their id or path, and begun."""

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from baton.artifacts.criteria import read_criteria
from baton.commands.arguments import json_option
from baton.commands.render import in_columns, print_result
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.paths import Folder, Project
from baton.layouts.list_specs import find_spec, list_specs
from baton.layouts.look_at_specs import Spec
from baton.story.create import NewStory, stories_folder
from baton.story.sources import read_sources
from baton.story.take_spec import take_spec
from baton.text import clip

TITLE_LENGTH, MOST_NOTES = 60, 5
NOT_THEIRS = "it writes to the files of the tool a spec is from: leave it out"


def path_inside(start: Path, project: Project, name: str) -> str:
    """Return a path the user named, from the root; empty for one that is not there or leads out of the project."""
    root = os.path.realpath(project.root)
    for place in (start / name, project.root / name):
        real = os.path.realpath(place)
        if os.path.lexists(real) and Path(real).is_relative_to(root):
            return Path(real).relative_to(root).as_posix()
    return ""


def begun_from(project: Project, spec: Spec) -> str:
    """Return the id of the story that was made of a spec; empty for none."""
    return read_sources(project).get(spec.found.home, "")


def spec_at(start: Path, project: Project, name: str) -> Spec | None:
    """Return the other tool's spec a path or an id names; None for none."""
    path = path_inside(start, project, name)
    is_one_word = len(name.split()) == 1
    return find_spec(project, path or name) if path or is_one_word else None


def take_new(project: Project, spec: Spec, wanted: NewStory, write_back: bool) -> Folder:
    """Make a story of another tool's spec; a BatonError where there is one already."""
    if not wanted.id and (made := begun_from(project, spec)):
        remedy = f"`baton next {made}` goes on with it; another takes an --id"
        raise BatonError(f"story {made} was made of it", spec.found.home, remedy)
    folder = take_spec(project, spec, wanted, write_back)
    tell(spec)
    return folder


def tell(spec: Spec) -> None:
    """Say what is held of a spec otherwise than it says."""
    for note in spec.notes[:MOST_NOTES]:
        click.echo(f"baton: {note}", err=True)


@click.command("list")
@click.option("--from", "source", default="", metavar="PATH", help="A folder of specs, such as specs/ or .gaai.")
@json_option
@click.pass_obj
def list_stories(start: Path, source: str, as_json: bool) -> None:
    """List what could be begun of the specs other tools keep here.

    Each with the phase it would begin at, and what is missing. Their files are only read. What they mark as
    done is a claim: a phase is open again when it names a file that git never had. A layout baton does not
    know is a table under `layouts:` in .baton.yaml.

    Example: baton story list --from specs/
    """
    project = find_project(start)
    path = path_inside(start, project, source) if source else ""
    if source and not path:
        raise BatonError(
            "no such folder in this project", source, "give the folder other tools keep their specs in"
        )
    listed = list_specs(project, "" if path == "." else path)
    sources = read_sources(project)
    stories = [_as_data(project, one, sources.get(one.found.home, "")) for one in listed.specs]
    faults = [str(one) for one in listed.faults]
    lines = [*_as_lines(stories), *(f"NOT READ {one}" for one in faults)]
    data = {"stories": stories, "not_read": faults}
    print_result(as_json, data, "\n".join(lines), "baton story list --json")


def _as_data(project: Project, spec: Spec, made: str) -> dict[str, Any]:
    return {
        "id": spec.found.id, "title": spec.title, "layout": spec.found.layout.name, "path": spec.found.home,
        "status": spec.found.entry.status, "begins_at": f"story {made}" if made else spec.where,
        "closed": spec.closed, "phases": len(spec.phases), "criteria": len(spec.criteria),
        "missing": list(spec.lacks), "depends_on": list(spec.found.entry.depends_on), "notes": list(spec.notes),
        "begin": "" if made or spec.found.is_over else _begin(project, spec),
    }  # fmt: skip


def _begin(project: Project, spec: Spec) -> str:
    """Return the command that begins a story: by its id, unless another story of baton has that."""
    found = spec.found
    if found.root not in found.layout.roots:  # a folder that was named by --from
        return f"name {found.root} under `roots:` of `{found.layout.name}`, below `layouts:` in .baton.yaml"
    taken = project.has_story(found.id) or any(stories_folder(project).glob(f"{found.id}_*/story.md"))
    return f"baton story new --from {shlex.quote(found.home)} --id ID" if taken else f"/implement {found.id}"


def _as_lines(specs: Sequence[dict[str, Any]]) -> list[str]:
    """Return a line for each story that could be begun, what is held of it below; the others counted."""
    ready = [one for one in specs if one["begin"]]
    lines = in_columns(
        [(one["id"], clip(one["title"], TITLE_LENGTH), one["begins_at"], _lacks(one)) for one in ready]
    )
    told = [[line, *(f"    {note}" for note in one["notes"][:2])] for line, one in zip(lines, ready, strict=True)]
    rest = len(specs) - len(ready)
    end = [f"{rest} more are over there, or stories of baton already: --json names them"] if rest else []
    first = next((one for one in ready if not one["missing"]), None)
    then = [f"THEN {first['begin']}"] if first else []
    return [*(line for lines in told for line in lines), *end, *then] or ["no specs of other tools are here"]


def _lacks(one: dict[str, Any]) -> str:
    return f"missing: {clip(one['missing'][0], TITLE_LENGTH)}" if one["missing"] else f"{one['criteria']} criteria"


def criteria_below(text: str) -> tuple[str, list[str]]:
    """Split what was given into its first line and the criteria below it."""
    first, _, more = text.partition("\n")
    return first.strip(), read_criteria(more)
