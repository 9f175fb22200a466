"""An artifact is checked wherever it is."""

import pytest

from bench import PLAN, Bench


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
