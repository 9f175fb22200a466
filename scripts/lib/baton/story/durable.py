"""The one way a file of the program's own reaches the disk."""

import os
from contextlib import suppress
from pathlib import Path

from baton.errors import BatonError


def write_durably(path: Path, text: str) -> None:
    """Replace `path` by `text`, whole or not at all: temporary file, fsync, rename, fsync of the folder."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        what = f"cannot write (character {error.start + 1} is not UTF-8)"
        raise BatonError(what, str(path), "leave it out") from error
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _write_new(temporary, data)
        os.replace(temporary, path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise BatonError("cannot write", str(path), f"{error.strerror}; nothing was changed") from error
    try:
        sync_folder(path.parent)
    except OSError as error:
        raise BatonError("cannot keep what was written", str(path), f"{error.strerror}; call again") from error


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if path.read_bytes() != data:
        raise OSError(0, "what was read back is not what was written")


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte of `data`, however the system splits it; OSError as the system raises it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
