"""Struck at any call, a command is taken up again: nothing is lost, nothing is done twice, nothing is left.

It is killed; or the disk is full, broken or closed; or git does not start or fails, which is told in one line. So
it is with who recovers from a first kill. What is struck is a part of all there is, and in a quick run less: of
kills one call of each kind. `BATON_FAULTS=all` takes all ways, calls and scenarios.
"""

import errno
import os
from collections.abc import Iterable

import pytest

from faults.scenarios import SCENARIOS
from faults.strike import Strikes, shown

ALL = os.environ.get("BATON_FAULTS") == "all"
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
FILE_WAYS = [(error, lasting) for error in ERRORS for lasting in (False, True)]
GIT_WAYS = [(0, False), (errno.EACCES, False), (0, True), (errno.ENOSPC, True)]
# They come most of the way as others do: each tenth place is struck, of the others each fifth.
LONG = (
    "a test fails and a fix goes out",
    "a failure that base has is noted",
    "a story is checked and merged after base moved",
    "a story is made of a text",
    "a story is made of a spec in its place",
)
FAILING = (
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
# Struck again at every third place at which somebody recovers from a kill at every third place.
WHOLE = ("a retry is answered", "a story is abandoned")
TWICE = (*WHOLE, "a story is made", "a run is judged after its branch moved", "a story is merged after base moved")
# Of calls that are the first of their way: of files' each fifth fails, and each twentieth with all after it.
EACH, LASTING, STARTED = 5, 20, 3


def each_of(names: Iterable[str]) -> pytest.MarkDecorator:
    tried = [scenario for scenario in SCENARIOS if ALL or scenario.name in names]
    return pytest.mark.parametrize("scenario", tried, ids=[one.name for one in tried])


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


@pytest.mark.sampled(3)
@each_of(scenario.name for scenario in SCENARIOS)
def test_a_kill_at_any_call_is_recovered_from(strikes: Strikes, quick: bool) -> None:
    if quick:
        strikes.kill_at_each_effect()
    else:
        strikes.kill_everywhere(1 if ALL else 10 if strikes.name in LONG else 5)
    assert strikes.struck or quick
    assert not strikes.wrong, shown(strikes.wrong)


@pytest.mark.sampled(1)
@each_of(TWICE)
def test_a_second_kill_while_recovering_is_recovered_from(strikes: Strikes, quick: bool) -> None:
    first, second = (1, 1) if ALL else (3, 3) if strikes.name in WHOLE else (24, 12)
    strikes.kill_twice(first * 3 if quick else first, second)
    assert not strikes.wrong, shown(strikes.wrong)


@pytest.mark.sampled(1)
@each_of(TWICE)
def test_a_file_that_fails_while_recovering_is_told_in_one_line(strikes: Strikes, quick: bool) -> None:
    stride = 16 if quick else 4
    strikes.fail_after_kill(
        1 if ALL else 24,
        lambda number, is_new: [(ERRORS[number % 3], False)] * (ALL or (is_new and number % stride == 1)),
    )
    assert not strikes.wrong, shown(strikes.wrong)


@pytest.mark.sampled(1)
@each_of(FAILING)
def test_a_file_that_fails_at_any_call_is_told_in_one_line(strikes: Strikes) -> None:
    strikes.fail_everywhere(("file", "folder"), ways_of_a_file)
    assert not strikes.wrong, shown(strikes.wrong)


@pytest.mark.sampled(1)
@each_of(FAILING)
def test_a_program_that_fails_at_any_call_is_told_in_one_line(strikes: Strikes) -> None:
    strikes.fail_everywhere(("process",), ways_of_git)
    assert not strikes.wrong, shown(strikes.wrong)
