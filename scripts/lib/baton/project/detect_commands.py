"""Find a project's commands, by the table over its tracked files; note doubts, for a comment."""

import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from posixpath import basename, dirname, splitext
from shlex import quote
from typing import Any, NamedTuple

from baton.project import ecosystems as table
from baton.project.code_folder import CodeFolder, Doubts
from baton.project.ecosystems import FOR_TESTS, NAMES_PYTEST, PIP, PYTHON_LOCKS, REQUIREMENTS, ROWS, TESTS, Row


class CommandLine(NamedTuple):
    """A shell line and the files it was read from; both empty for none."""

    run: str = ""
    source: str = ""


# They are empty in every new work tree.
SUBMODULES = CommandLine("git submodule update --init", ".gitmodules")


class FoundCommand(NamedTuple):
    """The commands of one ecosystem, or of several together."""

    setup: CommandLine = CommandLine()
    build: CommandLine = CommandLine()
    test: CommandLine = CommandLine()


class ProjectPart(NamedTuple):
    """A folder and the command to run when something below it has changed."""

    path: str
    line: CommandLine


class Commands(NamedTuple):
    """The commands that a project's files name, and doubts: files that were skipped or left out."""

    setup: CommandLine
    build: CommandLine
    test: CommandLine
    prepush: tuple[ProjectPart, ...]
    doubts: tuple[str, ...]


def find_commands(names: Iterable[str], read: Callable[[str], str]) -> Commands:
    """Find the commands of a project from the names of its tracked files; `read` gives the text of one.

    A file that `read` refuses with a BatonError, or that is no valid manifest, is skipped with a doubt.
    """
    names = list(names)
    kept = [name for name in names if table.KNOWN.fullmatch(name) and not table.SKIPPED.fullmatch(name)]
    kept.sort(key=lambda name: (name.count("/"), name))
    read, doubts = cache(read), Doubts()
    root, below = list[FoundCommand](), dict[str, list[FoundCommand]]()
    for ecosystem in dict.fromkeys(row.ecosystem for row in ROWS):
        inner = _folders(kept, ecosystem)
        apart = () if "" in inner else tuple(f"{path}/" for path in inner)
        root.append(
            _find(CodeFolder("", [name for name in kept if not name.startswith(apart)], read, doubts), ecosystem)
        )
        if "" not in inner:
            for path in (folder for folder in inner if not f"{dirname(folder)}/".startswith(apart)):
                below.setdefault(path, []).append(_find(CodeFolder(path, kept, read, doubts), ecosystem))
        elif inner[1:]:
            more = f" and {len(inner) - 2} more" if inner[2:] else ""
            doubts[f"{inner[1]}{more}: {ecosystem}; what the lines above leave out goes under prepush"] = None
    _name_unread(names, doubts)
    *others, make = root
    commands = _together(others, make)
    if ".gitmodules" in names and any((commands.build.run, commands.test.run, *below)):
        commands = commands._replace(setup=_joined([SUBMODULES, commands.setup]))
    for line in make:
        if line.run and not any(line.run in command.run for command in commands):
            doubts[f"{line.source}: has `{line.run}`, too"] = None
    return Commands(*commands, tuple(_parts(below, doubts)), tuple(doubts))


def _name_unread(names: Iterable[str], doubts: Doubts) -> None:
    """Note the manifests of ecosystems that no row knows: the outermost of each kind."""
    kinds = dict[str, list[str]]()
    for name in sorted(names, key=lambda name: (name.count("/"), name)):
        if table.UNREAD.fullmatch(name) and not table.SKIPPED.fullmatch(name):
            kinds.setdefault(splitext(name)[1] or basename(name), []).append(name)
    for first, *others in kinds.values():
        more = f" and {len(others)} more" if others else ""
        doubts[f"saw {first}{more}, which it cannot read: name the commands yourself"] = None


def _folders(names: list[str], ecosystem: str) -> list[str]:
    """Return the folders that hold a manifest, outer ones first, without test folders."""
    manifest = re.compile(table.MANIFESTS.get(ecosystem, r"(?!)"))
    folders = dict.fromkeys(dirname(name) for name in names if manifest.fullmatch(basename(name)))
    return [path for path in folders if not re.search(r"(^|/)(__)?tests?(__)?(/|$|[-_])", path)]


def _parts(below: dict[str, list[FoundCommand]], doubts: Doubts) -> Iterator[ProjectPart]:
    for path, ecosystems in sorted(below.items()):
        commands = _together(ecosystems, FoundCommand())
        if (commands.build.run or commands.test.run) and path.isprintable():
            yield ProjectPart(path, _joined(commands))
        elif commands.build.run or commands.test.run:
            doubts[f"{path}: has commands, but a name to be written by hand"] = None


def _together(commands: list[FoundCommand], make: FoundCommand) -> FoundCommand:
    """Join the commands of ecosystems; a makefile fills in the steps they have no line for."""
    builds, tests = (
        [command.build for command in commands if command.build.run],
        [command.test for command in commands if command.test.run],
    )
    makes = (make.build.run and not builds) or (make.test.run and not tests)
    # What is neither built nor tested needs no setup, unless a makefile does that.
    setup = _joined(command.setup for command in commands if makes or command.build.run or command.test.run)
    return FoundCommand(setup, _joined(builds or [make.build]), _joined(tests or [make.test]))


def _joined(lines: Iterable[CommandLine]) -> CommandLine:
    filled = [line for line in lines if line.run]
    runs, sources = ([line[column] for line in filled] for column in (0, 1))
    return CommandLine(" && ".join(dict.fromkeys(runs)), " and ".join(dict.fromkeys(sources)))


def _find(folder: CodeFolder, ecosystem: str) -> FoundCommand:
    """Find a folder's commands by the rows of an ecosystem."""
    manifest = next(iter(folder.those(table.MANIFESTS.get(ecosystem, r"(?!)"))), "")
    if ecosystem not in ("Python", "Make") and not manifest:
        return FoundCommand()
    before = len(folder.doubts)
    fits = [(row, name) for row in ROWS if row.ecosystem == ecosystem and (name := folder.fitting(row))]
    words = _words(folder, ecosystem, fits)
    for row, name in fits:
        if row.note or ("lock" in name and row.tool and row.tool != words["tool"]):
            folder.doubt(name, row.note or f"left out, as the commands are {words['tool']}'s")
    lines = {step: _first(fits, step, words) for step in FoundCommand._fields}
    if ecosystem == "Python" and not (lines["test"].run and folder.those(TESTS)):
        for name in folder.those(TESTS)[:1]:
            folder.doubt(name, "a test for which nothing that runs it was found")
        lines["test"] = CommandLine()
    commands = FoundCommand(**lines)
    if manifest and not (commands.build.run or commands.test.run) and len(folder.doubts) == before:
        folder.doubt(manifest, "no command that builds or tests was found")
    return commands


def _words(folder: CodeFolder, ecosystem: str, fits: list[tuple[Row, str]]) -> dict[str, str]:
    """Return the words that fill in the rows' lines; the manager that a package.json names goes first."""
    tool = table.TOOLS.get(ecosystem, "")
    if ecosystem == "Node":
        named = str(folder.value("package.json", "packageManager")).partition("@")[0]
        tool = named if named in ("pnpm", "yarn", "bun") else "npm"
        if any(row.tool == named for row, _ in fits):
            fits.sort(key=lambda fit: fit[0].tool not in ("", named))
    tool = next((row.tool for row, _ in fits if row.tool), tool)
    if ecosystem == "Python":
        return _python_words(folder, tool, any("pytest" in row.test for row, _ in fits))
    return {"tool": tool, "exec": table.EXEC.get(tool, "")}


def _first(fits: list[tuple[Row, str]], step: str, words: dict[str, str]) -> CommandLine:
    """Return the line of the first row that has one for a step."""
    lines = (CommandLine(getattr(row, step).format_map(words), name) for row, name in fits)
    return next((line for line in lines if line.run), CommandLine())


def _python_words(folder: CodeFolder, tool: str, wants_pytest: bool) -> dict[str, str]:
    """Return the words for rows of Python: extras and groups for tests, files of requirements, and folders."""
    value = partial(folder.value, "pyproject.toml")
    extras, groups = (_for_tests(value(key)) for key in ("project.optional-dependencies", "dependency-groups"))
    files = folder.those(REQUIREMENTS)
    locked = folder.those(PYTHON_LOCKS)
    lacking = wants_pytest and not _brings_pytest(folder, files)
    # A file with hashes wants one for whatever else the same call installs (pip's "Secure installs").
    apart = [name for name in files if "--hash=" in folder.text(name)]
    steps = [*(["'pip>=25.1'"] if groups else []), *(f"-r {name}" for name in apart)]
    rest = [f"-r {name}" for name in files if name not in apart] + [f"--group {group}" for group in groups]
    rest += ["pytest"] if lacking else []
    package = " ".join(["-e " + quote(f".[{','.join(extras)}]" if extras else "."), *rest])
    starts = sorted({_start(folder, name) for name in folder.those(TESTS) if "unittest" in folder.text(name)})
    calls = (f"{tool} -m unittest" + (f" discover -s {quote(start)}" if start else "") for start in starts)
    if locked and lacking:
        folder.doubt(locked[0], "does not bring pytest, which the tests use")
    if not locked and value("project.dependencies") and not value("build-system"):
        folder.doubt("pyproject.toml", "has no [build-system], so setup leaves out its dependencies")
    members = " --all-packages" if value("tool.uv.workspace") else ""
    return {
        "tool": tool,
        "extras": f" --extras {quote(' '.join(extras))}" if extras else "",
        "chosen": members
        + "".join([f" --extra {extra}" for extra in extras] + [f" --group {group}" for group in groups]),
        "package": f" && {PIP}".join([*steps, package]),
        "files": f" && {PIP}".join([*steps, *([" ".join(rest)] if rest else [])] or ["pytest"]),
        "unittest": " && ".join(calls),
    }


def _brings_pytest(folder: CodeFolder, files: list[str]) -> bool:
    """Say whether what setup installs names pytest; an environment of tox and an extra in setup.py stay out."""
    value = partial(folder.value, "pyproject.toml")
    packaged = ("project.dependencies", "project.optional-dependencies")
    keys = ("dependency-groups", *(packaged if value("build-system") or "setup.py" in folder.names else ()))
    texts = [*map(folder.text, files), *(str(value(key)) for key in keys)]
    if folder.those(PYTHON_LOCKS):
        texts.append(folder.text("pyproject.toml"))
    return any(re.search(NAMES_PYTEST, re.sub(r"#.*", "", text)) for text in texts)


def _for_tests(listed: Any) -> list[str]:
    """Return the extras or groups with a usual name for tests, or that name pytest."""
    pairs = listed.items() if isinstance(listed, dict) else ()
    names = [name for name, needs in pairs if name.lower() in FOR_TESTS or re.search(NAMES_PYTEST, str(needs))]
    return [name for name in names if re.fullmatch(r"[A-Za-z0-9][\w.-]*", name)]


def _start(folder: CodeFolder, name: str) -> str:
    """Return the folder from which unittest finds a test: the first above it that is no package."""
    path = dirname(name)
    while path and f"{path}/__init__.py" in folder.names:
        path = dirname(path)
    return path
