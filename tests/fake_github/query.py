"""GraphQL as GitHub speaks it: what its schema does not know is refused in its words."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from graphql import (
    DocumentNode,
    FragmentDefinitionNode,
    GraphQLError,
    GraphQLResolveInfo,
    GraphQLSchema,
    OperationDefinitionNode,
    VariableDefinitionNode,
    build_schema,
    execute_sync,
    get_operation_ast,
    parse,
    print_ast,
    validate,
)
from graphql.execution.values import get_variable_values

from fetched import or_skip

from .fields import FIELDS, Ask
from .provision import schema
from .request import Refusal, Unmodeled

if TYPE_CHECKING:
    from .hub import Hub

MOST_NODES = 500_000
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
    return build_schema(or_skip(schema()).read_text(encoding="utf-8"), assume_valid=True)


@functools.lru_cache(maxsize=256)
def checked(text: str) -> DocumentNode | tuple[GraphQLError, ...]:
    """Parse and check a query; gives what is wrong with it where something is."""
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
    node = error.nodes[0] if error.nodes else None
    if not isinstance(node, VariableDefinitionNode):
        return _refused(error)
    why = error.message.partition(": ")[2]
    said = f"Variable ${node.variable.name.value} of type {print_ast(node.type)} was provided invalid value"
    return {**_refused(error), "message": said, "extensions": {"problems": [{"explanation": why}]}}


def _executed(hub: Hub, document: DocumentNode, variables: dict[str, Any], name: str | None) -> dict[str, Any]:
    operation = get_operation_ast(document, name)
    if operation is None:
        return {"errors": [{"message": "An operation name is required"}]}
    values = get_variable_values(built_schema(), operation.variable_definitions or (), variables)
    if isinstance(values, list):
        return {"errors": [_invalid_value(error) for error in values]}
    if reason := _too_many_nodes(document, operation, values.coerced):
        return {"errors": [{"type": "MAX_NODE_LIMIT_EXCEEDED", "message": reason}]}
    done = execute_sync(
        built_schema(), document, context_value=hub, variable_values=variables, operation_name=name,
        field_resolver=_resolve, type_resolver=lambda value, *_: str(value.typename),
    )  # fmt: skip
    errors = [_answered(error) for error in done.errors or ()]
    return {"data": done.data, "errors": errors} if errors else {"data": done.data}


def _resolve(value: Any, info: GraphQLResolveInfo[Any], **arguments: Any) -> Any:
    resolve = FIELDS.get(info.parent_type.name, {}).get(info.field_name)
    if resolve is None and isinstance(value, dict) and info.field_name in value:
        return value[info.field_name]
    if resolve is None:
        raise Unmodeled(f"{info.parent_type.name}.{info.field_name} is GitHub's, but the hub does not model it")
    return resolve(value, Ask(info.context, arguments))


def _answered(error: GraphQLError) -> dict[str, Any]:
    """Give a refusal as GitHub does; what else went wrong is a gap of the hub."""
    refusal = error.original_error
    if not isinstance(refusal, Refusal):
        raise Unmodeled(error.message) from refusal
    kind = {"type": refusal.kind} if refusal.kind else {}
    return {**kind, "path": error.path, "locations": _places(error), "message": refusal.message}


def _places(error: GraphQLError) -> list[dict[str, int]]:
    return [{"line": location.line, "column": location.column} for location in error.locations or ()]


def _refused(error: GraphQLError) -> dict[str, Any]:
    """Say in GitHub's words what graphql-core found wrong."""
    for pattern, words, code in WORDS:
        if found := re.fullmatch(pattern, error.message, re.DOTALL):
            return {"extensions": {"code": code}, "locations": _places(error), "message": found.expand(words)}
    return {"locations": _places(error), "message": error.message}


def _too_many_nodes(
    document: DocumentNode, operation: OperationDefinitionNode, variables: Mapping[str, Any]
) -> str | None:
    """Say that a query asks for more nodes than GitHub gives, if it does."""
    found = document.definitions
    fragments = {one.name.value: one for one in found if isinstance(one, FragmentDefinitionNode)}
    count = _possible_nodes(operation.selection_set, fragments, variables)
    if count <= MOST_NODES:
        return None
    return f"This query requests up to {count:,} possible nodes which exceeds the maximum limit of {MOST_NODES:,}."


def _possible_nodes(selections: Any, fragments: Mapping[str, Any], variables: Mapping[str, Any]) -> int:
    """Count what each connection may give, times what holds it."""
    total = 0
    for node in selections.selections:
        if node.kind == "fragment_spread":
            total += _possible_nodes(fragments[node.name.value].selection_set, fragments, variables)
        elif node.selection_set:
            inner = _possible_nodes(node.selection_set, fragments, variables)
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
