"""Killed at any call, a command is taken up again: nothing is lost, nothing is done twice, nothing is left.

Of `SAMPLED`, which come most of the way as others do, each n-th place; `BATON_FAULTS=all` takes every place.
"""

import os
from collections.abc import Callable

import pytest

from faults.scenarios import SCENARIOS, Scenario
from faults.site import Site
from faults.strike import kill_everywhere
from faults.summary import POINTS

Record = Callable[[str, object], None]
ALL = os.environ.get("BATON_FAULTS") == "all"
SAMPLED = {
    "a test fails and a fix goes out": 4,
    "a failure that base has is noted": 5,
    "a story is made of a text": 3,
    "a story is made of a spec in its place": 3,
    "a story ends on its branch": 3,
    "a resolved conflict is judged": 2,
}


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.name for one in SCENARIOS])
def test_a_kill_at_any_call_is_recovered_from(site: Site, scenario: Scenario, record_property: Record) -> None:
    tally = kill_everywhere(site, scenario, 1 if ALL else SAMPLED.get(scenario.name, 1))
    record_property(POINTS, ("killed", tally.strikes, len(tally.places)))
    assert tally.strikes > 0
    assert not tally.wrong, tally.told
