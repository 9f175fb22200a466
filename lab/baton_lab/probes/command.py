"""What the client does, tried out: probe."""

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from baton.commands import output as render
from baton.commands.arguments import json_option
from baton.headless.chosen import find_client
from baton_lab.probes.probe import Probe
from baton_lab.probes.run_probes import (
    Observation,
    Tables,
    holds_since,
    read_tables,
    seen_before,
    try_probes,
)


def _complete(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    from baton_lab.probes.all_probes import PROBES

    return [name for name in PROBES if name.startswith(begun)]


@click.command()
@click.argument("names", metavar="[NAME…]", nargs=-1, shell_complete=_complete)
@click.option("--client", type=click.Path(path_type=Path), help="Another client than the `claude` on PATH.")
@click.option("--list", "only_list", is_flag=True, help="Name all probes, and try none.")
@json_option
def probe(names: tuple[str, ...], client: Path | None, only_list: bool, as_json: bool) -> int:
    """Try the claims of the guide in your client, offline.

    Each probe is a small experiment against a scripted model, in a home and a repository of its own: it costs
    nothing and touches nothing of yours. Exit 1 when a claim does not hold.

    Example: scripts/lab probe tools-unknown
    """
    from baton_lab.probes.all_probes import find_probes

    found = find_probes(names)
    if only_list:
        listed = "\n".join(render.in_columns((one.name, one.question) for one in found))
        render.print_result(
            as_json, {"probes": list(map(described, found))}, listed, "scripts/lab probe --list --json"
        )
        return 0
    tables, seen = read_tables(), list[Observation]()
    with closing(try_probes(found, client or Path(find_client()))) as observations:
        for observation in observations:
            seen.append(observation)
            if not as_json:
                click.echo("\n".join(lines_of(observation, tables, whole=bool(names))))
    data = [reported(one, tables) for one in seen]
    render.print_result(as_json, {"observations": data}, summary(seen), "scripts/lab probe --json")
    return 0 if all(one.holds or one.left_out for one in seen) else 1


def described(one: Probe) -> dict[str, str]:
    """Return what a probe is about."""
    return {"name": one.name, "question": one.question, "claim": one.claim, "scope": one.scope}


def reported(one: Observation, tables: Tables) -> dict[str, Any]:
    """Return what was seen, as it is printed with `--json`."""
    since = holds_since(one.probe.name, one.version, one.observed, tables) if one.holds else ""
    return {
        **described(one.probe), "version": one.version, "observed": one.observed, "expected": one.probe.expected,
        "holds": one.holds, "since": since, "left_out": one.left_out, "seconds": round(one.seconds, 1),
    }  # fmt: skip


def lines_of(one: Observation, tables: Tables, *, whole: bool) -> list[str]:
    """Return the lines about one probe: its claim, the client, what was seen, and since when that holds."""
    probe, version = one.probe, one.version
    if one.left_out:
        return [f"left out  {probe.name}: {one.left_out}"]
    asked = [f"  question: {probe.question}", f"  tried in: {probe.scope}"] if whole else []
    if one.holds:
        since = holds_since(probe.name, version, one.observed, tables)
        return [f"holds     {probe.claim} · {version} · {one.observed} · since {since}", *asked]
    before = seen_before(probe.name, version, tables)
    told = f"; in {before[0]} it was: {before[1]}" if before else ""
    wanted = f"  the claim needs: {probe.expected}{told}"
    label = "FAILED " if one.failed else "CHANGED"
    return [f"{label}   {probe.name}: {probe.claim} · {version} · {one.observed}", wanted, *asked]


def summary(seen: Sequence[Observation]) -> str:
    """Return how many claims hold."""
    left_out = sum(bool(one.left_out) for one in seen)
    holding = sum(one.holds for one in seen)
    rest = f", {left_out} left out" if left_out else ""
    return f"{holding} of {len(seen) - left_out} claims hold in {seen[0].version}{rest}"
