"""A story is made, changed, or its merge taken back: story new, story edit, undo."""

import os
import shlex
import sys
from pathlib import Path

import click

from baton.commands.arguments import check_allowed, json_option, persons_project, read_input, story_argument
from baton.commands.output import in_client, print_result
from baton.delivery.revert import merged_as, open_revert
from baton.errors import BatonError
from baton.journal.paths import Folder, Project
from baton.story.begin.adopt import adopt_path
from baton.story.begin.create import NewStory
from baton.story.begin.find_source import StorySource
from baton.story.begin.issue import edit_story as put
from baton.story.begin.read_issue import read_issue
from baton.story.begin.source import find_made_from, make_story
from baton.story.integrate.undo import revert_command, undo_story
from baton.story.session.open_story import open_story
from baton.text import one_line

# What an issue is named by, and no path.
ISSUES = ("#", "https://", "http://")


@click.group()
def story() -> None:
    """Make a story, or change one.

    Example: baton story new "Dark mode" --criterion "A switch turns it on"
    """


@story.command("new")
@click.argument("title", default="")
@click.option("--id", "story_id", help="Its id; the next free number when left out.")
@click.option("--complexity", type=click.IntRange(0, 10), help="0 trivial to 10 very hard.")
@click.option("--language", help="What it is written in, when that matters.")
@click.option("--criterion", "criteria", multiple=True, metavar="TEXT", help="An acceptance criterion.")
@click.option("--depends-on", multiple=True, metavar="ID", help="A story that is to be over before.")
@click.option("--body-file", metavar="F|-", help="The description; - reads stdin.")
@click.option("--from", "source", metavar="PATH|#N|-", help="A spec, its folder, or an issue.")
@click.option(
    "--write-back", is_flag=True, help="Tell the tool a spec is from, in its files, when it is complete."
)
@json_option
@click.pass_obj
def new(
    start: Path,
    title: str,
    story_id: str | None,
    complexity: int | None,
    language: str | None,
    criteria: tuple[str, ...],
    depends_on: tuple[str, ...],
    body_file: str | None,
    source: str | None,
    write_back: bool,
    as_json: bool,
) -> None:
    """Create a story of a title, of a spec, or of an issue on GitHub.

    --from takes a path, `#12` or the URL of an issue. With --body-file - or --from - the text comes on stdin: a
    description that may hold its own `## Acceptance Criteria`, or a whole story.md. A spec in a story's folder
    becomes that story and is not changed; of any other file or folder a new story is made, and stays as it is.
    Where the criteria are not one plain list, the story's planner reads them, and you confirm them.

    Example: baton story new "Dark mode" --id 42 --criterion "A switch turns it on"
    """
    project = persons_project(start)
    wanted = NewStory(title, story_id, complexity, language or "", criteria, depends_on=depends_on)
    if source is not None and body_file:
        raise BatonError("--from beside --body-file", "`baton story new`", "give only one of them")
    if source is not None:
        folder = _made_from(start, project, source, wanted, write_back)
    else:
        _check_no_path(start, project.root, wanted, body_file)
        folder = _made_of_title(project, _text(start, body_file) if body_file else "", wanted)
    path = folder.relative_to_root(folder.artifact("story"))
    text = f"story {folder.story}: {path}\nTHEN baton next {folder.story}"
    print_result(as_json, {"id": folder.story, "path": path}, text, path)


def _made_of_title(project: Project, body: str, wanted: NewStory) -> Folder:
    if not (title := one_line(wanted.title)):
        raise BatonError("no title", "`baton story new`", 'give one: `baton story new "Dark mode" --criterion …`')
    return make_story(project, StorySource("baton story new", f"# {title}\n\n{body.strip()}\n"), wanted)


def _made_from(start: Path, project: Project, source: str, wanted: NewStory, write_back: bool) -> Folder:
    """Make a story of what --from names."""
    if source == "-" or source.startswith(ISSUES):
        if write_back:
            raise BatonError("--write-back, and no file of this project", source, "leave it out")
        text = StorySource("stdin", _text(start, "-")) if source == "-" else None
        return make_story(project, text, wanted) if text else _adopt_issue(project, source, wanted)
    return adopt_path(project, find_path(start, project.root, source), wanted, write_back=write_back)


def _adopt_issue(project: Project, name: str, wanted: NewStory) -> Folder:
    """Make a story of an issue whose words count by themselves; a BatonError for any other."""
    issue = read_issue(project, name)
    if issue.distrust:
        what = f"by @{issue.author} ({issue.distrust})"
        raise BatonError(what, issue.url, "`baton start -`, given the same, shows it and asks you")
    known = find_made_from(project, issue.url)
    if known and wanted.id in (None, known.created.story):
        remedy = f"`baton next {known.created.story}` goes on with it; another takes an --id"
        raise BatonError(f"story {known.created.story} was made of it ({known.status})", issue.url, remedy)
    if issue.comments:
        click.echo(f"baton: {issue.unread}", err=True)
    return make_story(project, StorySource(issue.source, issue.text), wanted)


def _text(start: Path, name: str) -> str:
    if name != "-" and not os.path.lexists(start / name):
        raise BatonError("no such file", str(start / name), "give the path of the description, or - for stdin")
    return read_input(start, name)


def find_path(start: Path, root: Path, name: str) -> Path:
    """Return the path the user named, from where they are or from the root; in quotes the shell leaves a `~`."""
    candidates = (start / name, root / name, start / os.path.expanduser(name))
    return next((path for path in candidates if os.path.lexists(path)), candidates[-1])


def _check_no_path(start: Path, root: Path, wanted: NewStory, body_file: str | None) -> None:
    """Refuse the path of a spec that was given as a title."""
    bare = wanted.title and not wanted.criteria and not body_file
    if bare and os.path.exists(find_path(start, root, wanted.title)):
        remedy = f"`baton story new --from {shlex.quote(wanted.title)}` makes a story of it"
        raise BatonError("a path for a title", wanted.title, remedy)


@story.command("edit")
@story_argument()
@click.option("--plan", is_flag=True, help="Change the execution plan instead.")
@click.option("--file", "path", metavar="F", default="-", help="The new text; - or nothing: stdin.")
@json_option
@click.pass_obj
def edit_story(start: Path, story_id: str, plan: bool, path: str, as_json: bool) -> int:
    """Replace the text of a story, or of its plan.

    `baton show ID story` prints the one there is, `baton show ID plan` the plan.
    An active run is judged by the new text; QA looks again at a story that was changed after it was started.

    Example: baton story edit 42 --file new.md
    """
    kind = "plan" if plan else "story"
    with open_story(persons_project(start), story_id, f"baton story edit {story_id}") as story:
        check_allowed(story, "story edit")
        findings = put(story, kind, _text(start, path), _how())
    lines = [f"rejected: nothing was written; {len(findings)} to fix"] if findings else ["taken"]
    data = {"accepted": not findings, "findings": [finding._asdict() for finding in findings]}
    print_result(as_json, data, "\n".join([*lines, *map(str, findings)]), f"baton validate {kind} FILE --json")
    return 1 if findings else 0


@click.command()
@story_argument()
@json_option
@click.pass_obj
def undo(start: Path, story_id: str, as_json: bool) -> None:
    """Revert the merge of a complete story, in its own commit.

    Nothing is lost: the merge and its branch's commits stay in the history of base, and baton prints the command
    that brings them back. Where later commits changed the same lines, nothing is done and you are told the files.
    A story that was merged on GitHub is taken back by a pull request, which is yours to merge; call it again then.

    Example: baton undo 42
    """
    with open_story(persons_project(start), story_id, f"baton undo {story_id}") as story:
        check_allowed(story, "undo")
        merged = merged_as(story)
        undone = open_revert(story, merged) if merged else undo_story(story)
        back = "" if undone.url else revert_command(story.git, undone.commit)
    if undone.url:
        text = f"""{undone.url} takes the merge {undone.merge[:12]} back
THEN have it reviewed and merged there
THEN to do the story again: baton undo {story_id}, which then says how"""
        print_result(as_json, undone._asdict(), text, f"baton timeline {story_id}")
        return
    base, commit = undone.base, undone.commit[:12]
    text = f"""undone: {base} has the commit {commit}, which reverts the merge {undone.merge[:12]}
THEN to do it again: /implement {story_id}
THEN to bring it back: git switch {base} && {back}"""
    print_result(as_json, undone._asdict(), text, f"baton timeline {story_id}")


def _how() -> str:
    """Say where the user is who calls."""
    return "client" if in_client() else "terminal" if sys.stdin.isatty() or sys.stderr.isatty() else "pipe"
