"""What would have a project's commands run, or write to, the code of another work tree.

The standard library alone: the process that runs the commands uses it.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import unquote

from baton.checks.child_environment import away_from_home, is_inside, leads_to
from baton.checks.manifests import Entry, manifests

# Where packages are installed and things are built: a set-up writes through a link by such a name.
INSTALLED = ("node_modules", ".venv", "venv", "vendor", "target")
PYTHON = re.compile(r"pyproject\.toml|setup\.(py|cfg)|.*requirements.*\.txt|Pipfile|noxfile\.py|tox\.ini")
# Commands that bring their own Python, whatever is on the PATH.
OWN_PYTHON = re.compile(r"\bvenv/bin/|\b(uv|poetry|pdm|hatch|pipenv|tox|nox|rye|pixi)\s")
EDITABLE = re.compile(r".*\.(pth|egg-link)|__editable__.*\.py|direct_url\.json")
PROBE = "import json, sys; print(json.dumps(sys.path))"
PROBE_SECONDS = 20
MOST_BYTES = 1_000_000


class Surroundings(NamedTuple):
    """Where commands are to run: the check tree, the repository's other trees, the environment, their lines."""

    tree: str
    others: Sequence[str]
    environment: Mapping[str, str]
    lines: Sequence[str]
    entries: Sequence[Entry]


def foreign(where: Surroundings) -> str:
    """Say what leads into another work tree, and what to do about it; nothing when nothing does."""
    found = (look(where) for look in (_links, _packages_above, _environments, _pythons))
    return next((told for each in found for told in each), "")


def _links(where: Surroundings) -> Iterator[str]:
    packages = {one.folder for one in manifests(list(where.entries))}
    named = [os.path.join(folder, name) for folder in sorted({"", *packages}) for name in INSTALLED]
    for name in named:
        path = os.path.join(where.tree, name)
        if os.path.islink(path) and not is_inside(path, where.tree):
            yield f"{name} is a link to {os.readlink(path)}: have the folder itself in its place"
    for name in _names(where.tree):
        path = os.path.join(where.tree, name)
        if os.path.islink(path) and (other := leads_to(path, where.tree, where.others)):
            yield f"{name} is a link into the work tree {other}: put the thing itself there"


def _packages_above(where: Surroundings) -> Iterator[str]:
    if not any(one.name == "package.json" for one in where.entries):
        return
    above = os.path.dirname(where.tree)
    while above != os.path.dirname(above):
        found = os.path.join(above, "node_modules")
        if os.path.isdir(found) and (other := leads_to(found, where.tree, where.others)):
            yield f"Node would load packages from {found}, of the work tree {other}: set XDG_CACHE_HOME elsewhere"
        above = os.path.dirname(above)


def _environments(where: Surroundings) -> Iterator[str]:
    """Look into the Python environments that lie in the tree."""
    packages = {one.folder for one in where.entries if PYTHON.fullmatch(one.name)}
    for folder in sorted({"", *packages} if packages else ()):
        for name in (".venv", "venv"):
            lib = os.path.join(where.tree, folder, name, "lib")
            sites = [os.path.join(lib, one, "site-packages") for one in _names(lib)]
            remedy = "have `setup` make it anew, as with `python3 -m venv --clear`"
            yield from _installed(os.path.join(folder, name), sites, where, where.others, remedy)


def _pythons(where: Surroundings) -> Iterator[str]:
    """Look what the Pythons on the PATH would import, where there is Python and a command may use one of them."""
    if not any(PYTHON.fullmatch(one.name) for one in where.entries):
        return
    if where.lines and all(map(OWN_PYTHON.search, where.lines)):
        return
    others = away_from_home(where.environment, where.others)
    remedy = "uninstall it there, or have `setup` make a .venv and the commands use that"
    paths = (shutil.which(one, path=where.environment.get("PATH", os.defpath)) for one in ("python3", "python"))
    for python in dict.fromkeys(filter(None, paths)):
        places = _import_places(python, where)
        if places is None:
            yield f"{python} does not say in {PROBE_SECONDS} s what it imports: see what it waits for"
            continue
        for one in places:
            if other := leads_to(one, where.tree, others):
                yield f"{python} imports from the work tree {other} ({one} is on its sys.path): {remedy}"
        sites = [one for one in places if one.endswith(("site-packages", "dist-packages"))]
        yield from _installed(python, sites, where, others, remedy)


def _import_places(python: str, where: Surroundings) -> list[str] | None:
    """Ask a Python for its sys.path; none where it says nothing, None where it does not end."""
    words = [python, "-c", PROBE]
    environment = {**where.environment, "PYTHONSAFEPATH": "1"}
    try:
        done = subprocess.run(
            words, cwd="/", env=environment, stdin=subprocess.DEVNULL, capture_output=True, timeout=PROBE_SECONDS
        )
        return [one for one in json.loads(done.stdout) if isinstance(one, str) and os.path.isabs(one)]
    except subprocess.TimeoutExpired:
        return None
    except (OSError, ValueError, TypeError):
        return []


def _installed(
    what: str, sites: Sequence[str], where: Surroundings, others: Sequence[str], remedy: str
) -> Iterator[str]:
    """Find what is installed in a site folder from another work tree, as `pip install -e` does it."""
    for site in sites:
        for path in _editables(site):
            if other := _named(path, where.tree, others):
                name = os.path.relpath(path, site)
                yield f"{what} imports from the work tree {other} ({name} in {site}): {remedy}"


def _editables(site: str) -> Iterator[str]:
    for name in _names(site):
        if EDITABLE.fullmatch(name):
            yield os.path.join(site, name)
        elif name.endswith(".dist-info"):
            yield os.path.join(site, name, "direct_url.json")


def _named(path: str, tree: str, others: Sequence[str]) -> str:
    """Return which of the other trees a file names; `tree` itself may lie in one of them."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            text = unquote(file.read(MOST_BYTES))
    except (OSError, ValueError):
        return ""
    for own in (tree, os.path.realpath(tree)):
        text = re.sub(rf"{re.escape(own)}(?![\w.-])", "", text)
    return next((one for one in others if re.search(rf"{re.escape(one)}(?![\w.-])", text)), "")


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
