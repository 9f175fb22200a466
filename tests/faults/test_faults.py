"""The disk is full, broken or closed at any call, or git does not start or fails: one line, and nothing is lost.

As a rule, in each scenario of `CHOSEN`, and of calls that come the same way through the program at the first:
every fifth that touches a file fails once, and every twentieth with all that follow, with one of three errors in
turn; every third program that is started fails in one of four ways in turn. `BATON_FAULTS=all`: all ways, calls
and scenarios.
"""

import errno
import os
from collections.abc import Callable

import pytest

from faults.scenarios import SCENARIOS, Scenario
from faults.site import Site
from faults.strike import fail_everywhere
from faults.summary import POINTS

ALL = os.environ.get("BATON_FAULTS") == "all"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
FILE_WAYS = [(error, lasting) for error in ERRORS for lasting in (False, True)]
GIT_WAYS = [(0, False), (errno.EACCES, False), (0, True), (errno.ENOSPC, True)]
CHOSEN = (
    "a story is made",
    "the commands are accepted",
    "a run begins",
    "work is handed in under a person's hooks",
    "a finished run is judged",
    "a story is abandoned",
    "a story is checked and merged after base moved",
    "a merge is taken back from elsewhere",
    "a project is settled",
)
EACH, LASTING, STARTED = 5, 20, 3

Record = Callable[[str, object], None]
TRIED = [one for one in SCENARIOS if ALL or one.name in CHOSEN]
each_scenario = pytest.mark.parametrize("scenario", TRIED, ids=[one.name for one in TRIED])


def ways_of_a_file(number: int, is_new: bool) -> list[tuple[int, bool]]:
    if ALL:
        return FILE_WAYS
    error = ERRORS[number // EACH % 3]
    ways = [(error, False)] * (number % EACH == 0) + [(error, True)] * (number % LASTING == 0)
    return ways if is_new else []


def ways_of_git(number: int, is_new: bool) -> list[tuple[int, bool]]:
    if ALL:
        return GIT_WAYS
    return [GIT_WAYS[number // STARTED % 4]] if is_new and number % STARTED == 1 else []


@pytest.mark.sampled(1)
@each_scenario
def test_a_file_that_fails_at_any_call_is_told_in_one_line(
    site: Site, scenario: Scenario, record_property: Record
) -> None:
    tally = fail_everywhere(site, scenario, ("file", "folder"), ways_of_a_file)
    record_property(POINTS, ("a file fails", tally.strikes, len(tally.places)))
    assert not tally.wrong, tally.told


@pytest.mark.sampled(2)
@each_scenario
def test_a_program_that_fails_at_any_call_is_told_in_one_line(
    site: Site, scenario: Scenario, record_property: Record
) -> None:
    tally = fail_everywhere(site, scenario, ("process",), ways_of_git)
    record_property(POINTS, ("a program fails", tally.strikes, len(tally.places)))
    assert not tally.wrong, tally.told
