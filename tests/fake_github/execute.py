"""Answer a query: graphql-core parses and checks it, this walks it, in a tenth of the time its own executor takes.

What is walked is planned once for each query: which resolver gives a field, and how its value becomes JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from .refusals import Refusal, Unmodeled

if TYPE_CHECKING:
    from graphql import (
        FieldNode,
        FragmentDefinitionNode,
        GraphQLObjectType,
        GraphQLOutputType,
        GraphQLSchema,
        SelectionSetNode,
    )
    from graphql.execution.values import VariableValues

    from .hub import Hub


class Ask(NamedTuple):
    """What a resolver is told beside the object: the host, and the arguments of the field."""

    hub: Hub
    arguments: Mapping[str, Any]


Resolver = Callable[[Any, Ask], Any]
Complete = Callable[[Any], Any]


class Step(NamedTuple):
    """One field of an object: `complete` is None where the value is its JSON already."""

    key: str
    resolve: Resolver
    ask: Ask
    complete: Complete | None
    nullable: bool
    node: FieldNode


class Bubble(Exception):
    """A null where none may be: what holds it becomes null."""


class Walk:
    """One answer in the making."""

    def __init__(
        self, hub: Hub, schema: GraphQLSchema, fragments: Mapping[str, FragmentDefinitionNode],
        variables: VariableValues, fields: Mapping[str, Mapping[str, Resolver]],
    ) -> None:  # fmt: skip
        self.hub = hub
        self.schema = schema
        self.fragments = fragments
        self.variables = variables
        self.fields = fields
        self.errors: list[dict[str, Any]] = []
        self.path: list[str | int] = []

    def answer(self, root: GraphQLObjectType, selections: SelectionSetNode) -> dict[str, Any]:
        """Give the whole answer to an operation."""
        try:
            data = self._object(self._plan(root, [selections]), None)
        except Bubble:
            data = None
        return {"data": data, "errors": self.errors} if self.errors else {"data": data}

    def _object(self, steps: list[Step], value: Any) -> dict[str, Any] | None:
        made: dict[str, Any] = {}
        for key, resolve, ask, complete, nullable, node in steps:
            try:
                found = resolve(value, ask)
                if found is not None and complete is not None:
                    self.path.append(key)
                    found = complete(found)
                    self.path.pop()
                if found is None and not nullable:
                    raise Unmodeled(f"the hub has null for `{key}`, which GitHub never gives")
            except Refusal as refusal:
                self._keep(refusal, key, node)
                if not nullable:
                    raise Bubble from None
                found = None
            except Bubble:
                self.path.pop()
                if not nullable:
                    raise
                found = None
            made[key] = found
        return made

    def _keep(self, refusal: Refusal, key: str | int, node: FieldNode) -> None:
        assert node.loc
        place = node.loc.source.get_location(node.loc.start)
        where = [{"line": place.line, "column": place.column}]
        kind = {"type": refusal.kind} if refusal.kind else {}
        self.errors.append({**kind, "path": [*self.path, key], "locations": where, "message": refusal.message})

    def _plan(self, type_: GraphQLObjectType, sets: Iterable[SelectionSetNode]) -> list[Step]:
        grouped: dict[str, list[FieldNode]] = {}
        for one in sets:
            self._collect(type_, one, grouped)
        return [self._step(type_, key, nodes) for key, nodes in grouped.items()]

    def _collect(self, type_: GraphQLObjectType, sets: SelectionSetNode, into: dict[str, list[FieldNode]]) -> None:
        from graphql import FieldNode, FragmentSpreadNode

        for node in sets.selections:
            if not self._included(node):
                continue
            if isinstance(node, FieldNode):
                into.setdefault((node.alias or node.name).value, []).append(node)
                continue
            part: Any = self.fragments[node.name.value] if isinstance(node, FragmentSpreadNode) else node
            if part.type_condition is None or self._fits(type_, part.type_condition.name.value):
                self._collect(type_, part.selection_set, into)

    def _included(self, node: Any) -> bool:
        from graphql import GraphQLIncludeDirective, GraphQLSkipDirective, get_directive_values

        if not node.directives:
            return True
        skip = get_directive_values(GraphQLSkipDirective, node, self.variables)
        include = get_directive_values(GraphQLIncludeDirective, node, self.variables)
        return not (skip and skip["if"]) and (include is None or bool(include["if"]))

    def _fits(self, type_: GraphQLObjectType, name: str) -> bool:
        from graphql import is_abstract_type

        wanted: Any = self.schema.type_map[name]
        return wanted is type_ or (is_abstract_type(wanted) and self.schema.is_sub_type(wanted, type_))

    def _step(self, type_: GraphQLObjectType, key: str, nodes: list[FieldNode]) -> Step:
        from graphql import get_argument_values, is_non_null_type

        name = nodes[0].name.value
        if name == "__typename":
            return Step(key, lambda value, ask: type_.name, Ask(self.hub, {}), None, False, nodes[0])
        resolve = self.fields.get(type_.name, {}).get(name)
        if resolve is None:
            raise Unmodeled(f"{type_.name}.{name} is GitHub's, but the hub does not model it")
        field = type_.fields[name]
        ask = Ask(self.hub, get_argument_values(field, nodes[0], self.variables))
        complete = self._completion(field.type, nodes)
        return Step(key, resolve, ask, complete, not is_non_null_type(field.type), nodes[0])

    def _completion(self, type_: GraphQLOutputType, nodes: list[FieldNode]) -> Complete | None:
        from graphql import is_enum_type, is_leaf_type, is_list_type, is_non_null_type

        inner: Any = type_.of_type if is_non_null_type(type_) else type_
        if is_list_type(inner):
            return self._list(self._completion(inner.of_type, nodes), is_non_null_type(inner.of_type), nodes[0])
        if is_enum_type(inner):
            return _one_of(inner.name, frozenset(inner.values))
        if is_leaf_type(inner):
            return None
        return self._composite(inner, [node.selection_set for node in nodes if node.selection_set])

    def _composite(self, type_: Any, sets: list[SelectionSetNode]) -> Complete:
        from graphql import is_object_type

        plans: dict[str, list[Step]] = {}

        def complete(value: Any) -> Any:
            name = type_.name if is_object else value.typename
            if name not in plans:
                concrete: Any = self.schema.type_map[name]
                plans[name] = self._plan(concrete, sets)
            return self._object(plans[name], value)

        is_object = is_object_type(type_)
        return complete

    def _list(self, complete: Complete | None, full: bool, node: FieldNode) -> Complete:
        def each(values: Iterable[Any]) -> Any:
            if complete is None:
                return list(values)
            made: list[Any] = []
            for at, value in enumerate(values):
                if isinstance(value, Refusal):
                    self._keep(value, at, node)
                    made.append(None)
                    continue
                self.path.append(at)
                try:
                    made.append(None if value is None else complete(value))
                except Bubble:
                    if full:
                        raise
                    made.append(None)
                finally:
                    self.path.pop()
            return made

        return each


def _one_of(name: str, values: frozenset[str]) -> Complete:
    def complete(value: Any) -> Any:
        if value not in values:
            raise Unmodeled(f"{value} is no {name}")
        return value

    return complete
