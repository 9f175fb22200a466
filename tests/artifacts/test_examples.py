"""What sub-agents really write: files that are accepted as they are, and files with all their faults.

Beside an example, `.expected` lists the rules of its findings, `.notes` what is read as something else.
"""

from collections import Counter
from pathlib import Path

import pytest

from baton.artifacts.document import read_document
from baton.artifacts.findings import faults
from baton.artifacts.kinds import KINDS, check_artifact, is_valid, notes_on

EXAMPLES = Path(__file__).parents[1] / "examples"
BESIDE = (".expected", ".notes")


def find(folder: str) -> list[Path]:
    return sorted(path for path in (EXAMPLES / folder).glob("*/*") if path.suffix not in BESIDE)


def name(path: Path) -> str:
    return f"{path.parent.name}: {path.stem}"


def beside(path: Path, suffix: str) -> list[str]:
    told = path.with_name(path.name + suffix)
    return told.read_text(encoding="utf-8").splitlines() if told.exists() else []


def rules(path: Path) -> list[str]:
    return sorted(one.rule for one in check_artifact(path.parent.name, read_document(path), path.name))


def test_there_are_many_examples_and_each_kind_has_some_of_both_sorts() -> None:
    good, bad = (Counter(path.parent.name for path in find(folder)) for folder in ("good", "bad"))
    assert set(good) == set(bad) == set(KINDS)
    assert (min(good.values()) >= 4, min(bad.values()) >= 6) == (True, True)
    assert (good.total() >= 60, bad.total() >= 120) == (True, True)


def test_every_file_beside_an_example_belongs_to_an_example() -> None:
    told = [path for path in EXAMPLES.glob("*/*/*") if path.suffix in BESIDE]
    assert [path.name for path in told if not path.with_suffix("").exists() or not path.read_text()] == []


@pytest.mark.parametrize("path", find("good"), ids=name)
def test_a_good_example_is_accepted_with_no_more_than_its_warnings(path: Path) -> None:
    assert is_valid(path.parent.name, read_document(path))
    assert rules(path) == sorted(beside(path, ".expected"))


@pytest.mark.parametrize("path", find("good"), ids=name)
def test_a_note_tells_what_was_read_as_something_else(path: Path) -> None:
    assert notes_on(path.parent.name, read_document(path)) == beside(path, ".notes")


@pytest.mark.parametrize("path", find("bad"), ids=name)
def test_a_bad_example_has_exactly_its_faults(path: Path) -> None:
    findings = check_artifact(path.parent.name, read_document(path), path.name)
    assert faults(findings)
    assert rules(path) == sorted(beside(path, ".expected"))


@pytest.mark.parametrize("path", [*find("good"), *find("bad")], ids=name)
def test_a_finding_is_one_line_that_says_where(path: Path) -> None:
    for finding in check_artifact(path.parent.name, read_document(path), "the/file"):
        assert str(finding).startswith(f"the/file:{finding.where}: ")
        assert finding.where
        assert len(str(finding).splitlines()) == 1
        assert len(str(finding)) < 500


# Every kind


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["", "\n", " \t\n\u2028"])
def test_an_empty_artifact_is_a_finding_of_any_kind(kind: str, text: str) -> None:
    findings = check_artifact(kind, text, "the/file")
    assert [(finding.path, finding.rule) for finding in findings] == [("the/file", f"{kind}/empty")]


def test_all_but_what_the_program_writes_are_handed_in() -> None:
    assert [name for name, kind in KINDS.items() if not kind.handed_in] == ["story", "summary"]
