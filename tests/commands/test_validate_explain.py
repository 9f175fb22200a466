"""The verbs that only look."""

import pytest

from baton.rules.tables import ALL_TABLES
from bench import PLAN, Bench

TABLE_NAMES = [table.phase for table in ALL_TABLES]


@pytest.mark.parametrize(("text", "code"), [(PLAN, 0), ("# Plan\n", 1), ("", 1)], ids=["good", "bad", "empty"])
def test_an_artifact_is_checked_wherever_it_is(text: str, code: int, bench: Bench) -> None:
    bench.write({"draft.md": text})
    said = bench.baton("validate", "plan", "draft.md", "--json")
    assert (said.code, said.json["kind"], said.json["valid"]) == (code, "plan", code == 0)
    assert set(said.json) == {"valid", "kind", "findings", "normalized"}
    assert bool(said.json["findings"]) == bool(code)


def test_a_person_reads_one_finding_a_line(bench: Bench) -> None:
    bench.write({"good.md": PLAN, "bad.md": "# Plan\n## Edge Cases\nnone\n"})
    assert bench.baton("validate", "plan", "good.md").out == "good.md: a valid plan\n"
    assert len(bench.baton("validate", "plan", "bad.md").out.splitlines()) == 4


def test_an_artifact_on_stdin_is_validated(bench: Bench) -> None:
    assert bench.baton("validate", "plan", "-", stdin=PLAN).out == "stdin: a valid plan\n"
    assert bench.baton("validate", "plan", "-", stdin="# Plan\n").out.startswith("stdin:end: section missing")


@pytest.mark.parametrize(
    ("kind", "path", "what"),
    [
        ("plan", "missing.md", "cannot read (no such file or directory)"),
        ("plan", ".", "cannot read (not a plain file)"),
        ("plan", "link.md", "cannot read (a symbolic link)"),
        ("plan", "binary.md", "not UTF-8 (byte 0)"),
        ("nonsense", "calc.py", "no kind `nonsense`"),
    ],
)
def test_what_cannot_be_checked_is_one_line(kind: str, path: str, what: str, bench: Bench) -> None:
    (bench.root / "link.md").symlink_to("calc.py")
    (bench.root / "binary.md").write_bytes(b"\x89PNG")
    said = bench.baton("validate", kind, path)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith(f"baton: {what}")


@pytest.mark.parametrize("table", TABLE_NAMES)
def test_a_table_is_explained_row_by_row(table: str, bench: Bench) -> None:
    said = bench.baton("explain", table, "--json").json
    rows = next(one for one in ALL_TABLES if one.phase == table).rows
    assert (said["phase"], [row["rule"] for row in said["rows"]]) == (table, [row.rule for row in rows])
    assert all(set(row) == {"rule", "when", "action", "reason"} for row in said["rows"])
    assert len(bench.baton("explain", table).out.encode()) <= 6_001


def test_all_tables_are_named_at_once(bench: Bench) -> None:
    assert [one["phase"] for one in bench.baton("explain", "--json").json["tables"]] == TABLE_NAMES
    assert [line.split(":")[0] for line in bench.baton("explain").out.splitlines()[:-1]] == TABLE_NAMES


@pytest.mark.parametrize("table", TABLE_NAMES)
def test_a_table_in_markdown_has_every_row(table: str, bench: Bench) -> None:
    shown = bench.baton("explain", table, "--markdown").out
    rules = [row.rule for one in ALL_TABLES for row in one.rows if one.phase == table]
    assert [line.split("`")[1] for line in shown.splitlines() if line.startswith("| `")] == rules


def test_markdown_is_whole_however_long_it_is(bench: Bench) -> None:
    shown = bench.baton("explain", "--markdown").out
    assert len(shown.encode()) > 6_000
    assert [line[3:] for line in shown.splitlines() if line.startswith("## ")] == [*TABLE_NAMES, "budgets"]


def test_the_diagram_is_one_of_all_tables(bench: Bench) -> None:
    assert bench.baton("explain", "--diagram").out.startswith("stateDiagram-v2\n")
    said = bench.baton("explain", "qa", "--diagram")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)


def test_a_table_that_is_not_there_is_one_line(bench: Bench) -> None:
    said = bench.baton("explain", "nonsense")
    assert (said.code, said.err.startswith("baton: no table `nonsense` at the command line: one of: ")) == (
        2,
        True,
    )
