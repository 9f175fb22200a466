"""A kernel lock: freed when its holder dies, however it dies."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from baton.errors import BatonError

WAIT_SECONDS = 10.0
POLL_SECONDS = 0.05


@contextmanager
def held(path: Path, owner: str, wait_seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the lock file `path` as `owner`; after `wait_seconds` name the process that holds it instead."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise BatonError("cannot open the lock", str(path), error.strerror or "see the file") from error
    try:
        _acquire(descriptor, path, wait_seconds)
        with suppress(OSError):  # on a full disk the lock holds all the same, without its owner's name
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"process {os.getpid()} ({owner})".encode(), 0)
        yield
    finally:
        os.close(descriptor)


def _acquire(descriptor: int, path: Path, wait_seconds: float) -> None:
    deadline = time.monotonic() + wait_seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                holder = os.pread(descriptor, 300, 0).decode(errors="replace") or "an unknown process"
                raise BatonError(f"locked by {holder}", str(path), "wait for it to end, then call again") from None
            time.sleep(POLL_SECONDS)
        else:
            return
