"""Whether an artifact would be accepted: validate."""

from pathlib import Path

import click

from baton.artifacts.findings import faults
from baton.artifacts.kinds import KINDS, check_artifact, notes_on
from baton.commands.arguments import completed_by, json_option
from baton.commands.caller import read_input
from baton.commands.render import print_result
from baton.errors import BatonError


@click.command()
@click.argument("kind", metavar="KIND", shell_complete=completed_by(lambda *_: KINDS))
@click.argument("path", metavar="PATH|-")
@json_option
@click.pass_obj
def validate(start: Path, kind: str, path: str, as_json: bool) -> int:
    """Check an artifact; exit 1 when something is found.

    Example: baton validate plan specs/42_dark-mode/42.execution-plan.md
    """
    if kind not in KINDS:
        raise BatonError(f"no kind `{kind}`", "the command line", f"one of: {', '.join(KINDS)}")
    text = read_input(start, path)
    path = "stdin" if path == "-" else path
    findings = check_artifact(kind, text, path)
    notes = notes_on(kind, text)
    data = {"kind": kind, "findings": [finding._asdict() for finding in findings], "normalized": notes}
    valid = [] if faults(findings) else [f"{path}: a valid {kind}"]
    lines = [*valid, *(f"normalized: {note}" for note in notes), *map(str, findings)]
    more = f"baton validate {kind} {path} --json"
    print_result(as_json, {"valid": bool(valid), **data}, "\n".join(lines), more)
    return 1 if faults(findings) else 0
