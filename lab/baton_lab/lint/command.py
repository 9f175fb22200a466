"""What the client does otherwise than definitions expect: lint."""

import shlex
from pathlib import Path

import click

from baton.artifacts.findings import Finding, faults
from baton.commands.arguments import json_option
from baton.commands.output import say, say_json
from baton.errors import BatonError
from baton.text import plural
from baton_lab.lint.check import VALIDATE, check_definitions, validate_by_client
from baton_lab.lint.find_definitions import Found, find_definitions
from baton_lab.lint.sarif import to_sarif


@click.command()
@click.argument("paths", metavar="[PATH]…", nargs=-1, type=click.Path(path_type=Path))
@json_option
@click.option("--sarif", is_flag=True, help="SARIF 2.1.0, for code scanning.")
def lint(paths: tuple[Path, ...], as_json: bool, sarif: bool) -> int:
    """Check agents, skills, commands, hooks; exit 1 for an error.

    Each rule is of something the client does otherwise than the definition expects, seen by a probe: `scripts/lab
    probe NAME` repeats it. Where `claude` is on PATH its own `claude plugin validate` is called too. A PATH is a
    plugin, a project, a folder of them, or one file; without any it is the folder you are in.

    Example: scripts/lab lint .claude/agents/reviewer.md
    """
    if as_json and sarif:
        raise BatonError("--json and --sarif exclude one another", "the command line", "give one of them")
    here = Path.cwd()
    sets = [found for path in paths or (here,) for found in find_definitions(here / path)]
    findings = [definition for found in sets for definition in check_definitions(found, here)]
    of_client, not_run = validated(sets, here)
    everything = list(dict.fromkeys([*findings, *of_client]))
    if sarif:
        say_json(to_sarif(everything))
        if not_run:
            click.echo(f"baton: {not_run}", err=True)
    elif as_json:
        say_json({"clean": not faults(everything), "findings": [one._asdict() for one in everything],
                  "definitions": count(sets), "not_run": not_run})  # fmt: skip
    else:
        said = [f"{plural(count(sets), 'definition')}: nothing found"] if not everything else []
        say(
            "\n".join([*map(str, everything), *said, *filter(None, [not_run])]),
            shlex.join(["scripts/lab", "lint", *map(str, paths), "--json"]),
        )
    return 1 if faults(everything) else 0


def count(sets: list[Found]) -> int:
    """Return how many definitions and hooks there are."""
    return sum(len(one.whole.definitions) + len(one.whole.hooks) for one in sets)


def validated(sets: list[Found], here: Path) -> tuple[list[Finding], str]:
    """Return what the client's own validation finds, and why it was not run; empty where it was."""
    findings: list[Finding] = []
    for found in sets:
        try:
            findings += validate_by_client(found, here)
        except BatonError as error:
            return findings, f"`{VALIDATE}` was not run: {error.what}"
    return findings, ""
