"""The evidence in the reports of stories and rounds: commits, changed files, the commands that were run."""

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TypeVar

from baton.checks.check_tree import read_record
from baton.checks.result import Outcome, read_outcome
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Papers
from baton.report.lanes import Stretch
from baton.report.report_data import CheckRow, Commit
from baton.story.integrate.completion_report import FileChange, lines_changed
from baton.text import lasting, plural

Read = TypeVar("Read")
Work = tuple[list[Commit], list[FileChange]]
NO_WORK: Work = ([], [])
MOST_COMMITS = 500
# Of more files, those of a folder are one row.
FOLDED = 30


def try_read(read: Callable[[], Read], otherwise: Read, unread: list[str]) -> Read:
    """Return what `read` does; on a BatonError `otherwise`, and add the error to `unread`."""
    try:
        return read()
    except BatonError as error:
        unread.append(f"cannot be read: {error}")
        return otherwise


def work_between(git: Git, spans: Sequence[tuple[str, str]], apart: Papers, unread: list[str]) -> Work:
    """Return the commits of spans, the newest first, and the files they change in all, without papers."""
    rows = list[Commit]()
    for before, after in spans:
        words = ("-z", f"--max-count={MOST_COMMITS}", "--format=%h %s", f"{before}..{after}", "--")
        lines = filter(None, git.do("log", *words).split("\0"))
        rows += [Commit(*line.split(" ", 1)) for line in lines]
    if not rows:
        return [], []
    whole = f"{spans[-1][0]}...{spans[0][1]}"
    return rows, file_rows(try_read(lambda: lines_changed(git, whole, apart), list[FileChange](), unread))


def file_rows(changes: Sequence[FileChange]) -> list[FileChange]:
    """Return rows for a diff, the largest change first: a row for each file, or for each folder where many."""
    rows = list(changes)
    if len(rows) > FOLDED:
        groups = groupby(sorted(rows), key=lambda change: change.path.rpartition("/")[0] or ".")
        rows = [_folder(name, list(files)) for name, files in groups]
        rows.sort(key=lambda change: -change.added - change.removed)
    most = max((row.added + row.removed for row in rows), default=0) or 1
    shares = [[round(100 * lines / most, 2) for lines in (row.added, row.removed)] for row in rows]
    return [FileChange(*row[:3], *share) for row, share in zip(rows, shares, strict=True)]


def _folder(name: str, files: Sequence[FileChange]) -> FileChange:
    added, removed = sum(file.added for file in files), sum(file.removed for file in files)
    return FileChange(f"{name}/ ({plural(len(files), 'file')})", added, removed)


class RanCheck(NamedTuple):
    """A command that was run on a commit of the story: its outcome, and when it ended."""

    commit: str
    outcome: Outcome
    end: float

    @property
    def result(self) -> str:
        """Its result in words."""
        code, ended = self.outcome.code, self.outcome.ended
        return "passed" if code == 0 else f"ended with {code}" if ended == "exit" else ended.replace("-", " ")

    @property
    def row(self) -> CheckRow:
        """Its row in the report, with its last lines of output."""
        name, code, took, *_ = self.outcome
        return CheckRow(name, self.commit[:12], code == 0, self.result, lasting(took), self.outcome.tail)

    @property
    def stretch(self) -> Stretch:
        """Its stretch on the timeline, with its result."""
        name, code, took, *_ = self.outcome
        about, tone = f"{name} on {self.commit[:12]}: {self.result}", "good" if code == 0 else "bad"
        return Stretch("checks", name, about, self.end - took, self.end, tone)


def read_check_runs(place: Path) -> list[RanCheck]:
    """Read the runs of commands on a story's commits, in the order in which they ended."""
    checks = list[RanCheck]()
    for job in place.glob("*/job.json"):
        asked = read_record(job)
        commands = asked.get("commands")
        rows = [asked.get("setup"), *(commands if isinstance(commands, list) else [])]
        for kept in {Path(str(row.get("kept"))).name for row in rows if isinstance(row, dict)}:
            if outcome := read_outcome(job.parent, kept):
                checks.append(RanCheck(str(asked.get("commit")), outcome, (job.parent / kept).stat().st_mtime))
    return sorted(checks, key=lambda check: check.end)
