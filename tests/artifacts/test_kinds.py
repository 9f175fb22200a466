"""What holds for artifacts of every kind."""

import pytest

from baton.artifacts.kinds import KINDS, check_artifact


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ["", "\n", " \t\n\u2028"])
def test_an_empty_artifact_is_a_finding_of_any_kind(kind: str, text: str) -> None:
    findings = check_artifact(kind, text, "the/file")
    assert [(finding.path, finding.rule) for finding in findings] == [("the/file", f"{kind}/empty")]


def test_all_but_what_the_program_writes_are_handed_in() -> None:
    assert [name for name, kind in KINDS.items() if not kind.handed_in] == ["story", "summary"]
