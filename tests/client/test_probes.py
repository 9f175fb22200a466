"""Every claim of the guide, tried in the pinned client."""

from pathlib import Path

import pytest

from baton_lab.probes.all_probes import PROBES
from baton_lab.probes.probe import Probe
from baton_lab.probes.run_probes import try_probe, version_of
from client.fetch_client import VERSION


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
