"""The decision tables are shown as the engine has them."""

from typing import get_args

import pytest

from baton.artifacts.config import RETRIES
from baton.commands.explain import DOES
from baton.rules.all_tables import all_tables
from baton.rules.engine import Action
from bench import ROOT, Bench

TABLE_NAMES = [table.phase for table in all_tables()]


@pytest.mark.parametrize("table", TABLE_NAMES)
def test_a_table_is_explained_row_by_row(table: str, bench: Bench) -> None:
    said = bench.baton("explain", table, "--json").json
    rows = next(one for one in all_tables() if one.phase == table).rows
    assert (said["phase"], [row["rule"] for row in said["rows"]]) == (table, [row.rule for row in rows])
    assert all(set(row) == {"rule", "when", "action", "reason"} for row in said["rows"])
    assert len(bench.baton("explain", table).out.encode()) <= 6_001


@pytest.mark.parametrize(("name", "line"), [
    ("qa", "qa/pass: when QA says PASS, go on to build, test and merge."),
    ("write/new", "write/new: when any other file, go on."),
    ("qa", "qa/fail: when the verdict is FAIL, start the implementer (counts against `retries.qa_fail_cycles`, "
     "2 unless configured)."),
    ("run", "run/failed: when its metadata says failed, stop and ask you: continue, retry, replan, abandon."),
    ("integration", "sync/conflict: when that merge conflicts, go on with the table `fix`."),
])  # fmt: skip
def test_a_row_reads_as_a_sentence(name: str, line: str, bench: Bench) -> None:
    assert line in bench.baton("explain", name).out.splitlines()


def test_a_rule_is_shown_alone_with_its_table_and_stage(bench: Bench) -> None:
    said = bench.baton("explain", "qa/escalate").out.splitlines()
    assert said[0].startswith("qa (stage qa): ")
    page = (ROOT / "skills/implement/stages/qa.md").read_text()
    assert "\n".join(said[2:]) in page
    assert said[2] == "### qa/escalate"
    assert {row["rule"] for row in bench.baton("explain", "qa/fail", "--json").json["rows"]} == {"qa/fail"}


@pytest.mark.parametrize("rule", ["land/validation", "plan/push"])
def test_a_question_of_a_round_is_shown_with_its_answers(rule: str, bench: Bench) -> None:
    said = bench.baton("explain", rule).out.splitlines()
    assert said[0].startswith("feedback-ask: ")
    page = (ROOT / "skills/resolve-pr-feedback/stages/land.md").read_text()
    assert "\n".join(said[2:]) in page
    assert (said[2], any(line.startswith("  - `accept` → go-on: ") for line in said)) == (f"### {rule}", True)


def test_every_action_can_be_said() -> None:
    assert set(DOES) == set(get_args(Action))


def test_all_tables_are_named_at_once(bench: Bench) -> None:
    assert [one["phase"] for one in bench.baton("explain", "--json").json["tables"]] == TABLE_NAMES
    assert [line.split(":")[0] for line in bench.baton("explain").out.splitlines()[:-1]] == TABLE_NAMES


def test_a_table_that_is_not_there_is_one_line(bench: Bench) -> None:
    line = bench.baton("explain", "nonsense").refused
    assert line.startswith("baton: no table or rule `nonsense` at the command line: the tables are ")


def test_the_budgets_are_explained_with_what_is_charged_to_each(bench: Bench) -> None:
    said = bench.baton("explain", "budgets").out.splitlines()
    assert "retries.qa_fail_cycles: 2 for each story; by qa/fail-twice, qa/fail" in said
    assert "loop.max_iterations: 5 for each story; by every implementation run" in said
    assert bench.baton("explain", "budgets", "--json").json == {"budgets": said[1:]}
    assert {one.partition(":")[0].partition(".")[2] for one in said if one.startswith("retries.")} == set(RETRIES)
