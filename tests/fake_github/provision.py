"""What the stand-in needs beside itself: GitHub's schema and a real gh."""

from __future__ import annotations

import functools
import os
import re
import shutil
from pathlib import Path

from fetched import CannotFetch, Missing, cached, run, unpack_from_npm

SCHEMA_VERSION = "15.26.1"
SCHEMA_PACKAGE = f"@octokit/graphql-schema@{SCHEMA_VERSION}"
SCHEMA_INTEGRITY = "RFDC2MpRBd4AxSRvUeBIVeBU7ojN/SxDfALUd7iVYOSeEK3gZaqR2MGOysj4Zh2xj2RY5fQAUT+Oqq7hWTraMA=="
OLDEST_GH = (2, 23)


@functools.cache
def schema() -> Path | Missing:
    """Return GitHub's published GraphQL schema, fetched if it was not yet, or why it cannot be had."""

    def fetch(folder: Path) -> None:
        unpack_from_npm(SCHEMA_PACKAGE, SCHEMA_INTEGRITY, "schema.graphql", folder)

    return cached(f"github-schema/{SCHEMA_VERSION}", "schema.graphql", fetch)


@functools.cache
def gh() -> Path | Missing:
    """Return a gh that is new enough: one on PATH, else the one of this system's packages, not installed."""
    on_path = shutil.which("gh")
    if on_path and new_enough(_version(Path(on_path))):
        return Path(on_path)
    if not shutil.which("apt-get") or not shutil.which("dpkg-deb"):
        return Missing(f"gh {'.'.join(map(str, OLDEST_GH))} or later is not installed, and there is no apt-get")
    found = cached("gh/package", "usr/bin/gh", _unpack_package)
    if isinstance(found, Path) and not new_enough(version := _version(found)):
        return Missing(f"{found} is too old or does not run: it says {version!r}")
    return found


def new_enough(version: str) -> bool:
    """Say whether gh's own words name a version that is as new as the oldest we support."""
    found = re.match(r"gh version (\d+)\.(\d+)", version)
    return bool(found) and (int(found[1]), int(found[2])) >= OLDEST_GH if found else False


def _version(program: Path) -> str:
    try:
        return run([str(program), "--version"], program.parent).partition("\n")[0]
    except CannotFetch as problem:
        return str(problem)


def _unpack_package(folder: Path) -> None:
    """Download gh's package with lists of our own: nobody may write to what belongs to the system."""
    scratch = folder.parent
    for name in ("state/lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True)
    settings = {
        "Dir::State": scratch / "state", "Dir::Cache": scratch / "cache", "Dir::Cache::pkgcache": "",
        "Dir::Cache::srcpkgcache": "",
        # The sandbox user of apt could not write here.
        "APT::Sandbox::User": "root" if os.geteuid() == 0 else "",
    }  # fmt: skip
    apt = ["apt-get", "-qq", *(word for name, value in settings.items() for word in ("-o", f"{name}={value}"))]
    run([*apt, "update"], scratch)
    run([*apt, "download", "gh"], scratch)
    package = next(scratch.glob("gh_*.deb"), None)
    if package is None:
        raise CannotFetch("apt-get downloaded no package of gh")
    run(["dpkg-deb", "-x", str(package), str(folder)], scratch)
