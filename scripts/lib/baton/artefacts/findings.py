"""What is wrong with an artefact: one finding for each fault."""

from typing import NamedTuple


class Finding(NamedTuple):
    """A fault: where in which file, the rule it breaks, and what would be right."""

    path: str
    where: str
    rule: str
    message: str
    severity: str = "error"

    def __str__(self) -> str:
        return f"{self.path}:{self.where}: {self.message} [{self.rule}]"
