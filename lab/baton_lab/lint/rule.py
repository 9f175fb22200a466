"""What a rule of `scripts/lab lint` is."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from baton_lab.lint.definition import DefinitionSet, Spot


class LintRule(NamedTuple):
    """A rule: what the client does, seen by its probe; what to do; and the function that finds where it matters.

    `message` and `remedy` name values of a spot in braces.
    """

    id: str
    probe: str
    severity: str
    message: str
    remedy: str
    find: Callable[[DefinitionSet], Iterator[Spot]]
