"""Commands that are run on a commit in the check tree of a story."""

from collections.abc import Callable

import pytest

from baton.artifacts.config import Command
from baton.checks.job import Checks, baselines, story_checks
from baton.checks.result import Outcome
from baton.git.command import find_project
from bench import Bench

Run = Callable[..., Outcome]


def checks_of(
    bench: Bench,
    at: str = "main",
    owner: str = "42",
    base: bool = False,
    salt: str = "",
    exclusive: bool = False,
    **lines: str,
) -> Checks:
    """Return the checks of a commit by commands, each a step and its line."""
    project = find_project(bench.root)
    place = baselines(project) if base else story_checks(project, owner)
    commands = [Command(step, line) for step, line in lines.items()]
    return Checks(project, place, bench.git("rev-parse", at), commands, 60, salt, owner, exclusive=exclusive)


@pytest.fixture
def run(bench: Bench) -> Run:
    """A function that runs commands on a commit and returns how the last one went."""

    def run(at: str = "main", **more: str) -> Outcome:
        checks = checks_of(bench, at, **more)  # type: ignore[arg-type]
        outcomes = checks.begin() or checks.wait(60)
        assert outcomes
        return outcomes[-1]

    return run
