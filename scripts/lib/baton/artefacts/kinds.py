"""Every kind of artefact that can be checked, and the one way to read a file that is not ours."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from baton.artefacts.findings import Finding, faults
from baton.artefacts.front_matter import YamlFault
from baton.artefacts.handoff import check_handoff
from baton.artefacts.memory_delta import check_memory_delta
from baton.artefacts.metadata import check_metadata, normalised_metadata
from baton.artefacts.plan import check_plan, check_plan_blocked
from baton.artefacts.report import check_impl_report, check_micro_report, check_qa_report
from baton.artefacts.story_file import check_story
from baton.artefacts.strict_json import JsonFault
from baton.artefacts.summary import check_summary
from baton.errors import BatonError

SIZE_LIMIT = 1_000_000
# No artefact of an agent comes near; what has more is output, and would take seconds to read.
LINES_LIMIT = 20_000
Check = Callable[[str, str], list[Finding]]


class Kind(NamedTuple):
    """A kind of artefact: what checks it, and whether a sub-agent hands it in."""

    check: Check
    handed_in: bool


KINDS: dict[str, Kind] = {
    "story": Kind(check_story, False),
    "return-meta": Kind(check_metadata, True),
    "plan": Kind(check_plan, True),
    "plan-blocked": Kind(check_plan_blocked, True),
    "impl-report": Kind(check_impl_report, True),
    "qa-report": Kind(check_qa_report, True),
    "micro-delivery-report": Kind(check_micro_report, True),
    "memory-delta": Kind(check_memory_delta, True),
    "handoff": Kind(check_handoff, True),
    "summary": Kind(check_summary, False),
}


def check_artefact(kind: str, text: str, path: str) -> list[Finding]:
    """Find every fault in an artefact of `kind`, and what is only a warning; the findings call it `path`."""
    if not text.strip():
        return [Finding(path, "line 1", f"{kind}/empty", "the file is empty")]
    return KINDS[kind].check(text, path)


def is_valid(kind: str, text: str) -> bool:
    """Whether an artefact is there and has no fault; warnings leave it valid."""
    return bool(text) and not faults(check_artefact(kind, text, kind))


def notes_on(kind: str, text: str) -> list[str]:
    """Tell what in an artefact is read as something else than it says; nothing for one that cannot be read."""
    if kind != "return-meta":
        return []
    try:
        return list(normalised_metadata(text).notes)
    except (JsonFault, YamlFault):
        return []


def read_document(path: Path) -> str:
    """Read a text file from the user's tree: a plain file, no link, at most 1 MB and 20,000 lines, UTF-8."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        reason = "a symbolic link" if os.path.islink(path) else (error.strerror or "unreadable").lower()
        raise BatonError(f"cannot read ({reason})", str(path), "give a plain file") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise BatonError("cannot read (not a plain file)", str(path), "give a plain file")
    with os.fdopen(descriptor, "rb") as file:
        return decode(file.read(SIZE_LIMIT + 1), str(path))


def decode(data: bytes, where: str) -> str:
    """Decode what was read: UTF-8, with or without BOM, any line ends; a BatonError otherwise."""
    if len(data) > SIZE_LIMIT:
        raise BatonError("larger than 1 MB", where, "hand in less: point at long output instead of quoting it")
    # With its mark, or by its zero bytes: in UTF-16, every other byte of plain words is one.
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data.count(0) * 3 > len(data):
        raise BatonError("UTF-16", where, "save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BatonError(f"not UTF-8 (byte {error.start})", where, "save it as UTF-8") from error
    if "\0" in text:
        raise BatonError("a NUL byte", where, "save it as plain text")
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if text.count("\n") > LINES_LIMIT:
        remedy = "hand in less: point at long output instead of quoting it"
        raise BatonError(f"more than {LINES_LIMIT:,} lines", where, remedy)
    return text
