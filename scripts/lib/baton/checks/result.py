"""The outcome of one of a project's commands, and the part of its output that is shown."""

import os
import re
from pathlib import Path
from typing import NamedTuple

from baton.checks.check_tree import read_names, read_record
from baton.checks.failures import ERROR, ran_no_test
from baton.text import clip

ENDS = ("exit", "time-out", "no-folder", "not-started", "foreign")
TAIL_LINES = 15
AROUND = 3
SHOWN_WROTE = 5
# Of longer output, what is read is the end: runners sum up there.
MOST_BYTES = 5_000_000


def report_of(log: Path) -> Path:
    """Return where the report that a command wrote is kept, beside its log."""
    return log.with_suffix(".xml")


class Outcome(NamedTuple):
    """The outcome of a command: its exit code, how long it took, where its output is, and how it ended.

    `ended` is `exit`, `time-out`, `no-folder` (the commit has none where it would run), `not-started` or
    `foreign` (something leads into another work tree: nothing was run, and the log says what).
    """

    name: str
    code: int
    seconds: float
    log: Path
    ended: str = "exit"
    wrote: tuple[str, ...] = ()  # tracked files that it changed

    @property
    def notes(self) -> list[str]:
        """What is worth knowing though it decides nothing: that no test ran, which tracked files it wrote."""
        names = ", ".join([*self.wrote[:SHOWN_WROTE], *(["…"] if self.wrote[SHOWN_WROTE:] else [])])
        no_test = self.code == 0 and self.name.startswith("test") and ran_no_test(self.output, self.report)
        return [
            *(["it ran no test"] if no_test else []),
            *([f"it wrote {names}, which is not committed"] if names else []),
        ]

    @property
    def is_cut(self) -> bool:
        """Whether it wrote more than `output` gives."""
        return self.log.exists() and self.log.stat().st_size > MOST_BYTES

    @property
    def output(self) -> str:
        """The text it wrote on both streams; empty when there is no log."""
        try:
            with self.log.open("rb") as file:
                file.seek(max(os.fstat(file.fileno()).st_size - MOST_BYTES, 0))
                return file.read().decode("utf-8", "replace")
        except FileNotFoundError:
            return ""

    @property
    def report(self) -> str:
        """The JUnit report it wrote; empty when there is none."""
        try:
            return report_of(self.log).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return ""

    @property
    def tail(self) -> str:
        """The last lines of the output, without terminal escapes."""
        return "\n".join(self._lines()[-TAIL_LINES:])

    @property
    def shown(self) -> str:
        """The lines around the first that tells of an error, and the last ones, without terminal escapes."""
        lines = self._lines()
        end = max(len(lines) - TAIL_LINES, 0)
        first = next((at for at, line in enumerate(lines[:end]) if ERROR.search(line)), None)
        if first is None:
            return "\n".join(lines[end:])
        around = lines[max(first - AROUND, 0) : min(first + AROUND, end)]
        return "\n".join([*around, *(["…"] if first + AROUND < end else []), *lines[end:]])

    def _lines(self) -> list[str]:
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\x00-\x08\x0b-\x1f]", "", self.output)
        return [clip(line, 200) for line in text.splitlines() if line.strip()]


def read_outcome(folder: Path, name: str) -> Outcome | None:
    """Return a command's outcome, by the record `name` in a job's folder; None where it is unknown or damaged."""
    record = read_record(folder / name)
    values = [record.get(key) for key in ("name", "code", "seconds", "log", "ended")]
    match values:
        case [str(command), int(code), float(took), str(log), str(ended)] if ended in ENDS and "/" not in log:
            return Outcome(command, code, took, folder / log, ended, tuple(read_names(record.get("wrote"))))
    return None
