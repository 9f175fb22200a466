"""A lock of the kernel's (flock(2)): freed when its holder dies, in whatever way."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from baton.errors import BatonError
from baton.journal.atomic_file import check_alone, not_alone

WAIT_SECONDS = 10.0
POLL_SECONDS = 0.05
# Between taking a lock and having written its name a holder is not to be named; nor while the disk is full.
NAMING_SECONDS = 1.0


@contextmanager
def hold_lock(path: Path, owner: str, wait_seconds: float | None = None) -> Iterator[None]:
    """Hold the lock file `path` as `owner`; after `wait_seconds` (10) name the process that holds it instead."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise _unusable(path, error) from error
    try:
        try:
            check_alone(descriptor)
        except OSError as error:
            raise _unusable(path, error) from error
        _acquire(descriptor, path, WAIT_SECONDS if wait_seconds is None else wait_seconds)
        with suppress(OSError):  # on a full disk the lock holds all the same, without its owner's name
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} ({owner})".encode(), 0)
        try:
            yield
        finally:
            with suppress(OSError):  # who comes next must not be taken for us
                os.ftruncate(descriptor, 0)
    finally:
        with suppress(OSError):  # whatever it says, the lock is free
            os.close(descriptor)


def check_lock(path: Path) -> None:
    """Refuse a lock file that is a link or no file: the holder's name would be written into another file."""
    with suppress(FileNotFoundError):  # it is made when it is needed
        if reason := not_alone(path.lstat()):
            raise BatonError("cannot open the lock", str(path), reason)


def _unusable(path: Path, error: OSError) -> BatonError:
    remedy = f"{error.strerror or 'see the file'}; fix that, then call again"
    return BatonError("cannot open the lock", str(path), remedy)


def _acquire(descriptor: int, path: Path, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
    while not _take(descriptor, path):
        late = time.monotonic() - deadline
        holder = os.pread(descriptor, 300, 0).decode(errors="replace")
        if late >= 0 and (holder or late >= NAMING_SECONDS):
            what = f"locked by {holder or 'an unknown process'}"
            raise BatonError(what, str(path), "wait for it to end, then call again")
        time.sleep(POLL_SECONDS)


def _take(descriptor: int, path: Path) -> bool:
    """Take the lock if it is free; returns whether it was."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        remedy = f"{error.strerror}: keep the repository on a file system that has locks"
        raise BatonError("cannot lock", str(path), remedy) from error
    return True
