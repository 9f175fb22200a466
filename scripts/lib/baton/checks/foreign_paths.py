"""Find what would have a project's commands run, or write to, the code of another work tree.

The standard library alone: the process that runs the commands uses it.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from baton.checks.check_tree import CheckTree
from baton.checks.child_environment import away_from_home, command_environment, is_within, leads_to, without_trees
from baton.checks.manifests import TreeFile, manifests_in
from baton.git.worktrees import other_trees

# Where packages are installed and things are built: a set-up writes through a link by such a name.
INSTALLED = ("node_modules", ".venv", "venv", "vendor", "target")
PYTHON = re.compile(r"pyproject\.toml|setup\.(py|cfg)|.*requirements.*\.txt|Pipfile|noxfile\.py|tox\.ini")
# Commands that bring their own Python, whatever is on the PATH.
OWN_PYTHON = re.compile(r"\bvenv/bin/|\b(uv|poetry|pdm|hatch|pipenv|tox|nox|rye|pixi)\s")
# What `pip install -e` leaves in a folder of installed packages (setuptools, "Development Mode").
EDITABLES = ("*.pth", "__editable__*.py")
PROBE = "import json, sys; print(json.dumps(sys.path))"
PROBE_SECONDS = 20
MOST_BYTES = 1_000_000


class Surroundings(NamedTuple):
    """The surroundings of commands: the check tree, the repository's other trees, the environment, their lines."""

    tree: str
    others: Sequence[str]
    environment: Mapping[str, str]
    lines: Sequence[str]
    entries: Sequence[TreeFile]


def look_around(tree: CheckTree, commit: str, lines: Sequence[str]) -> Surroundings:
    """Return where these command lines are to run for a commit (or its tree)."""
    others = other_trees(tree.common, tree.path)
    environment = without_trees(command_environment(os.environ), str(tree.path), others)
    return Surroundings(str(tree.path), others, environment, lines, tree.entries(commit))


def find_foreign(where: Surroundings) -> str:
    """Return what leads into another work tree, and what to do about it; empty when nothing does."""
    away = where._replace(others=away_from_home(where.environment, where.others))
    looks = (_links, _environments, _pythons)
    return next((problem for look in looks for problem in look(away)), "")


def _links(where: Surroundings) -> Iterator[str]:
    top, packages = Path(where.tree), {manifest.folder for manifest in manifests_in(list(where.entries))}
    installed = [top / folder / name for folder in sorted({"", *packages}) for name in INSTALLED]
    for path in filter(Path.is_symlink, [*installed, *sorted(top.glob("*"))]):
        name = path.relative_to(top)
        if path.name in INSTALLED and not is_within(str(path), where.tree):
            yield f"{name} is a link to {os.readlink(path)}: have the folder itself in its place"
        elif other := leads_to(str(path), where.tree, where.others):
            yield f"{name} is a link into the work tree {other}: put the thing itself there"


def _environments(where: Surroundings) -> Iterator[str]:
    """Look into the Python environments that lie in the tree."""
    packages = {entry.folder for entry in where.entries if PYTHON.fullmatch(entry.name)}
    remedy = "have `setup` make it anew, as with `python3 -m venv --clear`"
    for folder in sorted({"", *packages} if packages else ()):
        for name in (".venv", "venv"):
            sites = Path(where.tree, folder, name).glob("lib/*/site-packages")
            yield from _installed(os.path.join(folder, name), sites, where, remedy)


def _pythons(where: Surroundings) -> Iterator[str]:
    """Look what the Pythons on the PATH would import, where there is Python and a command may use one of them."""
    if not any(PYTHON.fullmatch(entry.name) for entry in where.entries):
        return
    if where.lines and all(map(OWN_PYTHON.search, where.lines)):
        return
    remedy = "uninstall it there, or have `setup` make a .venv and the commands use that"
    paths = (shutil.which(name, path=where.environment.get("PATH", os.defpath)) for name in ("python3", "python"))
    for python in dict.fromkeys(filter(None, paths)):
        places = _import_places(python, where)
        if places is None:
            yield f"{python} does not say in {PROBE_SECONDS} s what it imports: see what it waits for"
            continue
        for place in places:
            if other := leads_to(place, where.tree, where.others):
                yield f"{python} imports from the work tree {other} ({place} is on its sys.path): {remedy}"
        sites = [Path(place) for place in places if place.endswith(("site-packages", "dist-packages"))]
        yield from _installed(python, sites, where, remedy)


def _import_places(python: str, where: Surroundings) -> list[str] | None:
    """Ask a Python for its sys.path; none where it says nothing, None where it does not end."""
    words = [python, "-c", PROBE]
    environment = {**where.environment, "PYTHONSAFEPATH": "1"}
    try:
        done = subprocess.run(
            words, cwd="/", env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS
        )
        return [load for load in json.loads(done.stdout) if isinstance(load, str) and os.path.isabs(load)]
    except subprocess.TimeoutExpired:
        return None
    except (OSError, ValueError, TypeError):
        return []


def _installed(what: str, sites: Iterable[Path], where: Surroundings, remedy: str) -> Iterator[str]:
    """Find what is installed in folders of packages from another work tree, as `pip install -e` does it."""
    for site in sites:
        for path in (path for pattern in EDITABLES for path in sorted(site.glob(pattern))):
            if other := _named(path, where.tree, where.others):
                name = path.relative_to(site)
                yield f"{what} imports from the work tree {other} ({name} in {site}): {remedy}"


def _named(path: Path, tree: str, others: Sequence[str]) -> str:
    """Return which of the other trees a file names; `tree` itself may lie in one of them."""
    try:
        with path.open(encoding="utf-8", errors="surrogateescape") as file:
            text = unquote(file.read(MOST_BYTES))
    except (OSError, ValueError):
        return ""
    for own in (tree, os.path.realpath(tree)):
        text = re.sub(rf"{re.escape(own)}(?![\w.-])", "", text)
    return next((other for other in others if re.search(rf"{re.escape(other)}(?![\w.-])", text)), "")
