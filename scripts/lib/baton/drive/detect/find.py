"""A project's commands: those at its root, and one line for each package below that they leave out."""

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

from baton.drive.detect import compiled, make, node, python
from baton.drive.detect.files import AND, Files, Folder, Found, Line

PREPUSH_LIMIT = 20
PATH_LENGTH = 200
# Projects below these are what tests work on.
FOR_TESTS = re.compile(r"(__)?tests?(__)?|tests?[-_].*")


class Ecosystem(NamedTuple):
    """What makes a folder a project of its own, its commands, and which such folders below it these take in."""

    manifests: tuple[str, ...]
    find: Callable[[Folder], Found]
    covers: Callable[[Folder, str], bool]


# In the order in which their commands run where there are several.
ECOSYSTEMS = {
    "Python": Ecosystem(python.MANIFESTS, python.find_python, python.covers_python),
    "Node": Ecosystem(node.MANIFESTS, node.find_node, node.covers_node),
    "Go": Ecosystem(compiled.GO, compiled.find_go, compiled.covers_go),
    "Rust": Ecosystem(compiled.RUST, compiled.find_rust, compiled.covers_rust),
}


class Part(NamedTuple):
    """What is to run in a folder when something below it has changed, and where that was read."""

    path: str
    line: Line


class Commands(NamedTuple):
    """What a project's files say of its commands, and what was passed over or left out."""

    setup: Line
    build: Line
    test: Line
    prepush: tuple[Part, ...]
    doubts: tuple[str, ...]


def find_commands(names: Iterable[str], read: Callable[[str], str]) -> Commands:
    """Find the commands of a project from the names of its tracked files; `read` gives the text of one.

    What `read` refuses with a BatonError, and what is no valid manifest, is passed over with a doubt.
    """
    files = Files(names, read)
    root = _commands(Folder(files, ""), ECOSYSTEMS.values())
    parts = _parts(files)
    return Commands(root.setup, root.build, root.test, tuple(parts), tuple(files.doubts))


def _commands(folder: Folder, ecosystems: Iterable[Ecosystem]) -> Found:
    """Put together what each ecosystem has in a folder; a makefile's targets wrap them."""
    found = [one.find(folder) for one in ecosystems]
    makefile, targets = make.find_targets(folder)
    builds, tests = [one.build for one in found], [one.test for one in found]
    build, test = _target(targets, builds, "build", "all"), _target(targets, tests, "test", "check")
    # What is neither built nor tested needs no setup, unless a makefile does that.
    used = [one for one in found if build or test or one.build.run or one.test.run]
    activate = "".join(one.activate for one in used)
    return Found(
        _joined(one.setup for one in used),
        Line(f"{activate}make {build}", makefile) if build else _joined(builds),
        Line(f"{activate}make {test}", makefile) if test else _joined(tests),
    )


def _target(targets: set[str], lines: list[Line], strong: str, weak: str) -> str:
    """Give the target to make: the one that wraps the lines, or one that stands in where there are none."""
    if strong in targets:
        return strong
    return weak if weak in targets and not any(one.run for one in lines) else ""


def _joined(lines: Iterable[Line]) -> Line:
    there = [one for one in lines if one.run]
    sources = dict.fromkeys(name for one in there for name in one.source.split(AND))
    return Line(" && ".join(dict.fromkeys(one.run for one in there)), AND.join(sources))


def _parts(files: Files) -> list[Part]:
    """The folders below the root with a manifest of their own that nothing above them takes in."""
    parts: list[Part] = []
    for path in files.folders_with([name for one in ECOSYSTEMS.values() for name in one.manifests]):
        own = [one for one in ECOSYSTEMS.values() if _is_own(files, path, one)]
        found = _commands(Folder(files, path), own) if own else Found()
        if not (found.build.run or found.test.run):
            continue
        if len(path) > PATH_LENGTH or not path.isprintable():
            files.doubt(path[:PATH_LENGTH], "has commands, but a name to be written by hand")
        elif len(parts) == PREPUSH_LIMIT:
            files.doubt(path, f"the first of those that are more than {PREPUSH_LIMIT} packages")
            break
        else:
            parts.append(Part(path, _joined((found.setup, found.build, found.test))))
    return parts


def _is_own(files: Files, path: str, one: Ecosystem) -> bool:
    if not any(files.has(f"{path}/{name}") for name in one.manifests):
        return False
    names = path.split("/")
    if any(map(FOR_TESTS.fullmatch, names)):
        return False
    above = ["/".join(names[:length]) for length in range(len(names))]
    return not any(one.covers(Folder(files, top), path[len(top) + bool(top) :]) for top in above)
