"""All decision tables, in the order in which they are shown."""

from functools import cache

from baton.rules.engine import Row, Table
from baton.rules.pages import story_tables, table_of
from baton.rules.sources import SOURCES
from baton.rules.write_table import WRITE


def all_tables() -> tuple[Table, ...]:
    """Return the tables of a story, and those beside it."""
    beside = (table_of(name) for name, source in SOURCES.items() if not source.stage)
    return (*story_tables(), *beside, WRITE)


@cache
def rows_by_rule() -> dict[str, list[Row]]:
    """Return the rows of each rule; a rule of the table in Python may have several."""
    by_rule = dict[str, list[Row]]()
    for table in all_tables():
        for row in table.rows:
            by_rule.setdefault(row.rule, []).append(row)
    return by_rule


def stage_of_rule(rule: str) -> str:
    """Return the stage of a story that a rule belongs to; empty for a rule of none."""
    return next((table.stage for table in all_tables() if any(row.rule == rule for row in table.rows)), "")
