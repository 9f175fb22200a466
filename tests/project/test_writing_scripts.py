"""A command that changes the files it would judge is found, however it is called."""

import pytest

from baton.project.writing_scripts import find_writer, make_targets

WRITING = [
    "prettier --write .", "npx prettier -w src", "eslint --fix .", "xo --fix", "standard --fix",
    "biome check --write", "stylelint 'a/*.css' --fix", "ruff check --fix", "ruff format", "black .",
    "black -l 100 .", "isort src", "uv run black src", "python -m black .", ".venv/bin/black .",
    "cargo fmt --all", "cargo +nightly fmt", "gofmt -l -w .", "go fmt ./...", "rubocop -A",
    "tsc && prettier --write dist", "@black src", "CI=1 deno fmt",
]  # fmt: skip
LOOKING = [
    "prettier --check .", "eslint . --fix-dry-run", "xo && ava", "standard", "biome check",
    "ruff check && ruff format --check", "black --check .", "isort -c src", "cargo fmt --all -- --check",
    "gofmt -l .", "pip install black isort", "echo black", "npm run build -w packages/a", "jest --writer=a",
    "rubocop", "go vet ./...", "",
]  # fmt: skip
SCRIPTS = {
    "format": "prettier --write .", "prebuild": "npm run format", "build": "tsc", "test": "a",
    "posttest": "xo --fix",
    "lint:a": "xo", "lint:b": "eslint --fix", "check": "xo", "all": "run-p check format", "deep": "xo && yarn all",
    "loop": "npm run loop",
}  # fmt: skip
MAKEFILE = """\
BIN := black .
check: fmt lint
\tpytest
fmt:
\t@black .
lint: ; flake8
all: \\
  lint
\t$(MAKE) -C . fmt
.PHONY: fmt check
# check: fmt
test: lint
\tpytest
"""


@pytest.mark.parametrize("line", WRITING)
def test_what_writes_is_found(line: str) -> None:
    assert find_writer(f"true && {line}", {})


@pytest.mark.parametrize("line", LOOKING)
def test_what_only_looks_is_not(line: str) -> None:
    assert not find_writer(line, {})


@pytest.mark.parametrize(("line", "writer"), [
    ("npm run build", "prettier --write ."), ("npm test", "xo --fix"), ("yarn deep", "prettier --write ."),
    ("run-s lint:*", "eslint --fix"), ("concurrently 'npm:format'", "prettier --write ."),
    ("npm run check", ""), ("npm run lint:a", ""), ("npm run loop", ""), ("echo format", ""), ("npm run none", ""),
])  # fmt: skip
def test_what_a_script_calls_counts_as_its_own(line: str, writer: str) -> None:
    assert find_writer(line, SCRIPTS) == writer


@pytest.mark.parametrize(("line", "writer"), [
    ("make check", "black ."), ("make all", "black ."), ("make test", ""), ("make lint", ""), ("make none", ""),
])  # fmt: skip
def test_a_target_runs_its_recipe_and_what_it_needs(line: str, writer: str) -> None:
    assert find_writer(line, make_targets(MAKEFILE)) == writer
