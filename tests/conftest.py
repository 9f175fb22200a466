"""A fresh repository for every test, at the point of a story where the test begins."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from baton.git.command import Git, find_project
from bench import SESSION, Bench, PlayScene, Reach, isolate, new_bench
from fake_github.fixtures import enterprise, gh_program, hub, new_hub  # noqa: F401
from pythons import say_pythons
from quick_run import (  # noqa: F401 - hooks of pytest
    is_quick,
    pytest_addoption,
    pytest_collection_modifyitems,
    pytest_configure,
    pytest_sessionfinish,
    pytest_testnodedown,
    pytest_xdist_make_scheduler,
    say_left_out,
)
from rules.walk import say_bound
from scenes import SCENES
from shelf import Shelf, shelf  # noqa: F401

# How fast a machine is decides nothing.
settings.register_profile("baton", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("baton")


def begin_small(bench: Bench) -> None:
    """Make a story that one run does whole, and send that run out."""
    bench.new("Subtract numbers", "--complexity", "1")
    bench.next()
    bench.baton("answer", "42", "accept")
    bench.next()


STAGES: dict[str, Callable[[Bench], object]] = {
    "bench": lambda bench: None,
    "story": lambda bench: (bench.new(), bench.next(), bench.baton("answer", "42", "accept")),
    "planning": lambda bench: bench.next(),
    "implementing": lambda bench: bench.plan(),
    "judging": lambda bench: bench.implement(),
}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say at the end what a test run found out about the whole."""
    say_bound(terminalreporter)
    say_pythons(terminalreporter)
    say_left_out(terminalreporter, config)


@pytest.fixture(scope="session")
def quick(pytestconfig: pytest.Config) -> bool:
    """Whether long tests and most cases of sampled ones are left out."""
    return is_quick(pytestconfig)


@pytest.fixture(scope="session")
def stages(shelf: Shelf) -> dict[str, Bench]:  # noqa: F811
    """A repository for each stage of a story, made once, only to be copied."""
    top = shelf("stages", make_stages)
    return {name: Bench(top / name) for name in ("micro", *STAGES)}


def make_stages(top: Path) -> None:
    """Play a story, and keep it at each stage."""
    with pytest.MonkeyPatch.context() as patch:
        isolate(patch, top / "home")
        begin_small(new_bench(top / "micro"))
        made = new_bench(top / "work")
        for name, reach in STAGES.items():
            reach(made)
            made.copy(top / name)


@pytest.fixture
def surrounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder of its own, and git without this machine's settings."""
    home = tmp_path / "home"
    home.mkdir()
    isolate(monkeypatch, home)
    return home


@pytest.fixture
def in_client(surrounded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Call baton in the session `SESSION` of the client, whose hooks are on."""
    for name, value in {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION, "BATON_HOOKS": "1"}.items():
        monkeypatch.setenv(name, value)


def _stage(name: str) -> Callable[..., Bench]:
    def at(reach: Reach) -> Bench:
        return reach(name)

    at.__doc__ = f"Give a repository at the stage `{name}`."
    return pytest.fixture(name=name)(at)


bench = _stage("bench")
story = _stage("story")
planning = _stage("planning")
implementing = _stage("implementing")
judging = _stage("judging")
micro = _stage("micro")


@pytest.fixture
def git(bench: Bench) -> Git:
    """Give git as the program calls it in that repository."""
    return Git(find_project(bench.root))


@pytest.fixture
def reach(stages: dict[str, Bench], surrounded: Path, tmp_path: Path) -> Reach:
    """Give a repository at a stage of a story."""
    return lambda name: stages[name].copy(tmp_path / "project")


@pytest.fixture
def play(reach: Reach) -> PlayScene:
    """Play the way to a row of the decision tables: gives the repository and what it came to."""

    def play(rule: str) -> tuple[Bench, Any]:
        bench = reach(SCENES[rule].stage)
        return bench, SCENES[rule].play(bench)

    return play
