"""Which definitions a path holds: those of a plugin, of a project, or one file of them."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from baton.artifacts.document import read_document
from baton.errors import BatonError
from baton_lab.lint.definition import (
    AGENT,
    COMMAND,
    SKILL,
    Definition,
    DefinitionSet,
    HookEntry,
    hooks_in,
    read_definition,
)

MANIFEST = Path(".claude-plugin", "plugin.json")
PLACES = {AGENT: ("agents", "**/*.md"), SKILL: ("skills", "*/SKILL.md"), COMMAND: ("commands", "**/*.md")}
SETTINGS = ("settings.json", "settings.local.json")
PASSED = {".git", "node_modules", ".venv", "__pycache__"}
DEPTH = 5
REMEDY = "name a plugin's folder, a project with `.claude/`, or a file of one"


class Found(NamedTuple):
    """A set of definitions, what of it could not be read, and the one file that was asked about (None for all)."""

    whole: DefinitionSet
    unreadable: tuple[BatonError, ...]
    only: Path | None = None


def find_definitions(path: Path) -> list[Found]:
    """Find the sets of definitions at a path; a BatonError where there is none."""
    if not os.path.exists(path):  # which says no also for a name that no file can have
        raise BatonError("no such file or folder", str(path), REMEDY)
    path = Path(os.path.abspath(path))
    if path.is_file():
        # A skill may have folders of its own, named like those of a plugin: what holds the file counts.
        around = (_sets_at(root) for root in path.parents if _is_root(root))
        found = next((held for sets in around if (held := [one for one in sets if _holds(one, path)])), [])
        sets = [one._replace(only=path, unreadable=_about(one, path)) for one in found]
    else:
        sets = [one for root in _roots(path) for one in _sets_at(root)]
        sets = sets or ([read_set(path, path.name)] if _has_parts(path) else [])
    if not sets:
        raise BatonError("no definitions of agents, skills, commands or hooks", str(path), REMEDY)
    return sets


def _is_root(folder: Path) -> bool:
    return (folder / MANIFEST).is_file() or (folder / ".claude").is_dir() or _has_parts(folder)


def _has_parts(folder: Path) -> bool:
    return (folder / "hooks/hooks.json").is_file() or any(
        next((folder / name).glob(pattern), None) for name, pattern in PLACES.values()
    )


def _holds(found: Found, path: Path) -> bool:
    files = {definition.path for definition in found.whole.definitions} | {hook.path for hook in found.whole.hooks}
    return path in files or bool(_about(found, path))


def _about(found: Found, path: Path) -> tuple[BatonError, ...]:
    return tuple(error for error in found.unreadable if error.where == str(path))


def _roots(folder: Path, depth: int = DEPTH) -> Iterator[Path]:
    """Yield the folder of a plugin or project, or those below one that is neither."""
    if (folder / MANIFEST).is_file() or (folder / ".claude").is_dir() or folder.name == ".claude":
        yield folder
        return
    try:
        below = sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError as error:
        raise BatonError(f"it cannot be read: {error.strerror}", str(folder), "make it readable") from None
    for one in below if depth else ():
        if one.name not in PASSED and not one.name.startswith("."):
            yield from _roots(one, depth - 1)


def _sets_at(root: Path) -> Iterator[Found]:
    """Yield the plugin and the project's definitions in one folder."""
    if root.name == ".claude":
        yield read_set(root, "")
    if (root / MANIFEST).is_file() or (_has_parts(root) and root.name != ".claude"):
        yield read_set(root, root.name)
    if (root / ".claude").is_dir():
        yield read_set(root / ".claude", "")


def read_set(root: Path, plugin: str) -> Found:
    """Read all definitions of a plugin's folder, or with no `plugin` of a `.claude` folder."""
    reader = _Reader()
    manifest = reader.json(root / MANIFEST) if plugin and (root / MANIFEST).is_file() else {}
    definitions = [
        one for kind in PLACES for path in _paths(root, kind, manifest)
        if (one := reader.definition(kind, path))
    ]  # fmt: skip
    hooks = list(_plugin_hooks(root, manifest, reader) if plugin else _settings_hooks(root, reader))
    in_repository = any((folder / ".git").exists() for folder in (root, *root.parents))
    name = str(manifest.get("name") or plugin)
    return Found(
        DefinitionSet(root, name, in_repository, tuple(definitions), tuple(hooks)), tuple(reader.unreadable)
    )


class _Reader:
    """Reads files, and keeps what it could not read."""

    def __init__(self) -> None:
        self.unreadable: list[BatonError] = []
        self._texts: dict[Path, str | None] = {}

    def text(self, path: Path) -> str | None:
        """Return a file's text; None where it cannot be read."""
        if path not in self._texts:
            try:
                self._texts[path] = read_document(path.resolve())
            except BatonError as error:
                self._texts[path] = None
                remedy = "make it a text file in UTF-8, of 1 MB at most"
                self.unreadable.append(BatonError(error.what, str(path), remedy))
        return self._texts[path]

    def definition(self, kind: str, path: Path) -> Definition | None:
        """Return a definition; None where its file cannot be read."""
        text = self.text(path)
        return None if text is None else read_definition(kind, path, text)

    def json(self, path: Path) -> dict[str, Any]:
        """Return a JSON object; an empty one where the file is none."""
        try:
            value = json.loads(self.text(path) or "{}")
        except (ValueError, RecursionError) as error:
            self.unreadable.append(BatonError(f"not JSON ({error})", str(path), "fix it"))
            return {}
        return value if isinstance(value, dict) else {}


def _paths(root: Path, kind: str, manifest: dict[str, Any]) -> list[Path]:
    """Return the files of a kind, in the usual folder and where the manifest names others."""
    folder, pattern = PLACES[kind]
    named = manifest.get(f"{kind}s") or []
    places = [root / folder, *_inside(root, named)]
    found = [path for place in places for path in ([place] if place.is_file() else sorted(place.glob(pattern)))]
    alone = [place / "SKILL.md" for place in places if kind == SKILL and (place / "SKILL.md").is_file()]
    return [one for one in dict.fromkeys(found + alone) if one.is_file() and one.suffix == ".md"]


def _inside(root: Path, named: object) -> list[Path]:
    """Return the paths that a manifest names, but for those that lead out of the plugin."""
    texts = [one for one in (named if isinstance(named, list) else [named]) if isinstance(one, str)]
    return [root / text for text in texts if _is_inside(root, root / text)]


def _is_inside(root: Path, path: Path) -> bool:
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (ValueError, OSError, RuntimeError):  # no name of a file, or links in a circle
        return False


def _plugin_hooks(root: Path, manifest: dict[str, Any], reader: _Reader) -> Iterator[HookEntry]:
    """Yield the hooks of the plugin's `hooks/hooks.json`, and of what its manifest names or holds."""
    named = manifest.get("hooks") or []
    files = [root / "hooks/hooks.json", *_inside(root, named)]
    for path in dict.fromkeys(Path(os.path.normpath(file)) for file in files if file.is_file()):
        yield from hooks_in(path, reader.text(path) or "", reader.json(path).get("hooks"))
    inline = [one for one in (named if isinstance(named, list) else [named]) if isinstance(one, dict)]
    text = (reader.text(root / MANIFEST) or "") if inline else ""
    for one in inline:
        yield from hooks_in(root / MANIFEST, text, one.get("hooks", one))


def _settings_hooks(root: Path, reader: _Reader) -> Iterator[HookEntry]:
    for name in SETTINGS:
        if (root / name).is_file():
            yield from hooks_in(root / name, reader.text(root / name) or "", reader.json(root / name).get("hooks"))
