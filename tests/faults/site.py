"""The one place where every scenario is played, so that all that is written there can be compared."""

import gc
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench import Bench, new_bench, surroundings
from faults.child import FIRST_MOMENT, Done, forked
from faults.scenarios import PREPARED, USERS

# What a process names after itself, or by chance.
OWN_NAME = re.compile(r"(?<=\.)\d+(?=\.|$)|(?<=baton-index-)\w+")
# What only tells when and how long something ran, by whom.
OWN_TIME = re.compile(rb'("(?:seconds|since|runner|moved)": )[\d.]+')


@dataclass(frozen=True)
class Site:
    """A folder with a scenario's repository and a home, a shelf of copies, and what was played and struck."""

    top: Path
    shelf: Path
    played: dict[str, Any] = field(default_factory=dict)
    effects: set[str] = field(default_factory=set)  # the kinds of calls that were struck here

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

    def warm_up(self) -> None:
        """Play a story in this process: what is loaded late and kept is then there in every child."""
        self._clear()
        bench = new_bench(self.top / "warm")
        bench.new()
        bench.next()
        bench.answer("accept")
        bench.plan()
        bench.implement()
        bench.judge()
        bench.baton("undo", bench.id)
        gc.freeze()  # a child that went through all this would have to copy it

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
            self._copy(self.top, kept)
        return self.restore(kept)

    def keep(self, name: str) -> Path:
        """Copy what lies here now to a shelf of its own; gives what `restore` takes."""
        kept = self.shelf / name
        shutil.rmtree(kept, ignore_errors=True)
        self._copy(self.top, kept)
        return kept

    def restore(self, kept: Path) -> Bench:
        """Put what was kept in its place again."""
        self.bench.rest()
        shutil.rmtree(self.top, ignore_errors=True)
        self._copy(kept, self.top)
        return self.bench

    def _copy(self, source: Path, target: Path) -> None:
        self.bench.rest()
        target.parent.mkdir(exist_ok=True)
        _copy(str(source), str(target))

    def _clear(self) -> None:
        self.bench.rest()
        shutil.rmtree(self.top, ignore_errors=True)
        for name in ("home", "tmp"):
            (self.top / name).mkdir(parents=True)

    def journal(self) -> bytes:
        """The whole lines of the story's journal; nothing when there is none."""
        path = self.top / "project/.git/baton/42/journal.jsonl"
        data = path.read_bytes() if path.exists() else b""
        return data[: data.rfind(b"\n") + 1]

    def print(self) -> str:
        """Name all that lies here: two places of the same name lead to the same future."""
        self.bench.rest()
        found = sorted(
            (OWN_NAME.sub("0", str(path.relative_to(self.top))), _content(path)) for path in _files(self.top)
        )
        return hashlib.sha256(repr(found).encode()).hexdigest()


def _copy(source: str, target: str) -> None:
    """Copy a folder; git's objects, which nobody ever writes to, are there once under all their names."""
    os.mkdir(target)
    with os.scandir(source) as entries:
        for entry in entries:
            name = f"{target}/{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                _copy(entry.path, name)
            elif "/.git/objects/" in entry.path:
                os.link(entry.path, name)
            elif entry.is_symlink():
                os.symlink(os.readlink(entry.path), name)
            else:
                _copy_file(entry, name)


def _copy_file(source: "os.DirEntry[str]", target: str) -> None:
    """Copy a file with its mode and times, as git compares them."""
    with open(source.path, "rb") as file, open(target, "xb") as copy:
        copy.write(file.read())
    known = source.stat()
    os.chmod(target, known.st_mode)
    os.utime(target, ns=(known.st_atime_ns, known.st_mtime_ns))


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
    if path.suffix == ".json" and {"checks", ".trees"} & set(path.parts):
        return OWN_TIME.sub(rb"\g<1>0", data)
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
    site = Site(base / "site", base / "shelf")
    with pytest.MonkeyPatch.context() as patch:
        site.settle(patch)
        site.warm_up()
    return site
