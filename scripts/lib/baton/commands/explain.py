"""The decision tables as the engine reads them from the pages: explain."""

import click

from baton.artifacts.config import RETRIES, Config
from baton.commands.arguments import completed_by, json_option
from baton.commands.output import say, say_json
from baton.commands.wrap_lines import wrapped
from baton.errors import BatonError
from baton.rules.all_tables import all_tables, rows_by_rule
from baton.rules.budgets import PER_CYCLE
from baton.rules.engine import Row, Table

# What the actions are in a sentence.
DOES = {
    "spawn": "start {}", "goto": "go on with the table `{}`", "integrate": "go on to build, test and merge",
    "refuse": "refuse the call", "wait": "wait", "ask": "ask you", "escalate": "stop and ask you",
    "complete": "it is complete", "proceed": "go on", "next-check": "go on", "cluster": "cluster what is {}",
    "plan": "plan another round", "feedback": "settle what was said", "post": "ask on the {}, too",
    "send-back": "send it back",
}  # fmt: skip
STARTED = {"again": "the same role again", "qa": "QA", "micro-delivery": "one run for the whole story"}
BUDGETS = "budgets"
# The name of all tables of a pull request's feedback together.
FEEDBACK = "feedback"
# What a budget is counted for, if not for the story, and what it counts where no rule is charged.
SCOPES = {"no_return": "row of runs", "restarts": "run"} | dict.fromkeys(PER_CYCLE, "QA cycle")
COUNTED = {"iterations": "every implementation run", "restarts": "every start of it that is seen"}
LOOP = ("same_error_limit", "no_progress_limit", "backoff_s")


def _names(*_: object) -> list[str]:
    return [*(table.phase for table in all_tables()), FEEDBACK, BUDGETS, *rows_by_rule()]


@click.command()
@click.argument("name", metavar="[TABLE|RULE]", required=False, shell_complete=completed_by(_names))
@json_option
def explain(name: str | None, as_json: bool) -> None:
    """Show the decision tables, one rule, or `budgets`.

    The first row of a table that fits decides.

    Example: baton explain qa/fail
    """
    if name == BUDGETS:
        say_json({"budgets": _budgets()[1:]}) if as_json else say("\n".join(wrapped(_budgets())), "baton explain")
        return
    tables = [table for table in all_tables() if _is_named(table, name)] or _holding(name or "")
    if not tables:
        known = ", ".join([*(table.phase for table in all_tables()), BUDGETS])
        raise BatonError(f"no table or rule `{name}`", "the command line", f"the tables are {known}")
    if as_json:
        data = [{"phase": each.phase, "rows": [_row_data(row) for row in each.rows]} for each in tables]
        say_json(data[0] if name and name != FEEDBACK else {"tables": data})
    else:
        lines = [line for each in tables for line in _lines(each, "/" in name)] if name else _overview()
        lines = [part for line in lines for part in line.split("\n")]
        say("\n".join(wrapped(lines)), f"baton explain --json{f' {name}' if name else ''}")


def _is_named(table: Table, name: str | None) -> bool:
    return name in (None, table.phase) or (name == FEEDBACK and table.phase.startswith(f"{FEEDBACK}-"))


def _holding(rule: str) -> list[Table]:
    """Return the table of a rule, with its rows alone; nothing for no rule."""
    tables = (table._replace(rows=tuple(row for row in table.rows if row.rule == rule)) for table in all_tables())
    return [table for table in tables if table.rows]


def _overview() -> list[str]:
    rules = {table.phase: dict.fromkeys(row.rule for row in table.rows) for table in all_tables()}
    says = [f"{phase}: {', '.join(names)}" for phase, names in rules.items()]
    return [*says, "a table or a rule in full: baton explain TABLE|RULE; how often each may be tried: budgets"]


def _row_data(row: Row) -> dict[str, str]:
    return {"rule": row.rule, "when": row.when, "action": row.does, "reason": row.reason}


def _lines(table: Table, is_rule: bool) -> list[str]:
    """Say what a table decides, a sentence for each row; of one rule what its page says."""
    stage = f" (stage {table.skill_stage})" if table.skill_stage else ""
    head = f"{table.phase}{stage}: the first row that fits decides{'' if table.total else '; often none does'}"
    if is_rule and table.rows[0].text.startswith("###"):
        return [head, "", table.rows[0].text]
    return [head, *(f"{row.rule}: when {row.when}, {_does(row)}{_budget(row)}." for row in table.rows)]


def _does(row: Row) -> str:
    """Say what a row does, and the answers it takes where it asks."""
    answers = f": {', '.join(row.asks.options)}" if row.asks else ""
    then = STARTED.get(row.then, f"the {row.then}") if row.action == "spawn" else row.then
    return DOES[row.action].format(then) + answers


def _budget(row: Row) -> str:
    """Say which budget a row counts against, and how many attempts it has where nothing else is configured."""
    if not row.charges:
        return ""
    return f" (counts against `retries.{row.charges}`, {RETRIES[row.charges]} unless configured)"


def _budgets() -> list[str]:
    """Say of each budget its size, what it is counted for and by which rules, and the other limits."""
    charged = [(row.charges, row.rule) for table in all_tables() for row in table.rows if row.charges]
    sizes = {f"retries.{name}": size for name, size in RETRIES.items()} | {
        "loop.max_iterations": Config().max_iterations
    }
    lines = ["attempts in all, the first included, where `.baton.yaml` says nothing else; your answer grants more"]
    for setting, size in sizes.items():
        name = setting.partition(".")[2].removeprefix("max_")
        by = ", ".join(dict.fromkeys(rule for budget, rule in charged if budget == name)) or COUNTED.get(name, "")
        lines.append(f"{setting}: {size} for each {SCOPES.get(name, 'story')}; by {by}")
    return [*lines, *(f"loop.{name}: {getattr(Config(), name)}" for name in LOOP)]
