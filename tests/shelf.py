"""Where a test run keeps what many tests begin from: made once for all its processes, and only copied."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest

Shelf = Callable[[str, Callable[[Path], object]], Path]


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """Give a folder in which something was made, by whichever process of this test run needed it first."""
    base = tmp_path_factory.getbasetemp()
    top = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "shelf"

    def once(name: str, make: Callable[[Path], object]) -> Path:
        folder, whole = top / name, top / f"{name}.whole"
        folder.mkdir(parents=True, exist_ok=True)
        with (top / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not whole.exists():
                make(folder)
                whole.touch()
        return folder

    return once
