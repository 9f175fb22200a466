"""What a project's files say of its commands, and what they leave unsaid."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from pwd import getpwuid
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.artefacts.front_matter import load_yaml
from baton.drive.detect.files import Line, is_member
from baton.drive.detect.find import Commands, Part, find_commands
from baton.drive.detect.toml import TomlFault, load_plain_toml, load_toml
from baton.drive.settle import render_config
from baton.errors import BatonError
from bench import new_bench

VENV = "python3 -m venv .venv"
PIP = ".venv/bin/pip install"
PYTEST = ".venv/bin/python -m pytest"
IN_VENV = ". .venv/bin/activate && "
PROJECT = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "a"\n'
UNIT = "import unittest\n"
TEST = "import pytest\n"


def commands(files: Mapping[str, str]) -> Commands:
    """Find the commands of a project that is no more than these files."""
    return find_commands(files, files.__getitem__)


def found(files: Mapping[str, str]) -> dict[str, Any]:
    """Give what was found as a person would write it down."""
    said = commands(files)
    lines = {"setup": said.setup.run, "build": said.build.run, "test": said.test.run}
    parts = {one.path: one.line.run for one in said.prepush}
    return {**{name: line for name, line in lines.items() if line}, **({"prepush": parts} if parts else {})}


def package(more: Mapping[str, object] = {}, **scripts: str) -> str:
    """Write a package.json."""
    return json.dumps({"name": "a", "scripts": scripts, **more})


class Case(NamedTuple):
    files: dict[str, str]
    wanted: dict[str, Any]


BOTH = package(build="tsc", test="node --test")

PYTHON = {
    "a package with an extra for tests": Case(
        {"pyproject.toml": PROJECT + '[project.optional-dependencies]\ntest = ["pytest>=8"]\ndocs = ["sphinx"]\n',
         "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -e '.[test]'", "test": PYTEST}),
    "a group of dependencies needs a pip that knows them": Case(
        {"pyproject.toml": PROJECT + '[dependency-groups]\ndev = [{include-group = "t"}]\nt = ["pytest"]\n',
         "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} 'pip>=25.1' && {PIP} -e . --group dev --group t", "test": PYTEST}),
    "files of requirements": Case(
        {"requirements.txt": "flask\n", "requirements-dev.txt": "pytest==8.0\n", "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -r requirements-dev.txt -r requirements.txt", "test": PYTEST}),
    "requirements with hashes are installed by themselves": Case(
        {"setup.py": "setup(name='a')", "requirements.txt": "pytest==8 --hash=sha256:00\n", "test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -r requirements.txt && {PIP} -e .", "test": PYTEST}),
    "pytest is installed where it is configured and no file names it": Case(
        {"pytest.ini": "[pytest]\n", "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} pytest", "test": PYTEST}),
    "pytest is configured in tox.ini": Case(
        {"tox.ini": "[tox]\n\n[pytest]\n", "setup.py": "setup()", "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -e . pytest", "test": PYTEST}),
    "tests that import pytest": Case(
        {"test_a.py": TEST}, {"setup": f"{VENV} && {PIP} pytest", "test": PYTEST}),
    "a lock file of uv": Case(
        {"pyproject.toml": '[project]\nname = "a"\n[project.optional-dependencies]\ntest = ["pytest"]\n'
                           '[dependency-groups]\ndev = ["ruff"]\n',
         "uv.lock": "", "tests/test_a.py": ""},
        {"setup": "uv sync --locked --extra test --group dev", "test": "uv run --no-sync python -m pytest"}),
    "a workspace of uv takes its members in": Case(
        {"pyproject.toml": '[project]\nname = "a"\ndependencies = ["pytest"]\n'
                           '[tool.uv.workspace]\nmembers = ["libs/*"]\n',
         "uv.lock": "", "libs/b/pyproject.toml": PROJECT, "libs/b/tests/test_b.py": TEST},
        {"setup": "uv sync --locked --all-packages", "test": "uv run --no-sync python -m pytest"}),
    "a lock file of poetry": Case(
        {"pyproject.toml": '[tool.poetry.group.test.dependencies]\npytest = "^8"\n', "poetry.lock": "",
         "tests/test_a.py": ""},
        {"setup": f'{VENV} && VIRTUAL_ENV="$PWD/.venv" poetry install --no-interaction --with test',
         "test": PYTEST}),
    "unittest needs nothing installed": Case({"test_a.py": UNIT}, {"test": "python3 -m unittest"}),
    "unittest is told of a folder that is no package": Case(
        {"tests/unit/__init__.py": "", "tests/unit/test_a.py": UNIT},
        {"test": "python3 -m unittest discover -s tests"}),
    "the folder's name is quoted for the shell": Case(
        {"my tests/test_a.py": UNIT}, {"test": "python3 -m unittest discover -s 'my tests'"}),
    "an installed package tested by unittest": Case(
        {"pyproject.toml": PROJECT, "tests/__init__.py": "", "tests/test_a.py": UNIT},
        {"setup": f"{VENV} && {PIP} -e .", "test": ".venv/bin/python -m unittest"}),
    "Django has its own runner": Case(
        {"manage.py": "import django", "requirements.txt": "django\n", "app/tests.py": ""},
        {"setup": f"{VENV} && {PIP} -r requirements.txt", "test": ".venv/bin/python manage.py test"}),
    "no tests, no commands": Case({"pyproject.toml": PROJECT + "[tool.pytest.ini_options]\n", "a.py": ""}, {}),
    "tests of no known sort": Case({"tests/test_a.py": "assert True\n"}, {}),
    "tests among fixtures are no tests": Case({"tests/fixtures/test_a.py": UNIT, ".x/test_b.py": UNIT}, {}),
    "a package below has its own environment": Case(
        {"api/pyproject.toml": PROJECT, "api/tests/test_a.py": TEST, "test_b.py": UNIT},
        {"test": "python3 -m unittest", "prepush": {"api": f"{VENV} && {PIP} -e . pytest && {PYTEST}"}}),
    "the requirements of the tests are no package of their own": Case(
        {"calc.py": "", "tests/requirements.txt": "pytest\n", "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -r tests/requirements.txt", "test": PYTEST}),
}  # fmt: skip

NODE = {
    "npm by its lock file": Case(
        {"package.json": BOTH, "package-lock.json": "{}"},
        {"setup": "npm ci", "build": "npm run build", "test": "npm test"}),
    "pnpm by its lock file": Case(
        {"package.json": BOTH, "pnpm-lock.yaml": ""},
        {"setup": "pnpm install --frozen-lockfile", "build": "pnpm run build", "test": "pnpm test"}),
    "yarn 1 by its lock file": Case(
        {"package.json": BOTH, "yarn.lock": "# yarn lockfile v1\n"},
        {"setup": "yarn install --frozen-lockfile", "build": "yarn run build", "test": "yarn run test"}),
    "a newer yarn by what its lock file says": Case(
        {"package.json": BOTH, "yarn.lock": "__metadata:\n  version: 8\n"},
        {"setup": "yarn install --immutable", "build": "yarn run build", "test": "yarn run test"}),
    "a newer yarn by packageManager": Case(
        {"package.json": package({"packageManager": "yarn@4.1.0"}, test="t"), "yarn.lock": ""},
        {"setup": "yarn install --immutable", "test": "yarn run test"}),
    "bun runs the script, not its own tests": Case(
        {"package.json": BOTH, "bun.lock": ""},
        {"setup": "bun install --frozen-lockfile", "build": "bun run build", "test": "bun run test"}),
    "no lock file, but dependencies": Case(
        {"package.json": package({"devDependencies": {"b": "1"}}, test="t")},
        {"setup": "npm install", "test": "npm test"}),
    "no lock file, but a manager": Case(
        {"package.json": package({"packageManager": "pnpm@9.0.0", "dependencies": {"b": "1"}}, test="t")},
        {"setup": "pnpm install", "test": "pnpm test"}),
    "nothing to install": Case({"package.json": package(test="node --test")}, {"test": "npm test"}),
    "two lock files and packageManager": Case(
        {"package.json": package({"packageManager": "pnpm@9"}, test="t"), "package-lock.json": "",
         "pnpm-lock.yaml": ""},
        {"setup": "pnpm install --frozen-lockfile", "test": "pnpm test"}),
    "two lock files and no word which": Case(
        {"package.json": BOTH, "package-lock.json": "", "yarn.lock": ""}, {}),
    "npm's placeholder is no test": Case(
        {"package.json": package(test='echo "Error: no test specified" && exit 1'), "package-lock.json": ""}, {}),
    "the types are checked where nothing is built": Case(
        {"package.json": package(typecheck="tsc --noEmit", lint="eslint ."), "package-lock.json": ""},
        {"setup": "npm ci", "build": "npm run typecheck"}),
    "lint where nothing else is there": Case({"package.json": package(lint="l")}, {"build": "npm run lint"}),
    "a test that waits for changes is left out": Case({"package.json": package(test="jest --watch")}, {}),
    "a test that watches a terminal is told there is none": Case(
        {"package.json": package(test="react-scripts test")}, {"test": "CI=true npm test"}),
    "a workspace's packages are taken in": Case(
        {"package.json": package({"workspaces": ["packages/*", "!packages/old"]}, test="t"),
         "package-lock.json": "", "packages/a/package.json": BOTH, "packages/old/package.json": BOTH},
        {"setup": "npm ci", "test": "npm test", "build": "npm run build --workspaces --if-present",
         "prepush": {"packages/old": "npm run build && npm test"}}),
    "pnpm names its workspace in a file": Case(
        {"package.json": package(), "pnpm-lock.yaml": "", "pnpm-workspace.yaml": "packages:\n  - 'libs/**'\n",
         "libs/x/a/package.json": package(test="t")},
        {"setup": "pnpm install --frozen-lockfile", "test": "pnpm -r run test"}),
    "a package below with a lock file of its own": Case(
        {"workers/api/package.json": BOTH, "workers/api/package-lock.json": "",
         "workers/api/node_modules/b/package.json": BOTH, "vendor/c/package.json": BOTH,
         ".hidden/package.json": BOTH, "docs/package.json": package()},
        {"prepush": {"workers/api": "npm ci && npm run build && npm test"}}),
}  # fmt: skip

GO = {"build": "go build ./...", "test": "go test ./..."}
COMPILED = {
    "a Go module": Case({"go.mod": "module a\n"}, GO),
    "a Go module below another": Case(
        {"go.mod": "module a\n", "services/x/go.mod": "module x\n", "testdata/go.mod": "module t\n",
         "test-modules/y/go.mod": "module y\n"},
        {**GO, "prepush": {"services/x": "go build ./... && go test ./..."}}),
    "a Go workspace takes its modules in": Case(
        {"go.work": "go 1.22\nuse (\n\t. // here\n\t./x\n)\nuse ./y\n", "go.mod": "", "x/go.mod": "",
         "y/go.mod": "", "z/go.mod": ""},
        {"build": "go build ./... ./x/... ./y/...", "test": "go test ./... ./x/... ./y/...",
         "prepush": {"z": "go build ./... && go test ./..."}}),
    "a Cargo package": Case(
        {"Cargo.toml": "[package]\n"}, {"build": "cargo build", "test": "cargo test --no-fail-fast"}
    ),
    "a Cargo workspace with a lock file": Case(
        {"Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["old"]\n', "Cargo.lock": "",
         "crates/a/Cargo.toml": "[package]\n", "old/b/Cargo.toml": "[package]\n",
         "by-path/Cargo.toml": "[package]\n", "own/Cargo.toml": "[package]\n[workspace]\n"},
        {"build": "cargo build --workspace --locked", "test": "cargo test --workspace --locked --no-fail-fast",
         "prepush": {"old/b": "cargo build && cargo test --no-fail-fast",
                     "own": "cargo build --workspace && cargo test --workspace --no-fail-fast"}}),
}  # fmt: skip

MIXED = {
    "make alone": Case({"Makefile": "all: a\n\ncheck:\n\t./a\n"}, {"build": "make all", "test": "make check"}),
    "make wraps what else there is": Case(
        {"GNUmakefile": "build test: a ; true\n", "Cargo.toml": "[package]\n"},
        {"build": "make build", "test": "make test"}),
    "make wraps the tests only": Case(
        {"Makefile": ".PHONY: build test\ntest: a\n\tgo test ./...\ntest := x\n", "go.mod": ""},
        {"build": "go build ./...", "test": "make test"}),
    "make finds what setup has installed": Case(
        {"Makefile": "test:\n\tpytest\n", "pyproject.toml": PROJECT},
        {"setup": f"{VENV} && {PIP} -e .", "test": f"{IN_VENV}make test"}),
    "what may be any target wraps nothing": Case({"Makefile": "all check: a\n", "go.mod": ""}, GO),
    "a target that leaves the tree is passed over": Case(
        {"Makefile": "test:\n\tdocker run a\nbuild:\n\tsudo make install\n", "go.mod": ""}, GO),
    "variables are no targets": Case({"Makefile": "test := a\nbuild ::= b\ncheck = c:d\n"}, {}),
    "several at the root, in one order": Case(
        {"Cargo.toml": "[package]\n", "go.mod": "", "package.json": package(test="t"), "package-lock.json": "",
         "test_a.py": TEST},
        {"setup": f"{VENV} && {PIP} pytest && npm ci", "build": "go build ./... && cargo build",
         "test": f"{PYTEST} && npm test && go test ./... && cargo test --no-fail-fast"}),
    "two in one folder below": Case(
        {"x/package.json": package(test="t"), "x/go.mod": ""},
        {"prepush": {"x": "go build ./... && npm test && go test ./..."}}),
    "what is only set up is not": Case({"package.json": package({"devDependencies": {"husky": "9"}})}, {}),
    "nothing at all": Case({"README.md": "# a\n", "docs/Makefile": "build:\n"}, {}),
}  # fmt: skip
CASES = {**PYTHON, **NODE, **COMPILED, **MIXED}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_files_say_what_the_commands_are(case: Case) -> None:
    assert found(case.files) == case.wanted


# What is not sure


@pytest.mark.parametrize(("files", "doubt"), [
    ({"package.json": "{"}, "package.json: broken (line 1, column 2: "),
    ({"package.json": '{"a": 1, "a": 2}'}, "package.json: broken (`a` stands twice)"),
    ({"Cargo.toml": "[package"}, "Cargo.toml: broken ("),
    ({"pyproject.toml": "a = " + "[" * 5000}, "pyproject.toml: broken ("),
    ({"package.json": package(), "pnpm-workspace.yaml": "*a"}, "pnpm-workspace.yaml: broken (line 1: "),
    ({"package.json": BOTH, "bun.lock": "", "yarn.lock": ""}, "package.json: lock files of yarn and bun beside"),
    ({"tests/test_a.py": "x"}, "tests/test_a.py: a test for which nothing that runs it was found"),
    ({"pyproject.toml": '[project]\ndependencies = ["b"]\n'}, "pyproject.toml: has no [build-system]"),
    ({"uv.lock": "", "pytest.ini": "", "test_a.py": ""}, "uv.lock: does not bring pytest"),
    ({"Cargo.toml": "[package.metadata]\ncargo-fuzz = true\n"}, "Cargo.toml: fuzz targets"),
    ({"Makefile": "test:\n\tsudo x\n"}, "Makefile: its target test calls sudo"),
    ({f"{'x' * 250}/go.mod": ""}, f"{'x' * 200}: has commands, but a name to be written by hand"),
    ({"a\nb/go.mod": ""}, "a\nb: has commands, but a name to be written by hand"),
    ({f"m{n:02}/go.mod": "" for n in range(30)}, "m20: the first of those that are more than 20 packages"),
])  # fmt: skip
def test_what_is_not_sure_is_left_out_and_said_once(files: dict[str, str], doubt: str) -> None:
    said = commands(files)
    assert [one[: len(doubt)] for one in said.doubts] == [doubt]
    assert (said.test, len(said.prepush)) == (Line(), 20 * ("m00/go.mod" in files))


def test_what_cannot_be_read_is_passed_over_and_the_rest_is_found() -> None:
    def read(name: str) -> str:
        raise BatonError("larger than 1 MB", name, "hand in less")

    said = find_commands(["package.json", "go.mod"], read)
    assert said.doubts == ("package.json: larger than 1 MB",)
    assert (said.build.run, said.test.run) == ("go build ./...", "go test ./...")


KEYS = (
    "scripts", "test", "workspaces", "packageManager", "packages", "project", "tool", "poetry", "group", "dev",
    "dependencies", "dependency-groups", "pytest", "workspace", "members", "path", "optional-dependencies",
    "include-group", "uv", "exclude", "build-system",
)  # fmt: skip
VALUES = st.recursive(
    st.integers(-9, 9) | st.text("ab-*.", max_size=5) | st.booleans(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=10,
)


@pytest.mark.parametrize("name", ["package.json", "pyproject.toml", "Cargo.toml"])
@given(value=st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_values_of_any_sort_are_no_fault(name: str, value: dict[str, object]) -> None:
    text = json.dumps(value)
    if name.endswith("toml"):
        text = "".join(f"{key} = {_inline(one)}\n" for key, one in value.items())
    said = commands({name: text, f"a/{name}": text, "test_a.py": TEST, "Cargo.lock": ""})
    assert not [one for one in said.doubts if "broken" in one]


def _inline(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key} = {_inline(one)}" for key, one in value.items()) + "}"
    return f"[{', '.join(map(_inline, value))}]" if isinstance(value, list) else json.dumps(value)


@pytest.mark.parametrize(("path", "pattern", "fits"), [
    ("packages/a", "packages/*", True),
    ("packages/a/b", "packages/*", False),
    ("packages/a/b", "packages/**", True),
    ("packages/a", "./packages/a/", True),
    ("a/b/c", "**/c", True),
    ("a/b/d", "**/c", False),
    ("a/b", "a/b/**/c", False),
    ("/".join("a" * 100), "**/a/" * 50 + "b", False),
])  # fmt: skip
def test_a_folder_is_a_member_by_its_pattern(path: str, pattern: str, fits: bool) -> None:
    assert is_member(path, [pattern], []) is fits
    assert not is_member(path, [pattern], [pattern])


# TOML

TOML = """
title = "a \\"b\\" \\u00fc\\n" # comment
'a key'.b = 'C:\\x' # more
"q" = \"\"\"
two \\
   lines\"\"\"
[project] # one
dependencies = [ # two
  "a[b]>=1; python_version < '3.11'", 'c # d',
]
flag = true
count = 115
[tool."x.y".z]
inline = { a = ["b"], c.d = "e" }
empty = []
[[list.of]]
name = "one"
[[list.of]]
name = "two"
[list.of.inner]
x = '''it's
so'''
"""


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs Python's own reader")
@pytest.mark.parametrize("text", [TOML, (Path(__file__).parents[2] / "pyproject.toml").read_text(), ""])
def test_toml_is_read_as_python_s_own_reader_does(text: str) -> None:
    assert load_plain_toml(text) == load_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a =",
        "[a",
        "a = [",
        'a = "b',
        "a = 1 b",
        "[a]]",
        "a = {b",
        "a = 'b\n'",
        "a = 1\n[a]\n[a.b]",
        'a = "\\ud800"',
        'a = "\\U99999999"',
        'a = "\\x"',
        "a='b'\n[[a]]",
    ],
)
def test_what_is_no_toml_is_a_fault(text: str) -> None:
    with pytest.raises(TomlFault):
        load_toml(text)
    with pytest.raises(TomlFault):
        load_plain_toml(text)


# What is written down

ODD = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30)
WORDS = ODD | st.sampled_from(
    ["null", "true", "a: b", "a #b", "- x", "'a'", '"b"', "ü", "~", " a ", "{a}", "1.10", "*a"]
)


@given(
    lines=st.tuples(WORDS, WORDS, WORDS), parts=st.lists(st.tuples(WORDS, WORDS), max_size=3), doubts=st.lists(ODD)
)
def test_yaml_reads_every_text_as_it_was_meant(
    lines: tuple[str, str, str], parts: list[tuple[str, str]], doubts: list[str]
) -> None:
    prepush = tuple(Part(path, Line(run, path)) for path, run in parts)
    setup, build, test = (Line(one, one) for one in lines)
    text = render_config("main", Commands(setup, build, test, prepush, tuple(doubts)))
    wanted: dict[str, Any] = dict(zip(("setup", "build", "test"), lines, strict=True))
    wanted |= {"prepush": [{"path": path, "run": run} for path, run in parts]} if parts else {}
    assert load_yaml(text)["commands"] == wanted


def test_most_lines_are_written_as_they_are_typed() -> None:
    text = render_config("main", commands({"package.json": BOTH, "package-lock.json": "", "é/go.mod": ""}))
    assert "  setup: npm ci  # from package-lock.json\n  build: npm run build  # from package.json\n" in text
    assert '    - path: "é"\n      run: go build ./... && go test ./...  # from go.mod\n' in text


def test_doubts_are_comments_and_few() -> None:
    doubts = (*(f"{n}/package.json: broken (\x07\n{'x' * 300})" for n in range(30)), "last")
    said = render_config("main", Commands(Line(), Line(), Line(), (), doubts)).splitlines()
    lines = [one for one in said if one.startswith("# passed over: ")]
    assert (len(lines), lines[-1]) == (11, "# passed over: and 21 more")
    assert max(map(len, said)) < 230


# What is found runs


class Real(NamedTuple):
    tool: str
    files: dict[str, str]
    steps: set[str]


UNIT_TEST = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        import calc\n"
RUST = "pub fn one() -> u8 {\n    1\n}\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n"
LOCK = {"name": "a", "lockfileVersion": 3, "requires": True, "packages": {"": {"name": "a"}}}
CARGO = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
REAL = {
    "unittest": Real("python3", {"calc.py": "", "tests/test_a.py": UNIT_TEST}, {"test"}),
    "npm": Real("npm", {
        "package.json": json.dumps({"name": "a", "scripts": {"build": "node a.js", "test": "node --check a.js"}}),
        "package-lock.json": json.dumps(LOCK), "a.js": "1\n"}, {"setup", "build", "test"}),
    "cargo": Real("cargo", {"Cargo.toml": CARGO, "src/lib.rs": RUST}, {"build", "test"}),
    "make": Real("make", {"Makefile": "build:\n\ttouch a\ntest: build\n\ttest -f a\n"}, {"build", "test"}),
    "make with python": Real("make", {
        "Makefile": "test:\n\tpython -c 'import sys; sys.exit(sys.prefix == sys.base_prefix)'\n",
        "requirements.txt": "\n"}, {"setup", "test"}),
}  # fmt: skip


def starts(tool: str) -> bool:
    """Whether a tool is there and works."""
    return bool(shutil.which(tool)) and subprocess.run((tool, "--version"), capture_output=True).returncode == 0


def fresh(top: Path, files: Mapping[str, str]) -> Path:
    """Commit files to a repository and clone it."""
    new_bench(top / "origin", "", files)
    subprocess.run(("git", "clone", "--quiet", top / "origin", top / "a clone"), check=True)
    return top / "a clone"


@pytest.mark.parametrize("name", REAL)
def test_what_is_found_runs_green_in_a_fresh_clone(
    name: str, surrounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Rust's tools lie in the home folder, which is another one here.
    monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", f"{getpwuid(os.getuid()).pw_dir}/.rustup"))
    if not starts(REAL[name].tool):
        pytest.skip(f"no {REAL[name].tool} here")
    lines = found(REAL[name].files)
    clone = fresh(tmp_path, REAL[name].files)
    assert set(lines) == REAL[name].steps
    for line in lines.values():
        done = subprocess.run(
            ("sh", "-c", line), cwd=clone, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
