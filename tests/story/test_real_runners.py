"""Stories in repositories whose tests are run by the runners people have: whose a failure is, and what follows."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path
from pwd import getpwuid
from typing import Any, NamedTuple

import pytest
from _pytest.mark.structures import ParameterSet

from baton.artifacts.config import Config
from bench import FILES, REPORT, SETTINGS, Bench, new_bench

Files = dict[str, str]
HOLDS, FAILS = "1 == 1", "1 == 2"


class Runner(NamedTuple):
    """A repository with tests in it: the command that runs them, its files, and how a test there looks.

    In `test`, a path and a text, NAME stands for the test's name and HOLDS for what it asserts; `told` is how that
    test is told when it fails. `flaky` is an expression that is false until it was evaluated once, `MARKER` in it
    the file by which it knows. `broken` is a source file, and a text of it that is no program.
    """

    needs: tuple[str, ...]
    line: str
    files: Files
    test: tuple[str, str]
    told: str
    flaky: str
    broken: tuple[str, str]

    def having(self, name: str, holds: str = HOLDS) -> Files:
        """Give the file of a test by this name."""
        path, text = self.test
        return {path.replace("NAME", name): text.replace("NAME", name).replace("HOLDS", holds)}

    def failed(self, name: str) -> str:
        """Give the name that a failing test is told by."""
        return self.told.replace("NAME", name)


PYTHON = shlex.quote(sys.executable)
SHOP = {"shop.py": "PRICE = 1\n"}
PY_FLAKY = "os.path.exists('MARKER') or open('MARKER', 'w').close()"
PY_BROKEN = ("shop.py", "PRICE = (1\n")
CASE = """import os
import unittest

import shop


class Shop(unittest.TestCase):
    def test_NAME(self):
        self.assertTrue(shop.PRICE and (HOLDS))
"""
UNITTEST = Runner(
    (), f"{PYTHON} -m unittest", SHOP, ("test_NAME.py", CASE), "test_NAME.Shop.test_NAME", PY_FLAKY, PY_BROKEN
)
NODE = Runner(
    ("node",),
    "node --test",
    {"shop.js": "exports.price = 1;\n"},
    (
        "NAME.test.js",
        "const test = require('node:test');\nconst assert = require('node:assert');\n"
        "const fs = require('node:fs');\nconst shop = require('./shop.js');\n\n"
        "test('NAME', () => assert.ok(shop.price && (HOLDS)));\n",
    ),
    "NAME.test.js: NAME",
    "fs.existsSync('MARKER') || fs.writeFileSync('MARKER', '')",
    ("shop.js", "exports.price = (1;\n"),
)
RUNNERS = {
    "pytest": Runner(
        (),
        f"{PYTHON} -m pytest",
        SHOP,
        ("test_NAME.py", "import os\n\nimport shop\n\n\ndef test_NAME():\n    assert shop.PRICE and (HOLDS)\n"),
        "test_NAME.py::test_NAME",
        PY_FLAKY,
        PY_BROKEN,
    ),
    "unittest": UNITTEST,
    "node": NODE,
    "cargo": Runner(
        ("cargo",),
        "cargo test --offline --no-fail-fast",
        {
            "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n'
            "[lib]\ndoctest = false\ntest = false\n\n[profile.dev]\ndebug = false\nincremental = false\n",
            "src/lib.rs": "pub const PRICE: i32 = 1;\n",
        },
        ("tests/NAME.rs", "#[test]\nfn NAME() {\n    assert!(shop::PRICE == 1 && (HOLDS));\n}\n"),
        "NAME: NAME",
        'std::fs::read("MARKER").is_ok() || std::fs::write("MARKER", "").is_err()',
        ("src/lib.rs", "pub const PRICE: i32 = (1;\n"),
    ),
    "go": Runner(
        ("go",),
        "go test ./...",
        {"go.mod": "module shop\n\ngo 1.21\n", "shop.go": "package shop\n\nvar price = 1\n"},
        (
            "NAME_test.go",
            'package shop\n\nimport (\n\t"os"\n\t"testing"\n)\n\nfunc Test_NAME(t *testing.T) {\n'
            "\tif price != len(os.Args[:1]) || !(HOLDS) {\n\t\tt.Fatal(price)\n\t}\n}\n",
        ),
        "shop: Test_NAME",
        'os.Mkdir("MARKER", 0o755) != nil',
        ("shop.go", "package shop\n\nvar price = (1\n"),
    ),
    "make": UNITTEST._replace(
        needs=("make",), line="make test", files={**SHOP, "Makefile": f"test:\n\t{PYTHON} -m unittest\n"}
    ),
    "mixed": NODE._replace(
        needs=("make", "node"),
        line="make test",
        files={
            **NODE.files,
            **SHOP,
            **UNITTEST.having("python"),
            "Makefile": f"test:\n\t{PYTHON} -m unittest && node --test\n",
        },
    ),
}
# Cargo compiles for each run; the last two print what those they start print.
QUICK = [name for name in RUNNERS if name not in ("cargo", "make", "mixed")]
# The fixtures replace the home folder, in which the tools keep themselves; so may who runs the tests.
OWN_HOME = getpwuid(os.getuid()).pw_dir
TOOLS = {
    "CARGO_HOME": os.environ.get("CARGO_HOME", f"{OWN_HOME}/.cargo"),
    "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", f"{OWN_HOME}/.rustup"),
    "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
    "PYTEST_ADDOPTS": "",
    "CGO_ENABLED": "0",
    "GOTOOLCHAIN": "local",
    "GOPROXY": "off",
}
Begin = Callable[..., Bench]


def with_runners(names: Collection[str]) -> pytest.MarkDecorator:
    """Have a test run with each of these runners that is there."""
    return pytest.mark.parametrize("runner", [_parameter(name) for name in names])


@cache
def works(tool: str) -> bool:
    """Whether a tool is there and starts."""
    asked = (tool, "version" if tool == "go" else "--version")
    there = shutil.which(tool) is not None
    return there and subprocess.run(asked, env={**os.environ, **TOOLS}, capture_output=True).returncode == 0


def _parameter(name: str) -> ParameterSet:
    missing = [one for one in RUNNERS[name].needs if not works(one)]
    skip = pytest.mark.skipif(bool(missing), reason=f"{', '.join(missing)} is missing, or does not work")
    return pytest.param(RUNNERS[name], id=name, marks=skip)


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place for what a compiler makes of its own library, once."""
    return tmp_path_factory.mktemp("compiled")


@pytest.fixture
def begin(surrounded: Path, tmp_path: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """Give a way to a story under way in a repository where one test passes, and those named fail."""
    for name, value in {**TOOLS, "GOCACHE": str(compiled)}.items():
        monkeypatch.setenv(name, value)

    def begin(runner: Runner, *failing: str) -> Bench:
        files = {**FILES, **runner.files, **runner.having("good")}
        for name in failing:
            files |= runner.having(name, FAILS)
        settings = f"{SETTINGS}commands: {json.dumps({'test': runner.line})}\n"
        bench = new_bench(tmp_path / "project", settings, files)
        bench.begin()
        bench.plan()
        return bench

    return begin


def hand_over(bench: Bench, files: Files) -> Any:
    """Be the implementer, then QA, who passes what was written; gives the next step."""
    named = "".join(f"- `{name}`\n" for name in files)
    bench.implement(files, REPORT.replace("## Criteria", f"{named}## Criteria"))
    return bench.judge()


def to_fix(bench: Bench) -> str:
    """Give what the newest run is told to fix."""
    return bench.brief.partition("## What must be fixed\n")[2].partition("\n## ")[0]


def introduced(bench: Bench) -> list[str]:
    """Give the names of what the newest run is told that the story broke."""
    return re.findall(r"(?m)^- (.+); base does not fail so\n  First `test` ended with [1-9]", to_fix(bench))


def failing_as_before(step: Any) -> list[str]:
    """Give what the completion report says of each command that fails on base, too."""
    return re.findall(r"fails as before the story: (.+) \(", Path(step["report"]).read_text(encoding="utf-8"))


@with_runners(RUNNERS)
def test_a_test_that_the_story_fails_is_named_fixed_and_merged(runner: Runner, begin: Begin) -> None:
    bench = begin(runner)
    step = hand_over(bench, runner.having("new", FAILS))
    assert (step["rule"], step["agent"]) == ("fix/run", "baton:implementer")
    assert introduced(bench) == [runner.failed("new")]
    assert hand_over(bench, runner.having("new"))["action"] == "complete"
    assert bench.rules.count("qa/pass") == 2
    assert next(iter(runner.having("new"))) in bench.git("ls-tree", "-r", "--name-only", "main").split()


@with_runners(RUNNERS)
def test_what_base_fails_too_is_merged_and_reported_by_name(runner: Runner, begin: Begin) -> None:
    bench = begin(runner, "old")
    step = hand_over(bench, runner.having("new"))
    assert (step["action"], failing_as_before(step)) == ("complete", [runner.failed("old")])


@with_runners(RUNNERS)
def test_of_what_fails_only_what_the_story_adds_stops_it(runner: Runner, begin: Begin) -> None:
    bench = begin(runner, "old")
    assert hand_over(bench, runner.having("new", FAILS))["rule"] == "fix/run"
    assert "test/introduced" in bench.rules
    assert introduced(bench) == [runner.failed("new")]


@with_runners(["mixed"])
def test_what_breaks_ahead_of_another_runner_is_told_by_itself(runner: Runner, begin: Begin) -> None:
    bench = begin(runner, "old")
    assert hand_over(bench, UNITTEST.having("new", FAILS))["rule"] == "fix/run"
    assert introduced(bench) == [UNITTEST.failed("new")]


@with_runners(QUICK)
def test_a_failure_that_does_not_come_back_is_asked_about(runner: Runner, begin: Begin, tmp_path: Path) -> None:
    bench = begin(runner)
    flaky = runner.flaky.replace("MARKER", str(tmp_path / "marker"))
    step = hand_over(bench, runner.having("new", flaky))
    told = f"{runner.failed('new')}; run once more on the same commit, it passed\nFirst `test` ended with "
    assert (step["rule"], told in step["reason"]) == ("test/unclear", True)
    assert "test/introduced" not in bench.rules


@with_runners([*QUICK, "make", "mixed"])
def test_a_source_file_that_is_no_program_is_the_storys_and_shown(runner: Runner, begin: Begin) -> None:
    bench = begin(runner)
    assert hand_over(bench, dict([runner.broken]))["rule"] == "fix/run"
    assert "test/introduced" in bench.rules
    assert re.search(rf"\b{re.escape(runner.broken[0])}\b", to_fix(bench))


def test_a_command_may_take_an_hour_where_nothing_else_is_set() -> None:
    assert Config().command_timeout_s > 3600
