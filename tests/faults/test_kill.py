"""Killed at any call, a command is taken up again: nothing is lost, nothing is done twice, nothing is left.

A quick run strikes one call of each kind there is. With `--all` it is of each scenario each `STRIDE`-th place, and
of `LONG`, which come most of the way as others do, each tenth; `BATON_FAULTS=all` takes every place.
"""

import os
from collections.abc import Callable

import pytest

from faults.scenarios import SCENARIOS, Scenario
from faults.site import Site
from faults.strike import kill_at_each_effect, kill_everywhere
from faults.summary import POINTS

Record = Callable[[str, object], None]
ALL = os.environ.get("BATON_FAULTS") == "all"
STRIDE = 5
LONG = (
    "a test fails and a fix goes out",
    "a failure that base has is noted",
    "a story is checked and merged after base moved",
    "a story is made of a text",
    "a story is made of a spec in its place",
)


@pytest.mark.sampled(16)
@pytest.mark.parametrize("scenario", SCENARIOS, ids=[one.name for one in SCENARIOS])
def test_a_kill_at_any_call_is_recovered_from(
    site: Site, scenario: Scenario, quick: bool, record_property: Record
) -> None:
    stride = 1 if ALL else 10 if scenario.name in LONG else STRIDE
    tally = kill_at_each_effect(site, scenario) if quick else kill_everywhere(site, scenario, stride)
    record_property(POINTS, ("killed", tally.strikes, len(tally.places)))
    assert tally.strikes > 0 or quick
    assert not tally.wrong, tally.told
