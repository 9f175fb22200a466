"""Killed at any call, a command is taken up again: nothing is lost, nothing is done twice, nothing is left."""

from collections.abc import Callable

import pytest

from faults.scenarios import SCENARIOS, Scenario
from faults.site import Site
from faults.strike import kill_everywhere
from faults.summary import POINTS

Record = Callable[[str, object], None]


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.name for one in SCENARIOS])
def test_a_kill_at_any_call_is_recovered_from(site: Site, scenario: Scenario, record_property: Record) -> None:
    tally = kill_everywhere(site, scenario)
    record_property(POINTS, ("killed", tally.strikes, len(tally.places)))
    assert tally.strikes > 0
    assert not tally.wrong, tally.told
