"""Say at the end of a test run which gh it drove, or what was left out and why."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from . import provision

FOLDER = "tests/github/"
LEFT_OUT = "the stand-in for GitHub cannot be used: "


def say_gh(terminalreporter: pytest.TerminalReporter) -> None:
    """Take a finished run; print one line about the real gh if it was part of it."""
    reasons = [str(report.longrepr) for report in terminalreporter.getreports("skipped")]
    left_out = Counter(_reason(one) for one in reasons if LEFT_OUT in one)
    ran = any(FOLDER in report.nodeid for report in terminalreporter.getreports("passed"))
    if not left_out and not ran:
        return
    terminalreporter.section("gh and GitHub's schema")
    for reason, number in left_out.items():
        terminalreporter.line(f"left out: {number} tests, because {reason}")
    if not left_out and isinstance(found := provision.gh(), Path):
        terminalreporter.line(f"{provision.version_of(found)} at {found}, schema {provision.SCHEMA_VERSION}")


def _reason(text: str) -> str:
    return text.partition(LEFT_OUT)[2].rstrip("')")
