"""The verb that prints what a story has: show."""

from pathlib import Path

import click

from baton.artifacts.document import read_document
from baton.commands.arguments import json_option, story_argument
from baton.commands.output import in_columns, print_result
from baton.commands.wrap_lines import wrapped
from baton.errors import BatonError
from baton.git.command import find_project
from baton.journal.paths import ARTIFACTS, Folder
from baton.journal.state import fold
from baton.story.session.open_story import read_journal
from baton.story.session.papers import all_files

# Of these there may be several: the newest is the one that counts.
SEVERAL = {"handoffs": "handoff", "summaries": "summary"}


@click.command()
@story_argument()
@click.argument("kind", metavar="[KIND]", required=False)
@click.option("--all", "whole", is_flag=True, help="The whole text, in the client too.")
@json_option
@click.pass_obj
def show(start: Path, story_id: str, kind: str | None, whole: bool, as_json: bool) -> None:
    """Print a story's plan or a report, or list what there is.

    KIND is as listed: story, plan, qa-report and so on. The story's branch is checked out nowhere. In the client,
    the first 6 KB are printed.

    Example: baton show 42 plan
    """
    project = find_project(start)
    state = fold(read_journal(project, story_id).records)
    artifacts = _find(project.copy_of(state.created.folder, story_id))
    if state.completed:
        artifacts["completion-report"] = Path(state.completed.report)
    if kind is None:
        data = {"artifacts": [{"kind": name, "path": str(path)} for name, path in artifacts.items()]}
        lines = in_columns((name, str(path)) for name, path in artifacts.items())
        print_result(as_json, data, "\n".join(wrapped(lines)), f"baton show {story_id} --json")
        return
    if kind not in artifacts:
        raise BatonError(f"no `{kind}`", f"story {story_id}", f"there is: {', '.join(artifacts)}")
    text, path = read_document(artifacts[kind]), str(artifacts[kind])
    print_result(as_json, {"kind": kind, "path": path, "text": text}, text, path, whole)


def _find(folder: Folder) -> dict[str, Path]:
    """Return the path of each artifact that is there, by its kind; of several, that of the newest."""
    kinds = {name.format(id=folder.story): kind for kind, name in ARTIFACTS.items()}
    artifacts = {}
    for name in sorted(all_files(folder)):
        kind = kinds.get(name) or SEVERAL.get(name.partition("/")[0]) or name
        artifacts[kind] = folder.path / name
    return artifacts
