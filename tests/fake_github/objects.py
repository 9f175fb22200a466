"""What GitHub tells of git: commits and branches, known by name alone."""

from __future__ import annotations

from .state import Repository


class Commit:
    """A commit, known by its id."""

    typename = "Commit"

    def __init__(self, oid: str, repository: Repository) -> None:
        self.oid = oid
        self.repository = repository
        self.id = f"C_{oid[:20]}"
        self.short = oid[:7]
        self.url = f"{repository.url}/commit/{oid}"


class Ref:
    """A branch."""

    typename = "Ref"

    def __init__(self, name: str, repository: Repository, oid: str) -> None:
        self.id = f"REF_{repository.number}_{name}"
        self.name = name
        self.prefix = "refs/heads/"
        self.repository = repository
        self.target = Commit(oid, repository)
