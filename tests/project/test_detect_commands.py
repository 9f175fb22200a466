"""What a project's files say of its commands, and what they leave unsaid."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from baton.errors import BatonError
from baton.project.detect_commands import CommandLine, Commands, find_commands

VENV = "python3 -m venv .venv"
PIP = ".venv/bin/pip install"
PYTEST = ".venv/bin/python -m pytest"
PROJECT = '[build-system]\nrequires = ["setuptools"]\n[project]\nname = "a"\n'
UNIT = "import unittest\n"
TEST = "import pytest\n"


def commands(files: Mapping[str, str]) -> Commands:
    """Find the commands of a project that is no more than these files."""
    return find_commands(files, files.__getitem__)


def found(files: Mapping[str, str]) -> dict[str, Any]:
    """Give what was found as the user would write it down."""
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


TYPED = package({"devDependencies": {"typescript": "5"}})
BOTH = package(build="tsc", test="node --test")

RUN = {"build": "npm run build", "test": "npm run test"}
GO = {"build": "go build ./...", "test": "go test ./..."}
CARGO = {"build": "cargo build --workspace", "test": "cargo test --workspace --no-fail-fast"}
UV = "uv run --no-sync python -m pytest"
POETRY = f'{VENV} && VIRTUAL_ENV="$PWD/.venv" poetry install --no-interaction'
LISTED = '[project.optional-dependencies]\ntest = ["pytest>=8"]\ndocs = ["sphinx"]\n'
GROUP = '[dependency-groups]\ndev = [{include-group = "t"}]\nt = ["pytest"]\n'
CASES = {
    "an extra for tests": Case(
        {"pyproject.toml": PROJECT + LISTED, "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -e '.[test]'", "test": PYTEST}),
    "a group of dependencies needs a pip that knows them": Case(
        {"pyproject.toml": PROJECT + GROUP, "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} 'pip>=25.1' && {PIP} -e . --group dev --group t", "test": PYTEST}),
    "a group of a project that is no package": Case(
        {"pyproject.toml": GROUP, "test_a.py": ""},
        {"setup": f"{VENV} && {PIP} 'pip>=25.1' && {PIP} --group dev --group t", "test": PYTEST}),
    "requirements with hashes are installed by themselves": Case(
        {"setup.py": "setup(name='a')", "requirements.txt": "pytest==8 --hash=sha256:00\n", "test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -r requirements.txt && {PIP} -e .", "test": PYTEST}),
    "several files of requirements": Case(
        {"requirements.txt": "flask\n", "tests/requirements.txt": "pytest\n", "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -r requirements.txt -r tests/requirements.txt", "test": PYTEST}),
    "pytest is installed where no file brings it": Case(
        {"tox.ini": "[tox]\n\n[pytest]\n", "setup.py": "setup()", "tests/test_a.py": ""},
        {"setup": f"{VENV} && {PIP} -e . pytest", "test": PYTEST}),
    "a comment, tox or an extra of setup.py brings no pytest": Case(
        {"pyproject.toml": PROJECT + "# pytest\n[tool.pytest.ini_options]\n", "tox.ini": "deps =\n pytest\n",
         "setup.py": "setup(extras_require={'test': ['pytest']})", "test.py": UNIT},
        {"setup": f"{VENV} && {PIP} -e . pytest", "test": PYTEST}),
    "an extra of what is no package brings no pytest": Case(
        {"pyproject.toml": LISTED, "requirements.txt": "a  # for pytest\n", "test_a.py": TEST},
        {"setup": f"{VENV} && {PIP} -r requirements.txt pytest", "test": PYTEST}),
    "pytest alone": Case({"test_a.py": TEST}, {"setup": f"{VENV} && {PIP} pytest", "test": PYTEST}),
    "uv": Case(
        {"pyproject.toml": '[project]\nname = "a"\n[tool.uv.workspace]\nmembers = ["b"]\n' + LISTED + GROUP,
         "uv.lock": "", "b/pyproject.toml": "", "tests/test_a.py": ""},
        {"setup": "uv sync --locked --all-packages --extra test --group dev --group t", "test": UV}),
    "poetry": Case(
        {"pyproject.toml": LISTED, "poetry.lock": "", "test_a.py": ""},
        {"setup": f"{POETRY} --extras test", "test": PYTEST}),
    "unittest needs nothing installed": Case({"test_a.py": UNIT}, {"test": "python3 -m unittest"}),
    "unittest is told of folders that are no packages, quoted": Case(
        {"my tests/test_a.py": UNIT, "tests/unit/__init__.py": "", "tests/unit/test_a.py": UNIT},
        {"test": "python3 -m unittest discover -s 'my tests' && python3 -m unittest discover -s tests"}),
    "Django has its own runner": Case(
        {"manage.py": "import django", "requirements.txt": "django\n", "app/tests.py": ""},
        {"setup": f"{VENV} && {PIP} -r requirements.txt", "test": ".venv/bin/python manage.py test"}),
    "what sorts before a manifest does not hide it": Case(
        {**{f"a/test_{n}.py": "" for n in range(60)}, "pytest.ini": ""},
        {"setup": f"{VENV} && {PIP} pytest", "test": PYTEST}),
    "no tests, no commands": Case({"pyproject.toml": PROJECT + "[tool.pytest.ini_options]\n", "a.py": ""}, {}),
    "tests among fixtures are no tests": Case({"tests/fixtures/test_a.py": UNIT, ".x/test_b.py": UNIT}, {}),
    "npm": Case({"package.json": BOTH, "package-lock.json": "{}"}, {"setup": "npm ci", **RUN}),
    "pnpm": Case(
        {"package.json": package(test="t"), "pnpm-lock.yaml": ""},
        {"setup": "pnpm install --frozen-lockfile", "test": "pnpm run test"}),
    "yarn 1": Case(
        {"package.json": package(test="t"), "yarn.lock": "# yarn lockfile v1\n"},
        {"setup": "yarn install --frozen-lockfile", "test": "yarn run test"}),
    "a newer yarn": Case(
        {"package.json": package(test="t"), "yarn.lock": "__metadata:\n  version: 8\n"},
        {"setup": "yarn install --immutable", "test": "yarn run test"}),
    "bun": Case(
        {"package.json": package(test="t"), "bun.lock": ""},
        {"setup": "bun install --frozen-lockfile", "test": "bun run test"}),
    "no lock file, but a manager": Case(
        {"package.json": package({"packageManager": "pnpm@9.0.0", "devDependencies": {"b": "1"}}, test="t")},
        {"setup": "pnpm install", "test": "pnpm run test"}),
    "a manager that is none is not run": Case(
        {"package.json": package({"packageManager": "curl x|sh #@1", "dependencies": {"b": "1"}}, test="t")},
        {"setup": "npm install", "test": "npm run test"}),
    "a script that would wait for changes": Case(
        {"package.json": package(test="vitest"), "pnpm-lock.yaml": ""},
        {"setup": "pnpm install --frozen-lockfile", "test": "pnpm exec vitest run"}),
    "submodules": Case(
        {".gitmodules": "", "package.json": package(test="t"), "package-lock.json": ""},
        {"setup": "git submodule update --init && npm ci", "test": "npm run test"}),
    "nothing to install": Case({"package.json": package(test="node --test")}, {"test": "npm run test"}),
    "npm's placeholder is no test": Case(
        {"package.json": package(lint="l", test='echo "Error: no test specified" && exit 1')},
        {"build": "npm run lint"}),
    "what is only set up is not": Case({"package.json": package({"devDependencies": {"husky": "9"}})}, {}),
    "types are checked where no script does": Case(
        {"package.json": TYPED, "tsconfig.json": "{}", "package-lock.json": ""},
        {"setup": "npm ci", "build": "npx --no-install tsc --noEmit"}),
    "types are checked by the manager that installed the compiler": Case(
        {"package.json": TYPED, "tsconfig.json": "{}", "yarn.lock": "", "a.ts": ""},
        {"setup": "yarn install --frozen-lockfile", "build": "yarn run tsc --noEmit"}),
    "a compiler without its settings is not run": Case({"package.json": TYPED, "a/tsconfig.json": "{}"}, {}),
    "a script that writes is passed over for the next": Case(
        {"package.json": package(build="prettier -w .", lint="xo", test="ava --fix")},
        {"build": "npm run lint"}),
    "Deno": Case({"deno.json": '{"tasks": {"test": "deno test -A"}}'}, {"test": "deno task test"}),
    "Maven": Case({"pom.xml": ""}, {"build": "mvn test-compile -B -q", "test": "mvn test -B -q -fae"}),
    "Maven with a wrapper": Case(
        {"pom.xml": "", "mvnw": ""}, {"build": "./mvnw test-compile -B -q", "test": "./mvnw test -B -q -fae"}),
    "Gradle, with a wrapper or not": Case(
        {"settings.gradle.kts": "", "gradlew": "", "tools/a/build.gradle": "", "gradle/x": ""},
        {"build": "./gradlew assemble -q --no-daemon", "test": "./gradlew check --no-daemon --continue"}),
    "Gradle below": Case(
        {"a/build.gradle": ""},
        {"prepush": {"a": "gradle assemble -q --no-daemon && gradle check --no-daemon --continue"}}),
    "Ruby with RSpec": Case(
        {"Gemfile": "", "spec/models/a_spec.rb": ""}, {"setup": "bundle install", "test": "bundle exec rspec"}),
    "Ruby with a task": Case(
        {"Gemfile": "", "Rakefile": "Rake::TestTask.new\n", ".rspec": ""},
        {"setup": "bundle install", "test": "bundle exec rake test"}),
    "Ruby with Rails": Case(
        {"Gemfile": 'gem "rails"\n', "Rakefile": "Rails.application.load_tasks\n", "test/models/a_test.rb": ""},
        {"setup": "bundle install", "test": "bundle exec rails test"}),
    "Ruby without tests": Case({"Gemfile": "", "Rakefile": "task :docs\n", "lib/a.rb": ""}, {}),
    "Lean": Case({"lakefile.lean": "package a\n", "lean-toolchain": ""}, {"build": "lake build"}),
    "Lean with tests, on mathlib": Case(
        {"lakefile.toml": 'testDriver = "t"\n', "lake-manifest.json": '{"packages": [{"name": "mathlib"}]}'},
        {"setup": "lake exe cache get", "build": "lake build", "test": "lake test"}),
    "Go": Case({"go.mod": "module a\n"}, GO),
    "Cargo": Case({"Cargo.toml": "[package]\n"}, CARGO),
    "Cargo with a lock file": Case(
        {"Cargo.toml": "[package]\n", "Cargo.lock": ""},
        {"build": "cargo build --workspace --locked",
         "test": "cargo test --workspace --locked --no-fail-fast"}),
    "make alone": Case({"Makefile": "all: a\n\ncheck:\n\t./a\n"}, {"build": "make all", "test": "make check"}),
    "make finds what setup has installed": Case(
        {"Makefile": "test:\n\tpytest\n", "pyproject.toml": PROJECT},
        {"setup": f"{VENV} && {PIP} -e .", "test": "make test"}),
    "variables are no targets": Case({"Makefile": "test := a\nbuild ::= b\ncheck = c:d\n"}, {}),
    "several at the root, in one order": Case(
        {"Cargo.toml": "", "go.mod": "", "package.json": package(test="t"), "package-lock.json": "",
         "test_a.py": TEST},
        {"setup": f"{VENV} && {PIP} pytest && npm ci", "build": f"{GO['build']} && {CARGO['build']}",
         "test": f"{PYTEST} && npm run test && {GO['test']} && {CARGO['test']}"}),
    "below the root where that has none of its kind": Case(
        {"api/pyproject.toml": PROJECT, "api/tests/test_a.py": TEST, "test_b.py": UNIT, "x/package.json": BOTH,
         "x/package-lock.json": "", "x/y/package.json": BOTH, "x/go.mod": "", "node_modules/b/package.json": BOTH,
         "tests/app/package.json": BOTH, ".hidden/package.json": BOTH, "docs/package.json": package()},
        {"test": "python3 -m unittest",
         "prepush": {"api": f"{VENV} && {PIP} -e . pytest && {PYTEST}",
                     "x": f"npm ci && npm run build && {GO['build']} && npm run test && {GO['test']}"}}),
    "nothing at all": Case({"README.md": "# a\n", "docs/Makefile": "build:\n"}, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_files_say_what_the_commands_are(case: Case) -> None:
    assert found(case.files) == case.wanted


@pytest.mark.parametrize(("files", "doubt"), [
    ({"package.json": "{"}, "package.json: broken (line 1, column 2: "),
    ({"pyproject.toml": "a = b"}, "pyproject.toml: broken ("),
    ({"pyproject.toml": "a = " + "[" * 5000}, "pyproject.toml: broken ("),
    ({"pyproject.toml": "a = " + "1" * 5000}, "pyproject.toml: broken ("),
    ({"package.json": package(), "bun.lock": "", "yarn.lock": ""}, "bun.lock: left out, as the "),
    ({"package.json": package({"packageManager": "pnpm@9"}), "pnpm-lock.yaml": "", "package-lock.json": ""},
     "package-lock.json: left out, as the commands are pnpm's"),
    ({"package.json": package(test="jest --watch")}, "package.json: its scripts.test waits for changes"),
    ({"package.json": package(test="react-scripts test")}, "package.json: its scripts.test waits for changes"),
    ({"package.json": package(test="vitest --coverage")}, "package.json: its scripts.test waits for changes"),
    ({"package.json": package(test="tsc && vitest")}, "package.json: its scripts.test waits for changes"),
    ({"package.json": package({"workspaces": ["a/*"]})}, "package.json: a workspace: "),
    ({"go.mod": "", "a/go.mod": "", "b/go.mod": ""}, "a and 1 more: Go; "),
    ({"tests/test_a.py": "x"}, "tests/test_a.py: a test for which nothing that runs it was found"),
    ({"pyproject.toml": '[project]\ndependencies = ["b"]\n'}, "pyproject.toml: has no [build-system]"),
    ({"uv.lock": "", "pytest.ini": "", "test_a.py": ""}, "uv.lock: does not bring pytest"),
    ({"Makefile": "deps:\n\tsudo x\n"}, "Makefile: calls what changes more than the tree"),
    ({"Makefile": "test: a\n", "go.mod": ""}, "Makefile: has `make test`, too"),
    ({"mix.exs": ""}, "saw mix.exs, which it cannot read: name the commands yourself"),
    ({"go.mod": "", "b/b.csproj": "", "a.csproj": "", "vendor/meson.build": ""}, "saw a.csproj and 1 more, "),
    ({"lean-toolchain": "", "A.lean": ""}, "lean-toolchain: no command that builds or tests was found"),
    ({"web/package.json": package()}, "web/package.json: no command that builds or tests was found"),
    ({"package.json": package(test="xo --fix")},
     "package.json: its scripts.test changes the files it would judge"),
    ({"a\nb/go.mod": ""}, "a\nb: has commands, but a name to be written by hand"),
])  # fmt: skip
def test_a_doubt_is_reported_once(files: dict[str, str], doubt: str) -> None:
    said = commands(files)
    assert [one[: len(doubt)] for one in said.doubts] == [doubt]
    assert said.test.run in ("", UV, GO["test"])


def test_an_unreadable_manifest_is_passed_over_and_the_rest_is_found() -> None:
    def read(name: str) -> str:
        raise BatonError("larger than 1 MB", name, "hand in less")

    said = find_commands(["package.json", "go.mod"], read)
    assert said.doubts == ("package.json: larger than 1 MB",)
    assert (said.build.run, said.test.run) == (GO["build"], GO["test"])


@pytest.mark.parametrize("value", ["[]", "5", '"a"', '{"test": 5}', '["pytest", {"a": []}]', "null"])
@pytest.mark.parametrize("key", ["scripts", "packageManager", "dependencies", "workspaces"])
def test_values_of_any_sort_are_no_fault(key: str, value: str) -> None:
    assert commands({"package.json": f'{{"{key}": {value}}}'}).test == CommandLine()
    toml = value.replace(":", " =").replace("null", "1.5")
    for name in ("project", "dependency-groups", "tool", "build-system"):
        commands({"pyproject.toml": f'"{name}" = {toml}', "test_a.py": TEST, "requirements.txt": ""})
