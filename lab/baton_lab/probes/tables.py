"""Try every probe in these clients and write down what was seen, a table for each version.

What was seen is kept in observed/, the tables are docs/clients/VERSION.md. Without a client the tables are written
anew of what is kept.
"""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from baton_lab.probes.all_probes import PROBES
from baton_lab.probes.run_probes import OBSERVED, Tables, holds_since, read_tables, try_probes, version_of

DOCUMENTS = Path(__file__).resolve().parents[3] / "docs" / "clients"


def table_of(version: str, tables: Tables) -> str:
    """Return what was seen in a version, as a page."""
    seen = tables[version]
    holding = sum(seen.get(name) == one.expected for name, one in PROBES.items())
    rows = [row_of(name, version, seen[name], tables) for name in PROBES if name in seen]
    lines = [
        f"# Claude Code {version}",
        f"What `scripts/lab probe` saw: {holding} of {len(rows)} claims of the [guide](../sub-agents.md) hold in "
        "this client. `scripts/lab tables` wrote this page.",
        "\n".join(["| Probe | Claim | Seen | Since |", "|---|---|---|---|", *rows]),
    ]
    return "\n\n".join(lines) + "\n"


def row_of(name: str, version: str, observed: str, tables: Tables) -> str:
    """Return the row of a probe; a claim that does not hold is struck through."""
    one = PROBES[name]
    holds = observed == one.expected
    claim = one.claim if holds else f"~~{one.claim}~~"
    cells = (f"`{name}`", claim, observed, holds_since(name, version, observed, tables))
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def observe(client: Path) -> Mapping[str, str]:
    """Try every probe; return what was seen of those that were tried, by name."""
    seen = {}
    for probe in try_probes(PROBES.values(), client):
        click.echo(f"{probe.version}  {probe.probe.name}: {probe.left_out or probe.observed}")
        if not probe.left_out:
            seen[probe.probe.name] = probe.observed
    return {name: seen[name] for name in PROBES if name in seen}


@click.command()
@click.argument("clients", metavar="[CLIENT…]", nargs=-1, type=click.Path(path_type=Path))
def tables(clients: tuple[Path, ...]) -> None:
    """Try every probe in these clients, and write a page for each version.

    Without a CLIENT the pages are written anew from what was seen before.

    Example: scripts/lab tables /path/to/claude
    """
    for client in clients:
        kept = OBSERVED / f"{version_of(client)}.json"
        kept.write_text(json.dumps(observe(client), indent=1) + "\n", encoding="utf-8")
    seen = read_tables()
    for version in seen:
        page = DOCUMENTS / f"{version}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(table_of(version, seen), encoding="utf-8")
