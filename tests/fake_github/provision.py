"""What the stand-in needs beside itself: GitHub's schema and a real gh."""

import functools
import hashlib
import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

from fetched import CannotFetch, Missing, cached, run, unpack_from_npm

SCHEMA_VERSION = "15.26.1"
SCHEMA_PACKAGE = f"@octokit/graphql-schema@{SCHEMA_VERSION}"
SCHEMA_INTEGRITY = "RFDC2MpRBd4AxSRvUeBIVeBU7ojN/SxDfALUd7iVYOSeEK3gZaqR2MGOysj4Zh2xj2RY5fQAUT+Oqq7hWTraMA=="
REST_VERSION = "23.0.2"
REST_PACKAGE = f"@octokit/openapi@{REST_VERSION}"
REST_INTEGRITY = "pV8M7L9GY23AybNvTmo2nyjmpmnt6+2sRE/tqr0ZLQcPS4lnw7u5eZGNmwRNkBC3D7gZXbFx5AHzLUVRBXGDhg=="
REST_FILE = "generated/api.github.com.json"
# The operations the stand-in answers, by the templates of their paths below the repository.
OPERATIONS = (
    ("get", ""), ("get", "/environments"), ("get", "/pulls"), ("post", "/pulls"),
    ("get", "/pulls/{pull_number}"), ("put", "/pulls/{pull_number}/merge"),
    ("get", "/branches/{branch}"), ("get", "/rules/branches/{branch}"), ("get", "/actions/runs"),
    ("get", "/actions/workflows"), ("get", "/actions/jobs/{job_id}"), ("get", "/commits/{ref}/check-runs"),
    ("get", "/commits/{ref}/status"), ("get", "/deployments"), ("get", "/deployments/{deployment_id}/statuses"),
    ("get", "/issues/{issue_number}/comments"), ("post", "/issues/{issue_number}/comments"),
)  # fmt: skip
OLDEST_GH = (2, 23)


@functools.cache
def schema() -> Path | Missing:
    """Return GitHub's published GraphQL schema, fetched if it was not yet, or why it cannot be had."""

    def fetch(folder: Path) -> None:
        unpack_from_npm(SCHEMA_PACKAGE, SCHEMA_INTEGRITY, "schema.graphql", folder / "schema.graphql")

    return cached(f"github-schema/{SCHEMA_VERSION}", "schema.graphql", fetch)


@functools.cache
def rest_description() -> Path | Missing:
    """Return the part of GitHub's published REST description that is used, or why it cannot be had."""

    def fetch(folder: Path) -> None:
        unpack_from_npm(REST_PACKAGE, REST_INTEGRITY, REST_FILE, folder / "whole.json")
        whole = json.loads((folder / "whole.json").read_text(encoding="utf-8"))
        (folder / "whole.json").unlink()
        (folder / "rest.json").write_text(json.dumps(_used(whole)), encoding="utf-8")

    wanted = hashlib.sha256(repr(OPERATIONS).encode()).hexdigest()[:12]
    return cached(f"github-rest/{REST_VERSION}-{wanted}", "rest.json", fetch)


def _used(whole: Any) -> dict[str, Any]:
    """Return the answers of the operations that are used and the schemas they lead to, `nullable` spelled out."""
    answers: dict[str, dict[str, Any]] = {}
    for method, path in OPERATIONS:
        responses = whole["paths"][f"/repos/{{owner}}/{{repo}}{path}"][method]["responses"]
        bodies = {status: one.get("content", {}).get("application/json") for status, one in responses.items()}
        answers[f"{method} {path}"] = {status: _spelled(one["schema"]) for status, one in bodies.items() if one}
    schemas: dict[str, Any] = {}
    left = _references(answers)
    while left:
        name = left.pop()
        if name not in schemas:
            schemas[name] = _spelled(whole["components"]["schemas"][name])
            left |= _references(schemas[name])
    return {"answers": answers, "components": {"schemas": schemas}}


def _references(value: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(value)))


def _spelled(value: Any) -> Any:
    """Return a schema of OpenAPI 3.0 as JSON Schema has it: `nullable` is a form of its own there."""
    if isinstance(value, list):
        return [_spelled(one) for one in value]
    if not isinstance(value, dict):
        return value
    plain = {name: _spelled(one) for name, one in value.items() if name not in ("nullable", "example", "examples")}
    return {"anyOf": [plain, {"type": "null"}]} if value.get("nullable") is True else plain


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
