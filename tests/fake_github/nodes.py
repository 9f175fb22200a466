"""How many nodes a query may ask for, counted before it is answered."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphql import DocumentNode, OperationDefinitionNode

MOST = 500_000


def too_many_nodes(
    document: DocumentNode, operation: OperationDefinitionNode, variables: Mapping[str, Any]
) -> str | None:
    """Say that a query asks for more nodes than GitHub gives, if it does."""
    from graphql import FragmentDefinitionNode

    found = document.definitions
    fragments = {one.name.value: one for one in found if isinstance(one, FragmentDefinitionNode)}
    count = possible_nodes(operation.selection_set, fragments, variables)
    if count <= MOST:
        return None
    return f"This query requests up to {count:,} possible nodes which exceeds the maximum limit of {MOST:,}."


def possible_nodes(selections: Any, fragments: Mapping[str, Any], variables: Mapping[str, Any]) -> int:
    """Count what each connection may give, times what holds it."""
    total = 0
    for node in selections.selections:
        if node.kind == "fragment_spread":
            total += possible_nodes(fragments[node.name.value].selection_set, fragments, variables)
        elif node.selection_set:
            inner = possible_nodes(node.selection_set, fragments, variables)
            size = _size(node, variables)
            total += inner if size is None else size * (1 + inner)
    return total


def _size(node: Any, variables: Mapping[str, Any]) -> int | None:
    for argument in getattr(node, "arguments", None) or ():
        if argument.name.value in ("first", "last"):
            value = argument.value
            given = variables.get(value.name.value) if value.kind == "variable" else value.value
            return None if given is None else int(given)
    return None
