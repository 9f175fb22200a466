"""What `scripts/lab` finds with the pinned client: its own validation, and every claim of the guide."""

from pathlib import Path

import pytest

from baton_lab.probes.all_probes import PROBES
from baton_lab.probes.probe import Probe
from baton_lab.probes.run_probes import try_probe, version_of
from call_lab import call_lab
from client.fetch_client import VERSION

EXAMPLES = Path(__file__).parents[1] / "lint" / "examples"


@pytest.mark.long
def test_client_findings_are_shown_too(real_client: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "claude").symlink_to(real_client)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.chdir(EXAMPLES)
    said = call_lab("lint", "bad/atlas/agents/triage.md").out.splitlines()
    assert [line.rpartition("[")[2] for line in said] == ["front-matter-dropped]", "claude plugin validate]"]
    assert call_lab("lint", "good/garden").code == 0


# Probes


@pytest.mark.long
@pytest.mark.parametrize("one", PROBES.values(), ids=list(PROBES))
def test_a_claim_holds_in_the_pinned_client(one: Probe, real_client: Path) -> None:
    seen = try_probe(one, real_client, VERSION)
    assert seen.left_out == ""
    assert seen.observed == one.expected


def test_a_claim_that_is_wrong_does_not_hold(real_client: Path) -> None:
    wrong = PROBES["tools-unknown"]._replace(expected="started; with Read it runs")
    seen = try_probe(wrong, real_client, version_of(real_client))
    assert (seen.holds, seen.observed) == (False, PROBES["tools-unknown"].expected)
