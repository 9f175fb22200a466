"""The house can be walked: no two folders import each other, names stand once and say what they hold."""

import ast
from collections.abc import Iterator, Mapping
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
# Constants that are imported, and are something else in another module: each new one is named for what it is.
SHARED_CONSTANTS = (
    "AGENTS ALONE ASKS BUDGETS COMMENT CONTROL CREDENTIAL DONE DRIVEN DROPPED EDITS ERROR FAILED FAILURES "
    "FEEDBACK FILE FINISHED FIXING FOLDER FORBIDDEN GONE HAND_IN HEADING HOOKS ISSUE ITEM KIND KINDS LENGTH "
    "LINE_LENGTH LINK LONGEST_TITLE MARK MOST_BYTES NAMES NOT_FOUND NUMBER PIP PLUGIN PULL_REQUEST REFUSED "
    "REPOSITORY RESTS REVIEW ROLES SCRUBBED SETTING SETTINGS SHORT SHOWN SKIPPED SOURCES SPACES STATES STOPPED "
    "STORY TAG TEMPORARY TESTS TITLE_LENGTH UNDER_WAY UNKNOWN UNREAD WRITTEN"
)

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


def test_a_constant_that_is_imported_is_one_thing_everywhere() -> None:
    assert shared_constants(parsed()) <= {*SHARED_CONSTANTS.split()}


def test_a_constant_that_is_two_things_is_noticed() -> None:
    program = {
        "a.py": "RULE = 'x/y'\nOURS, SAME = 1, 2",
        "b.py": "RULE: str = 'y/z'\nSAME = 2",
        "c.py": "OURS = 3",
    }
    trees = {place: ast.parse(source) for place, source in program.items()}
    assert shared_constants(trees) == set()
    assert shared_constants(trees | {"d.py": ast.parse("from a import RULE, SAME")}) == {"RULE"}


def shared_constants(trees: Mapping[str, ast.Module]) -> set[str]:
    """Return the constants that are imported somewhere and have different values in two modules."""
    values: dict[str, set[str]] = {}
    for tree in trees.values():
        for name, value in constants_of(tree):
            values.setdefault(name, set()).add(value)
    imported = {
        alias.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {name for name, different in values.items() if len(different) > 1} & imported


def constants_of(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Return the name and the source of each constant of a module."""
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            pairs = [(target, node.value)]
            if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(target.elts, node.value.elts, strict=True))
            yield from (
                (name.id, ast.unparse(value))
                for name, value in pairs
                if isinstance(name, ast.Name) and name.id.isupper()
            )


def test_a_local_says_what_it_holds() -> None:
    wrong = {place: locals_of(tree) & SAY_NOTHING for place, tree in parsed().items()}
    assert {place: names for place, names in wrong.items() if names} == {}


def test_a_local_that_says_nothing_is_noticed() -> None:
    assert locals_of(ast.parse("def f(x):\n    return [one for one in x]")) == {"one"}
    assert locals_of(ast.parse("class C:\n    told: str = ''")) == set()
