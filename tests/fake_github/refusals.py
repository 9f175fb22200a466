"""How GitHub says no."""

from __future__ import annotations

from typing import Any


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
