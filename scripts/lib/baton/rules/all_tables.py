"""All decision tables, in the order in which they are shown, and what their rows say together."""

from functools import cache

from baton.rules.engine import Row, Table
from baton.rules.facts import WriteFacts
from baton.rules.pages import story_tables, table_of
from baton.rules.sources import SOURCES
from baton.rules.writes import WRITES


def _write_rows(kind: str) -> list[Row]:
    what, who, why = WRITES[kind]
    if kind == "new":
        return [Row("write/new", what, {}, "proceed", "it may")]
    allowed = Row(
        f"write/{kind}", f"{what}: {', '.join(who)}", {"path": (kind,), "role": who}, "proceed", "it may"
    )
    others = Row(f"write/{kind}", f"{what}: any other" if who else what, {"path": (kind,)}, "refuse", why)
    return [*([allowed] if who else []), others]


# The files a run may edit, built from the data that the hook reads.
WRITE = Table("write", WriteFacts, tuple(row for kind in WRITES for row in _write_rows(kind)))


def all_tables() -> tuple[Table, ...]:
    """Return the tables of a story, and those beside it."""
    beside = (table_of(name) for name, source in SOURCES.items() if not source.skill_stage)
    return (*story_tables(), *beside, WRITE)


@cache
def rows_by_rule() -> dict[str, list[Row]]:
    """Return the rows of each rule; a rule of the table in Python may have several."""
    by_rule = dict[str, list[Row]]()
    for table in all_tables():
        for row in table.rows:
            by_rule.setdefault(row.rule, []).append(row)
    return by_rule


def skill_stage_of_rule(rule: str) -> str:
    """Return the stage of a story that a rule belongs to; empty for a rule of none."""
    return next((table.skill_stage for table in all_tables() if any(row.rule == rule for row in table.rows)), "")


def run_words(rule: str) -> str:
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
