"""The finite domains of the tables' facts: every state a table may be asked about."""

from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import Any, get_args, get_type_hints

from baton.rules.all_tables import all_tables
from baton.rules.engine import Table


@cache
def domain(facts: type) -> dict[str, tuple[Any, ...]]:
    """Give the values each fact can have."""
    outcomes = [row.rule for table in all_tables() if table.facts is facts for row in table.rows]
    values = {bool: (False, True), str: tuple(outcomes)}
    return {name: values.get(hint) or get_args(hint) for name, hint in get_type_hints(facts).items()}


def every_state(table: Table) -> list[Any]:
    """Give every combination of facts a table may be asked about."""
    values = domain(table.facts)
    return [table.facts(**dict(zip(values, state, strict=True))) for state in product(*values.values())]


def neighbors(facts: Any) -> Iterator[Any]:
    """Give the states that differ from `facts` in one fact."""
    for name, values in domain(facts.__class__).items():
        yield from (facts._replace(**{name: value}) for value in values if value != getattr(facts, name))
