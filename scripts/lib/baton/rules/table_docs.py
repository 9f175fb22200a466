"""The tables as a reader sees them: every row as Markdown, the phases as a Mermaid diagram."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from baton.artifacts.config import RETRIES, Config
from baton.journal.run import ROLES
from baton.rules.budgets import PER_CYCLE
from baton.rules.engine import Row, Table
from baton.rules.tables import ALL_TABLES, TABLES

START, PERSON, COMPLETE = "[*]", "person", "complete"
# It tells again what is so already: no way leads through it.
NOT_DRAWN = "in progress"
NAMES = {
    "report": "report gate",
    "run": "any run",
    "spawn_limits": "before a run",
    "fix": "a fix",
    PERSON: "you",
}
LABEL_MOST = 3
LEADS_TO = {
    "below": "the rows below",
    "again": "the same role",
    "wait": "wait on",
    "defer": "the criteria are deferred",
    "integrate": "integration",
    "abandon": "the end",
}
SCOPES = {"no_return": "runs in a row", "restarts": "run"} | dict.fromkeys(PER_CYCLE, "QA cycle")
COUNTED = {"iterations": "every implementation run", "restarts": "every start of it that is seen"}
LOOP = ("same_error_limit", "no_progress_limit", "backoff_s")


class Edge(NamedTuple):
    """What leads from one place to another: the rules, without their table's name."""

    source: str
    target: str
    rules: tuple[str, ...]


def draw_diagram(tables: Sequence[Table] = TABLES) -> str:
    """Draw the phases and what leads from one to the next, as a Mermaid stateDiagram-v2."""
    drawn = find_edges(tables)
    places = dict.fromkeys(place for edge in drawn for place in edge[:2] if place != START)
    lines = [*(_declared(place) for place in places), *(_drawn(edge) for edge in drawn), *_answers(tables)]
    return "\n".join(["stateDiagram-v2", *(f"    {line}" for line in lines)])


def find_edges(tables: Sequence[Table]) -> list[Edge]:
    """Return where rows lead from each phase: first the way on, then the ways back, last those to the user."""
    order = [START, *(table.phase for table in tables), COMPLETE, PERSON]
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for table in tables:
        for row in table.rows if table.phase != NOT_DRAWN else ():
            if target := leads_to(row):
                source = START if table.phase == "start" else table.phase
                found[source, target].append(row.rule.rpartition("/")[2])

    def rank(edge: Edge) -> tuple[int, int, int]:
        source, target = order.index(edge.source), order.index(edge.target)
        on = target > source or edge.target == START
        return (2 if edge.target == PERSON else 0 if on else 1, source, target)

    ways = [Edge(*ends, tuple(dict.fromkeys(rules))) for ends, rules in found.items()]
    return sorted([*ways, Edge(COMPLETE, START, ())], key=rank)


def leads_to(row: Row) -> str:
    """Name the phase a row leads to, or that it leads to the user; nothing when the story stays where it is."""
    if row.stop:
        return PERSON
    if row.action == "spawn":
        if row.then == "again":
            return ""
        return ROLES[row.then].phase
    return {"goto": row.then, "integrate": "integration", "complete": COMPLETE}.get(row.action, "")


def _declared(place: str) -> str:
    return f'state "{NAMES[place]}" as {place}' if place in NAMES else place


def _drawn(edge: Edge) -> str:
    rules = edge.rules if edge.rules != (edge.target,) else ()
    if len(rules) > LABEL_MOST:
        rules = (*rules[: LABEL_MOST - 1], f"{len(rules) - LABEL_MOST + 1} more")
    return f"{edge.source} --> {edge.target}" + (f": {', '.join(rules)}" if rules else "")


def _answers(tables: Sequence[Table]) -> list[str]:
    """Return a note at the user: where each answer leads."""
    found: dict[str, list[str]] = defaultdict(list)
    for row in (row for table in tables for row in table.rows if row.stop):
        for option, then in row.stop.options.items() if row.stop else ():
            if then in ROLES or then in ("integrate", "abandon"):
                found[option].append(ROLES[then].phase if then in ROLES else LEADS_TO[then])
    ways = [(option, dict.fromkeys(places)) for option, places in found.items()]
    ways.sort(key=lambda way: (LEADS_TO["abandon"] in way[1], -len(way[1])))
    lines = [f"{option} → {', '.join(places)}" for option, places in ways]
    return [f"note right of {PERSON}", *(f"    {line}" for line in lines), "end note"]


def tables_as_markdown(tables: Sequence[Table] = ALL_TABLES) -> str:
    """Return all tables and the budgets as Markdown."""
    names = [*(table.phase for table in tables), "budgets"]
    contents = "Tables: " + " · ".join(f"[{name}](#{name.replace(' ', '-')})" for name in names)
    return "\n\n".join([contents, *(table_as_markdown(table) for table in tables), budgets_as_markdown(tables)])


def table_as_markdown(table: Table) -> str:
    """Return one table as a section of a Markdown document."""
    about = (table.facts.__doc__ or "").splitlines()[0] + ("" if table.total else " Often no row fits.")
    rows = [(f"`{row.rule}`", row.when, _action(row), _offered(row)) for row in table.rows]
    return f"## {table.phase}\n\n{about}\n\n" + _grid(("Rule", "When", "Action", "Answers offered"), rows)


def _action(row: Row) -> str:
    does = row.action if row.then in ("", row.action) else f"{row.action} {row.then}"
    return does + (f", charged to `{row.charges}`" if row.charges else "")


def _offered(row: Row) -> str:
    options = row.stop.options if row.stop else {}
    return ", ".join(
        f"`{option}`" + (f" → {LEADS_TO.get(then, then)}" if then != option else "")
        for option, then in options.items()
    )


def budgets_as_markdown(tables: Sequence[Table] = TABLES) -> str:
    """Return the size of each budget, what is charged to it, and the other limits, as a section of a document."""
    sizes = [(name, f"retries.{name}", size) for name, size in RETRIES.items()]
    sizes.append(("iterations", "loop.max_iterations", Config().max_iterations))
    rows = [
        (f"`{name}`", f"`{setting}`", str(size), SCOPES.get(name, "story"), _charged(name, tables))
        for name, setting, size in sizes
    ]
    about = "Attempts are counted in the journal, the first included. Only your answer grants more."
    grid = _grid(("Budget", "Setting", "Attempts in all", "Per", "Charged by"), rows)
    limits = _grid(("Limit", "Default"), [(f"`loop.{name}`", str(getattr(Config(), name))) for name in LOOP])
    return f"## budgets\n\n{about}\n\n{grid}\n\n{limits}"


def _charged(budget: str, tables: Sequence[Table]) -> str:
    rules = dict.fromkeys(f"`{row.rule}`" for table in tables for row in table.rows if row.charges == budget)
    return ", ".join(rules) or COUNTED.get(budget, "")


def _grid(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *(tuple(_cell(one) for one in row) for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |".replace("|  |", "| |") for line in lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
