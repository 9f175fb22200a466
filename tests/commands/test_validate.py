"""An artifact is checked wherever it is."""

import pytest

from baton.artifacts.report import IMPL, MICRO, QA, normalized_report
from baton.artifacts.report_text import render_report
from bench import CRITERIA, DELIVERED, PLAN, VERDICT, Bench, Reach, report_on


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
def test_a_file_that_cannot_be_checked_is_one_line(kind: str, path: str, what: str, bench: Bench) -> None:
    (bench.root / "link.md").symlink_to("calc.py")
    (bench.root / "binary.md").write_bytes(b"\x89PNG")
    assert bench.baton("validate", kind, path).refused.startswith(f"baton: {what}")


# A report, which is handed in as YAML and committed as Markdown

PASSED = VERDICT.format("PASS", "seen")
NOTED = "known_failures: [old | crashes]\nnotes: |\n  ## Changes Made\n  - all of them\n"
REPORTS = {
    IMPL: f"{report_on('a b.py', 'calc.py')}summary: numbers are subtracted\n{NOTED}",
    QA: f"{PASSED.replace('ran it', 'ran a | b')}{NOTED}",
    MICRO: f"{DELIVERED.format('FAIL', 'it crashes')}{NOTED}",
}


@pytest.mark.parametrize("kind", REPORTS)
def test_a_report_is_valid_as_it_is_handed_in_and_as_it_is_committed(kind: str, bench: Bench) -> None:
    committed = render_report(kind, normalized_report(kind, REPORTS[kind]).value, CRITERIA)
    for text in (REPORTS[kind], committed):
        assert bench.baton("validate", kind, "-", stdin=text).out.startswith(f"stdin: a valid {kind}\n")
    said = bench.baton(
        "validate", kind, "-", stdin=committed.replace("| PASS |", "| FAIL |").replace("FAIL\n", "PASS\n")
    )
    assert (said.code, f"[{kind}/open-row]" in said.out) == ((0, False) if kind == IMPL else (1, True))


def test_the_reports_of_a_story_are_valid(reach: Reach) -> None:
    bench = reach("judging")
    bench.judge()
    for kind in (IMPL, QA):
        path = str(bench.place(kind).relative_to(bench.root))
        assert bench.baton("validate", kind, path).out == f"{path}: a valid {kind}\n"


@pytest.mark.parametrize("text", [
    "# QA report of ours\n\nAll is well:\n\n- AC1 passes\n", "---\nid: 3\n---\n# QA\n\nVerdict: PASS\n",
])  # fmt: skip
def test_any_other_markdown_is_told_the_form_that_is_asked_for(text: str, bench: Bench) -> None:
    lines = bench.baton("validate", QA, "-", stdin=text).out.splitlines()
    told = "stdin:$: this is Markdown, and YAML is asked for: its keys and their values [qa-report/yaml]"
    assert (lines[0], "verdict: PASS" in lines) == (told, True)
    assert "verdict: PASS" not in bench.baton("validate", "plan", "-", stdin=text).out
