"""The disk is full, broken or closed at any call, or git does not start or fails: one line, and nothing is lost.

As a rule, in each scenario of `CHOSEN`, and of calls that come the same way through the program at the first:
each that touches a file fails once, and at a sixth of them all that follow fail too, with one of three errors
in turn; each program that is started fails in one of four ways in turn. `BATON_FAULTS=all`: all ways, calls and
scenarios.
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
    "a plan is handed in",
    "a finished run is judged",
    "a story is abandoned",
    "a story is checked and merged after base moved",
    "a merge is taken back from elsewhere",
    "a project is settled",
)
EACH = 6

Record = Callable[[str, object], None]
TRIED = [one for one in SCENARIOS if ALL or one.name in CHOSEN]
each_scenario = pytest.mark.parametrize("scenario", TRIED, ids=[one.name for one in TRIED])


def ways_of_a_file(number: int, is_new: bool) -> list[tuple[int, bool]]:
    lasting = [(ERRORS[number // EACH % 3], True)] if number % EACH == 0 else []
    return FILE_WAYS if ALL else [(ERRORS[number % 3], False), *lasting] if is_new else []


def ways_of_git(number: int, is_new: bool) -> list[tuple[int, bool]]:
    return GIT_WAYS if ALL else [GIT_WAYS[number % 4]] if is_new else []


@each_scenario
def test_a_file_that_fails_at_any_call_is_told_in_one_line(
    site: Site, scenario: Scenario, record_property: Record
) -> None:
    tally = fail_everywhere(site, scenario, ("file", "folder"), ways_of_a_file)
    record_property(POINTS, ("a file fails", tally.strikes, len(tally.places)))
    assert not tally.wrong, tally.told


@each_scenario
def test_a_program_that_fails_at_any_call_is_told_in_one_line(
    site: Site, scenario: Scenario, record_property: Record
) -> None:
    tally = fail_everywhere(site, scenario, ("process",), ways_of_git)
    record_property(POINTS, ("a program fails", tally.strikes, len(tally.places)))
    assert not tally.wrong, tally.told
