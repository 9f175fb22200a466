"""The reference that the skills link to quotes the tables and budgets as the program has them."""

import runpy
from pathlib import Path

import pytest

from baton.artifacts.config import RETRIES
from baton.rules.engine import Answer, Row, RowQuestion, Table
from baton.rules.facts import PlanningFacts

SCRIPT = runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "references"))
OPTIONS = {"plan": Answer("below", "holds to it"), "abandon": Answer("abandon", "ends it")}
TRY = Table("try", PlanningFacts, (
    Row("try/again", "it is | was\nbad", {}, "spawn", "", then="planner", charges="planning"),
    Row("try/on", "good", {}, "integrate", "", then="integrate"),
    Row("try/asked", "odd", {}, "ask", "", stop=RowQuestion("decide", "continue", OPTIONS, "?")),
), total=False)  # fmt: skip


def test_the_reference_is_up_to_date() -> None:
    text = SCRIPT["DOCUMENT"].read_text(encoding="utf-8")
    assert text == SCRIPT["filled"](text), "it quotes the tables as they were: run scripts/references"


def test_what_stands_above_the_mark_is_left_alone() -> None:
    assert SCRIPT["filled"](f"above\n{SCRIPT['MARK']}old").startswith(f"above\n{SCRIPT['MARK']}\nTables: ")


def test_a_table_is_written_row_by_row() -> None:
    assert SCRIPT["table_as_markdown"](TRY).splitlines()[4:] == [
        "| Rule | When | Action | Answers offered |",
        "| --- | --- | --- | --- |",
        "| `try/again` | it is \\| was bad | spawn planner, charged to `planning` | |",
        "| `try/on` | good | integrate | |",
        "| `try/asked` | odd | ask | `plan` → the rows below, `abandon` |",
    ]


@pytest.mark.parametrize("budget", [*RETRIES, "iterations"])
def test_a_budget_is_listed_with_its_size_and_what_is_charged_to_it(budget: str) -> None:
    row = next(line for line in SCRIPT["tables_as_markdown"]().splitlines() if line.startswith(f"| `{budget}` |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2] == str(RETRIES.get(budget, 5))
    assert all(cells)
