"""A host as it is at a moment, in a file: any other can go on from there."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .actions import Actions

if TYPE_CHECKING:
    from .hub import Hub

# A host's own: what it was asked, and what only a test can say, with it.
OWN = ("lock", "closing", "faults", "requests")


class _Writer(pickle.Pickler):
    hub: Hub

    def persistent_id(self, value: Any) -> str | None:
        return "hub" if value is self.hub else None

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, Actions):
            state = {name: one for name, one in vars(value).items() if name != "on_push"}
            return Actions, (value.place,), state
        return NotImplemented


class _Reader(pickle.Unpickler):
    hub: Hub

    def persistent_load(self, name: Any) -> Hub:
        return self.hub


def save(hub: Hub, path: Path) -> None:
    """Keep what a host knows; what it does at a push, and what goes wrong, is no part of it."""
    with path.open("wb") as file:
        writer = _Writer(file)
        writer.hub = hub
        writer.dump({name: value for name, value in vars(hub).items() if name not in OWN})


def load(hub: Hub, path: Path) -> None:
    """Have a host know what was kept."""
    with path.open("rb") as file:
        reader = _Reader(file)
        reader.hub = hub
        vars(hub).update(reader.load())
