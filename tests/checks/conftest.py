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
    limit: int = 60,
    **lines: str,
) -> Checks:
    """Return the checks of a commit by commands, each a step and its line."""
    project = find_project(bench.root)
    place = baselines(project) if base else story_checks(project, owner)
    commands = [Command(step, line) for step, line in lines.items()]
    return Checks(project, place, bench.git("rev-parse", at), commands, limit, salt, owner, exclusive=exclusive)


def run_all(checks: Checks) -> dict[str, Outcome]:
    """Run commands; returns how each went, by its name, and so what they need where that failed."""
    outcomes = checks.begin() or checks.wait(60)
    assert outcomes
    return {outcome.name: outcome for outcome in outcomes}


@pytest.fixture
def run(bench: Bench) -> Run:
    """A function that runs commands on a commit and returns how the last one went."""
    return lambda at="main", **more: [*run_all(checks_of(bench, at, **more)).values()][-1]
