"""What a project's set-up reads: when none of it has changed, what it made still holds.

The standard library alone: the process that runs the commands uses it.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

# By language: the files that say what is to be installed, and with which tool.
MANIFEST = re.compile(
    "|".join(
        (
            r"package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-(lock|workspace)\.yaml|bun\.lockb?"
            r"|\.npmrc|binding\.gyp|\.yarnrc(\.yml)?|\.nvmrc|\.node-version|deno\.(jsonc?|lock)|lerna\.json",
            r"pyproject\.toml|setup\.(py|cfg)|.*requirements.*\.(txt|in)|constraints.*\.txt|.*environment\.ya?ml"
            r"|(uv|poetry|pdm|pylock)\.(lock|toml)|Pipfile(\.lock)?|\.python-version|tox\.ini|noxfile\.py",
            r"Cargo\.(toml|lock)|rust-toolchain(\.toml)?",
            r"go\.(mod|sum|work|work\.sum)",
            r"Gemfile(\.lock)?|.*\.gemspec|\.ruby-version",
            r"composer\.(json|lock)",
            r"pom\.xml|.*\.gradle(\.kts)?|gradle(-wrapper)?\.properties|gradle\.lockfile|libs\.versions\.toml"
            r"|build\.sbt",
            r"mix\.(exs|lock)|rebar\.(config|lock)",
            r".*\.(csproj|fsproj|sln)|packages\.lock\.json|global\.json|nuget\.config|Directory\.\w+\.props",
            r"Package\.(swift|resolved)|.*\.cabal|cabal\.project|stack\.yaml|lakefile\.\w+|lean-toolchain",
            r"(GNU)?[Mm]akefile|CMakeLists\.txt|meson\.build|[Jj]ustfile|flake\.(nix|lock)|\.tool-versions",
        )
    )
)
# A set-up that builds or copies the project's own code is run for each tree, or old code would be tested.
BUILDS = re.compile(
    r"\b(build|compile|make|cmake|ninja|meson|mvnw?|gradlew?|sbt|cargo|tsc|webpack|rollup|esbuild|tsup|vite|bazel"
    r"|maturin)\b|setup\.py (install|develop)"
)
INSTALLS_ITSELF = re.compile(r"install\s(?:[^&|;]*\s)?(?<!-e )(?<!--editable )['\"]?\.(?=[/\s\[;&|'\"]|$)")
LIFECYCLE = (
    "preinstall", "install", "postinstall", "prepublish", "preprepare", "prepare", "postprepare",
)  # fmt: skip
# What an install compiles where a manifest says so.
NATIVE = re.compile(r".*\.(c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|rs|f|f90|zig|swift|go)")
COMPILED = re.compile(r"ext_modules|cythonize|maturin|scikit-build|meson-python|mesonpy|setuptools-rust")


class Entry(NamedTuple):
    """A file of a commit's tree: its mode, what is in it by name, and its path."""

    mode: str
    blob: str
    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        return self.path.rpartition("/")[0]


def read_entries(listed: str) -> list[Entry]:
    """Read what `git ls-tree -r -z` printed."""
    rows = (one.partition("\t") for one in listed.split("\0") if one)
    return [Entry(told.split()[0], told.split()[2], path) for told, _, path in rows]


def manifests(entries: list[Entry]) -> list[Entry]:
    """Return the entries that say what is to be installed."""
    return [one for one in entries if MANIFEST.fullmatch(one.name)]


def setup_digest(line: str, tree: str, top: Path, entries: list[Entry]) -> str:
    """Name what a set-up line reads of a tree that is checked out at `top`."""
    found = manifests(entries)
    if BUILDS.search(line) or INSTALLS_ITSELF.search(line) or any(map(BUILDS.search, _scripts(top, found))):
        return hashlib.sha256(f"{line}\0{tree}".encode()).hexdigest()
    words = {one.removeprefix("./") for one in re.split(r"[\s'\"=;&|()]+", line)}
    read = {one for one in entries if one in found or one.path in words or one.mode == "160000"}
    if _compiles(top, found):
        read |= {one for one in entries if NATIVE.fullmatch(one.name)}
    told = json.dumps([line, sorted(read)])
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def _scripts(top: Path, found: list[Entry]) -> Iterator[str]:
    """Return the scripts that an install of node packages runs of the project's own."""
    for one in found:
        if one.name == "package.json":
            try:
                scripts = json.loads(_text(top / one.path)).get("scripts", {})
                yield from (str(scripts[name]) for name in LIFECYCLE if name in scripts)
            except (ValueError, AttributeError, TypeError, RecursionError):
                continue  # npm says so better


def _compiles(top: Path, found: list[Entry]) -> bool:
    texts = (_text(top / one.path) for one in found if one.name in ("setup.py", "pyproject.toml"))
    return any(one.name == "binding.gyp" for one in found) or any(map(COMPILED.search, texts))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
