"""All probes, by name."""

from collections.abc import Mapping, Sequence

from baton.errors import BatonError
from baton.probes import (
    briefing,
    children,
    definitions,
    endings,
    forks,
    life_cycle,
    messages,
    permissions,
    results,
    routing,
    starting,
    tools,
    trees,
)
from baton.probes.probe import Probe

TOPICS = (
    definitions,
    starting,
    routing,
    briefing,
    life_cycle,
    messages,
    endings,
    children,
    permissions,
    tools,
    forks,
    trees,
    results,
)
PROBES: Mapping[str, Probe] = {one.name: one for topic in TOPICS for one in topic.PROBES}


def find_probes(names: Sequence[str]) -> list[Probe]:
    """Return the probes of these names, all of them for none; a BatonError names one that is unknown."""
    for name in names:
        if name not in PROBES:
            raise BatonError(f"no probe `{name}`", "the command line", "`baton probe --list` names all")
    return [PROBES[name] for name in dict.fromkeys(names)] if names else list(PROBES.values())
