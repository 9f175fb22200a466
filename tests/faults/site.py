"""The one place where every scenario is played, so that all that is written there can be compared."""

import fcntl
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench import Bench, surroundings
from faults.child import FIRST_MOMENT, Done, forked
from faults.scenarios import PREPARED, USERS

# What a process names after itself, or by chance.
OWN_NAME = re.compile(r"(?<=\.)\d+(?=\.|$)|(?<=baton-index-)\w+")


@dataclass(frozen=True)
class Site:
    """A folder with the repository of a scenario and a home, and a shelf with what is copied there."""

    top: Path
    shelf: Path

    @property
    def bench(self) -> Bench:
        return Bench(self.top / "project")

    def settle(self, patch: pytest.MonkeyPatch) -> None:
        """Keep what is started here from this machine's own settings."""
        more = {"TMPDIR": str(self.top / "tmp")}
        for name, value in {**surroundings(self.top / "home"), **more}.items():
            if value is None:
                patch.delenv(name, raising=False)
            else:
                patch.setenv(name, value)
        patch.setattr("tempfile.tempdir", str(self.top / "tmp"))

    def lay_out(self, name: str) -> Bench:
        """Put a prepared repository in its place, made when it is asked for the first time."""
        kept = self.shelf / name
        if not kept.exists():
            before, make = PREPARED[name]
            self._clear() if before is None else self.lay_out(before)
            done = forked(lambda: make(self.bench), FIRST_MOMENT)
            assert isinstance(done, Done)
            if before is None:
                self.bench.write(USERS)
            shutil.copytree(self.top, kept, symlinks=True)
        self.restore(kept)
        return self.bench

    def keep(self, name: str) -> Path:
        """Copy what lies here now to a shelf of its own; gives what `restore` takes."""
        kept = self.shelf / name
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(self.top, kept, symlinks=True)
        return kept

    def restore(self, kept: Path) -> None:
        """Put what was kept in its place again."""
        shutil.rmtree(self.top, ignore_errors=True)
        shutil.copytree(kept, self.top, symlinks=True)

    def _clear(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)
        for name in ("home", "tmp"):
            (self.top / name).mkdir(parents=True)

    def journal(self) -> bytes:
        """The whole lines of the story's journal; nothing when there is none."""
        path = self.top / "project/.git/baton/42/journal.jsonl"
        data = path.read_bytes() if path.exists() else b""
        return data[: data.rfind(b"\n") + 1]

    def is_busy(self) -> bool:
        """Whether the project's commands are being run in the background."""
        return any(_is_locked(path) for path in (self.top / "project/.git/baton").glob("*/checks/*/lock"))

    def print(self) -> str:
        """Name all that lies here: two places of the same name lead to the same future."""
        found = sorted(
            (OWN_NAME.sub("0", str(path.relative_to(self.top))), _content(path)) for path in _files(self.top)
        )
        return hashlib.sha256(repr(found).encode()).hexdigest()


def _is_locked(path: Path) -> bool:
    with path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _files(top: Path) -> Iterator[Path]:
    for folder, names, files in os.walk(top):
        names.sort()
        for name in sorted(files):
            yield Path(folder, name)
        if not names and not files:
            yield Path(folder)


def _content(path: Path) -> bytes:
    if path.is_symlink() or path.is_dir():
        return os.fsencode(os.readlink(path)) if path.is_symlink() else b""
    data = path.read_bytes()
    if data.startswith(b"process "):  # a lock names the process that holds it, or held it when it died
        return b"process"
    return b"".join(_entries(data)) if path.name == "index" and data[:4] == b"DIRC" else data


def _entries(index: bytes) -> Iterator[bytes]:
    """Give what git's index says of each file, without when and where the file was found."""
    at = 12
    for _ in range(int.from_bytes(index[8:12], "big")):
        end = index.index(b"\0", at + 62)
        yield index[at + 40 : end]
        at += (end - at) // 8 * 8 + 8


def scenario_site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """Make a place and its shelf."""
    base = tmp_path_factory.mktemp("faults")
    return Site(base / "site", base / "shelf")
