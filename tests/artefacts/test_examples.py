"""What sub-agents really write: files that are accepted as they are, and files with all their faults."""

from collections import Counter
from pathlib import Path

import pytest

from baton.artefacts.kinds import KINDS, check_artefact, read_document

EXAMPLES = Path(__file__).parents[1] / "examples"


def find(folder: str) -> list[Path]:
    return sorted(path for path in (EXAMPLES / folder).glob("*/*") if path.suffix != ".expected")


def name(path: Path) -> str:
    return f"{path.parent.name}: {path.stem}"


def test_each_kind_has_examples_of_both_sorts() -> None:
    good, bad = (Counter(path.parent.name for path in find(folder)) for folder in ("good", "bad"))
    assert set(good) == set(bad) == set(KINDS)
    assert min(good.values()) >= 4
    assert min(bad.values()) >= 6


@pytest.mark.parametrize("path", find("good"), ids=name)
def test_a_good_example_is_accepted(path: Path) -> None:
    assert check_artefact(path.parent.name, read_document(path), path.name) == []


@pytest.mark.parametrize("path", find("bad"), ids=name)
def test_a_bad_example_has_exactly_its_faults(path: Path) -> None:
    expected = path.with_name(path.name + ".expected").read_text().split()
    findings = check_artefact(path.parent.name, read_document(path), path.name)
    assert expected
    assert sorted(one.rule for one in findings) == sorted(expected)


@pytest.mark.parametrize("path", find("bad"), ids=name)
def test_a_finding_is_one_line_that_says_where(path: Path) -> None:
    for finding in check_artefact(path.parent.name, read_document(path), "the/file"):
        assert str(finding).startswith(f"the/file:{finding.where}: ")
        assert finding.where
        assert len(str(finding).splitlines()) == 1
        assert len(str(finding)) < 500
