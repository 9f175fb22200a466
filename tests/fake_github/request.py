"""What a host is asked, what it answers, and how it says no."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

JSON = "application/json; charset=utf-8"
DOCS = "https://docs.github.com/rest"


class Answer(NamedTuple):
    """One answer; `missing` says how many more bytes it promises than it sends."""

    status: int
    body: bytes
    headers: Mapping[str, str]
    missing: int = 0

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    def with_json(self, value: Any) -> Answer:
        return self._replace(body=as_json(value))


@dataclass(frozen=True)
class Request:
    """One request as it came; the token itself is not kept, only whether it was the right one."""

    method: str
    target: str
    host: str
    headers: Mapping[str, str]
    body: bytes = field(repr=False)
    signed_in: bool = True
    reads_only: bool = False

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def json(self) -> Any:
        """Give what was sent, or None where it is no JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None

    @property
    def query(self) -> str:
        """Give the GraphQL text; empty for other requests."""
        given = self.json if self.path.endswith("/graphql") else None
        return str(given.get("query") or "") if isinstance(given, dict) else ""

    @property
    def variables(self) -> dict[str, Any]:
        given = self.json if self.query else None
        return (given.get("variables") or {}) if isinstance(given, dict) else {}

    @property
    def changes_something(self) -> bool:
        return self.query.lstrip().startswith("mutation") if self.query else self.method != "GET"


def as_json(value: Any) -> bytes:
    # Escaped as GitHub does it: text as it is, and what would be a tag in HTML escaped.
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
    return text.replace(b"<", b"\\u003c").replace(b">", b"\\u003e").replace(b"&", b"\\u0026")


def answer_json(value: Any, status: int = 200) -> Answer:
    return Answer(status, as_json(value), {"content-type": JSON})


class Refused(Exception):
    """An error of the REST interface."""

    def __init__(self, status: int = 404, message: str = "Not Found", errors: Sequence[Any] = ()) -> None:
        super().__init__(message)
        more = {"errors": list(errors)} if errors else {}
        self.answer = answer_json(
            {"message": message, **more, "documentation_url": DOCS, "status": str(status)}, status
        )


class Refusal(Exception):
    """One error of a GraphQL answer."""

    def __init__(self, message: str, kind: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind


class Unmodeled(Exception):
    """GitHub would answer this; the stand-in does not know how."""


def not_found(what: str, name: str) -> Refusal:
    return Refusal(f"Could not resolve to {what} {name}.", "NOT_FOUND")


def no_node(given: Any) -> Refusal:
    return not_found("a node", f"with the global id of '{given}'")


def forbidden(login: str, mutation: str) -> Refusal:
    return Refusal(f"{login} does not have the correct permissions to execute `{mutation}`", "FORBIDDEN")


def unprocessable(message: str) -> Refusal:
    return Refusal(message, "UNPROCESSABLE")
