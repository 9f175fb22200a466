"""The head of a journal, kept beside it: by it a journal that was cut, emptied or put back is noticed."""

import re
from pathlib import Path
from typing import NamedTuple

from baton.errors import BatonError
from baton.journal.atomic_file import os_error_reason, read_plain, write_durably

WRITTEN = re.compile(rb"([1-9][0-9]{0,17}) ([0-9a-f]{32})\n")


class JournalHead(NamedTuple):
    """The number and the seal of a journal's last record, or of one before it where a crash came between."""

    seq: int
    seal: str


def head_of(journal: Path) -> Path:
    """Return the path of a journal's head."""
    return journal.with_suffix(".head")


def read_head(journal: Path, inside: Path) -> bytes | None:
    """Return the bytes of a journal's head; None where there is none, as beside a journal that was copied."""
    path = head_of(journal)
    try:
        return read_plain(path, inside, alone=True)
    except OSError as error:
        raise BatonError("cannot read", str(path), os_error_reason(error, path, inside)) from error


def parse_head(data: bytes, journal: Path) -> JournalHead:
    """Parse a journal's head; a BatonError where it is damaged."""
    match = WRITTEN.fullmatch(data)
    if not match:
        remedy = "if you know that the journal beside it is whole, remove this file: it is written anew"
        raise BatonError("damaged (it does not say where the journal ends)", str(head_of(journal)), remedy)
    return JournalHead(int(match[1]), match[2].decode())


def write_head(journal: Path, head: JournalHead, inside: Path) -> None:
    """Write a journal's head."""
    write_durably(head_of(journal), f"{head.seq} {head.seal}\n", inside)
