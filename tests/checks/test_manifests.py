"""What a set-up reads: while that is unchanged it is not run again; where it builds code, all counts."""

import json
from pathlib import Path

import pytest

from baton.checks.manifests import TreeFile, setup_digest

LOCAL = "python3 -m venv .venv && .venv/bin/pip install"
BUILT = '{"scripts": {"prepare": "tsc -p ."}}'
HOOKS = '{"scripts": {"prepare": "husky"}}'


def digest(top: Path, line: str, files: dict[str, str]) -> str:
    for name, text in files.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    return setup_digest(
        line, json.dumps(files), top, [TreeFile("100644", text, name) for name, text in files.items()]
    )


@pytest.mark.parametrize(("line", "name", "reads"), [
    ("npm ci", "package.json", True), ("npm ci", "web/package-lock.json", True), ("npm ci", "src/index.js", False),
    ("npm ci", "docs/package.json.md", False), (f"{LOCAL} -e .", "pyproject.toml", True),
    (f"{LOCAL} -e .", "src/a.py", False), (f"{LOCAL} -e '.[test]'", "src/a.py", False),
    (f"{LOCAL} -r requirements-dev.txt", "requirements-dev.txt", True), (f"{LOCAL} .", "src/a.py", True),
    (f"{LOCAL} '.[test]'", "src/a.py", True), (f"{LOCAL} -e . && npm run build", "src/a.py", True),
    ("sh tools/setup.sh", "tools/setup.sh", True), ("./tools/setup.sh", "tools/setup.sh", True),
    ("sh tools/setup.sh", "tools/test.sh", False), ("mvn -q install", "src/A.java", True),
    ("uv sync --locked", "uv.lock", True), ("bundle install", "Gemfile.lock", True),
    ("go mod download", "go.sum", True),
])  # fmt: skip
def test_the_set_up_runs_again_if_what_it_reads_changed(line: str, name: str, reads: bool, tmp_path: Path) -> None:
    assert (digest(tmp_path, line, {name: "{}"}) != digest(tmp_path, line, {name: '{"a": 1}'})) is reads


@pytest.mark.parametrize(("manifest", "source", "reads"), [
    (("package.json", BUILT), "src/a.ts", True), (("package.json", HOOKS), "src/a.ts", False),
    (("package.json", '{"scripts": {"build": "tsc"}}'), "src/a.ts", False),
    (("package.json", "{"), "src/a.ts", False),
    (("setup.py", "setup(ext_modules=[])"), "src/a.c", True), (("setup.py", "setup()"), "src/a.c", False),
    (("binding.gyp", "{}"), "src/a.cc", True), (("pyproject.toml", "maturin"), "src/a.rs", True),
])  # fmt: skip
def test_changed_code_is_built_anew(manifest: tuple[str, str], source: str, reads: bool, tmp_path: Path) -> None:
    old, new = (digest(tmp_path, "do install", dict([manifest, (source, text)])) for text in ("1", "2"))
    assert (old != new) is reads


def test_another_line_is_another_set_up(tmp_path: Path) -> None:
    assert digest(tmp_path, "npm ci", {}) != digest(tmp_path, "npm install", {})
