"""Stories in repositories whose tests real runners run: whose a failure is, and what follows."""

import json
import re
import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bench import FILES, SETTINGS, Bench, new_bench, report_on

Files = dict[str, str]
HOLDS, FAILS = "1 == 1", "1 == 2"


class Runner(NamedTuple):
    """A repository with tests: its command, its report if any, its files, and how a test and its failure look.

    NAME stands for a test's name and HOLDS for what it asserts.
    """

    line: str
    report: str
    files: Files
    test: tuple[str, str]
    failure: str

    def having(self, name: str, holds: str = HOLDS) -> Files:
        """Return the file of a test by this name."""
        path, text = self.test
        return {path.replace("NAME", name): text.replace("NAME", name).replace("HOLDS", holds)}

    def failed(self, name: str) -> str:
        """Return the name that a failing test is given."""
        return self.failure.replace("NAME", name)


PYTHON = shlex.quote(sys.executable)
SHOP = {"shop.py": "PRICE = 1\n"}
UNITTEST = Runner(
    f"{PYTHON} -m unittest",
    "",
    SHOP,
    (
        "test_NAME.py",
        "import os\nimport unittest\n\nimport shop\n\n\nclass Shop(unittest.TestCase):\n"
        "    def test_NAME(self):\n        self.assertTrue(shop.PRICE and (HOLDS))\n",
    ),
    "FAIL: test_NAME (test_NAME.Shop.test_NAME)",
)
RUNNERS = {
    "unittest": UNITTEST,
    "pytest": Runner(
        f"{PYTHON} -m pytest -p no:cacheprovider --junitxml=report.xml",
        "report.xml",
        {**SHOP, ".gitignore": "report.xml\n"},
        ("test_NAME.py", "import os\n\nimport shop\n\n\ndef test_NAME():\n    assert shop.PRICE and (HOLDS)\n"),
        "test_NAME::test_NAME",
    ),
    "node": Runner(
        "node --test --test-reporter=tap",
        "",
        {"shop.js": "exports.price = 1;\n"},
        (
            "NAME.test.js",
            "const test = require('node:test');\nconst assert = require('node:assert');\n"
            "const shop = require('./shop.js');\n\ntest('NAME', () => assert.ok(shop.price && (HOLDS)));\n",
        ),
        "- NAME",
    ),
}
no_node = pytest.mark.skipif(not shutil.which("node"), reason="node is missing")
each_runner = pytest.mark.parametrize(
    "runner", [pytest.param(one, id=name, marks=[no_node] * (name == "node")) for name, one in RUNNERS.items()]
)
Begin = Callable[..., Bench]


@pytest.fixture
def begin(surrounded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    """A way to a story under way in a repository where one test passes, and those named fail."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_ADDOPTS", "")

    def begin(runner: Runner, *failing: str) -> Bench:
        files = {**FILES, **runner.files, **runner.having("good")}
        for name in failing:
            files |= runner.having(name, FAILS)
        commands = {"test": runner.line, **({"report": runner.report} if runner.report else {})}
        bench = new_bench(tmp_path / "project", f"{SETTINGS}commands: {json.dumps(commands)}\n", files)
        bench.begin()
        bench.plan()
        return bench

    return begin


def hand_over(bench: Bench, files: Files) -> Any:
    """Be the implementer, then QA, who passes what was written; returns the next step."""
    bench.implement(files, report_on("test_calc.py", *files))
    return bench.judge()


def to_fix(bench: Bench) -> str:
    """Return what the newest run is told to fix."""
    return bench.brief.partition("## What must be fixed\n")[2].partition("\n## ")[0]


@pytest.mark.sampled(1)
@each_runner
def test_what_the_story_fails_on_a_green_base_is_fixed_and_merged(runner: Runner, begin: Begin) -> None:
    bench = begin(runner)
    step = hand_over(bench, runner.having("new", FAILS))
    assert (step["rule"], step["agent"]) == ("fix/run", "baton:implementer")
    assert runner.failed("new") in to_fix(bench)
    assert hand_over(bench, runner.having("new"))["action"] == "complete"
    assert next(iter(runner.having("new"))) in bench.git("ls-tree", "-r", "--name-only", "main").split()


@pytest.mark.sampled(1)
@each_runner
def test_what_base_fails_too_is_merged_and_reported_by_name(runner: Runner, begin: Begin) -> None:
    step = hand_over(begin(runner, "old"), runner.having("new"))
    assert step["action"] == "complete"
    told = re.findall(r"fails as before the story: (.+) \(", Path(step["report"]).read_text(encoding="utf-8"))
    assert runner.failed("old") in "".join(told)


@pytest.mark.sampled(1)
@each_runner
def test_of_what_fails_only_what_the_story_adds_stops_it(runner: Runner, begin: Begin) -> None:
    bench = begin(runner, "old")
    assert hand_over(bench, runner.having("new", FAILS))["rule"] == "fix/run"
    assert runner.failed("new") in to_fix(bench)
    first = to_fix(bench).partition("; base does not fail so")[0]
    assert runner.failed("old") not in first


def test_a_test_that_the_story_wrote_and_that_fails_at_times_is_its_own_failure(
    begin: Begin, tmp_path: Path
) -> None:
    bench = begin(UNITTEST)
    once = f"os.path.exists('{tmp_path}/marker') or open('{tmp_path}/marker', 'w').close()"
    step = hand_over(bench, UNITTEST.having("new", once))
    assert step["rule"] == "fix/run"
    assert "the story added or changed that test" in step["reason"]


def test_a_source_file_that_is_no_program_is_the_storys_and_shown(begin: Begin) -> None:
    bench = begin(UNITTEST)
    assert hand_over(bench, {"shop.py": "PRICE = (1\n"})["rule"] == "fix/run"
    assert "shop.py" in to_fix(bench)
