"""The end of a story: what its report tells, and a branch that is left for the user to merge."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bench import DELTA, SETTINGS, STORY, WITH_COMMANDS, Bench, report_on, verdict_on
from scenes import begin_without_mode, drive_to_judging

pytestmark = pytest.mark.sampled(3)

BRANCH = SETTINGS.replace("local", "branch")


def report_of(step: Any) -> str:
    assert step["action"] == "complete"
    return Path(step["report"]).read_text(encoding="utf-8")


def merge_line(report: str) -> str:
    """Give the command by which a report says that its story is merged."""
    found = re.search(r"\nMerge it with:\n\n```\n(.+)\n```\n\Z", report)
    assert found
    return found[1]


@pytest.fixture
def finished(bench: Bench) -> tuple[Bench, str]:
    """A story that is left on its branch, and its report."""
    drive_to_judging(bench, BRANCH)
    return bench, report_of(bench.judge())


# Left on its branch


def test_the_report_shows_what_a_branch_changes(finished: tuple[Bench, str]) -> None:
    bench, report = finished
    changed = bench.git("diff", "--stat=100", f"main...{STORY}").splitlines()
    assert changed[-1].strip().endswith("deletions(-)")
    assert [line for line in changed if line.rstrip() not in report] == []


def test_what_a_report_shows_of_many_changes_is_cut_to_a_screen(bench: Bench) -> None:
    drive_to_judging(bench, BRANCH, {f"many/{number}.py": "MANY = 1\n" for number in range(100)})
    shown = report_of(bench.judge()).split("```\n")[1].splitlines()
    assert (len(shown) in range(8, 44), shown[-1].startswith(" 1")) == (True, True)
    assert re.fullmatch(r" … and \d+ more", shown[-2])


@pytest.mark.parametrize("base", ["main", "release/1.x", "the-team's", "$(base)"])
def test_the_command_of_the_report_merges_the_branch_as_it_stands(base: str, bench: Bench) -> None:
    bench.configure(BRANCH.replace("base: main", f"base: {base}"))
    if base != "main":
        bench.git("branch", base)
    line = merge_line(finish(bench))
    subprocess.run(["sh", "-ec", line], cwd=bench.root, check=True, capture_output=True)
    assert (bench.branch, bench.git("show", "HEAD:calc.py")) == (base, "SUB = 1")
    assert bench.git("rev-list", "--count", "--merges", "HEAD") == "1"


def finish(bench: Bench) -> str:
    """Take a new story, of which nothing is asked, to its end; gives its report."""
    assert bench.begin()["rule"] == "start/planning"
    bench.plan()
    bench.implement()
    return report_of(bench.judge())


def test_the_step_names_the_same_command(finished: tuple[Bench, str]) -> None:
    bench, report = finished
    assert f"`{merge_line(report)}` merges it" in bench.next()["reason"]


@pytest.mark.parametrize("left", ["main", "mine"])
def test_base_and_the_checkout_are_untouched(left: str, bench: Bench) -> None:
    bench.configure(BRANCH)
    base = bench.git("rev-parse", "main")
    if left != "main":
        bench.git("switch", "--quiet", "-c", left)
    finish(bench)
    assert (bench.branch, bench.git("rev-parse", "main"), bench.changes) == (left, base, "")
    assert bench.git("log", "-1", "--format=%s", STORY) == "story 42: complete"


def test_what_fails_on_the_branch_is_fixed_before_it_is_left(bench: Bench) -> None:
    drive_to_judging(bench, WITH_COMMANDS.replace("local", "branch"), {"tools/test.sh": "exit 1\n"})
    assert bench.judge()["rule"] == "fix/run"
    bench.implement({"tools/test.sh": "true\n"})
    assert bench.judge()["rule"] == "integrate/branch"


# How finished stories end is asked once


def finish_with_answer(bench: Bench, mode: str) -> None:
    """Take a story to its end where no mode is configured, and this one is answered."""
    assert begin_without_mode(bench)["rule"] == "start/mode"
    bench.answer(mode)
    bench.plan()
    bench.implement()
    report_of(bench.judge())


@pytest.mark.parametrize(("mode", "merges"), [("branch", "0"), ("local", "2")])
def test_how_stories_end_is_asked_once_in_a_repository(mode: str, merges: str, bench: Bench) -> None:
    finish_with_answer(bench, mode)
    finish(Bench(bench.root, "43"))
    assert bench.git("rev-list", "--count", "--merges", "main") == merges


def test_settings_that_name_a_mode_are_not_overruled_by_an_answer(bench: Bench) -> None:
    finish_with_answer(bench, "branch")
    bench.configure(SETTINGS)
    assert "Merged into `main`" in finish(Bench(bench.root, "43"))


# The report

PREPUSH = f"{SETTINGS}commands: {{prepush: [{{path: workers/api, run: 'true'}}]}}\n"
BESIDE = PREPUSH.replace("{prepush", "{test: 'true', prepush")
ONE_OF_TWO = PREPUSH.replace("[", "[{path: ., run: 'true'}, ")


@pytest.mark.parametrize(("settings", "says"), [
    (SETTINGS, "Nothing was run: `.baton.yaml` names no commands."),
    (PREPUSH, "; prepush was skipped: nothing changes in workers/api."),
    (BESIDE, "- test, `true`: passed"),
    (BESIDE, "- prepush was skipped: nothing changes in workers/api"),
    (ONE_OF_TWO, "- prepush in ., `true`: passed"),
    (ONE_OF_TWO, "- prepush was skipped: nothing changes in workers/api"),
])  # fmt: skip
def test_commands_that_were_skipped_are_told_beside_those_that_ran(settings: str, says: str, bench: Bench) -> None:
    drive_to_judging(bench, settings)
    report = Path(bench.judge()["report"]).read_text(encoding="utf-8")
    message = bench.git("log", "-1", "--format=%B", "main")
    assert says in message
    assert says in report
    assert ("names no commands" in report) == (settings == SETTINGS)


NAMES = [f"test_shop.py::test_price_{number}" for number in range(40)]
RED = "\n".join([
    "cat <<'END'", "=== short test summary info ===", *(f"FAILED {name} - no" for name in NAMES),
    "=== 40 failed in 0.12s ===", "END", "exit 1", "",
])  # fmt: skip
ERRORS = [{"type": "test", "message": f"the price of {word} is unknown"} for word in "abcdefghijkl"]
MORE = [word for number in range(3, 9) for word in ("--criterion", f"criterion {number} of the shop")]
HOLDS = {
    "the criteria and how each was met": "- AC8: criterion 8 of the shop — PASS, seen in shop.log\n",
    "what a person deferred": "- deferred: a price in yen (deferred)\n",
    "what was run and passed": "- build, `sh tools/build.sh`: passed (",
    "what failed as before, shortened": (
        "- test, `sh tools/test.sh`: fails as before the story: "
        "FAILED test_shop.py::test_price_0 - no, FAILED test_shop.py::test_price_1 - no, "
        "FAILED test_shop.py::test_price_10 - no and 37 more ("
    ),
    "what was built": "- **Built:** Subtract numbers\n",
    "how many files": "- **Files:** 2 (+2 -2 lines)\n",
    "which, and by which run": "- **Changed:** `calc.py` (implement, phase 2 of 2)\n",
    "how often each phase was run": ", 1 planning run, 2 implementation runs, 1 qa run\n",
    "what a person decided": "`start/commands`: accept, at a terminal\n",
    "how to look, and to undo": "- **Undo:** `baton undo 42`\n",
    "the first errors": "- test: the price of e is unknown\n- and 7 more: `baton timeline 42` shows them\n",
    "knowledge that was left": "`specs/42_subtract-numbers/42.memory-delta.md`\n",
    "what became of it": "Merged into `main` as `",
}


@pytest.fixture
def full(bench: Bench) -> str:
    """The report of a story that had much to tell of."""
    bench.commit({".baton.yaml": WITH_COMMANDS, "tools/test.sh": RED})
    bench.begin(*MORE, "--criterion", "a price in yen (deferred)")
    bench.plan()
    bench.work(1, errors=ERRORS)
    bench.implement(report=report_on("test_calc.py", criteria=8))
    bench.hand_in("memory-delta", DELTA)
    bench.hand_in("qa-report", verdict_on(8, "PASS", evidence="seen in shop.log"))
    return report_of(bench.end())


def test_a_report_tells_all_there_is_on_one_screen(full: str) -> None:
    assert [what for what, text in HOLDS.items() if text not in full] == []
    assert len(full.splitlines()) <= 50
    assert max(map(len, full.splitlines())) <= 200


def test_a_report_of_little_tells_of_nothing_else(judging: Bench) -> None:
    report = report_of(judging.judge())
    told = ("deferred", "Errors met", "fails as before", "For Discovery", "more")
    assert [one for one in told if one in report] == []
