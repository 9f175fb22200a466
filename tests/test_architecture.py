"""Imports point one way, one library is known to one module, and nothing grows too long to read."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

LIB = Path(__file__).parents[1] / "scripts" / "lib"
BATON = LIB / "baton"
LAB = Path(__file__).parents[1] / "lab"
# What the demo works on is no part of the program.
NOT_OURS = {"__pycache__", "repository", "edits"}
# From the ground up; a package imports those on lower floors only, and itself.
FLOORS = (
    {"text"}, {"errors", "sanitize"}, {"secrets"}, {"artifacts", "journal"}, {"process", "usage"},
    {"install_packages"}, {"bootstrap"},
    {"rules"}, {"git"}, {"checks", "github"}, {"templates"}, {"project"}, {"story"}, {"feedback"},
    {"delivery"}, {"actions", "headless", "report"}, {"memory"},
    {"commands"}, {"cli", "hooks"}, {"demo"},
)  # fmt: skip
FLOOR = {name: floor for floor, names in enumerate(FLOORS) for name in names}
# What starts something that stands above it, each inside its function, so that no other call loads it.
DOORS = {
    ("demo/demo_command.py", "demo"), ("story/integrate_story.py", "delivery"),
    ("story/next_step.py", "delivery"), ("story/next_step.py", "memory"),
}  # fmt: skip
STARTS_PROCESSES = {"process", "checks", "install_packages", "demo", "hooks", "headless"}
ONE_MODULE_ONLY = {
    "jinja2": "templates/render.py",
    "yaml": "artifacts/strict_yaml.py",
    "jsonschema": "artifacts/schema.py",
    "referencing": "artifacts/schema.py",
}
# How many modules of a package build on one another at most, and how many it has: it can be walked.
IMPORT_FLOORS = {"story": 8, "journal": 7, "rules": 5}
# Names that tell a reader nothing, and the words of one that do; names of two classes may only become fewer.
SAY_NOTHING = {"one", "made", "told", "said", "found", "there", "here"}
NO_VERB = {"held", "room", "turn", "mend"}
TERMS = {"decide", "fold", "slug", "triage", "weigh", "tries"}
SHARED_NAMES = {"Demo", "Finding", "Row", "_Rule"}
MODULE_LINES = 250
FUNCTION_LINES = 40


@cache
def sources() -> dict[str, str]:
    """Return the text of every module of the program, by its place."""
    paths = [path for path in sorted(BATON.rglob("*.py")) if not NOT_OURS & set(path.parts)]
    return {path.relative_to(BATON).as_posix(): path.read_text(encoding="utf-8") for path in paths}


@cache
def parsed() -> dict[str, ast.Module]:
    return {place: ast.parse(source) for place, source in sources().items()}


@cache
def all_imports() -> dict[str, list["Import"]]:
    return {place: imports(tree) for place, tree in parsed().items()}


class Import(NamedTuple):
    """A module that is imported, and whether only when a function is called."""

    name: str
    late: bool


def imports(tree: ast.Module) -> list[Import]:
    """Give every import of a module but those for type checkers alone."""
    return list(_imports(tree, late=False))


def _imports(node: ast.AST, late: bool) -> Iterator[Import]:
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return
    if isinstance(node, ast.Import):
        yield from (Import(name.name, late) for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = "." * node.level + (node.module or "")
        parts = [f"{base}.{name.name}" for name in node.names if base == "baton" and name.name != "__version__"]
        yield from (Import(name, late) for name in (base, *parts))
    for child in () if isinstance(node, ast.expr) else ast.iter_child_nodes(node):
        yield from _imports(child, late or isinstance(node, ast.FunctionDef))


def package(name: str) -> str:
    """Give the part of baton a dotted name belongs to; nothing for other names."""
    parts = name.split(".")
    return parts[1] if parts[0] == "baton" and len(parts) > 1 else ""


def wrong_ways(where: str, found: list[Import]) -> list[str]:
    """Give what a module at `where` imports from its own floor or one above it."""
    own = part_of(where)
    used = {package(one.name) for one in found} - {"", own}
    return sorted(name for name in used if FLOOR[name] >= FLOOR[own] and (where, name) not in DOORS)


def long_functions(tree: ast.Module) -> list[str]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return [node.name for node in nodes if (node.end_lineno or 0) - node.lineno >= FUNCTION_LINES]


def part_of(place: str) -> str:
    return place.partition("/")[0].removesuffix(".py")


def import_floors(modules: dict[str, set[str]]) -> int:
    """Return how many modules build on one another, by what each imports of the others."""
    floors: dict[str, int] = {}

    def floor(name: str, above: tuple[str, ...] = ()) -> int:
        assert name not in above, f"a circle: {above}"
        if name not in floors:
            floors[name] = 1 + max((floor(module, (*above, name)) for module in modules[name]), default=0)
        return floors[name]

    return max(map(floor, modules))


def modules_of(part: str) -> dict[str, set[str]]:
    """Return the modules of a package, and what each imports of the others."""
    own = {place: used for place, used in all_imports().items() if part_of(place) == part}
    found = {f"baton.{place[:-3].replace('/', '.')}": used for place, used in own.items()}
    return {name: ({one.name for one in used} & set(found)) - {name} for name, used in found.items()}


def test_there_are_modules_to_look_at_and_each_has_its_floor() -> None:
    assert {"cli.py", "journal/journal.py", "rules/pages.py", "story/next_step.py"} <= set(sources())
    assert {part_of(place) for place in sources()} - {"__init__"} <= set(FLOOR)


def test_imports_point_one_way() -> None:
    wrong = {place: wrong_ways(place, found) for place, found in all_imports().items() if place != "__init__.py"}
    assert {place: found for place, found in wrong.items() if found} == {}


@pytest.mark.parametrize(("where", "source", "wrong"), [
    ("journal/journal.py", "from baton.story.ask.step import Step", ["story"]),
    ("journal/journal.py", "from baton.artifacts import plan", ["artifacts"]),
    ("journal/journal.py", "from baton import story", ["story"]),
    ("rules/sources.py", "import baton.git.command", ["git"]),
    ("story/ask/step.py", "def late():\n    from baton.cli import main", ["cli"]),
    ("commands/next.py", "from baton.hooks.hook_events import answer_hook", ["hooks"]),
    ("journal/journal.py", "from baton.errors import Any\nfrom baton.journal import events\nimport json", []),
    ("story/ask/step.py", "from baton.git.command import Git", []),
    ("demo/demo_command.py", "from baton.demo.play import play", []),
])  # fmt: skip
def test_an_import_that_points_the_other_way_is_noticed(where: str, source: str, wrong: list[str]) -> None:
    assert wrong_ways(where, imports(ast.parse(source))) == wrong


def test_the_doors_open_only_when_they_are_used() -> None:
    for where, name in DOORS:
        found = [one for one in all_imports()[where] if package(one.name) == name]
        assert found
        assert all(one.late for one in found)


@pytest.mark.parametrize(("part", "most"), IMPORT_FLOORS.items())
def test_few_modules_build_on_one_another(part: str, most: int) -> None:
    assert import_floors(modules_of(part)) <= most


def test_floors_are_counted_from_the_ground_up() -> None:
    assert import_floors({"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": set()}) == 3


def importing(*names: str) -> set[tuple[str, bool]]:
    """Return which modules import one of these, and whether late."""
    return {
        (place, one.late) for place, found in all_imports().items() for one in found
        if one.name in names or one.name.partition(".")[0] in names
    }  # fmt: skip


def test_no_import_is_relative() -> None:
    assert [
        place for place, found in all_imports().items() if any(one.name.startswith(".") for one in found)
    ] == []


def test_only_a_few_modules_can_start_a_process() -> None:
    starting = {part_of(place) for place, _ in importing("subprocess", "multiprocessing", "pty", "asyncio")}
    assert {"process"} <= starting <= STARTS_PROCESSES


@pytest.mark.parametrize(("library", "module"), ONE_MODULE_ONLY.items())
def test_a_library_is_imported_by_one_module_and_only_when_it_is_needed(library: str, module: str) -> None:
    assert importing(library) == {(module, True)}


def test_an_import_at_the_top_is_told_from_a_late_one() -> None:
    source = "import yaml\nif TYPE_CHECKING:\n    import jinja2\ndef late():\n    from jsonschema import Draft"
    assert imports(ast.parse(source)) == [Import("yaml", False), Import("jsonschema", True)]


def test_a_module_can_be_read_in_one_go_and_a_function_fits_on_a_screen() -> None:
    of_lab = {str(path): path.read_text(encoding="utf-8") for path in LAB.rglob("*.py")}
    every = {**sources(), **of_lab}
    assert [place for place, source in every.items() if len(source.splitlines()) > MODULE_LINES] == []
    assert [place for place, source in every.items() if long_functions(ast.parse(source))] == []


def test_nothing_of_the_program_needs_the_lab() -> None:
    assert importing("baton_lab") == set()


def test_a_function_that_does_not_is_noticed() -> None:
    source = "def f():\n" + "    pass\n" * (FUNCTION_LINES - 1)
    assert long_functions(ast.parse(source)) == []
    assert long_functions(ast.parse(source + "    pass\n")) == ["f"]


def names_of(kind: type[ast.stmt], *parts: str) -> list[str]:
    """Return the names of all functions or classes that modules define, of the whole program or some parts."""
    nodes = (
        node for place, tree in parsed().items() if not parts or part_of(place) in parts for node in tree.body
    )
    return [str(getattr(node, "name", "")) for node in nodes if isinstance(node, kind)]


def test_no_two_classes_have_one_name() -> None:
    names = names_of(ast.ClassDef)
    assert {name for name in names if names.count(name) > 1} <= SHARED_NAMES


def test_a_public_function_has_a_name_of_two_words() -> None:
    public = {name for name in names_of(ast.FunctionDef, "story", "journal", "rules") if not name.startswith("_")}
    assert {name for name in public if "_" not in name} <= TERMS


def test_no_function_has_a_name_that_says_nothing() -> None:
    assert {name.strip("_") for name in names_of(ast.FunctionDef, "story", "journal", "rules")}.isdisjoint(
        SAY_NOTHING | NO_VERB
    )
