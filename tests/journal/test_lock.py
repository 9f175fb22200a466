"""One process at a time: the second is told who the first is, and a dead holder holds nothing."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.journal.lock import hold_lock

LIB = Path(__file__).parents[2] / "scripts" / "lib"
HOLDER = """
import sys
from pathlib import Path
from baton.journal.lock import hold_lock
with hold_lock(Path(sys.argv[1]), "baton next 42"):
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def holder(path: Path) -> Iterator["subprocess.Popen[str]"]:
    """Another process that holds the lock until its stdin is closed."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        env={**os.environ, "PYTHONPATH": str(LIB)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process


def is_free(path: Path) -> bool:
    try:
        with hold_lock(path, "a test", wait_seconds=0):
            return True
    except BatonError:
        return False


def test_a_second_holder_is_refused_with_the_name_of_the_first(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as process, pytest.raises(BatonError) as caught, hold_lock(path, "me", wait_seconds=0.01):
        pass
    assert caught.value.what == f"locked by process {process.pid} (baton next 42)"
    assert caught.value.where == str(path)


def test_another_lock_is_not_held(tmp_path: Path) -> None:
    with holder(tmp_path / "lock"):
        assert is_free(tmp_path / "other")


def test_a_holder_that_is_killed_holds_nothing(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as process:
        assert not is_free(path)
        process.kill()
        process.wait()
        assert is_free(path)


def test_a_waiting_call_gets_the_lock_once_it_is_free(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with holder(path) as process:
        assert process.stdin is not None
        process.stdin.close()
        with hold_lock(path, "me", wait_seconds=60):
            assert path.read_text() == f"process {os.getpid()} (me)"


def test_the_lock_is_free_after_a_failure_inside(tmp_path: Path) -> None:
    with pytest.raises(KeyError), hold_lock(tmp_path / "lock", "me"):
        raise KeyError
    assert is_free(tmp_path / "lock")


def test_a_shorter_owner_replaces_a_longer_one_whole(tmp_path: Path) -> None:
    with hold_lock(tmp_path / "lock", "a very long name"):
        pass
    with hold_lock(tmp_path / "lock", "x"):
        assert (tmp_path / "lock").read_text().endswith(" (x)")


@pytest.mark.parametrize(("name", "make", "why"), [
    ("file/lock", lambda top: (top / "file").touch(), "; fix"),
    ("lock", lambda top: (top / "lock").mkdir(), "; fix"),
    ("lock", lambda top: (top / "lock").hardlink_to(top / "precious"), "link"),
    ("lock", lambda top: (top / "lock").symlink_to(top / "precious"), "link"),
    ("lock", lambda top: os.mkfifo(top / "lock"), "not a regular file"),
], ids=["under a file", "a folder", "a hard link", "a symbolic link", "a pipe"])  # fmt: skip
def test_what_is_no_lock_is_one_line(tmp_path: Path, name: str, make: Callable[[Path], None], why: str) -> None:
    (tmp_path / "precious").write_text("precious")
    make(tmp_path)
    with pytest.raises(BatonError, match=rf"cannot open the lock at .*{why}"), hold_lock(tmp_path / name, "me"):
        pass
    assert (tmp_path / "precious").read_text() == "precious"
