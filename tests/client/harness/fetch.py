"""The pinned client: fetched once with npm, checked, kept in the user's cache."""

from __future__ import annotations

import base64
import fcntl
import functools
import hashlib
import os
import platform
import pty
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

VERSION = "2.1.330"
PACKAGE = "@anthropic-ai/claude-code-{platform}"
INTEGRITY = {
    "linux-x64": "9Gn+V7DtJ8M1nztP9CeDVl9g3RtrepI7rOFTyPRRnZe8D6zebIHKmC7OvBauucuAP0X0k85SDN/LPVZyjsGezQ==",
    "linux-arm64": "V4yanAY5EA5UpwwRPtjSfqDbNqAlUJeVn3NYZw2AgmRHjdpSsLtHAzbxRXfkAnbjwTXzE0uedjQxUY02ARPcsA==",
    "darwin-arm64": "rgzAjrRJJsIdZXGF9CCFFbURxKuJNobRr+krV3dNmqNJWIws74rLD0CABe4+nXlx/9WwRECTrveprWB96mubqw==",
    "darwin-x64": "XenTNj2zXaFrnLmf47n25vChfFhlfeyaAR/vW5SFsEnLGwd2U1vDUY97+5etHBZu3xWBnlK8HhBVxzRi9YTUDw==",
}
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}
FETCH_SECONDS = 600


class Client(NamedTuple):
    """The real client on this machine."""

    path: Path
    version: str


class Missing(NamedTuple):
    """Why there is no real client here."""

    reason: str


@functools.cache
def client() -> Client | Missing:
    """Return the pinned client, fetched if it was not yet, or why this machine cannot have it."""
    name = f"{platform.system().lower()}-{MACHINES.get(platform.machine().lower(), platform.machine())}"
    if name not in INTEGRITY:
        return Missing(f"Claude Code {VERSION} is not pinned for {name}")
    if reason := _no_terminal():
        return Missing(reason)
    return _cached(name)


def _no_terminal() -> str | None:
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        return f"no pseudo-terminal can be opened ({error})"
    return None


def _cached(name: str) -> Client | Missing:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    folder = cache / "baton-tests" / "client" / VERSION
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Parallel test runs start together: the first fetches, the others wait for it.
    with (folder.parent / f"{VERSION}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "claude").exists() and (reason := _fetch(name, folder)):
            return Missing(reason)
    return _checked(folder / "claude")


def _fetch(name: str, folder: Path) -> str | None:
    if not shutil.which("npm"):
        return f"npm, which fetches Claude Code {VERSION}, is not installed"
    wanted = f"{PACKAGE.format(platform=name)}@{VERSION}"
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        run = ["npm", "pack", wanted, "--loglevel=error", "--fetch-retries=1", "--pack-destination", scratch]
        try:
            done = subprocess.run(run, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False)
        except subprocess.TimeoutExpired:
            return f"npm did not fetch {wanted} within {FETCH_SECONDS} s"
        packed = next(Path(scratch).glob("*.tgz"), None)
        if done.returncode or packed is None:
            return f"npm could not fetch {wanted}: {_first_lines(done.stderr)}"
        if _digest(packed) != INTEGRITY[name]:
            return f"{wanted} is not the package that was pinned: its sha512 differs"
        _unpack(packed, Path(scratch) / "unpacked", folder)
    return None


def _unpack(packed: Path, scratch: Path, folder: Path) -> None:
    scratch.mkdir()
    with tarfile.open(packed) as archive, (scratch / "claude").open("wb") as program:
        member = archive.extractfile("package/claude")
        assert member is not None, "a pinned package holds its program"
        shutil.copyfileobj(member, program)
    (scratch / "claude").chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)


def _digest(path: Path) -> str:
    digest = hashlib.sha512()
    with path.open("rb") as packed:
        while chunk := packed.read(1 << 20):
            digest.update(chunk)
    return base64.b64encode(digest.digest()).decode()


def _first_lines(text: str) -> str:
    return "; ".join(text.strip().splitlines()[:2]) or "it said nothing"


def _checked(path: Path) -> Client | Missing:
    done = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60, check=False)
    if not done.stdout.startswith(f"{VERSION} "):
        return Missing(f"{path} does not run as {VERSION}: {_first_lines(done.stdout + done.stderr)}")
    return Client(path, VERSION)
