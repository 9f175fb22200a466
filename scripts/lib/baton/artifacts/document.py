"""The one way to read a file that is not ours."""

import os
import stat
from pathlib import Path

from baton.errors import BatonError

SIZE_LIMIT = 1_000_000
# No artifact of an agent comes near; what has more is output, and would take seconds to read.
LINES_LIMIT = 20_000
LESS = "make it shorter: point at long output instead of quoting it"


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
        raise BatonError("larger than 1 MB", where, LESS)
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
        remedy = LESS
        raise BatonError(f"more than {LINES_LIMIT:,} lines", where, remedy)
    return text
