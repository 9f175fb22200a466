"""GraphQL as GitHub speaks it: what its schema does not know is refused in its words."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from client.harness.fetch import Missing

from .changes import CHANGES
from .execute import Walk
from .fields import FIELDS
from .nodes import too_many_nodes
from .provision import schema

if TYPE_CHECKING:
    from graphql import DocumentNode, GraphQLError, GraphQLSchema

    from .hub import Hub

TABLES = {**FIELDS, **CHANGES}
# What graphql-core says, how GitHub says it, and the code it gives.
WORDS = (
    (r"Cannot query field '(\w+)' on type '(\w+)'.*", r"Field '\1' doesn't exist on type '\2'", "undefinedField"),
    (
        r"Unknown argument '(\w+)' on field '\w+\.(\w+)'.*", r"Field '\2' doesn't accept argument '\1'",
        "argumentNotAccepted",
    ),
    (
        r"Variable '\$(\w+)' of type '([^']+)' used in position expecting type '([^']+)'\.",
        r"Type mismatch on variable $\1 (\2 / \3)", "variableMismatch",
    ),
    (r"Variable '\$(\w+)' is never used.*", r"Variable $\1 is declared by anonymous query but not used",
     "variableNotUsed"),
)  # fmt: skip


@functools.cache
def built_schema() -> GraphQLSchema:
    """Build GitHub's schema, once a process."""
    from graphql import build_schema

    found = schema()
    assert not isinstance(found, Missing), found.reason
    return build_schema(Path(found).read_text(encoding="utf-8"), assume_valid=True)


@functools.lru_cache(maxsize=256)
def checked(text: str) -> DocumentNode | tuple[GraphQLError, ...]:
    """Parse and check a query; gives what is wrong with it where something is."""
    from graphql import GraphQLError, parse, validate

    try:
        document = parse(text)
    except GraphQLError as error:
        return (error,)
    return tuple(validate(built_schema(), document)) or document


def answer(hub: Hub, given: Any) -> dict[str, Any]:
    """Take what was posted; give what GitHub would answer."""
    if not isinstance(given, dict) or not isinstance(given.get("query"), str):
        return {"errors": [{"message": "A query attribute must be specified and must be a string."}]}
    found = checked(given["query"])
    if isinstance(found, tuple):
        return {"errors": [_refused(error) for error in found]}
    return _executed(hub, found, given.get("variables") or {}, given.get("operationName"))


def _invalid_value(error: GraphQLError) -> dict[str, Any]:
    from graphql import VariableDefinitionNode, print_ast

    node = error.nodes[0] if error.nodes else None
    if not isinstance(node, VariableDefinitionNode):
        return _refused(error)
    why = error.message.partition(": ")[2]
    said = f"Variable ${node.variable.name.value} of type {print_ast(node.type)} was provided invalid value"
    return {**_refused(error), "message": said, "extensions": {"problems": [{"explanation": why}]}}


def _executed(hub: Hub, document: DocumentNode, variables: dict[str, Any], name: str | None) -> dict[str, Any]:
    from graphql import FragmentDefinitionNode, OperationType, get_operation_ast
    from graphql.execution.values import get_variable_values

    operation = get_operation_ast(document, name)
    if operation is None:
        return {"errors": [{"message": "An operation name is required"}]}
    built = built_schema()
    values = get_variable_values(built, operation.variable_definitions or (), variables)
    if isinstance(values, list):
        return {"errors": [_invalid_value(error) for error in values]}
    if reason := too_many_nodes(document, operation, values.coerced):
        return {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": reason}]}
    found = document.definitions
    fragments = {one.name.value: one for one in found if isinstance(one, FragmentDefinitionNode)}
    root = built.query_type if operation.operation is OperationType.QUERY else built.mutation_type
    assert root
    return Walk(hub, built, fragments, values, TABLES).answer(root, operation.selection_set)


def _refused(error: GraphQLError) -> dict[str, Any]:
    """Say in GitHub's words what graphql-core found wrong."""
    places = [{"line": one.line, "column": one.column} for one in error.locations or ()]
    for pattern, words, code in WORDS:
        if found := re.fullmatch(pattern, error.message, re.DOTALL):
            return {"extensions": {"code": code}, "locations": places, "message": found.expand(words)}
    return {"locations": places, "message": error.message}
