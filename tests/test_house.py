"""The house can be walked: no two folders import each other, names stand once and say what they hold."""

import ast
from collections.abc import Iterator
from functools import cache

import pytest

from test_architecture import SAY_NOTHING, all_imports, parsed, sources

# Inside a package, from the ground up; what lies at its top ("") uses all the others.
INSIDE = {
    "story": ("session", "ask", "checks", "begin", "run", "judge", "answer", "integrate", "status", ""),
    "feedback": ("text", "store", "fetch", "reader", "record", "plan", "land", ""),
}
# They spare the calls of every step what those do not use; there may only be fewer.
LATE_IMPORTS = 40

Graph = dict[str, set[str]]


def name_of(place: str) -> str:
    return f"baton.{place.removesuffix('.py').removesuffix('/__init__').replace('/', '.')}"


@cache
def modules() -> Graph:
    """Return every module of the program, and which others it imports, inside functions too."""
    names = {name_of(place) for place in sources()}
    return {name_of(place): set(_imported(tree, names)) - {name_of(place)} for place, tree in parsed().items()}


def _imported(tree: ast.AST, names: set[str]) -> Iterator[str]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.ImportFrom):
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name for name in (*inner, node.module or "") if name in names)
        yield from _imported(node, names)


def folder_of(module: str) -> str:
    """Return the folder of a module, as `story/run`; a package, and a module at the top, is its own."""
    path = module.removeprefix("baton.").replace(".", "/")
    is_its_own = f"{path}/__init__.py" in sources() or "/" not in path
    return path if is_its_own else path.rpartition("/")[0]


@cache
def folders() -> Graph:
    """Return every folder, and from which others its modules import."""
    graph: Graph = {}
    for module, imported in modules().items():
        own = folder_of(module)
        graph.setdefault(own, set()).update({folder_of(name) for name in imported} - {own})
    return graph


def circles(graph: Graph) -> list[str]:
    """Return the nodes that lead back to themselves."""
    return [node for node in graph if node in _reached(graph, node)]


def _reached(graph: Graph, start: str) -> set[str]:
    seen, due = set[str](), list(graph[start])
    while due:
        node = due.pop()
        if node not in seen:
            seen.add(node)
            due += graph.get(node, ())
    return seen


def upward(package: str) -> list[tuple[str, str]]:
    """Return which folder of a package imports from one that stands above it."""
    floor = {f"{package}/{name}".rstrip("/"): at for at, name in enumerate(INSIDE[package])}
    inside = {folder: used & floor.keys() for folder, used in folders().items() if folder in floor}
    return [(folder, name) for folder, used in inside.items() for name in used if floor[name] > floor[folder]]


def locals_of(tree: ast.AST) -> set[str]:
    """Return the names that functions bind: variables of loops and comprehensions, assignments, captures."""
    bound = set[str]()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.Lambda)):
        nodes = list(ast.walk(function))
        bound |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        bound |= {node.name for node in nodes if isinstance(node, ast.MatchAs) and node.name}
    return bound


def test_no_modules_and_no_folders_import_each_other() -> None:
    assert circles(modules()) == []
    assert circles(folders()) == []


def test_a_circle_is_noticed() -> None:
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}) == ["a", "b", "c"]
    assert circles({"a": {"b"}, "b": set()}) == []


@pytest.mark.parametrize("package", INSIDE)
def test_inside_a_package_imports_point_one_way(package: str) -> None:
    assert {folder for folder in folders() if folder.partition("/")[0] == package} == {
        f"{package}/{name}".rstrip("/") for name in INSIDE[package]
    }
    assert upward(package) == []


def test_imports_inside_functions_only_become_fewer() -> None:
    assert sum(found.late for imported in all_imports().values() for found in imported) <= LATE_IMPORTS


def test_a_file_name_stands_once() -> None:
    names = [place.rpartition("/")[2] for place in sources() if not place.endswith("__init__.py")]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_a_local_says_what_it_holds() -> None:
    wrong = {place: locals_of(tree) & SAY_NOTHING for place, tree in parsed().items()}
    assert {place: names for place, names in wrong.items() if names} == {}


def test_a_local_that_says_nothing_is_noticed() -> None:
    assert locals_of(ast.parse("def f(x):\n    return [one for one in x]")) == {"one"}
    assert locals_of(ast.parse("class C:\n    told: str = ''")) == set()
