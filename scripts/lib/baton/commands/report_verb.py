"""The verb that tells a story, a round of feedback, or all stories, in a page or in Markdown: report."""

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click

from baton.artifacts.document import read_document
from baton.commands.arguments import json_option, persons_project, story_argument
from baton.commands.output import clipped, print_result, write_out
from baton.commands.wrap_lines import wrap_markdown
from baton.errors import BatonError
from baton.feedback.store.kept_files import find_folder
from baton.journal.atomic_file import write_durably
from baton.journal.journal import utc_now
from baton.journal.paths import PULL_REQUEST, Project
from baton.report.pull_report import round_report
from baton.report.report_data import as_plain, inert
from baton.report.story_report import story_report, story_row
from baton.story.status.statistics import read_newest, statistics_of
from baton.templates.render import render, render_own, render_page

# What every file ends with that may be written over, and how much a job summary of GitHub takes.
MARK = "<!-- a report of baton -->\n"
MOST_BYTES = 1_000_000


@click.command()
@story_argument(required=False)
@click.option("--all", "every", is_flag=True, help="The last stories, side by side.")
@click.option("--html", is_flag=True, help="Write a page, which needs nothing else, and print its path.")
@click.option("--md", is_flag=True, help="Print the Markdown whole, as for a job summary; in the client too.")
@click.option("--out", type=click.Path(path_type=Path), help="Write to this file.")
@click.option("--template", type=click.Path(path_type=Path), help="Use this template in place of baton's.")
@click.option("--last", type=click.IntRange(min=1), default=20, show_default=True, help="Of --all: how many.")
@json_option
@click.pass_obj
def report(
    start: Path, story_id: str | None, every: bool, html: bool, md: bool, out: Path | None,
    template: Path | None, last: int, as_json: bool,
) -> None:  # fmt: skip
    """Tell what came of a story, in a page or in Markdown.

    It is what was built, decided, spent and seen, and what nobody verified; of pr-N, of the feedback on a pull
    request. --all --json also counts what the last stories came to, used, asked and failed at. The page has no
    script and loads nothing. Without --out it lies beside the journal, in .git/baton.

    Example: baton report 42 --html
    """
    if bool(story_id) == every or html + md + as_json > 1:
        raise click.UsageError("name a story or --all, and one of --html, --md and --json")
    project = persons_project(start)
    place, name = start / out if out else _place(project, story_id), story_id or "--all"
    data = as_plain(_data(project, story_id, last, place.parent))
    text = render_report(data, html, start / template if template else None)
    if html or out:
        _write(project, place, text, kept=out is None)
        text = f"{place}\n{name}: {_state(data)}"
    elif not md:
        text = wrap_markdown(text)
    print_result(as_json and not out, data, text, f"baton report {name} --md", whole=md)


def _place(project: Project, story_id: str | None) -> Path:
    """Return where a page is kept: beside the journal, or the journals."""
    if story_id and (match := PULL_REQUEST.match(story_id)):
        return find_folder(project, int(match[1])) / "report.html"
    return project.state.joinpath(*filter(None, (story_id, "report.html")))


def _data(project: Project, story_id: str | None, last: int, beside: Path) -> Any:
    if story_id is None:
        return _all_data(project, last, beside)
    if match := PULL_REQUEST.match(story_id):
        return round_report(project, int(match[1]))
    return story_report(project, story_id, utc_now())


def _all_data(project: Project, last: int, beside: Path) -> dict[str, Any]:
    """Return the stories that changed last, the newest first, each with the way to its page where it has one."""
    journals, faults = read_newest(project, last)
    now = utc_now()
    rows = []
    for journal in sorted(journals, key=lambda journal: journal.records[-1].time, reverse=True):
        row = story_row(project, journal, now)
        page = _place(project, row["id"])
        rows.append({**row, "href": quote(os.path.relpath(page, beside)) if page.exists() else ""})
    listed = {"stories": rows, "of": len(project.story_ids()), "not_read": [str(fault) for fault in faults]}
    return {"kind": "stories", **listed, "figures": statistics_of(journals), "made": now}


def render_report(data: dict[str, Any], html: bool, template: Path | None = None) -> str:
    """Return a report's data as a page or as Markdown, by baton's template or the user's; bounded either way."""
    values = inert(data, markdown=not html)
    if template:
        text = render_own(read_document(template), str(template), values, html)
    else:
        text = render_page("report.html.j2", values) if html else render("report.md.j2", **values)
    rest = "\n\n… the rest is left out: `baton report --html` has it\n"
    return text if html else clipped(text, MOST_BYTES, rest)


def _write(project: Project, path: Path, text: str, kept: bool) -> None:
    """Write a report: where it is kept, or where the user said, over nothing but a report."""
    data = f"{text.rstrip()}\n{MARK}"
    if kept:
        write_durably(path, data, project.common)
        return
    try:
        may = not path.exists() or (path.is_file() and path.read_bytes().endswith(MARK.encode()))
    except OSError as error:
        raise BatonError(f"cannot read ({error.strerror})", str(path), "name another file with --out") from error
    if not may:
        raise BatonError("it is not a report of baton's", str(path), "name another file with --out, or remove it")
    write_out(path, data.encode())


def _state(data: dict[str, Any]) -> str:
    if data["kind"] == "stories":
        return f"{len(data['stories'])} of {data['of']} stories"
    return f"{data['state']}, {len(data['not_verified'])} not verified"
