"""Answers of the REST interface by GitHub's description: what a test leaves out is filled in, all is checked."""

import functools
import json
from typing import Any

from jsonschema import Draft202012Validator

from fetched import or_skip

from . import provision

REF = "#/components/schemas/"


@functools.cache
def described() -> dict[str, Any]:
    """Return the published description, as far as it is kept: the answers of operations, and their schemas."""
    kept: dict[str, Any] = json.loads(or_skip(provision.rest_description()).read_text(encoding="utf-8"))
    return kept


@functools.cache
def _validator(operation: str, status: str) -> Draft202012Validator:
    schema = described()["answers"][operation][status]
    return Draft202012Validator({**schema, "components": described()["components"]})


def whole(operation: str, status: int, value: Any) -> Any:
    """Return an answer with all that must be in it; AssertionError where it is not as described."""
    schema = described()["answers"][operation].get(str(status))
    if schema is None:
        return value
    filled = fill(schema, value)
    faults = [
        f"{error.json_path}: {error.message[:200]}"
        for error in _validator(operation, str(status)).iter_errors(filled)
    ]
    assert not faults, f"{operation} {status}: {faults[:5]}"
    return filled


def fill(schema: dict[str, Any], value: Any) -> Any:
    """Return a value with a sample for each field that is required and missing."""
    schema = resolved(schema, value)
    if isinstance(value, list):
        return [fill(schema.get("items", {}), one) for one in value]
    if not isinstance(value, dict):
        return value
    known, required = schema.get("properties", {}), schema.get("required", ())
    filled = {name: fill(known.get(name, {}), one) for name, one in value.items()}
    return {**{name: sample(known.get(name, {})) for name in required if name not in value}, **filled}


def resolved(schema: dict[str, Any], value: Any = None) -> dict[str, Any]:
    """Follow references, and of several forms take the one that fits: none where the value is null."""
    while True:
        if "$ref" in schema:
            schema = described()["components"]["schemas"][schema["$ref"].removeprefix(REF)]
        elif forms := schema.get("anyOf") or schema.get("oneOf"):
            schema = _form(forms, value)
        elif "allOf" in schema:
            parts = [resolved(one, value) for one in schema["allOf"]]
            return {
                "properties": {name: one for part in parts for name, one in part.get("properties", {}).items()},
                "required": [name for part in parts for name in part.get("required", ())],
            }
        else:
            return schema


def _form(forms: list[dict[str, Any]], value: Any) -> dict[str, Any]:
    """Choose the form a value is meant to have: by the kind it names, else the first with all its fields."""
    plain = [form for form in forms if form != {"type": "null"}]
    if not isinstance(value, dict):
        return plain[0]
    for one in plain:
        kinds = resolved(one).get("properties", {}).get("type", {}).get("enum")
        if kinds and value.get("type") in kinds:
            return one
    return next((one for one in plain if set(value) <= set(resolved(one).get("properties", {}))), plain[0])


def sample(schema: dict[str, Any]) -> Any:
    """Return some value of a schema."""
    if {"type": "null"} in schema.get("anyOf", ()):
        return None
    schema = resolved(schema)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        return None if "null" in kind else _plain(kind[0], schema)
    return _plain(kind, schema)


def _plain(kind: str, schema: dict[str, Any]) -> Any:
    if kind == "object":
        return fill(schema, {})
    texts = {"uri": "https://example.com/", "date-time": "2026-01-02T03:04:05Z"}
    empty = {"array": [], "boolean": False, "integer": schema.get("minimum", 0), "number": 0, "null": None}
    return texts.get(schema.get("format", ""), "text") if kind == "string" else empty[kind]
