"""What is found runs."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from pwd import getpwuid
from typing import NamedTuple

import pytest

from bench import new_bench
from project.test_detect_commands import found


class Real(NamedTuple):
    tool: str
    files: dict[str, str]
    steps: set[str]


UNIT_TEST = "import unittest\nclass T(unittest.TestCase):\n    def test_a(self):\n        import calc\n"
RUST = "pub fn one() -> u8 {\n    1\n}\n#[test]\nfn is_one() {\n    assert_eq!(one(), 1);\n}\n"
LOCK = {"name": "a", "lockfileVersion": 3, "requires": True, "packages": {"": {"name": "a"}}}
CARGO_TOML = '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n'
REAL = {
    "unittest": Real("python3", {"calc.py": "", "tests/test_a.py": UNIT_TEST}, {"test"}),
    "npm": Real("npm", {
        "package.json": json.dumps({"name": "a", "scripts": {"build": "node a.js", "test": "node --check a.js"}}),
        "package-lock.json": json.dumps(LOCK), "a.js": "1\n"}, {"setup", "build", "test"}),
    "cargo": Real("cargo", {"Cargo.toml": CARGO_TOML, "src/lib.rs": RUST}, {"build", "test"}),
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
