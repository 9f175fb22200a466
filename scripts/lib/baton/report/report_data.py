"""The data of a report: plain values, named for users who write templates, and inert just before it is shown."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baton.artifacts.report import Criterion
from baton.story.integrate.completion_report import FileChange
from baton.text import clip, printable

# Which entries of a list a report has at most: the first so many, or the last.
SHOWN = {
    "runs": slice(-100, None), "decisions": slice(-150, None), "checks": slice(-25, None),
    "hosted": slice(-40, None), "artifacts": slice(-80, None), "commits": slice(60), "criteria": slice(60),
    "not_verified": slice(60), "files": slice(40),
}  # fmt: skip
# Characters of a text, and of those that may be longer.
LONGEST = 400
LENGTHS = {"output": 3_200, "reason": 800, "built": 800, "evidence": 600}
# What stands in a fence, or was put together by the program from checked parts.
PLAIN = ("output", "undo", "url", "href")
# What a template shows a part of, which may be half of code.
CUT = ("id", "run", "commit")
# Code in a line, which does nothing; a bar would end a table's cell in it.
CODE = re.compile(r"(?<!`)(`[^`|]+`)(?!`)")
# What mentions somebody or refers to something on GitHub, escaped or not, unless a space comes between.
REFERS = re.compile(r"(?<=@)(?=\w)|(?<=#)(?=\d)|(?<=\bGH-)(?=\d)")
# What begins or ends something in Markdown, and in what GitHub makes of it.
SPECIAL = re.compile(r"[\\`*_\[\]<>|~&$#!]|(?<=[a-z]):(?=//)|(?<=www)\.|^[-+=]|^\d+[.)](?=\s|$)", re.I)


class Bar(NamedTuple):
    """A span of time as it is drawn: its begin `x` and its width, in hundredths, and its row in its lane."""

    lane: str
    label: str
    about: str
    tone: str
    began: str
    lasted: str
    x: float
    width: float
    row: int


class Timeline(NamedTuple):
    """The timeline: bars by their begin, the number of rows of each lane, marks of time."""

    bars: Sequence[Bar]
    heights: Mapping[str, int]
    ticks: Sequence[tuple[float, str]]
    lasted: str
    left_out: int = 0
    shortened: Sequence[tuple[float, float, str]] = ()  # nothing is; templates may name it


class RunRow(NamedTuple):
    """A run, or a unit of a round: its task, its use, its result."""

    id: str
    phase: str = ""
    task: str = ""
    models: str = ""
    minutes: int = 0
    tokens: str = ""
    usd: str = ""
    result: str = ""
    unknown: str = ""
    seen_by: str = ""  # of a run, who saw its start
    lasted: str = ""  # `minutes` are rounded up


class DecisionRow(NamedTuple):
    """A decision: the facts by the words and values of the table's row, the rule, the action, the reason."""

    time: str
    when: str
    facts: str
    rule: str
    action: str
    reason: str
    by: str = "baton"


class Commit(NamedTuple):
    """A commit of the story."""

    id: str
    subject: str


class CheckRow(NamedTuple):
    """A command that was run: its commit, its result, its last lines of output."""

    name: str
    commit: str
    passed: bool
    result: str
    lasted: str
    output: str


class ArtifactRow(NamedTuple):
    """An artifact a run handed in, and its verdict, with that on each criterion."""

    kind: str
    run: str
    path: str
    verdict: str


class ReportData(NamedTuple):
    """The current state of a story or a round of feedback; `tone` is good, open, ask or bad."""

    kind: str
    id: str
    title: str
    state: str
    tone: str
    base: str
    branch: str
    commit: str
    url: str
    updated: str
    timeline: Timeline
    undo: str
    undo_why: str
    built: str = ""
    total: RunRow = RunRow("in all")
    runs: Sequence[RunRow] = ()
    decisions: Sequence[DecisionRow] = ()
    commits: Sequence[Commit] = ()
    checks: Sequence[CheckRow] = ()
    hosted: Sequence[DecisionRow] = ()
    artifacts: Sequence[ArtifactRow] = ()
    criteria: Sequence[Criterion] = ()
    not_verified: Sequence[str] = ()
    files: Sequence[FileChange] = ()
    added: int = 0
    removed: int = 0
    left_out: Mapping[str, int] = {}


def bounded(report: ReportData) -> ReportData:
    """Return a report with its lists cut to their limits, and with counts of the rest and of all lines."""
    shown = {name: getattr(report, name)[part] for name, part in SHOWN.items()}
    left_out = {name: len(getattr(report, name)) - len(rows) for name, rows in shown.items()}
    added, removed = sum(file.added for file in report.files), sum(file.removed for file in report.files)
    return report._replace(**shown, left_out=left_out, added=added, removed=removed)


def as_plain(value: Any) -> Any:
    """Return data as dicts, lists and plain values."""
    if hasattr(value, "_asdict"):
        return {name: as_plain(field) for name, field in value._asdict().items()}
    if isinstance(value, dict):
        return {name: as_plain(item) for name, item in value.items()}
    return [as_plain(item) for item in value] if isinstance(value, list | tuple) else value


def inert(value: Any, markdown: bool, name: str = "") -> Any:
    """Return plain data with every text made visible and cut, and for Markdown escaped."""
    if isinstance(value, dict):
        return {key: inert(item, markdown, str(key)) for key, item in value.items()}
    if isinstance(value, list):
        return [inert(item, markdown, name) for item in value]
    if not isinstance(value, str):
        return value
    most = LENGTHS.get(name, LONGEST)
    text = printable(value[: 2 * most])
    text = clip(text if name == "output" else " ".join(text.split()), most)
    return as_markdown(text, code=name not in CUT) if markdown and name not in PLAIN else text


def as_markdown(text: str, code: bool = True) -> str:
    """Return a line that Markdown shows as it is, without markup, mentions, references or links, but with code."""
    parts = CODE.split(text) if code else [text]
    parts[::2] = [
        SPECIAL.sub(lambda match: f"{match[0][:-1]}\\{match[0][-1]}", REFERS.sub(" ", part)) for part in parts[::2]
    ]
    return "".join(parts)
