"""The tracked files of a project as the search for its commands sees them: names, and the text of a few."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from posixpath import basename, dirname
from typing import Any, NamedTuple

from baton.artefacts.front_matter import YamlFault, load_yaml
from baton.artefacts.strict_json import JsonFault, load_json
from baton.drive.detect.toml import TomlFault, load_toml
from baton.errors import BatonError

# What lies below these is somebody else's, or there to be looked at.
SKIPPED = {
    "node_modules", "vendor", "third_party", "testdata", "example", "examples", "fixture", "fixtures",
    "__fixtures__",
}  # fmt: skip
LOADERS: dict[str, Callable[[str], Any]] = {"json": load_json, "toml": load_toml, "yaml": load_yaml}


# Between the names of the files a line was read from.
AND = " and "


class Line(NamedTuple):
    """A shell line and the files it was read from; both empty when there is none."""

    run: str = ""
    source: str = ""


class Found(NamedTuple):
    """The commands of one folder, or of one ecosystem in it; `activate` goes before a line that wraps them."""

    setup: Line = Line()
    build: Line = Line()
    test: Line = Line()
    activate: str = ""


class Files:
    """All tracked files by name, the way to read one, and what was passed over on the way."""

    def __init__(self, names: Iterable[str], read: Callable[[str], str]) -> None:
        self.names = sorted(name for name in names if not set(name.split("/")[:-1]) & SKIPPED)
        self.doubts: list[str] = []
        self._known = set(self.names)
        self._read = read
        self._texts: dict[str, str] = {}
        self._tables: dict[str, dict[str, Any]] = {}

    def has(self, name: str) -> bool:
        """Whether a file is tracked."""
        return name in self._known

    def below(self, folder: str) -> list[str]:
        """The names of all files below a folder, the root when it is empty; none of a hidden folder in it."""
        start = f"{folder}/" if folder else ""
        first = bisect_left(self.names, start)
        # The sign after a slash: no name below the folder sorts behind it.
        end = bisect_left(self.names, f"{folder}0") if folder else len(self.names)
        return [name for name in self.names[first:end] if not _is_hidden(dirname(name[len(start) :]))]

    def folders_with(self, manifests: Iterable[str], folder: str = "") -> list[str]:
        """The folders below a folder that hold one of these files, outer ones first."""
        wanted = set(manifests)
        found = {dirname(name) for name in self.below(folder) if basename(name) in wanted}
        return sorted(found - {folder}, key=lambda path: path.split("/"))

    def text(self, name: str, quiet: bool = False) -> str:
        """Give a file's text, or nothing when it is not there or, with a doubt, cannot be read as text."""
        if name not in self._known:
            return ""
        if name not in self._texts:
            try:
                self._texts[name] = self._read(name)
            except BatonError as error:
                self._texts[name] = ""
                if not quiet:
                    self.doubt(name, error.what)
        return self._texts[name]

    def table(self, name: str) -> dict[str, Any]:
        """Give what a JSON, TOML or YAML file holds by its keys; nothing, with a doubt, when it is broken."""
        if name not in self._tables:
            text = self.text(name)
            try:
                value = LOADERS[name.rpartition(".")[2]](text) if text else {}
            except (JsonFault, TomlFault, YamlFault) as fault:
                self.doubt(name, f"broken ({fault})")
                value = {}
            self._tables[name] = value if isinstance(value, dict) else {}
        return self._tables[name]

    def doubt(self, name: str, why: str) -> None:
        """Note once that a file, or a part of it, was passed over."""
        line = f"{name}: {why}"
        if line not in self.doubts:
            self.doubts.append(line)


class Folder(NamedTuple):
    """One folder of a project, with names as they are from there."""

    files: Files
    path: str

    def name(self, name: str) -> str:
        """Name a file or folder of this one from the root."""
        return f"{self.path}/{name}" if self.path else name

    def has(self, name: str) -> bool:
        """Whether a file in this folder is tracked."""
        return self.files.has(self.name(name))

    def first(self, *names: str) -> str:
        """The first of some files that is there, or nothing."""
        return next((name for name in names if self.has(name)), "")

    def text(self, name: str, quiet: bool = False) -> str:
        """Give the text of a file in this folder, or nothing."""
        return self.files.text(self.name(name), quiet)

    def table(self, name: str) -> dict[str, Any]:
        """Give what a JSON, TOML or YAML file holds by its keys; nothing, with a doubt, when it is broken."""
        return self.files.table(self.name(name))

    def below(self) -> Iterator[str]:
        """The names of all files below, as they are from here."""
        return (name[self._start :] for name in self.files.below(self.path))

    def folders_with(self, *manifests: str) -> list[str]:
        """The folders below that hold one of these files, as they are from here."""
        return [one[self._start :] for one in self.files.folders_with(manifests, self.path)]

    @property
    def _start(self) -> int:
        return len(self.path) + bool(self.path)

    def doubt(self, name: str, why: str) -> None:
        """Note that a file of this folder was passed over."""
        self.files.doubt(self.name(name), why)


def part(value: Any, *keys: str) -> dict[str, Any]:
    """Give the table that lies at some keys; an empty one when there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def strings(value: Any) -> list[str]:
    """Give the texts of a list; none when it is no list."""
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def is_member(path: str, patterns: list[str], without: list[str]) -> bool:
    """Whether a folder fits one of the patterns of a workspace and none of those it leaves out."""
    return any(_fits(path, one) for one in patterns) and not any(_fits(path, one) for one in without)


def _fits(path: str, pattern: str) -> bool:
    """Follow a pattern from folder to folder: whether one of the places it can lead to is the path's end."""
    names = path.split("/")
    ends = {0}
    for one in (part for part in pattern.split("/") if part not in ("", ".")):
        if one == "**":
            ends = set(range(min(ends, default=len(names) + 1), len(names) + 1))
        else:
            ends = {end + 1 for end in ends if end < len(names) and fnmatchcase(names[end], one)}
    return len(names) in ends


def _is_hidden(folder: str) -> bool:
    return any(one.startswith(".") for one in folder.split("/"))
