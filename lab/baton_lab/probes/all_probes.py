"""All probes, by name."""

from collections.abc import Mapping, Sequence
from types import ModuleType

from baton.errors import BatonError
from baton_lab.probes import (
    briefing,
    children,
    definitions,
    endings,
    forks,
    hook_entries,
    life_cycle,
    matchers,
    messages,
    permissions,
    results,
    routing,
    starting,
    texts,
    tools,
    trees,
)
from baton_lab.probes.probe import Probe

TOPICS = (
    definitions, texts, matchers, hook_entries, starting, routing, briefing, permissions, tools, life_cycle,
    messages, endings, children, forks, trees, results,
)  # fmt: skip


def probes_of(topic: ModuleType) -> list[Probe]:
    """Return the probes of a module, in its order."""
    return [value for value in vars(topic).values() if isinstance(value, Probe)]


PROBES: Mapping[str, Probe] = {probe.name: probe for topic in TOPICS for probe in probes_of(topic)}


def find_probes(names: Sequence[str]) -> list[Probe]:
    """Return the probes of these names, all of them for none; a BatonError names one that is unknown."""
    for name in names:
        if name not in PROBES:
            raise BatonError(f"no probe `{name}`", "the command line", "`scripts/lab probe --list` names all")
    return [PROBES[name] for name in dict.fromkeys(names)] if names else list(PROBES.values())
