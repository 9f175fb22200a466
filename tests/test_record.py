"""A recording holds the lines of a terminal, and says when they have changed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

ROOT = Path(__file__).parents[1]
RECORD = runpy.run_path(str(ROOT / "scripts" / "record"))
PICTURES = sorted((ROOT / "docs").glob("*.svg"))
TYPED = "import os, sys; print(os.get_terminal_size().columns, sys.stdout.isatty()); print('\\x1b[1mbold\\x1b[0m')"


def test_a_command_runs_at_a_terminal_and_loses_its_colors(tmp_path: Path) -> None:
    assert RECORD["run_in_terminal"]([sys.executable, "-c", TYPED], tmp_path) == ["100 True", "bold"]


def test_a_command_that_fails_is_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="exit code 1"):
        RECORD["run_in_terminal"](["false"], tmp_path)


def test_a_picture_holds_its_lines() -> None:
    lines = ["$ a", "", "  <b> & \"c\" 'd'", "QUESTION é ⋮"]
    assert RECORD["lines_of"](RECORD["draw"](lines)) == lines


def test_what_changes_at_every_run_makes_no_difference() -> None:
    assert RECORD["normalize"](["  commit 1498f49 in 5 s "]) == RECORD["normalize"](["  commit e7342a7 in 12 s"])
    assert RECORD["normalize"](["plan: accepted"]) != RECORD["normalize"](["plan: rejected"])


def test_paragraphs_are_chosen_and_gaps_marked() -> None:
    starts = RECORD["PARAGRAPHS"]
    lines = "\n\n".join([starts[0], "left out", *starts[1:]]).split("\n")
    assert RECORD["choose"](lines)[:5] == [starts[0], "", RECORD["GAP"], "", starts[1]]


def test_a_paragraph_that_is_missing_is_named() -> None:
    with pytest.raises(SystemExit, match="qa/pass"):
        RECORD["choose"](["baton demo: nothing else"])


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_and_needs_no_other_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) <= 60_000
    assert ElementTree.fromstring(text).tag.endswith("}svg")
    assert all(word not in text for word in ("href", "url(", "@import", "<script"))
    assert "prefers-color-scheme: dark" in text
