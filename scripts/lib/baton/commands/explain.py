"""The decision tables as the engine has them: explain."""

import click

from baton.commands.arguments import completed_by, json_option
from baton.commands.render import say, say_json
from baton.errors import BatonError
from baton.rules.engine import Row, Table
from baton.rules.tables import ALL_TABLES

NAMES = [table.phase for table in ALL_TABLES]
# What the actions are in a sentence, but for spawn.
DOES = {
    "goto": "go on with the table `{}`", "integrate": "integrate the story", "refuse": "refuse the call",
    "wait": "wait", "ask": "ask you", "escalate": "stop and ask you", "complete": "it is complete",
    "proceed": "go on", "next-check": "go on", "cluster": "cluster what is {}", "plan": "plan another round",
}  # fmt: skip


@click.command()
@click.argument("table", metavar="[TABLE]", required=False, shell_complete=completed_by(lambda *_: NAMES))
@json_option
def explain(table: str | None, as_json: bool) -> None:
    """Show the decision tables; the first row that fits decides.

    Example: baton explain qa
    """
    chosen = [one for one in ALL_TABLES if table in (None, one.phase)]
    if not chosen:
        raise BatonError(f"no table `{table}`", "the command line", f"one of: {', '.join(NAMES)}")
    if as_json:
        data = [{"phase": each.phase, "rows": [_row_data(row) for row in each.rows]} for each in chosen]
        say_json(data[0] if table else {"tables": data})
    else:
        lines = _lines(chosen[0]) if table else _names()
        say("\n".join(lines), f"baton explain --json{f' {table}' if table else ''}")


def _names() -> list[str]:
    rules = {one.phase: dict.fromkeys(row.rule for row in one.rows) for one in ALL_TABLES}
    says = [f"{phase}: {', '.join(names)}" for phase, names in rules.items()]
    return [*says, "one table in full: baton explain TABLE"]


def _row_data(row: Row) -> dict[str, str]:
    action = row.action if row.then in ("", row.action) else f"{row.action} {row.then}"
    return {"rule": row.rule, "when": row.when, "action": action, "reason": row.reason}


def _lines(table: Table) -> list[str]:
    head = f"{table.phase}: the first row that fits decides{'' if table.total else '; often none does'}"
    return [head, *(f"{row.rule}: when {row.when}, {_does(row)}." for row in table.rows)]


def _does(row: Row) -> str:
    """Say what a row does."""
    if row.action == "spawn":
        names = {"again": "the same role again", "qa": "QA"}
        return f"start {names.get(row.then, f'the {row.then}')}"
    return DOES[row.action].format(row.then)
