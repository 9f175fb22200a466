"""Python: what the tests need, installed into an environment in the work tree, and what runs them."""

import re
from collections.abc import Iterator
from posixpath import basename, dirname
from shlex import quote
from typing import Any, NamedTuple

from baton.drive.detect.files import AND, Folder, Found, Line, is_member, part, strings

MANIFESTS = ("pyproject.toml", "setup.py", "requirements.txt")
FOR_TESTS = ("dev", "develop", "development", "test", "tests", "testing")
REQUIREMENTS = re.compile(
    r"((dev|tests?)[-_])?requirements([-_.](dev|develop|development|tests?|testing))?\.txt"
    r"|requirements/(dev|develop|development|tests?|testing)\.txt|tests?/requirements\.txt"
)
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
PYTEST = re.compile(r"\s*pytest(?![A-Za-z0-9])", re.I)
TESTS = re.compile(r"(test.*|.*_test)\.py")
FOR_PYTEST = re.compile(r"(test_.*|.*_test)\.py")
FOR_UNITTEST = re.compile(r"test.*\.py")
IMPORTS = re.compile(r"^\s*(?:import|from)\s+(pytest|unittest)\b", re.M)
CONFIGURED = {
    "pytest.ini": re.compile(r""),
    ".pytest.ini": re.compile(r""),
    "tox.ini": re.compile(r"^\[pytest\]", re.M),
    "setup.cfg": re.compile(r"^\[tool:pytest\]", re.M),
}
# More test files are not opened to see what they use, nor more folders searched by one line.
READ_LIMIT = 50
STARTS_LIMIT = 3


class Needs(NamedTuple):
    """What tests need: extras, groups (poetry's are `older`), files of requirements; which bring pytest."""

    extras: list[str]
    groups: list[str]
    older: list[str]
    files: list[str]
    pytest: set[str]


class Way(NamedTuple):
    """A way to install a project: its line, the python it leaves, and whether that one has pytest."""

    setup: Line
    python: str
    has_pytest: bool


def find_python(folder: Folder) -> Found:
    """Find how a Python project is set up and tested."""
    project = folder.table("pyproject.toml")
    needs = _needs(folder, project)
    test, source = _tested(folder, project, needs)
    if folder.has("uv.lock"):
        way = _uv(project, needs)
    elif folder.has("poetry.lock"):
        way = _poetry(needs)
    else:
        way = _pip(folder, project, needs, test == ["-m pytest"])
    if test == ["-m pytest"] and not way.has_pytest:
        folder.doubt(way.setup.source, "does not bring pytest, which the tests use")
        test = []
    line = Line(" && ".join(f"{way.python} {one}" for one in test), source) if test else Line()
    return Found(way.setup, Line(), line, ". .venv/bin/activate && " if way.setup.run else "")


def covers_python(folder: Folder, path: str) -> bool:
    """Whether a folder below is set up and tested with this one: a member of its workspace, or no package."""
    inner = Folder(folder.files, folder.name(path))
    if not _is_package(inner):
        own = _is_package(folder) or folder.has("requirements.txt")
        return own or bool(REQUIREMENTS.fullmatch(f"{path}/requirements.txt"))
    workspace = part(folder.table("pyproject.toml"), "tool", "uv", "workspace")
    return is_member(path, strings(workspace.get("members")), strings(workspace.get("exclude")))


def _is_package(folder: Folder) -> bool:
    project = folder.table("pyproject.toml")
    named = project.get("project") or project.get("build-system") or part(project, "tool", "poetry")
    return bool(named) or folder.has("setup.py")


def _needs(folder: Folder, project: dict[str, Any]) -> Needs:
    poetry = part(project, "tool", "poetry")
    extras = part(project, "project", "optional-dependencies")
    groups = part(project, "dependency-groups")
    older = {name: list(part(one, "dependencies")) for name, one in part(poetry, "group").items()}
    chosen = _for_tests(extras), _for_tests(groups), _for_tests(older)
    at_all = [*strings(part(project, "project").get("dependencies")), *part(poetry, "dependencies")]
    files = [name for name in folder.below() if REQUIREMENTS.fullmatch(name)]
    brings = {
        "project": any(map(PYTEST.match, at_all)) or any(_has_pytest(extras, one) for one in chosen[0]),
        "groups": any(_has_pytest(groups, one) for one in chosen[1]),
        "older": any(_has_pytest(older, one) for one in chosen[2])
        or any(map(PYTEST.match, part(poetry, "dev-dependencies"))),
        "files": any(PYTEST.match(line) for name in files for line in folder.text(name).splitlines()),
    }
    return Needs(*chosen, files, {name for name, does in brings.items() if does})


def _for_tests(table: dict[str, Any]) -> list[str]:
    """Name the extras or groups that are usual for tests or bring pytest."""
    names = [one for one in table if one.lower() in FOR_TESTS or _has_pytest(table, one)]
    return [one for one in names if NAME.fullmatch(one)]


def _has_pytest(table: dict[str, Any], name: str, seen: tuple[str, ...] = ()) -> bool:
    entries = table.get(name)
    if not isinstance(entries, list) or name in seen:
        return False
    included = strings([one.get("include-group") for one in entries if isinstance(one, dict)])
    return any(map(PYTEST.match, strings(entries))) or any(
        _has_pytest(table, one, (*seen, name)) for one in included
    )


def _tested(folder: Folder, project: dict[str, Any], needs: Needs) -> tuple[list[str], str]:
    """Give what python is called with to run the tests, and the file that says so; nothing when none is sure."""
    tests = list(_tests(folder))
    uses = {name: IMPORTS.findall(folder.text(name, quiet=True)) for name in tests[:READ_LIMIT]}
    named = ["pyproject.toml"] if "pytest" in part(project, "tool") else []
    named += [name for name, sign in CONFIGURED.items() if folder.has(name) and sign.search(folder.text(name))]
    named += needs.files if "files" in needs.pytest else []
    named += ["pyproject.toml"] if needs.pytest else []
    named += ["the test files"] if any("pytest" in one for one in uses.values()) else []
    if named and any(FOR_PYTEST.fullmatch(basename(name)) for name in tests):
        return ["-m pytest"], named[0]
    if tests and "django" in folder.text("manage.py", quiet=True):
        return ["manage.py test"], "manage.py"
    starts = {_start(folder, name) for name in tests
              if "unittest" in uses.get(name, ()) and FOR_UNITTEST.fullmatch(basename(name))}  # fmt: skip
    if tests and not 0 < len(starts) <= STARTS_LIMIT:
        folder.doubt(tests[0], "a test for which nothing that runs it was found")
        return [], ""
    lines = [f"-m unittest discover -s {quote(one)}" if one else "-m unittest" for one in sorted(starts)]
    return lines, "the test files"


def _tests(folder: Folder) -> Iterator[str]:
    """The test files of a folder that belong to no other project below it."""
    others = [one for one in folder.folders_with(*MANIFESTS) if not covers_python(folder, one)]
    apart = tuple(f"{one}/" for one in others)
    return (name for name in folder.below() if TESTS.fullmatch(basename(name)) and not name.startswith(apart))


def _start(folder: Folder, name: str) -> str:
    """Give the folder from which unittest finds a test: the first above it that is no package."""
    path = dirname(name)
    while path and folder.has(f"{path}/__init__.py"):
        path = dirname(path)
    return path


def _uv(project: dict[str, Any], needs: Needs) -> Way:
    words = ["uv sync --locked"]
    words += ["--all-packages"] if part(project, "tool", "uv", "workspace") else []
    words += [f"--extra {one}" for one in needs.extras] + [f"--group {one}" for one in needs.groups]
    line = Line(" ".join(words), "uv.lock")
    return Way(line, "uv run --no-sync python", bool(needs.pytest & {"project", "groups"}))


def _poetry(needs: Needs) -> Way:
    # Left to itself, poetry takes the environment that is active, or makes one outside the tree.
    words = ['python3 -m venv .venv && VIRTUAL_ENV="$PWD/.venv" poetry install --no-interaction']
    groups = [*needs.older, *needs.groups]
    words += [f"--with {','.join(groups)}"] if groups else []
    words += [f"--extras {quote(' '.join(needs.extras))}"] if needs.extras else []
    return Way(Line(" ".join(words), "poetry.lock"), ".venv/bin/python", bool(needs.pytest - {"files"}))


def _pip(folder: Folder, project: dict[str, Any], needs: Needs, wants_pytest: bool) -> Way:
    """Install with pip what the files name, and pytest itself where the tests use it and no file brings it."""
    installed = bool(project.get("build-system")) or "setup(" in folder.text("setup.py")
    if not installed and part(project, "project").get("dependencies"):
        folder.doubt("pyproject.toml", "has no [build-system], so setup leaves out its dependencies")
    # A file with hashes wants one for whatever else the same call installs.
    apart = [one for one in needs.files if "--hash=" in folder.text(one)]
    words = ["-e " + quote(f".[{','.join(needs.extras)}]" if needs.extras else ".")] if installed else []
    words += [f"-r {one}" for one in needs.files if one not in apart]
    words += [f"--group {one}" for one in needs.groups]
    brought = needs.pytest & {"files", "groups", "project" if installed else "files"}
    words += ["pytest"] if wants_pytest and not brought else []
    steps = ["'pip>=25.1'"] if needs.groups else []
    steps += [f"-r {one}" for one in apart] + ([" ".join(words)] if words else [])
    if not steps:
        return Way(Line(), "python3", False)
    sources = [folder.first(*MANIFESTS[:2])] if installed or needs.groups else []
    source = AND.join([*sources, *needs.files]) or "the test files"
    line = " && ".join(["python3 -m venv .venv", *(f".venv/bin/pip install {one}" for one in steps)])
    return Way(Line(line, source), ".venv/bin/python", True)
