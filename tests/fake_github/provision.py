"""What the stand-in needs beside itself: GitHub's schema and a real gh, fetched once, kept in the user's cache."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from client.harness.fetch import Missing

SCHEMA_VERSION = "15.26.1"
SCHEMA_PACKAGE = f"@octokit/graphql-schema@{SCHEMA_VERSION}"
# sha512 of the package as npm packs it.
SCHEMA_INTEGRITY = "RFDC2MpRBd4AxSRvUeBIVeBU7ojN/SxDfALUd7iVYOSeEK3gZaqR2MGOysj4Zh2xj2RY5fQAUT+Oqq7hWTraMA=="
SCHEMA_DIGEST = "3c62d0526d133cee53221c89de9b455ade24db78b9e7ad56d642c4c15bce2654"
OLDEST_GH = (2, 23)
FETCH_SECONDS = 300


class NoWay(Exception):
    """One way to get something did not lead there."""


@functools.cache
def schema() -> Path | Missing:
    """Return GitHub's published GraphQL schema, fetched if it was not yet, or why it cannot be had."""
    folder = _cache() / "github-schema" / SCHEMA_VERSION
    found = _once(folder, "schema.graphql", _fetch_schema)
    if not isinstance(found, Missing) and hashlib.sha256(found.read_bytes()).hexdigest() != SCHEMA_DIGEST:
        return Missing(f"{found} is not the schema that was pinned: delete it")
    return found


@functools.cache
def gh() -> Path | Missing:
    """Return a gh that is new enough: one on PATH, else the one of this system's packages, not installed."""
    on_path = shutil.which("gh")
    if on_path and new_enough(version_of(Path(on_path))):
        return Path(on_path)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return Missing(f"gh {'.'.join(map(str, OLDEST_GH))} or later is not installed, and there is no apt-get")
    found = _once(_cache() / "gh" / "package", "usr/bin/gh", _fetch_gh)
    if not isinstance(found, Missing) and not new_enough(version := version_of(found)):
        return Missing(f"{found} is too old or does not run: it says {version!r}")
    return found


def new_enough(version: str) -> bool:
    """Say whether gh's own words name a version that is as new as the oldest we support."""
    found = re.match(r"gh version (\d+)\.(\d+)", version)
    return bool(found) and (int(found[1]), int(found[2])) >= OLDEST_GH if found else False


def version_of(program: Path) -> str:
    """Give the first line of what a gh says of itself."""
    try:
        return _run([str(program), "--version"], program.parent).partition("\n")[0]
    except NoWay as problem:
        return str(problem)


def _cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "baton-tests"


def _once(folder: Path, name: str, fetch: Callable[[Path], None]) -> Path | Missing:
    """Give a file of a folder that is fetched whole or not at all, by the first who needs it."""
    with _locked(folder):
        if not (folder / name).exists():
            try:
                with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
                    fetch(Path(scratch))
                    shutil.rmtree(folder, ignore_errors=True)
                    (Path(scratch) / "made").rename(folder)
            except NoWay as problem:
                return Missing(str(problem))
    return folder / name


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _fetch_schema(scratch: Path) -> None:
    if not shutil.which("npm"):
        raise NoWay(f"npm, which fetches {SCHEMA_PACKAGE}, is not installed")
    pack = ["npm", "pack", SCHEMA_PACKAGE, "--loglevel=error", "--fetch-retries=1", "--pack-destination"]
    _run([*pack, str(scratch)], scratch)
    packed = next(scratch.glob("*.tgz"), None)
    if (
        packed is None
        or base64.b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode() != SCHEMA_INTEGRITY
    ):
        raise NoWay(f"{SCHEMA_PACKAGE} is not the package that was pinned: its sha512 differs")
    (scratch / "made").mkdir()
    with tarfile.open(packed) as archive, (scratch / "made" / "schema.graphql").open("wb") as kept:
        member = archive.extractfile("package/schema.graphql")
        assert member is not None, "a pinned package holds its schema"
        shutil.copyfileobj(member, kept)


def _fetch_gh(scratch: Path) -> None:
    """Download gh's package with the lists this system has, else with lists of our own."""
    own = []
    for name, folder in {"State": scratch / "state", "Cache": scratch / "cache"}.items():
        (folder / "lists" / "partial").mkdir(parents=True)
        (folder / "archives" / "partial").mkdir(parents=True)
        own += ["-o", f"Dir::{name}={folder}"]
    # The sandbox user of apt could not write here, and nobody may write to what belongs to the system.
    own += ["-o", f"APT::Sandbox::User={_user()}", "-o", "Dir::Cache::pkgcache=", "-o", "Dir::Cache::srcpkgcache="]
    get = ["apt-get", "-qq", "-o", f"APT::Sandbox::User={_user()}"]
    try:
        _run([*get, "download", "gh"], scratch)
    except NoWay:
        _run(["apt-get", "-qq", *own, "update"], scratch)
        _run(["apt-get", "-qq", *own, "download", "gh"], scratch)
    package = next(scratch.glob("gh_*.deb"), None)
    if package is None:
        raise NoWay("apt-get downloaded no package of gh")
    _run(["dpkg-deb", "-x", str(package), str(scratch / "made")], scratch)


def _user() -> str:
    return "root" if os.geteuid() == 0 else ""


def _run(line: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(
            line, cwd=folder, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NoWay(f"`{' '.join(line[:2])}` failed: {error}") from None
    if done.returncode:
        said = "; ".join(done.stderr.strip().splitlines()[:2]) or "it said nothing"
        raise NoWay(f"`{line[0]} … {line[-1]}` failed: {said}")
    return done.stdout
