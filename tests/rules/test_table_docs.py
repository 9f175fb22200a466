"""What is drawn and written of the tables is what they hold, and the documents are up to date with it."""

import os
import re
import runpy
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from baton.artifacts.config import RETRIES
from baton.rules.engine import Row, RowQuestion, Table
from baton.rules.facts import PlanningFacts
from baton.rules.table_docs import (
    LABEL_MOST,
    NOT_DRAWN,
    PERSON,
    START,
    Edge,
    draw_diagram,
    find_edges,
    leads_to,
    table_as_markdown,
    tables_as_markdown,
)
from baton.rules.tables import TABLES
from bench import call

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "references"
REFERENCES = runpy.run_path(str(SCRIPT))
DOCUMENTS: list[Path] = REFERENCES["DOCUMENTS"]
HAPPY = [START, "planning", "implementation", "report", "qa", "integration", "complete", START]

DECLARED = re.compile(r'(?:state "[\w ]+" as )?(\w+)')
DRAWN = re.compile(r"(\[\*\]|\w+) --> (\[\*\]|\w+)(?:: ([\w, -]+))?")
NOTE = re.compile(r"note right of \w+(\n        [\w, →-]+)+\n    end note")
WAYS = [(table, row) for table in TABLES if table.phase != NOT_DRAWN for row in table.rows if leads_to(row)]

OPTIONS = {"plan": "below", "abandon": "abandon"}
TRY = Table("try", PlanningFacts, (
    Row("try/again", "it is | was\nbad", {}, "spawn", "", then="planner", charges="planning"),
    Row("try/on", "good", {}, "integrate", "", then="integrate"),
    Row("try/asked", "odd", {}, "ask", "", stop=RowQuestion("decide", "continue", OPTIONS, "?")),
), total=False)  # fmt: skip


def lines() -> list[str]:
    """The lines of the diagram between its first line and its note."""
    return [line.removeprefix("    ") for line in draw_diagram().partition("    note ")[0].splitlines()[1:]]


def written(text: str) -> str:
    """A document's text as `scripts/references` would write it."""
    return str(REFERENCES["filled"](text, lambda words: call(*words).out))


def test_every_line_is_one_that_mermaid_reads() -> None:
    assert all(DRAWN.fullmatch(line) or DECLARED.fullmatch(line) for line in lines())
    assert NOTE.search(draw_diagram())


def test_every_place_is_declared_once_and_lies_on_some_way() -> None:
    declared = [match[1] for line in lines() if (match := DECLARED.fullmatch(line))]
    places = {place for line in lines() if (match := DRAWN.fullmatch(line)) for place in match.group(1, 2)}
    assert len(set(declared)) == len(declared)
    assert {*declared, START} == places


@pytest.mark.parametrize(("table", "row"), WAYS, ids=[row.rule for _, row in WAYS])
def test_a_row_that_leads_somewhere_is_on_an_arrow(table: Table, row: Row) -> None:
    source = START if table.phase == "start" else table.phase
    names = {name for edge in find_edges(TABLES) if edge[:2] == (source, leads_to(row)) for name in edge.rules}
    assert row.rule.rpartition("/")[2] in names


def test_the_way_on_comes_first_and_the_ways_to_a_person_last() -> None:
    drawn = [edge[:2] for edge in find_edges(TABLES)]
    happy = [drawn.index(step) for step in pairwise(HAPPY)]
    back = drawn.index(("qa", "implementation"))
    assert happy == sorted(happy)
    assert max(happy) < back < min(index for index, (_, target) in enumerate(drawn) if target == PERSON)


def test_the_diagram_is_small_enough_to_be_read() -> None:
    labels = [match[3] for line in lines() if (match := DRAWN.fullmatch(line)) and match[3]]
    assert len(lines()) <= 50
    assert max(map(len, labels)) <= 50
    assert max(label.count(",") for label in labels) < LABEL_MOST


def test_ways_are_told_by_their_rules() -> None:
    assert [edge for edge in find_edges([*TABLES, TRY]) if edge.source == "try"] == [
        Edge("try", "planning", ("again",)),
        Edge("try", "integration", ("on",)),
        Edge("try", PERSON, ("asked",)),
    ]


def test_a_table_is_written_row_by_row() -> None:
    assert table_as_markdown(TRY).splitlines()[4:] == [
        "| Rule | When | Action | Answers offered |",
        "| --- | --- | --- | --- |",
        "| `try/again` | it is \\| was bad | spawn planner, charged to `planning` | |",
        "| `try/on` | good | integrate | |",
        "| `try/asked` | odd | ask | `plan` → the rows below, `abandon` |",
    ]


@pytest.mark.parametrize("budget", [*RETRIES, "iterations"])
def test_a_budget_is_listed_with_its_size_and_what_is_charged_to_it(budget: str) -> None:
    row = next(line for line in tables_as_markdown().splitlines() if line.startswith(f"| `{budget}` |"))
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[2] == str(RETRIES.get(budget, 5))
    assert all(cells)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_a_document_is_up_to_date(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text == written(text), "a document quotes the tables as they were: run scripts/references"


def test_the_documents_quote_the_diagram_and_the_tables() -> None:
    found = [
        words
        for path in DOCUMENTS
        for _, words, *_ in REFERENCES["PART"].findall(path.read_text(encoding="utf-8"))
    ]
    assert found == ["explain --diagram", "explain --markdown"]


@pytest.mark.parametrize(("before", "fence", "after"), [
    ("old\n", "", ""), ("", "", ""), ("```mermaid\nold\n```\n", "```mermaid\n", "```\n"),
    ("\nold\n\nold\n\n", "\n", "\n"),
], ids=["bare", "empty", "in a fence", "between blank lines"])  # fmt: skip
def test_only_what_is_quoted_is_rewritten(before: str, fence: str, after: str) -> None:
    made = written(f"a\n<!-- baton explain --diagram -->\n{before}<!-- end -->\nb\n")
    assert made == f"a\n<!-- baton explain --diagram -->\n{fence}{draw_diagram()}\n{after}<!-- end -->\nb\n"
    assert written(made) == made


def test_the_script_says_what_it_rewrote_and_leaves_alone_what_is_up_to_date(tmp_path: Path) -> None:
    document = tmp_path / "document.md"
    document.write_text("<!-- baton explain spawn_limits --markdown -->\nold\n<!-- end -->\n", encoding="utf-8")
    said = [subprocess.run([sys.executable, SCRIPT, document], capture_output=True, text=True) for _ in range(2)]
    assert [one.stdout for one in said] == [f"rewritten: {document}{os.linesep}", ""]
    assert "`limit/proceed`" in document.read_text(encoding="utf-8")
