"""Facts about rows: texts on runs, questions that close themselves, waits, and answers that count here alone."""

from functools import cache

from baton.rules.engine import Row
from baton.rules.pages import story_tables, table_of
from baton.rules.sources import SOURCES


def told_of(rule: str) -> str:
    """Return a rule's text for the user on a run it judged; empty where that is its reason."""
    name = rule.partition("/")[0]
    rows = table_of(name).rows if name in SOURCES else ()
    return next((row.told for row in rows if row.rule == rule), "")


@cache
def closing_rows() -> dict[str, Row]:
    """Return the rows whose question closes itself, by their rules."""
    return {row.rule: row for row in _on_github() if row.asks and row.asks.closes}


@cache
def waiting_rules() -> frozenset[str]:
    """Return the rules by which a story waits for GitHub, until somebody looks again."""
    return frozenset(row.rule for row in _on_github() if row.action == "wait")


@cache
def here_alone() -> frozenset[tuple[str, str]]:
    """Return the answers, by rule and option, that no comment on GitHub can give."""
    asking = ((row.rule, row.asks) for table in story_tables() for row in table.rows if row.asks)
    return frozenset((rule, option) for rule, stop in asking for option in stop.here)


def _on_github() -> tuple[Row, ...]:
    return (*table_of("delivery").rows, *table_of("checks").rows)
