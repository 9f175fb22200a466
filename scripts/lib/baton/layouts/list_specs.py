"""The stories of other tools in this repository: which layouts are here, and what lies in them."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from baton.artifacts.claims import is_below
from baton.artifacts.document import read_document
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.paths import Project
from baton.layouts.find_specs import FoundSpec, find_specs
from baton.layouts.layout import SpecLayout, read_layouts, story_id
from baton.layouts.look_at_specs import Spec, SpecReader, look_at
from baton.project.settings import read_settings

MOST_FILES = 50_000


class Listed(NamedTuple):
    """The stories that were found, and what could not be read."""

    specs: list[Spec]
    faults: list[BatonError]


def list_specs(project: Project, path: str = "") -> Listed:
    """Return the stories of every layout that is here, or of one folder; a BatonError where that has none."""
    _, layouts = _settings(project)
    reader, listed = spec_reader(project), Listed([], [])
    for layout in layouts:
        for root in _roots(project, layout, path):
            try:
                found = [one for one in _find(project, layout, root) if _is_in(one.home, path, root)]
                listed.specs.extend(look_at(reader, one) for one in found)
            except BatonError as fault:  # one index that is broken hides no other
                listed.faults.append(fault)
    if path and not listed.specs and not listed.faults:
        known = ", ".join(one.name for one in layouts)
        remedy = f"baton reads these layouts: {known}; another is a table under `layouts:` in .baton.yaml"
        raise BatonError("no story of another tool", path, remedy)
    return listed


def find_spec(project: Project, name: str) -> Spec | None:
    """Return the story of another tool that has this id, or whose folder or document a path is; None for none."""
    for layout in _settings(project)[1]:
        for root in _roots(project, layout):
            if "/" in name and not name.startswith(f"{root}/"):
                continue
            for found in _find(project, layout, root):
                if story_id(layout, name) == found.id or _is_its(found, name):
                    return look_at(spec_reader(project), found)
    return None


def foreign_ids(project: Project) -> set[str]:
    """Return the ids that stories of other tools have here; what cannot be read has none."""
    found = set[str]()
    for layout in _settings(project)[1]:
        for root in _roots(project, layout):
            try:
                found |= {one.id for one in _find(project, layout, root)}
            except BatonError:
                continue
    return found


def spec_reader(project: Project) -> SpecReader:
    """Return where the specs of a project are looked at."""
    git = Git(project)
    base = _settings(project)[0]
    names = git.do("ls-tree", "-r", "-z", "--name-only", base, "--").split("\0")[:-1] if base else []
    return SpecReader(project, git, base, names)


def _settings(project: Project) -> tuple[str, list[SpecLayout]]:
    base, config = read_settings(Git(project), "")
    return base, read_layouts(config.layouts)


def _is_in(home: str, path: str, root: str) -> bool:
    return not path or is_below(root, path) or is_below(home, path)


def _is_its(found: FoundSpec, path: str) -> bool:
    own = {one for paths in found.documents.values() for one in paths}
    return path.rstrip("/") in (found.home, found.home.rpartition("/")[2]) or path in own


def _roots(project: Project, layout: SpecLayout, path: str = "") -> list[str]:
    """Return the roots of a layout that are here: below the path that is asked for, around it, or that itself."""
    wanted = path.strip("/")
    near = [one for one in layout.roots if is_below(one, wanted) or is_below(wanted, one)]
    roots = near or [wanted] if wanted else list(layout.roots)
    return [one for one in roots if _is_folder(project.root, one)]


def _is_folder(top: Path, name: str) -> bool:
    """Whether a path is a folder that no link leads away from."""
    real = os.path.realpath(top / name)
    return os.path.isdir(real) and real == os.path.join(os.path.realpath(top), name)


def _find(project: Project, layout: SpecLayout, root: str) -> list[FoundSpec]:
    names = [one for _, one in zip(range(MOST_FILES), _files(project.root, root), strict=False)]
    return find_specs(layout, root, names, lambda name: read_document(project.root / name))


def _files(top: Path, root: str) -> Iterator[str]:
    for folder, folders, files in os.walk(top / root):
        folders.sort()
        paths = [Path(folder, one) for one in sorted(files) if one.isprintable()]
        yield from (one.relative_to(top).as_posix() for one in paths if one.is_file() and not one.is_symlink())
