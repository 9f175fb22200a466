"""Say at the end of a test run which client it drove, or what was left out and why."""

from __future__ import annotations

from collections import Counter

import pytest

from .fetch import VERSION, Client, client

FOLDER = "tests/client/"
RAN = ("passed", "failed", "error")
SHOWN = pytest.StashKey[bool]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Take a finished run; print one line about the real client if its tests were part of it."""
    left_out = [report for report in terminalreporter.getreports("skipped") if FOLDER in report.nodeid]
    ran = [report for name in RAN for report in terminalreporter.getreports(name) if FOLDER in report.nodeid]
    # More than one conftest may bring this in: under xdist only an outer one reaches the process that prints.
    if not (left_out or ran) or config.stash.get(SHOWN, False):
        return
    config.stash[SHOWN] = True
    terminalreporter.section("Claude Code")
    for reason, number in Counter(_reason(report) for report in left_out).items():
        terminalreporter.line(f"real client {VERSION} left out: {number} tests, because {reason}")
    if not left_out and isinstance(found := client(), Client):
        terminalreporter.line(f"real client {found.version} at {found.path}")


def _reason(report: pytest.TestReport) -> str:
    where_and_why = report.longrepr
    return str(where_and_why[2] if isinstance(where_and_why, tuple) else where_and_why).removeprefix("Skipped: ")
