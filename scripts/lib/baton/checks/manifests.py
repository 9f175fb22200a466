"""The files that a project's set-up reads: when none of them has changed, what it made still holds.

The standard library alone: the process that runs the commands uses it.
"""

import hashlib
import json
import re
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
# What an install of the project then does by itself: scripts of its life cycle, and native code.
LIFECYCLE = re.compile(r'"(?:(?:pre|post)?(?:install|prepare)|prepublish)"\s*:\s*"((?:[^"\\]|\\.)*)"')
COMPILED = re.compile(r"ext_modules|cythonize|maturin|scikit-build|meson-python|mesonpy|setuptools-rust")


class TreeFile(NamedTuple):
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


def read_entries(listed: str) -> list[TreeFile]:
    """Return the files that `git ls-tree -r -z` listed."""
    rows = (row.partition("\t") for row in listed.split("\0") if row)
    return [TreeFile(about.split()[0], about.split()[2], path) for about, _, path in rows]


def manifests_in(entries: list[TreeFile]) -> list[TreeFile]:
    """Return the entries that say what is to be installed."""
    return [entry for entry in entries if MANIFEST.fullmatch(entry.name)]


def setup_digest(line: str, tree: str, top: Path, entries: list[TreeFile]) -> str:
    """Return a digest of all that a set-up line reads of a tree, which is checked out at `top`."""
    files = manifests_in(entries)
    if BUILDS.search(line) or INSTALLS_ITSELF.search(line) or any(_builds(top, manifest) for manifest in files):
        return hashlib.sha256(f"{line}\0{tree}".encode()).hexdigest()
    words = {word.removeprefix("./") for word in re.split(r"[\s'\"=;&|()]+", line)}
    read = {entry for entry in entries if entry in files or entry.path in words or entry.mode == "160000"}
    return hashlib.sha256(json.dumps([line, sorted(read)]).encode()).hexdigest()


def _builds(top: Path, manifest: TreeFile) -> bool:
    """Whether an install of a package compiles code of its own."""
    if manifest.name not in ("package.json", "setup.py", "pyproject.toml"):
        return manifest.name == "binding.gyp"
    try:
        text = (top / manifest.path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    if manifest.name == "package.json":
        return any(map(BUILDS.search, LIFECYCLE.findall(text)))
    return COMPILED.search(text) is not None
