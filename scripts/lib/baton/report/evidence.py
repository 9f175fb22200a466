"""What there is to show for a story: commits, commands, artifacts, criteria, what runs used, the diff's shape."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from baton.artifacts.criteria import named_criteria
from baton.artifacts.report import MICRO, QA, REPORT_KINDS, read_report
from baton.artifacts.report import Report as Verdict
from baton.delivery.revert import check_whole, merged_as
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.events import HandedIn, IntegrationStepDone
from baton.journal.run import RETURN
from baton.report.data import ArtifactRow, CheckRow, Commit, Criterion, FileRow, RunRow
from baton.report.lanes import RanCheck, lasting
from baton.story.completion_report import FileChange, synced_base
from baton.story.session import StorySession
from baton.story.story_files import accepted_text, report_of
from baton.text import join_words, plural
from baton.usage.spending import Spending, Total, joined, sum_of
from baton.usage.words import minutes, short

MOST_COMMITS = 500
# Of more files, those of a folder are one row.
FOLDED = 30


def commit_range(story: StorySession) -> tuple[str, str]:
    """Return the commits between which the story's work lies; empty where none of it is here."""
    git, events = story.git, story.state.events
    steps = [(one.rule, one.commit) for one in reversed(events) if isinstance(one, IntegrationStepDone)]
    merged = merged_as(story) or dict(reversed(steps)).get("merge/made", "")
    if story.state.completed and merged and git.commit_of(f"{merged}^1") and _is_whole(story):
        return f"{merged}^1", merged
    closed = [commit for rule, commit in steps if rule == "close/written"]
    kept = [run.kept.commit for run in reversed(story.state.runs) if run.kept]
    after = next((one for one in (story.tip, *closed, *kept) if one and git.commit_of(one)), "")
    before = synced_base(story)
    return (before, after) if git.commit_of(before) else ("", "")


def _is_whole(story: StorySession) -> bool:
    """Whether one commit of base holds the whole story, as far as that can be told."""
    merged = merged_as(story)
    try:
        if merged:
            check_whole(story, merged)
    except BatonError:
        return False
    return True


def commits_between(git: Git, before: str, after: str) -> list[Commit]:
    """Return the commits that one has and the other does not, the newest first."""
    words = ("-z", f"--max-count={MOST_COMMITS}", "--format=%h %s", f"{before}..{after}", "--")
    rows = (line.partition(" ") for line in git.do("log", *words).split("\0") if line)
    return [Commit(row[0], row[2]) for row in rows]


def file_rows(changes: Sequence[FileChange]) -> list[FileRow]:
    """Return the shape of a diff, the largest change first: a row for each file, or of many for each folder."""
    rows = list(changes)
    if len(rows) > FOLDED:
        groups = groupby(sorted(rows), key=lambda one: one.path.rpartition("/")[0] or ".")
        rows = [_folder(name, list(group)) for name, group in groups]
        rows.sort(key=lambda one: -one.added - one.removed)
    most = max((one.added + one.removed for one in rows), default=0) or 1
    shares = [[round(100 * lines / most, 2) for lines in one[1:]] for one in rows]
    return [FileRow(*one, *share) for one, share in zip(rows, shares, strict=True)]


def _folder(name: str, files: Sequence[FileChange]) -> FileChange:
    added, removed = sum(one.added for one in files), sum(one.removed for one in files)
    return FileChange(f"{name}/ ({plural(len(files), 'file')})", added, removed)


def run_rows(
    spending: Sequence[Spending], tasks: dict[str, str], results: dict[str, str], seen: dict[str, str]
) -> list[RunRow]:
    """Return what each run used, and the conversation; the sum comes last."""
    rows = [
        _run_row(one.run or "conversation", sum_of([one]))._replace(
            phase=one.phase, task=tasks.get(one.run, ""), models=join_words(list(one.models), 3),
            result=results.get(one.run, ""), unknown=one.unknown, seen_by=seen.get(one.run, ""),
        )
        for one in joined(spending)
    ]  # fmt: skip
    return [*rows, _run_row("in all", sum_of(spending))]


def _run_row(name: str, total: Total) -> RunRow:
    low, high = f"{total.low:.2f}", f"{total.high:.2f}"
    usd = (f"${low}" if low == high else f"${low} to ${high}") if total.high else ""
    tokens = short(total.tokens.total) if total.tokens.requests else ""
    return RunRow(name, "", "", "", minutes(total.seconds), tokens, usd, "")


def check_rows(checks: Sequence[RanCheck]) -> list[CheckRow]:
    """Return how each command went, with the last lines it wrote."""
    return [_check_row(one.commit[:12], one) for one in checks]


def _check_row(commit: str, one: RanCheck) -> CheckRow:
    code, ended = one.outcome.code, one.outcome.ended
    how = "passed" if code == 0 else f"ended with {code}" if ended == "exit" else ended.replace("-", " ")
    return CheckRow(one.outcome.name, commit, code == 0, how, lasting(one.outcome.seconds), one.outcome.tail)


def artifacts_of(story: StorySession) -> Iterator[ArtifactRow]:
    """Give what runs handed in, each report with its verdict, and that on each criterion."""
    for event in story.state.events:
        if isinstance(event, HandedIn) and event.artifact != RETURN:
            kept = accepted_text(story, event.sha256) if event.artifact in REPORT_KINDS else None
            read = read_report(json.loads(kept)["data"]) if kept else Verdict()
            rows = ", ".join(f"{row.id} {row.result}" for row in read.rows if row.result)
            yield ArtifactRow(event.artifact, event.run, event.path, "; ".join(filter(None, (read.verdict, rows))))


def verdict_of(story: StorySession) -> Verdict:
    """Return the report that passes or fails the work, QA's or that of a small story's run; an empty one."""
    found = (report_of(story, kind) for kind in (QA, MICRO))
    return next((one for one in found if one.verdict), Verdict())


def criteria_of(story: StorySession, verdict: Verdict) -> list[Criterion]:
    """Return each criterion with its result and how that was seen; those that were deferred come last."""
    rows = {row.id: (row.result, row.evidence) for row in verdict.rows}
    named = [one.partition(": ") for one in named_criteria(story.state.criteria)]
    known = [Criterion(name, text, *rows.get(name, ("", ""))) for name, _, text in named]
    return [*known, *(Criterion("", one, "deferred", "") for one in story.state.deferred)]
