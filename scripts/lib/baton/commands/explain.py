"""The decision tables as the engine has them: explain."""

import click

from baton.commands.render import say, say_json
from baton.errors import BatonError
from baton.rules.engine import Row, Table
from baton.rules.table_docs import draw_diagram, table_as_markdown, tables_as_markdown
from baton.rules.tables import ALL_TABLES


@click.command()
@click.argument("table", metavar="[TABLE]", required=False)
@click.option("--json", "form", flag_value="json", help="One JSON object.")
@click.option(
    "--markdown", "form", flag_value="markdown", help="Every row, and the budgets, as Markdown for a file."
)
@click.option("--diagram", "form", flag_value="diagram", help="The phases as a Mermaid state diagram.")
def explain(table: str | None, form: str | None) -> None:
    """Show the decision tables, as the engine has them; the first row that fits decides.

    Example: baton explain qa
    """
    chosen = [one for one in ALL_TABLES if table in (None, one.phase)]
    if not chosen:
        names = ", ".join(f"`{one.phase}`" for one in ALL_TABLES)
        raise BatonError(f"no table `{table}`", "the command line", f"one of: {names}")
    one = chosen[0] if table else None
    match form:
        case "json":
            shown = [{"phase": each.phase, "rows": [_row_data(row) for row in each.rows]} for each in chosen]
            say_json(shown[0] if table else {"tables": shown})
        case "markdown":  # whole, as the diagram is: they are meant for a file
            click.echo(table_as_markdown(one) if one else tables_as_markdown())
        case "diagram":
            if one:
                raise BatonError(f"no diagram of `{table}` alone", "the command line", "leave the table out")
            click.echo(draw_diagram())
        case _:
            say("\n".join(_lines(one) if one else _names()), f"baton explain --json{f' {table}' if table else ''}")


def _names() -> list[str]:
    rules = {one.phase: dict.fromkeys(row.rule for row in one.rows) for one in ALL_TABLES}
    says = [f"{phase}: {', '.join(names)}" for phase, names in rules.items()]
    return [*says, "one table in full: baton explain TABLE"]


def _action(row: Row) -> str:
    return f"{row.action} {row.then}".strip()


def _row_data(row: Row) -> dict[str, str]:
    return {"rule": row.rule, "when": row.when, "action": _action(row), "reason": row.reason}


def _lines(table: Table) -> list[str]:
    total = "" if table.total else " (may match nothing)"
    return [f"{table.phase}{total}", *(f"{row.rule}: when {row.when} → {_action(row)}" for row in table.rows)]
