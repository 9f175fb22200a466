"""The verbs that only look: validate, explain."""

from pathlib import Path

import click

from baton.artefacts.findings import faults
from baton.artefacts.kinds import KINDS, check_artefact, read_document
from baton.commands.output import say, say_json
from baton.decide.engine import Row, Table
from baton.decide.tables import TABLES
from baton.errors import BatonError


@click.command()
@click.argument("kind", metavar="KIND")
@click.argument("path", metavar="PATH")
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.pass_obj
def validate(start: Path, kind: str, path: str, as_json: bool) -> int:
    """Check one artefact; exit 1 when something is found.

    Example: baton validate plan specs/42_dark-mode/42.execution-plan.md
    """
    if kind not in KINDS:
        raise BatonError(f"no kind `{kind}`", "the command line", f"one of: {', '.join(KINDS)}")
    findings = check_artefact(kind, read_document(start / path), path)
    if as_json:
        rows = [one._asdict() for one in findings]
        say_json({"valid": not faults(findings), "kind": kind, "findings": rows, "normalised": []})
    else:
        valid = [] if faults(findings) else [f"{path}: a valid {kind}"]
        said = [*valid, *map(str, findings)]
        say("\n".join(said), f"baton validate {kind} {path} --json")
    return 1 if faults(findings) else 0


@click.command()
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def explain(table: str | None, as_json: bool) -> None:
    """Show the decision tables, as the engine has them; the first row that fits decides.

    Example: baton explain qa
    """
    chosen = [one for one in TABLES if table in (None, one.phase)]
    if not chosen:
        names = ", ".join(f"`{one.phase}`" for one in TABLES)
        raise BatonError(f"no table `{table}`", "the command line", f"one of: {names}")
    if as_json:
        shown = [{"phase": one.phase, "rows": [_row_data(row) for row in one.rows]} for one in chosen]
        say_json(shown[0] if table else {"tables": shown})
    elif table:
        say("\n".join(_lines(chosen[0])), f"baton explain {table} --json")
    else:
        says = [f"{one.phase}: {', '.join(dict.fromkeys(row.rule for row in one.rows))}" for one in chosen]
        say("\n".join([*says, "one table in full: baton explain TABLE"]), "baton explain --json")


def _action(row: Row) -> str:
    return f"{row.action} {row.then}".strip()


def _row_data(row: Row) -> dict[str, str]:
    return {"rule": row.rule, "when": row.when, "action": _action(row), "reason": row.reason}


def _lines(table: Table) -> list[str]:
    total = "" if table.total else " (may match nothing)"
    return [f"{table.phase}{total}", *(f"{row.rule}: when {row.when} → {_action(row)}" for row in table.rows)]
