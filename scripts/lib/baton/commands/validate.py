"""Whether an artifact would be accepted: validate."""

from pathlib import Path

import click

from baton.artifacts.findings import faults
from baton.artifacts.kinds import KINDS, check_artifact, notes_on
from baton.commands.arguments import completed_by, json_option
from baton.commands.caller import read_input
from baton.commands.render import say, say_json
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
    if as_json:
        rows = [one._asdict() for one in findings]
        say_json({"valid": not faults(findings), "kind": kind, "findings": rows, "normalized": notes})
    else:
        valid = [] if faults(findings) else [f"{path}: a valid {kind}"]
        said = [*valid, *(f"normalized: {one}" for one in notes), *map(str, findings)]
        say("\n".join(said), f"baton validate {kind} {path} --json")
    return 1 if faults(findings) else 0
