"""What is found runs."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from pwd import getpwuid
from typing import NamedTuple

import pytest

from bench import new_bench


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


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", REAL)
def test_found_commands_pass(name: str, surrounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Rust's tools lie in the home folder, which is another one here.
    monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", f"{getpwuid(os.getuid()).pw_dir}/.rustup"))
    if not starts(REAL[name].tool):
        pytest.skip(f"no {REAL[name].tool} here")
    bench = new_bench(tmp_path / "project", "", REAL[name].files)
    tried = bench.baton("init", "--json").json["tried"]
    assert {one["name"] for one in tried} == REAL[name].steps
    assert [one for one in tried if one["how"] != "passed"] == []
