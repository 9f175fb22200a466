"""Struck again while recovering: still nothing is lost, done twice or left.

Of `WHOLE` every third place where the command can be killed is recovered from with a second kill at every
third; of the others each `STRIDE`-th place and each twelfth, and so for a file that fails as a second strike, at
every fourth new way through the program. `BATON_FAULTS=all` takes every place of all scenarios.
"""

import errno
import os
from collections.abc import Callable

import pytest

from faults.scenarios import SCENARIOS, Scenario
from faults.site import Site
from faults.strike import fail_after_kill, kill_twice
from faults.summary import POINTS

ALL = os.environ.get("BATON_FAULTS") == "all"
WHOLE = ("a retry is answered", "a story is abandoned")
OTHERS = ("a story is made", "a run is judged after its branch moved", "a story is merged after base moved")
STRIDE = 1 if ALL else 24
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)

Record = Callable[[str, object], None]
CHOSEN = [one for one in SCENARIOS if ALL or one.name in (*WHOLE, *OTHERS)]
each_scenario = pytest.mark.parametrize("scenario", CHOSEN, ids=[one.name for one in CHOSEN])


@pytest.mark.sampled(1)
@each_scenario
def test_a_second_kill_while_recovering_is_recovered_from(
    site: Site, scenario: Scenario, quick: bool, record_property: Record
) -> None:
    whole = scenario.name in WHOLE
    first, second = (1, 1) if ALL else (3, 3) if whole else (STRIDE, 12)
    tally = kill_twice(site, scenario, first * 3 if quick else first, second)
    record_property(POINTS, ("killed twice", tally.strikes, len(tally.places)))
    assert not tally.wrong, tally.told


@pytest.mark.sampled(1)
@each_scenario
def test_a_file_that_fails_while_recovering_is_told_in_one_line(
    site: Site, scenario: Scenario, quick: bool, record_property: Record
) -> None:
    stride = 16 if quick else 4
    tally = fail_after_kill(
        site,
        scenario,
        STRIDE,
        lambda number, is_new: [(ERRORS[number % 3], False)] * (ALL or (is_new and number % stride == 1)),
    )
    record_property(POINTS, ("killed, then a file fails", tally.strikes, len(tally.places)))
    assert not tally.wrong, tally.told
