"""A stand-in for a GitHub host as data: what is on it, each thing once, wherever it is named again."""

from collections.abc import Iterator
from copy import copy
from dataclasses import MISSING, fields
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from fake_github.actions import Actions, Job
from fake_github.hub import Hub
from fake_github.pull_request import PullRequest
from fake_github.state import (
    Actor,
    Comment,
    Commit,
    Edit,
    Issue,
    IssueComment,
    Permission,
    Remark,
    Repository,
    Review,
    Thread,
)  # fmt: skip

KINDS: dict[str, type] = {
    one.__name__: one
    for one in (
        Actions, Actor, Comment, Commit, Edit, Issue, IssueComment, Job, Permission, PullRequest, Remark,
        Repository, Review, Thread,
    )
}  # fmt: skip
# What is on a host; the rest is how a test uses it.
ON_IT, OF_TESTS = ("viewer", "actors", "repositories", "nodes"), ("hub", "on_push")


def dumped(hub: Hub) -> dict[str, Any]:
    """Return what is on a host."""
    known: dict[int, int] = {}

    def data(value: Any) -> Any:
        if isinstance(value, Path):
            return {"place": value.name}
        if isinstance(value, dict):
            return {"pairs": [[data(name), data(one)] for name, one in value.items()]}
        if type(value) in (list, tuple, set):
            return {type(value).__name__: [data(one) for one in value]}
        if type(value).__name__ not in KINDS:
            return value
        if id(value) in known:
            return {"again": known[id(value)]}
        known[id(value)] = number = len(known)
        as_dict = getattr(value, "_asdict", None)  # of a named tuple
        found = as_dict() if as_dict else vars(value)
        kept = {name: data(one) for name, one in found.items() if name not in OF_TESTS}
        return {"kind": type(value).__name__, "number": number, "of": kept}

    counts = {prefix: next(copy(one)) for prefix, one in hub.ids._counts.items()}
    return {"now": hub.now.isoformat(), "counts": counts, **{name: data(vars(hub)[name]) for name in ON_IT}}


def restored(kept: dict[str, Any], top: Path) -> Hub:
    """Make a host with all that was on one, whose repositories lie in a folder."""
    hub, known = Hub(), dict[int, Any]()

    def value(data: Any) -> Any:
        match data:
            case {"place": name}:
                return top / name
            case {"pairs": pairs}:
                return {value(name): value(one) for name, one in pairs}
            case {"list": found}:
                return [value(one) for one in found]
            case {"tuple": found}:
                return tuple(value(one) for one in found)
            case {"set": found}:
                return {value(one) for one in found}
            case {"again": number}:
                return known[number]
            case {"kind": kind, "number": number, "of": of}:
                return thing(KINDS[kind], number, of)
        return data

    def thing(kind: Any, number: int, of: dict[str, Any]) -> Any:
        if issubclass(kind, tuple):
            known[number] = kind(**{name: value(one) for name, one in of.items()})
            return known[number]
        made = known[number] = kind.__new__(kind)  # first of all, for what it has may name it
        vars(made).update(hub=hub, **dict(defaults(kind)))
        for name, one in of.items():
            setattr(made, name, value(one))
        return made

    vars(hub).update({name: value(kept[name]) for name in ON_IT}, now=datetime.fromisoformat(kept["now"]))
    hub.ids._counts = {prefix: count(number) for prefix, number in kept["counts"].items()}
    return hub


def defaults(kind: Any) -> Iterator[tuple[str, Any]]:
    """Give what a thing has that was recorded before it had that."""
    for field in fields(kind):
        if field.default is not MISSING:
            yield field.name, field.default
        elif field.default_factory is not MISSING:
            yield field.name, field.default_factory()
