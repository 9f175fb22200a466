"""The names of what failed, in outputs recorded from the runners themselves."""

import os
import re
import time
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.checks.failures import failures
from baton.checks.runners import RUNNERS, Runner

OUTPUTS = Path(__file__).parents[1] / "examples" / "outputs"
TREES = ("/tmp/tree-a", "/tmp/tree-b")
EXAMPLES = sorted(OUTPUTS.glob("*/*.txt"))
NAMED = [path for path in EXAMPLES if path.parent.name not in ("words", "make", "mixed") and path.stem == "two"]
QUICKLY = settings(max_examples=int(os.environ.get("BATON_EXAMPLES", "60")), derandomize=True, deadline=None)
DURATION = re.compile(r"(?<=[ (])\d+\.\d+(?=(?: )?m?s\b)")


def case(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def plain(path: Path) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", path.read_text(encoding="utf-8"))


def found(path: Path) -> frozenset[str]:
    return failures(path.read_text(encoding="utf-8"), TREES)


def expected(path: Path) -> list[str]:
    return path.with_suffix(".names").read_text(encoding="utf-8").splitlines()


def example(name: str) -> Path:
    return OUTPUTS / f"{name}.txt"


@pytest.mark.parametrize("runner", RUNNERS, ids=lambda runner: runner.name)
def test_every_runner_has_examples_in_which_it_gives_names(runner: Runner) -> None:
    texts = [plain(path) for path in EXAMPLES]
    spoke = [text for text in texts if any(mark in text for mark in runner.marks)]
    assert sum(bool(list(runner.read(text.split("\n")))) for text in spoke) >= 3


@pytest.mark.parametrize("path", EXAMPLES, ids=case)
def test_the_names_of_what_failed_are_all_that_is_found(path: Path) -> None:
    assert sorted(found(path)) == expected(path)


@pytest.mark.parametrize("path", [path for path in EXAMPLES if "-again" in path.stem], ids=case)
def test_another_run_of_the_same_failure_has_the_same_names(path: Path) -> None:
    first = path.with_stem(path.stem.replace("-again", ""))
    assert path.read_text() != first.read_text()
    assert found(path) == found(first) != frozenset()


@pytest.mark.parametrize("path", [path for path in NAMED if path.with_stem("one").exists()], ids=case)
def test_one_more_failure_is_one_more_name(path: Path) -> None:
    assert found(path) > found(path.with_stem("one"))


@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem[:4] in ("pass", "warn")], ids=case)
def test_warnings_and_passes_are_no_failures(path: Path) -> None:
    assert found(path) == frozenset()


@pytest.mark.parametrize(("first", "second"), list(permutations(NAMED, 2)), ids=lambda path: path.parent.name)
def test_each_runner_of_an_output_is_heard(first: Path, second: Path) -> None:
    both = failures(first.read_text() + second.read_text(), TREES)
    assert both >= found(first) | found(second)


@pytest.mark.parametrize("path", EXAMPLES, ids=case)
def test_colors_and_carriage_returns_change_nothing(path: Path) -> None:
    lines = plain(path).split("\n")
    dressed = "".join(f"\r10%\r\x1b[1m{line[:3]}\x1b[0;31m{line[3:]}\x1b[K\r\n" for line in lines)
    assert failures(dressed, TREES) == found(path)


@pytest.mark.parametrize("path", EXAMPLES, ids=case)
def test_durations_change_nothing(path: Path) -> None:
    changed = DURATION.sub(lambda duration: f"1{duration[0]}7", path.read_text(encoding="utf-8"))
    assert failures(changed, TREES) == found(path)


@pytest.mark.parametrize(("output", "names"), [
    ("FAILED a.py::t[a - b] - KeyError", {"a.py::t[a - b]"}),
    ("FAILED a.py::t[a] - [b]", {"a.py::t[a] - [b]"}),
    ("FAILED a.py::t - assert [1] - [2]", {"a.py::t"}),
    ("FAILED a.py::t[x] - [XPASS(strict)] [slow]", {"a.py::t[x]"}),
    ("FAILED a.py::t[<Box object at 0x7f01>]", {"a.py::t[<Box object at 0x#>]"}),
    ("FAILED a.py::t[/tmp/pytest-of-me/pytest-12/x0/a.txt] - OSError: no", {"a.py::t[<tmp>]"}),
    ("FAILED a.py::t[/tmp/tree-a/data/a.txt] - OSError: no", {"a.py::t[data/a.txt]"}),
])  # fmt: skip
def test_a_test_id_is_kept_but_for_what_differs_between_runs(output: str, names: set[str]) -> None:
    summary = f"=== short test summary info ===\n{output}\n=== 1 failed in 0.12s ===\n"
    assert failures(summary, TREES) == names


@pytest.mark.parametrize(("output", "names"), [
    ("src/a.ts(1,2): error TS1: no\nsrc/a.ts(9,2): error TS1: no", {"src/a.ts: TS1: no", "src/a.ts: TS1: no (2)"}),
    ("a.c:3:5: error: no 12\na.c:9:5: error: no 13", {"a.c: no #", "a.c: no # (2)"}),
    ("fatal: no 1\nfatal: no 2", {"fatal: no #", "fatal: no # (2)"}),
    ("=== FAILURES ===\n___ t ___\n___ t ___\n=== 2 failed in 0.1s ===", {"t", "t (2)"}),
])  # fmt: skip
def test_a_second_failure_that_looks_the_same_is_a_second_name(output: str, names: set[str]) -> None:
    assert failures(output) == names


def test_the_same_test_in_two_packages_is_two_names() -> None:
    one = example("jest/one").read_text()
    assert failures(one + one) == {"sum.test.js: sum › adds", "sum.test.js: sum › adds (2)"}


def test_a_runner_that_was_killed_hides_nobody() -> None:
    killed = example("pytest/one").read_text().partition("= short test summary")[0]
    assert failures(killed + example("jest/one").read_text()) >= found(example("jest/one"))


@pytest.mark.parametrize(("output", "names"), [
    ("ld: undefined reference to `f'", {"ld: undefined reference to `f'"}),
    ("ValueError: no", {"ValueError: no"}),
    ("error: " + "x" * 5000, {"error: " + "x" * 193}),
    ("error: /tmp/tree-ab/a and /tmp/tree-a", {"error: <tmp> and ."}),
    ("Error:  no   such\tthing", {"Error: no such thing"}),
    ("3 failed, 2 passed in 0.1s\nfatal: no", {"fatal: no"}),
    ("all is well\nerrorless\nterror", set()),
    ("✓ shows an error\nok 3 - fails with an error\ntest_error PASSED [ 50%]", set()),
    ("12 errors generated.", {"# errors generated."}),
])  # fmt: skip
def test_without_names_the_lines_that_tell_of_an_error_are_given(output: str, names: set[str]) -> None:
    assert failures(output, TREES) == names


@QUICKLY
@given(st.text() | st.text(alphabet="=-_ FAILED:\n\r\x1b[]()>●✖1a./⎯", max_size=400))
def test_no_text_is_too_strange(output: str) -> None:
    assert all(name.strip() for name in failures(output, TREES))


@QUICKLY
@given(st.sampled_from(EXAMPLES), st.data())
def test_part_of_an_output_is_read_like_a_whole_one(path: Path, data: st.DataObject) -> None:
    text = path.read_text(encoding="utf-8")
    start, stop = sorted(data.draw(st.integers(0, len(text))) for _ in range(2))
    assert isinstance(failures(text[start:stop], TREES), frozenset)


HOSTILE = {
    "sections that never end": "=== FAILURES ===\n",
    "starts of every runner": "=== FAILURES ===\n--- FAIL: T (0.00s)\n RUN  v1\n1..2\n" + "=" * 70 + "\nFAIL: a\n",
    "one line of brackets": "FAILED a[b] - (1,1 [Error/ ",
    "one line of places": "a:1:1: error: ",
    "lines of spaces": " " * 1900 + "x\n",
    "carriage returns": "\r",
    "broken escapes": "\x1b[1;\x1b]",
    "temporary paths": "/tmp/a/0x1 1a2b3c4 error ok [ 5",
    "lines that almost end": " in 1.1s (0:00:01) FAILED [ 1%\n",
    "nested tests": "▶ a\n  ✖ b (1ms)\n# Subtest: a\nnot ok 1 - b\n  ● a\n ⎯⎯ a ⎯⎯\n",
}
MARKS = "error TS: a.go: FAIL\t not ok  problem ✖ failing tests: Test Suites:  RUN  v test result:  in  failing\n"


def seconds(text: str) -> float:
    began = time.process_time()
    failures(text, TREES)
    return time.process_time() - began


@pytest.mark.parametrize("kind", HOSTILE)
def test_eight_times_the_text_takes_about_eight_times_as_long(kind: str) -> None:
    small, large = (MARKS + HOSTILE[kind] * (size // len(HOSTILE[kind])) for size in (2**17, 2**20))
    # Quadratic would be 64; a busy machine makes it up to three times the 8.
    assert seconds(large) < 30 * max(min(seconds(small) for _ in range(3)), 0.01)
