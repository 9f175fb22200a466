"""Pages of a connection, cut as GitHub cuts them."""

from __future__ import annotations

import base64
import binascii
import bisect
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .identity import kind_of, number_of
from .request import Refusal

MOST = 100
MARK = b"cursor:v2:"


class Connection(NamedTuple):
    """One page and what is known of the whole."""

    nodes: Sequence[Any]
    begin: int
    total: int
    typename: str

    @property
    def page_info(self) -> PageInfo:
        end = self.begin + len(self.nodes)
        first, last = (cursor(self.nodes[0]), cursor(self.nodes[-1])) if self.nodes else (None, None)
        return PageInfo(end < self.total, self.begin > 0, first, last)


class PageInfo(NamedTuple):
    """Whether there is more, and where this page begins and ends."""

    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None
    typename: str = "PageInfo"


class Edge(NamedTuple):
    """A node with its cursor."""

    node: Any
    cursor: str
    typename: str


def page(name: str, found: Sequence[Any], asked: Mapping[str, Any], typename: str) -> Connection:
    """Cut the page that was asked for out of all that was found; refuses what GitHub refuses."""
    check_bounds(name, asked)
    begin, end = _between(found, asked)
    if asked.get("first") is not None:
        end = min(end, begin + asked["first"])
    if asked.get("last") is not None:
        begin = max(begin, end - asked["last"])
    return Connection(found[begin:end], begin, len(found), typename)


def check_bounds(name: str, asked: Mapping[str, Any]) -> None:
    """Refuse a connection without a size, and sizes that are not between 0 and 100."""
    sizes = {word: asked[word] for word in ("first", "last") if asked.get(word) is not None}
    if not sizes:
        raise Refusal(
            f"You must provide a `first` or `last` value to properly paginate the `{name}` connection.",
            "MISSING_PAGINATION_BOUNDARIES",
        )
    if len(sizes) == 2:
        raise Refusal(
            f"Passing both `first` and `last` to paginate the `{name}` connection is not supported.",
            "UNPROCESSABLE",
        )
    for word, size in sizes.items():
        if size > MOST:
            beyond = f"exceeds the `{word}` limit of {MOST} records."
            raise Refusal(f"Requesting {size} records on the `{name}` connection {beyond}", "EXCESSIVE_PAGINATION")
        if size < 0:
            raise Refusal(f"`{word}` on the `{name}` connection cannot be less than zero.", "INVALID_PAGINATION")


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


def _between(found: Sequence[Any], asked: Mapping[str, Any]) -> tuple[int, int]:
    after, before = _place(found, asked, "after"), _place(found, asked, "before")
    return 0 if after is None else after + 1, len(found) if before is None else before


def _place(found: Sequence[Any], asked: Mapping[str, Any], word: str) -> int | None:
    """Give where the node behind a cursor stands, or would stand if it were still there."""
    given = asked.get(word)
    if given is None:
        return None
    wanted = _read(given)
    if wanted is None or any(kind_of(node.id) != kind_of(wanted) for node in found[:1]):
        raise Refusal(f"`{given}` does not appear to be a valid cursor.", "INVALID_CURSOR_ARGUMENTS")
    after = bisect.bisect_right(found, number_of(wanted), key=lambda node: number_of(node.id))
    return after - 1 if word == "after" or (after and found[after - 1].id == wanted) else after
