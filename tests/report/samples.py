"""A report with something in every place, and the same with another text in each."""

from typing import Any

from baton.artifacts.report import Criterion
from baton.commands.report_verb import render_report
from baton.report.lanes import LANES, Stretch, draw
from baton.report.report_data import (
    ArtifactRow,
    CheckRow,
    Commit,
    DecisionRow,
    ReportData,
    RunRow,
    as_plain,
    bounded,
)
from baton.story.integrate.completion_report import FileChange
from baton.story.status.statistics import statistics_of

URL = "https://github.com/octo/app/pull/7"
# What is no text of anybody's: what kind of thing something is, and what is checked where it is read.
FIXED = ("kind", "tone", "lane", "url", "href", "by")
SPANS = [
    *(Stretch(lane, "x", "x", at * 60.0, at * 60.0 + 50, "bad") for at, lane in enumerate(LANES)),
    Stretch("questions", "x", "x", 600, 90_000, "ask"),
]


def report(**more: Any) -> ReportData:
    """Return a report with something in every place."""
    run = RunRow("x", "x", "x", "x", 1, "x", "x", "x", "x")
    row = DecisionRow("x", "x", "x", "x", "x", "x")
    every: dict[str, Any] = {
        **dict.fromkeys(("id", "title", "state", "base", "branch", "commit", "updated", "built", "undo_why"), "x"),
        "kind": "story", "tone": "good", "url": URL, "timeline": draw(SPANS), "added": 3, "removed": 1,
        "runs": [run], "total": run,
        "decisions": [row, row._replace(by="you")], "commits": [Commit("x", "x")], "hosted": [row],
        "checks": [CheckRow("x", "x", True, "x", "x", "x"), CheckRow("x", "x", False, "x", "x", "x")],
        "artifacts": [ArtifactRow("x", "x", "x", "x")], "criteria": [Criterion("x", "x", "x", "x")],
        "not_verified": ["x"], "files": [FileChange("x", 3, 1, 75.0, 25.0)], "undo": "x", "left_out": {},
    }  # fmt: skip
    return bounded(ReportData(**{**every, **more}))


def stories() -> dict[str, Any]:
    """Return two stories side by side, one of which has a page."""
    one = {
        **dict.fromkeys(("id", "title", "state", "tokens", "usd"), "x"),
        "tone": "bad",
        "runs": 1,
        "questions": 1,
    }
    one |= {"minutes": 1, "lasted": "8 s", "timeline": as_plain(draw(SPANS)), "href": ""}
    return {
        "kind": "stories",
        "stories": [one, {**one, "href": "1/report.html"}],
        "of": 2,
        "not_read": ["x"],
        "figures": as_plain(statistics_of([])),
        "made": "x",
    }


def with_text(value: Any, text: str, name: str = "") -> Any:
    """Return data with a text in the place of each that somebody else may have written."""
    if isinstance(value, dict):
        return {key: with_text(one, text, key) for key, one in value.items()}
    if isinstance(value, list):
        return [with_text(one, text, name) for one in value]
    return text if isinstance(value, str) and name not in FIXED else value


def page(text: str = "x", data: Any = None) -> str:
    """Return a page in which every text is this one."""
    return render_report(with_text(data or as_plain(report()), text), html=True)


def markdown(text: str = "x", data: Any = None) -> str:
    """Return the Markdown in which every text is this one."""
    return render_report(with_text(data or as_plain(report()), text), html=False)
