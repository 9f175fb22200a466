"""Pages of a connection, cut as GitHub cuts them."""

from __future__ import annotations

import base64
import binascii
import bisect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .identity import kind_of, number_of
from .request import Refusal, Unmodeled

MOST = 100
MARK = b"cursor:v2:"


class Connection(NamedTuple):
    """One page and what is known of the whole."""

    nodes: Sequence[Any]
    total: int
    page_info: PageInfo


class PageInfo(NamedTuple):
    """Whether there is more, and where this page ends."""

    has_next_page: bool
    end_cursor: str | None


def page(name: str, found: Sequence[Any], asked: Mapping[str, Any]) -> Connection:
    """Cut the page that was asked for out of all that was found; refuses what GitHub refuses."""
    if unknown := asked.keys() - {"first", "last", "after"}:
        raise Unmodeled(f"{', '.join(unknown)} of `{name}`")
    check_bounds(name, asked)
    begin, end = _place(found, asked.get("after")), len(found)
    if asked.get("first") is not None:
        end = min(end, begin + asked["first"])
    else:
        begin = max(begin, end - asked["last"])
    nodes = found[begin:end]
    return Connection(nodes, len(found), PageInfo(end < len(found), cursor(nodes[-1]) if nodes else None))


def check_bounds(name: str, asked: Mapping[str, Any]) -> None:
    """Refuse a connection without a size, and pages that are too large."""
    sizes = {word: asked[word] for word in ("first", "last") if asked.get(word) is not None}
    if not sizes:
        raise Refusal(
            f"You must provide a `first` or `last` value to properly paginate the `{name}` connection.",
            "MISSING_PAGINATION_BOUNDARIES",
        )
    word, size = sizes.popitem()
    if sizes or size < 0:
        raise Unmodeled(f"a size of `{name}` that is less than zero, or two")
    if size > MOST:
        beyond = f"exceeds the `{word}` limit of {MOST} records."
        raise Refusal(f"Requesting {size} records on the `{name}` connection {beyond}", "EXCESSIVE_PAGINATION")


def cursor(node: Any) -> str:
    """Give the cursor that stands behind a node: it holds though others come or go."""
    return base64.b64encode(MARK + node.id.encode()).decode()


def is_cursor(value: object) -> bool:
    return isinstance(value, str) and _read(value) is not None


def _read(text: str) -> str | None:
    try:
        plain = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return plain[len(MARK) :].decode() if plain.startswith(MARK) else None


def _place(found: Sequence[Any], after: str | None) -> int:
    """Return what comes behind a cursor, or would if its node were still there."""
    if after is None:
        return 0
    wanted = _read(after)
    if wanted is None or any(kind_of(node.id) != kind_of(wanted) for node in found[:1]):
        raise Refusal(f"`{after}` does not appear to be a valid cursor.", "INVALID_CURSOR_ARGUMENTS")
    return bisect.bisect_right(found, number_of(wanted), key=lambda node: number_of(node.id))
