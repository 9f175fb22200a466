"""What tests need from elsewhere: fetched once, checked, kept in the user's cache."""

import base64
import fcntl
import hashlib
import os
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

FETCH_SECONDS = 600


class Missing(NamedTuple):
    """Why something cannot be had on this machine."""

    reason: str


def or_skip(found: Path | Missing) -> Path:
    """Return what was found; leave the test out, saying why, where it cannot be had."""
    if isinstance(found, Missing):
        pytest.skip(found.reason)
    return found


class CannotFetch(Exception):
    """Why something was not fetched."""


def cached(place: str, name: str, fetch: Callable[[Path], None]) -> Path | Missing:
    """Return a file of a folder in the cache, which `fetch` fills whole or not at all, or why it cannot."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "baton-tests" / place
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Parallel test runs start together: the first fetches, the others wait for it.
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / name).exists():
            try:
                with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                    (Path(scratch) / "new").mkdir()
                    fetch(Path(scratch) / "new")
                    shutil.rmtree(folder, ignore_errors=True)
                    (Path(scratch) / "new").rename(folder)
            except CannotFetch as problem:
                return Missing(str(problem))
    return folder / name


def unpack_from_npm(package: str, integrity: str, name: str, place: Path) -> None:
    """Put one file of a package at a place; the package's sha512 must be the one that is pinned."""
    folder = place.parent
    if not shutil.which("npm"):
        raise CannotFetch(f"npm, which fetches {package}, is not installed")
    options = ["--loglevel=error", "--fetch-retries=1", "--pack-destination"]
    run(["npm", "pack", package, *options, str(folder.parent)], folder)
    packed = next(folder.parent.glob("*.tgz"), None)
    if packed is None or _digest(packed) != integrity:
        raise CannotFetch(f"{package} is not the package that was pinned: its sha512 differs")
    with tarfile.open(packed) as archive, place.open("wb") as kept:
        member = archive.extractfile(f"package/{name}")
        assert member is not None, "a pinned package holds its files"
        shutil.copyfileobj(member, kept)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return base64.b64encode(hashlib.file_digest(file, "sha512").digest()).decode()


def run(line: list[str], folder: Path) -> str:
    """Run a program; returns what it printed."""
    try:
        done = subprocess.run(
            line, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=FETCH_SECONDS,
            check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotFetch(f"`{' '.join(line[:2])}` failed: {error}") from None
    if done.returncode:
        reason = "; ".join(done.stderr.strip().splitlines()[:2]) or "it said nothing"
        raise CannotFetch(f"`{line[0]} … {line[-1]}` failed: {reason}")
    return done.stdout
