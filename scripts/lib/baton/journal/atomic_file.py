"""Write the program's own files: whole or not at all, and never through a link."""

import errno
import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from baton.errors import BatonError

NO_FILE = "it is not a regular file: move it away"
HARD_LINK = "it is a hard link, and its other name would change with it: put a copy in its place"
# The name a file has while it is written; stories' folders keep such names out of git.
TEMPORARY = re.compile(r"\..+\.\d+\.tmp")


def write_durably(path: Path, text: str | bytes | Iterable[bytes], inside: Path) -> None:
    """Replace `path` by `text`, whole or not at all: temporary file, fsync, rename, fsync.

    A long text may come in pieces, which are never held together. The folders between `inside` and `path` are
    created, and must be folders: a link among them is a BatonError.
    """
    try:
        data = text.encode() if isinstance(text, str) else text
    except UnicodeEncodeError as error:
        what = f"cannot write (character {error.start + 1} is not UTF-8)"
        raise BatonError(what, str(path), "leave it out") from error
    try:
        with open_folder(path.parent, inside) as folder:
            _replace(folder, path.name, [data] if isinstance(data, bytes) else data)
            _fsync_folder(folder, path)
    except OSError as error:
        raise BatonError(
            "cannot write", str(path), f"{os_error_reason(error, path, inside)}; nothing was changed"
        ) from error


def move_durably(source: Path, target: Path, inside: Path) -> None:
    """Move a file to a name that is free; both folders lie under `inside`, and the target's is made."""
    try:
        with open_folder(source.parent, inside) as old, open_folder(target.parent, inside) as new:
            os.rename(source.name, target.name, src_dir_fd=old, dst_dir_fd=new)
            _fsync_folder(new, target)
            _fsync_folder(old, source)
    except OSError as error:
        remedy = f"{os_error_reason(error, target, inside)}; nothing was moved"
        raise BatonError(f"cannot move to {target}", str(source), remedy) from error


def remove_temporary_files(folder: Path, inside: Path) -> None:
    """Remove the temporary files of a killed write; only while no other process can write there."""
    try:
        with open_folder(folder, inside, make=False) as descriptor:
            for name in os.listdir(descriptor):
                if TEMPORARY.fullmatch(name):
                    os.unlink(name, dir_fd=descriptor)
    except (FileNotFoundError, NotADirectoryError):  # whoever needs the folder says what it is instead
        return
    except OSError as error:
        raise BatonError("cannot clean up", str(folder), os_error_reason(error, folder / "x", inside)) from error


@contextmanager
def open_folder(folder: Path, inside: Path, make: bool = True) -> Iterator[int]:
    """Open a folder under `inside` (taken as it is) without following a link; returns its descriptor.

    With `make`, missing ones are made and kept. OSError where it cannot be.
    """
    if make:
        os.makedirs(inside, exist_ok=True)
    descriptor = os.open(inside, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for name in folder.relative_to(inside).parts:
            above, descriptor = descriptor, _enter(descriptor, name, make)
            _close_quietly(above)
        yield descriptor
    finally:
        _close_quietly(descriptor)


def _close_quietly(descriptor: int) -> None:
    """Close a descriptor and ignore errors: it was only read, or its data is on the disk already."""
    with suppress(OSError):
        os.close(descriptor)


def _enter(above: int, name: str, make: bool) -> int:
    flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, dir_fd=above)
    except FileNotFoundError:
        if not make:
            raise
    with suppress(FileExistsError):  # another process made it at this moment
        os.mkdir(name, dir_fd=above)
    os.fsync(above)
    return os.open(name, flags, dir_fd=above)


def read_plain(path: Path, inside: Path, alone: bool = False) -> bytes | None:
    """Return a file's bytes, or None when it is not there; OSError where a link leads to it, or it is no file.

    With `alone`, it may have no other name.
    """
    try:
        with open_folder(path.parent, inside, make=False) as folder:
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC  # a pipe would wait: fifo(7)
            descriptor = os.open(path.name, flags, dir_fd=folder)
    except FileNotFoundError:
        return None
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, NO_FILE)
        if alone:
            check_alone(descriptor)
        return file.read()


def check_alone(descriptor: int) -> None:
    """Raise OSError where writing an open file in place would change another file."""
    if reason := not_alone(os.fstat(descriptor)):
        raise OSError(errno.EMLINK, reason)


def not_alone(status: os.stat_result) -> str:
    """Say why a file must not be written in place: not a regular file, or a hard link; empty where it may."""
    if not stat.S_ISREG(status.st_mode):
        return NO_FILE
    return HARD_LINK if status.st_nlink > 1 else ""


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte of `data`, however the system splits it; OSError as the system raises it."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def os_error_reason(error: OSError, path: Path, inside: Path) -> str:
    """Say why a file under `inside` could not be reached: a link is in the way, else the system's reason."""
    above = [parent for parent in (path, *path.parents) if parent != inside and parent.is_relative_to(inside)]
    link = next((ancestor for ancestor in reversed(above) if ancestor.is_symlink()), None)
    return f"{link} is a symbolic link: put the thing itself there" if link else error.strerror or str(error)


def _replace(folder: int, name: str, pieces: Iterable[bytes]) -> None:
    temporary = f".{name}.{os.getpid()}.tmp"
    with suppress(FileNotFoundError):
        os.unlink(temporary, dir_fd=folder)
    try:
        _write_new(folder, temporary, pieces)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def _write_new(folder: int, name: str, pieces: Iterable[bytes]) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(name, flags, 0o644, dir_fd=folder)
    try:
        for piece in pieces:
            write_all(descriptor, piece)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _fsync_folder(folder: int, path: Path) -> None:
    """Sync an open folder, so that its names survive a power cut: to sync the files is not enough (fsync(2))."""
    try:
        os.fsync(folder)
    except OSError as error:
        raise BatonError("cannot keep what was written", str(path), f"{error.strerror}; call again") from error
