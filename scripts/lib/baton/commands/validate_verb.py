"""Whether an artifact would be accepted: validate."""

import json
from pathlib import Path

import click

from baton.artifacts.findings import Finding, faults
from baton.artifacts.kinds import KINDS, check_artifact, notes_on
from baton.artifacts.report import REPORT_KINDS
from baton.artifacts.report_text import form_lines, parse_report, report_form
from baton.artifacts.story_file import read_story
from baton.commands.arguments import completed_by, json_option, read_input
from baton.commands.output import print_result
from baton.errors import BatonError
from baton.git.command import find_project
from baton.story.begin.dependencies import check_dependencies
from baton.story.judge.refusals import is_about_form


@click.command(epilog=f"KIND is one of: {', '.join(KINDS)}.")
@click.argument("kind", metavar="KIND", shell_complete=completed_by(lambda *_: KINDS))
@click.argument("path", metavar="PATH|-")
@json_option
@click.pass_obj
def validate(start: Path, kind: str, path: str, as_json: bool) -> int:
    """Check an artifact; exit 1 when something is found. A report is YAML, or the Markdown that baton commits.

    Example: baton validate plan specs/42_dark-mode/42.execution-plan.md
    """
    if kind not in KINDS:
        raise BatonError(f"no kind `{kind}`", "the command line", f"one of: {', '.join(KINDS)}")
    text = read_input(start, path)
    path = "stdin" if path == "-" else path
    committed = parse_report(kind, text) if kind in REPORT_KINDS else None
    text = json.dumps(committed) if committed else text
    findings = check_artifact(kind, text, path)
    if kind == "story" and not faults(findings):
        findings += _check_dependencies(start, text, path)
    notes = [] if committed else notes_on(kind, text)
    data = {"kind": kind, "findings": [finding._asdict() for finding in findings], "normalized": notes}
    valid = [] if faults(findings) else [f"{path}: a valid {kind}"]
    lines = [*valid, *(f"normalized: {note}" for note in notes), *map(str, findings)]
    if kind in REPORT_KINDS and is_about_form(kind, findings):
        lines += form_lines(kind, report_form(kind, [""]))
    more = f"baton validate {kind} {path} --json"
    print_result(as_json, {"valid": bool(valid), **data}, "\n".join(lines), more)
    return 1 if faults(findings) else 0


def _check_dependencies(start: Path, text: str, path: str) -> list[Finding]:
    """Find a story it depends on that this repository does not have, or that waits for it."""
    story = read_story(text)
    try:
        project = find_project(start) if story.depends_on else None
    except BatonError:  # no repository, and nothing to hold it against
        return []
    try:
        if project:
            check_dependencies(project, story.id, story.depends_on)
    except BatonError as error:
        return [Finding(path, "front matter", "story/depends-on", f"{error.what}: {error.remedy}")]
    return []
