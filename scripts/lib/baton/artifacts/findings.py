"""The faults of an artifact: one finding for each."""

from collections.abc import Iterable
from typing import NamedTuple


class Finding(NamedTuple):
    """A fault: where in which file, the rule it breaks, and what would be right; a warning rejects nothing."""

    path: str
    where: str
    rule: str
    message: str
    severity: str = "error"

    def __str__(self) -> str:
        mild = "warning: " if self.severity == "warning" else ""
        return f"{self.path}:{self.where}: {mild}{self.message} [{self.rule}]"


def faults(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings for which an artifact is rejected."""
    return [finding for finding in findings if finding.severity == "error"]


def warnings_in(findings: Iterable[Finding]) -> list[Finding]:
    """Return the findings that are only warnings."""
    return [finding for finding in findings if finding.severity != "error"]


def writable_name(name: str) -> str:
    """Return a file's name as text: what is not UTF-8 in it could not be written into a brief."""
    return name.encode(errors="surrogateescape").decode(errors="backslashreplace")
