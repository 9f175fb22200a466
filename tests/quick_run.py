"""What a run leaves out unless `--all` is given: long tests, and of sampled tables all but a few cases.

Which cases those are changes with every commit, or is set by `BATON_SEED`. A test named `FILE::TEST` runs whole.
"""

import hashlib
import os
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling  # type: ignore[import-untyped]

SEED = "BATON_SEED"
COUNTS = pytest.StashKey[dict[str, int]]()
FAULTS = "tests/faults/"
# Where one preparation of many seconds serves all tests: they run in one process, the faults in a quick run alone.
TOGETHER = (
    "tests/demo/test_demo.py",
    "tests/demo/test_demo_pr.py",
    FAULTS,
    "tests/feedback/test_land_kill.py",
    "tests/hooks/test_calls.py",
    "tests/rules/test_termination.py",
    "tests/set_up/",
    "tests/story/test_what_is_merged.py",
    "tests/test_architecture.py",
    "tests/test_bench_script.py",
)
MARKERS = (
    "long: runs with --all only",
    "quick: runs always, whatever its module is marked as",
    "gh: has the real gh ask the stand-in for GitHub, where others are answered without it",
    "sampled(count, each=''): without --all so many cases of a test run, of each value of the parameter `each` if "
    "named; on a module, so many of its tests",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--all`."""
    parser.addoption("--all", action="store_true", help="run the long tests and every case of sampled ones too")


def pytest_configure(config: pytest.Config) -> None:
    """Enter the markers, and settle the seed for this process and its workers."""
    for line in MARKERS:
        config.addinivalue_line("markers", line)
    config.stash[COUNTS] = {}
    if not os.environ.get(SEED):
        git = ("git", "rev-parse", "--short=12", "HEAD")
        done = subprocess.run(git, cwd=Path(__file__).parent, capture_output=True, text=True, check=False)
        os.environ[SEED] = done.stdout.strip() or "0"


def is_quick(config: pytest.Config) -> bool:
    """Return whether something is left out."""
    named = any("::" in one for one in config.args)
    return not (config.getoption("--all") or named or os.environ.get("BATON_FAULTS") == "all")


def rank(*parts: object) -> int:
    """Return a number that looks like chance, the same for the same parts at one seed."""
    text = " ".join([os.environ.get(SEED, "0"), *map(str, parts)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


class Together(LoadScopeScheduling):  # type: ignore[misc]
    """Sends tests that share a preparation to one process, each other test to whichever is free."""

    def _split_scope(self, nodeid: str) -> str:
        known = (one for one in TOGETHER if nodeid.startswith(one) and (is_quick(self.config) or one != FAULTS))
        return next(known, nodeid)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    """Choose how tests are spread over processes."""
    return Together(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what is quick."""
    if is_quick(config):
        left_out = {**dict.fromkeys(_long(items), "long"), **dict.fromkeys(_not_sampled(items), "cases")}
        config.stash[COUNTS] = Counter(f"{kind} {_folder(one)}" for one, kind in left_out.items())
        config.hook.pytest_deselected(items=list(left_out))
        items[:] = [one for one in items if one not in left_out]


def _long(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    return [one for one in items if one.get_closest_marker("long") and not one.get_closest_marker("quick")]


def _not_sampled(items: Iterable[pytest.Item]) -> list[pytest.Item]:
    tables = defaultdict[tuple[object, ...], list[pytest.Item]](list)
    for one in items:
        for node, mark in one.iter_markers_with_node("sampled"):
            # On a module the mark is about its tests together, on a test about its cases.
            params = getattr(getattr(one, "callspec", None), "params", {}) if node is one else {}
            name = one.nodeid.partition("[" if node is one else "::")[0]
            tables[(name, mark.args[0], params.get(mark.kwargs.get("each")))].append(one)
            break
    return [case for key, cases in tables.items() for case in sorted(cases, key=_rank_of)[int(str(key[1])) :]]


def _rank_of(item: pytest.Item) -> int:
    return rank(item.nodeid)


def _folder(item: pytest.Item) -> str:
    parts = item.nodeid.partition("::")[0].split("/")
    return parts[1] if len(parts) > 2 else "tests"


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Tell the process that prints what this one left out."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        counts = session.config.stash[COUNTS]
        output["left_out"] = {**counts}  # a worker sends plain data


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Hear what a worker left out; all leave out the same."""
    config: pytest.Config = node.config  # type: ignore[attr-defined]
    found: dict[str, int] = getattr(node, "workeroutput", {}).get("left_out", {})
    if found:
        config.stash[COUNTS] = found


def say_left_out(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print how many tests were left out, and how to run them."""
    counts = config.stash[COUNTS]
    if not counts:
        return
    terminalreporter.section("left out")
    for kind, what in (("long", "long tests"), ("cases", "tests and cases of which a sample ran")):
        found = {name.split()[1]: number for name, number in counts.items() if name.startswith(kind)}
        folders = ", ".join(f"{name} {number}" for name, number in sorted(found.items()))
        if found:
            terminalreporter.line(f"{sum(found.values())} {what}: {folders}")
    terminalreporter.line(f"scripts/test --all runs them; {SEED}={os.environ[SEED]} chooses these cases again")
