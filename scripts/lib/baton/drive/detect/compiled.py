"""Go and Rust: one tool builds and tests a module, or all of a workspace."""

import re
from posixpath import normpath
from shlex import quote

from baton.drive.detect.files import Folder, Found, Line, part, strings

GO = ("go.mod", "go.work")
RUST = ("Cargo.toml",)
USE = re.compile(r"^use[ \t]+(?:\(([^)]*)\)|(\S+))", re.M)
COMMENT = re.compile(r"//.*")


def find_go(folder: Folder) -> Found:
    """Find how a Go module, or the modules of a workspace, are built and tested."""
    used = _used(folder)
    source = "go.work" if used else folder.first("go.mod")
    if not source:
        return Found()
    everything = " ".join(quote("./..." if one == "." else f"./{one}/...") for one in used) or "./..."
    return Found(Line(), Line(f"go build {everything}", source), Line(f"go test {everything}", source))


def covers_go(folder: Folder, path: str) -> bool:
    """Whether a folder below is in this one's workspace."""
    return path in _used(folder)


def _used(folder: Folder) -> list[str]:
    text = COMMENT.sub("", folder.text("go.work"))
    listed = [word.strip('"`') for block, one in USE.findall(text) for word in (block or one).split()]
    return [one for one in map(normpath, listed) if not one.startswith(("..", "/")) and _has_module(folder, one)]


def _has_module(folder: Folder, path: str) -> bool:
    return folder.has("go.mod" if path == "." else f"{path}/go.mod")


def find_rust(folder: Folder) -> Found:
    """Find how a Cargo package or workspace is built and tested."""
    manifest = folder.table("Cargo.toml")
    if not ("package" in manifest or "workspace" in manifest):
        return Found()
    if part(manifest, "package", "metadata").get("cargo-fuzz"):
        folder.doubt("Cargo.toml", "fuzz targets, which do not end by themselves")
        return Found()
    words = " --workspace" * ("workspace" in manifest) + " --locked" * folder.has("Cargo.lock")
    # Left to itself it stops at the first target that fails, and hides what fails in the others.
    test = f"cargo test{words} --no-fail-fast"
    return Found(Line(), Line(f"cargo build{words}", "Cargo.toml"), Line(test, "Cargo.toml"))


def covers_rust(folder: Folder, path: str) -> bool:
    """Whether cargo counts a folder below to this one's workspace: all of them, but what is left out or is one."""
    workspace = folder.table("Cargo.toml").get("workspace")
    if not isinstance(workspace, dict) or "workspace" in folder.table(f"{path}/Cargo.toml"):
        return False
    without = (one.strip("/") for one in strings(workspace.get("exclude")))
    return not any(f"{path}/".startswith(f"{one}/") for one in without)
