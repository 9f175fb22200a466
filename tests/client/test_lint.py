"""The client's own validation, shown beside what the rules find."""

from pathlib import Path

import pytest

from call_lab import call_lab

EXAMPLES = Path(__file__).parents[1] / "lint" / "examples"


@pytest.mark.long
def test_findings_of_the_pinned_client_are_shown_too(
    real_client: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "claude").symlink_to(real_client)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(EXAMPLES)
    said = call_lab("lint", "bad/atlas/agents/triage.md").out.splitlines()
    assert [line.rpartition("[")[2] for line in said] == ["front-matter-dropped]", "claude plugin validate]"]
    assert call_lab("lint", "good/garden").code == 0
