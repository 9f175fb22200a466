"""What a report holds: plain values, named for whoever writes a template of their own."""

from typing import Any, NamedTuple

from baton.report.lanes import Timeline

# How many entries of a list a report has at most, and whether those are its last.
MOST = {
    "runs": 100, "decisions": 150, "commits": 60, "checks": 25, "hosted": 40, "artifacts": 80, "criteria": 60,
    "not_verified": 60, "files": 40,
}  # fmt: skip
NEWEST = ("runs", "decisions", "checks", "hosted", "artifacts")


class RunRow(NamedTuple):
    """A run, or a unit of a round: what it was for, what it used, what it led to."""

    id: str
    phase: str
    task: str
    models: str
    minutes: int
    tokens: str
    usd: str
    result: str
    unknown: str = ""
    seen_by: str = ""  # of a run, who saw its start


class DecisionRow(NamedTuple):
    """What was decided: the facts by the words and values of the table's row, the rule, the action, the reason."""

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
    """A command that was run: on which commit, how it ended, the last lines it wrote."""

    name: str
    commit: str
    passed: bool
    result: str
    lasted: str
    output: str


class ArtifactRow(NamedTuple):
    """What a run handed in, and the verdict in it, with that on each criterion."""

    kind: str
    run: str
    path: str
    verdict: str


class Criterion(NamedTuple):
    """An acceptance criterion, or a piece of feedback: its result and how that was seen."""

    name: str
    text: str
    result: str
    evidence: str


class FileRow(NamedTuple):
    """A file, or with a slash at its end a folder of several: its lines, in hundredths of the largest change."""

    path: str
    added: int
    removed: int
    added_share: float
    removed_share: float


class ReportData(NamedTuple):
    """A story or a round of feedback, as it stands; `tone` is good, open, ask or bad."""

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
    built: str
    timeline: Timeline
    runs: list[RunRow]
    total: RunRow
    decisions: list[DecisionRow]
    commits: list[Commit]
    checks: list[CheckRow]
    hosted: list[DecisionRow]
    artifacts: list[ArtifactRow]
    criteria: list[Criterion]
    not_verified: list[str]
    files: list[FileRow]
    added: int
    removed: int
    undo: str
    undo_why: str
    left_out: dict[str, int]


class StoryRow(NamedTuple):
    """A story beside others."""

    id: str
    title: str
    state: str
    tone: str
    runs: int
    questions: int
    minutes: int
    tokens: str
    usd: str
    timeline: Timeline


def bounded(report: ReportData) -> ReportData:
    """Return a report whose lists are no longer than they may be, with how much of each is left out."""
    lists = {name: getattr(report, name) for name in MOST}
    kept = {name: rows[-MOST[name] :] if name in NEWEST else rows[: MOST[name]] for name, rows in lists.items()}
    return report._replace(**kept, left_out={name: len(rows) - len(kept[name]) for name, rows in lists.items()})


def as_plain(value: Any) -> Any:
    """Return data as dicts, lists and plain values."""
    if hasattr(value, "_asdict"):
        return {name: as_plain(one) for name, one in value._asdict().items()}
    if isinstance(value, dict):
        return {name: as_plain(one) for name, one in value.items()}
    return [as_plain(one) for one in value] if isinstance(value, list | tuple) else value
