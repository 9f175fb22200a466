"""Say at the end of a test run at how many points it struck."""

from collections import defaultdict

import pytest

POINTS = "points that were struck"


def say_points(terminalreporter: pytest.TerminalReporter) -> None:
    """Print for each kind of strike how many there were and how many places they led to, passed tests alone."""
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for report in terminalreporter.getreports("passed"):
        for name, value in report.user_properties:
            if name == POINTS:
                kind, *numbers = value
                totals[kind] = [one + other for one, other in zip(totals[kind], [1, *numbers], strict=True)]
    for kind, (scenarios, strikes, places) in totals.items():
        terminalreporter.line(
            f"{kind}: {strikes} points of {scenarios} scenarios, {places} different places, all right"
        )
