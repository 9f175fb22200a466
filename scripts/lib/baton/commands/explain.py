"""The decision tables as the engine has them: explain."""

import click

from baton.artifacts.config import RETRIES
from baton.commands.arguments import completed_by, json_option
from baton.commands.render import say, say_json
from baton.errors import BatonError
from baton.rules.engine import Row, Table
from baton.rules.tables.all_tables import ALL_TABLES

RULES = {row.rule: table for table in ALL_TABLES for row in table.rows}
NAMES = [*(table.phase for table in ALL_TABLES), *RULES]
# What the actions are in a sentence.
DOES = {
    "spawn": "start {}", "goto": "go on with the table `{}`", "integrate": "go on to build, test and merge",
    "refuse": "refuse the call", "wait": "wait", "ask": "ask you", "escalate": "stop and ask you",
    "complete": "it is complete", "proceed": "go on", "next-check": "go on", "cluster": "cluster what is {}",
    "plan": "plan another round", "feedback": "settle what was said", "post": "ask on the {}, too",
    "send-back": "send it back",
}  # fmt: skip
STARTED = {"again": "the same role again", "qa": "QA", "micro-delivery": "one run for the whole story"}


@click.command()
@click.argument("name", metavar="[TABLE|RULE]", required=False, shell_complete=completed_by(lambda *_: NAMES))
@json_option
def explain(name: str | None, as_json: bool) -> None:
    """Show the decision tables, one of them, or one rule.

    The first row of a table that fits decides.

    Example: baton explain qa/fail
    """
    tables = [table for table in ALL_TABLES if name in (None, table.phase)]
    if name in RULES:
        table = RULES[name]
        tables = [table._replace(rows=tuple(row for row in table.rows if row.rule == name))]
    if not tables:
        known = ", ".join(table.phase for table in ALL_TABLES)
        raise BatonError(f"no table or rule `{name}`", "the command line", f"the tables are {known}")
    if as_json:
        data = [{"phase": each.phase, "rows": [_row_data(row) for row in each.rows]} for each in tables]
        say_json(data[0] if name else {"tables": data})
    else:
        lines = _lines(tables[0]) if name else _names()
        say("\n".join(lines), f"baton explain --json{f' {name}' if name else ''}")


def _names() -> list[str]:
    rules = {one.phase: dict.fromkeys(row.rule for row in one.rows) for one in ALL_TABLES}
    says = [f"{phase}: {', '.join(names)}" for phase, names in rules.items()]
    return [*says, "a table or a rule in full: baton explain TABLE|RULE"]


def _row_data(row: Row) -> dict[str, str]:
    return {"rule": row.rule, "when": row.when, "action": row.does, "reason": row.reason}


def _lines(table: Table) -> list[str]:
    stage = f" (stage {table.stage})" if table.stage else ""
    head = f"{table.phase}{stage}: the first row that fits decides{'' if table.total else '; often none does'}"
    return [head, *(f"{row.rule}: when {row.when}, {_does(row)}{_budget(row)}." for row in table.rows)]


def _does(row: Row) -> str:
    """Say what a row does, and the answers it takes where it asks."""
    answers = f": {', '.join(row.stop.options)}" if row.stop else ""
    then = STARTED.get(row.then, f"the {row.then}") if row.action == "spawn" else row.then
    return DOES[row.action].format(then) + answers


def _budget(row: Row) -> str:
    """Say which budget a row counts against, and how many attempts it has where nothing else is configured."""
    if not row.charges:
        return ""
    return f" (counts against `retries.{row.charges}`, {RETRIES[row.charges]} unless configured)"
