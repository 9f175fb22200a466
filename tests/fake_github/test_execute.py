"""What walks a query gives what graphql-core's own executor gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fake_github import query
from fake_github.execute import Ask
from fake_github.hub import Hub
from fake_github.refusals import Unmodeled

FRAGMENTS = "fragment who on Actor { __typename login ... on User { name } } fragment text on Comment { body }"
PLACE = 'repository(owner: "octo", name: "app")'
PULL = '{ repository(owner: "octo", name: "app") { pullRequest(number: 7) { %s } } }'
SPREAD = "author { ...who } comments(first: 9) { nodes { ...text author { ...who } } }"
TOO_MANY_IDS = ", ".join(['"x"'] * 101)
QUERIES = {
    "aliases": PULL % "n: number m: number",
    "fragments": PULL % SPREAD + FRAGMENTS,
    "one field said twice": PULL % "author { login } author { url }",
    "fields left out": "query($no: Boolean = false) " + PULL % "id @skip(if: $no) title @include(if: $no)",
    "edges": PULL % "comments(first: 9) { edges { cursor node { id } } }",
    "threads": PULL
    % "reviewThreads(first: 9) { nodes { line comments(last: 1) { nodes { author { login } } } } }",
    "a null that may be": f"{{ {PLACE} {{ pullRequest(number: 9) {{ id }} }} viewer {{ login }} }}",
    "a null that may not be": PULL % "id comments { totalCount }",
    "a null all the way up": f"{{ rateLimit {{ cost }} nodes(ids: [{TOO_MANY_IDS}]) {{ id }} }}",
}


@pytest.fixture
def full(gh_program: Path) -> Hub:
    """Give a host with a pull request and comments by actors of each sort."""
    made = Hub()
    pull = made.pull_request("octo/app", 7)
    for who in ("bob", None, made.actor("sonar", "Bot"), made.actor("import-1", "Mannequin")):
        pull.comment(by=who, body="Hm.")
        pull.thread("a.py", 3, by=who, body="Hm.", outdated=who is None)
    return made


def by_graphql_core(hub: Hub, text: str) -> Any:
    from graphql import execute_sync, parse

    def resolve(value: Any, info: Any, **arguments: Any) -> Any:
        return query.TABLES[info.parent_type.name][info.field_name](value, Ask(hub, arguments))

    given = execute_sync(
        query.built_schema(), parse(text), field_resolver=resolve, type_resolver=lambda value, *_: value.typename
    )
    return {"data": given.data, "errors": [(one.path, one.message) for one in given.errors or ()]}


@pytest.mark.parametrize("name", QUERIES)
def test_an_answer_is_graphql_cores(full: Hub, name: str) -> None:
    given = query.answer(full, {"query": QUERIES[name]})
    errors = [(one["path"], one["message"]) for one in given.get("errors", ())]
    assert {"data": given["data"], "errors": errors} == by_graphql_core(full, QUERIES[name])


def test_a_list_with_something_missing_keeps_the_rest(full: Hub) -> None:
    text = f'{{ nodes(ids: ["{full.viewer.id}", "x"]) {{ id }} }}'
    given = query.answer(full, {"query": text})
    assert given["data"] == {"nodes": [{"id": full.viewer.id}, None]}
    assert given["errors"][0]["path"] == ["nodes", 1]


def test_a_field_that_is_not_modeled_stops_the_test(full: Hub) -> None:
    with pytest.raises(Unmodeled, match=r"Repository\.stargazerCount"):
        query.answer(full, {"query": f"{{ {PLACE} {{ stargazerCount }} }}"})


def test_every_field_that_is_modeled_is_githubs(full: Hub) -> None:
    known = query.built_schema().type_map
    invented = [
        f"{name}.{field}" for name, fields in query.TABLES.items() for field in fields
        if field not in getattr(known[name], "fields", {})
    ]  # fmt: skip
    assert invented == []
