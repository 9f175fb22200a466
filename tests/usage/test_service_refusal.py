"""Until when a story waits that the service refused."""

from datetime import UTC, datetime, timedelta

import pytest

from baton.usage.service_refusal import read_refusal
from baton.usage.transcript import Failure

NOW = datetime(2026, 11, 24, 8, 20, tzinfo=UTC)  # a Tuesday
AT_NINE = int(datetime(2026, 11, 24, 9, 20, tzinfo=UTC).timestamp())


def until(failure: Failure, before: int = 0) -> tuple[str, str] | None:
    found = read_refusal(failure, NOW, before)
    return (found.kind, found.until.removeprefix("2026-")) if found else None


def limit(text: str, resets_at: int = 0) -> Failure:
    return Failure("rate_limit", 429, resets_at, text)


def test_a_limit_is_over_when_the_client_was_told_it_is() -> None:
    assert until(limit("You've hit your 5-hour limit · resets 3pm (UTC)", AT_NINE)) == ("limit", "11-24T09:21:00Z")


@pytest.mark.parametrize(("text", "time"), [
    ("You've hit your session limit · resets 3:45pm (UTC)", "11-24T15:46:00Z"),
    ("You've hit your weekly limit · resets Mon 12:00am (UTC)", "11-30T00:01:00Z"),
    ("You've hit your limit · resets 7am (UTC)", "11-25T07:01:00Z"),
    ("Claude usage limit reached. resets Nov 27, 3am (Europe/Dublin)", "11-27T03:01:00Z"),
    ("You've hit your limit · resets 10am (Europe/Berlin)", "11-24T09:01:00Z"),
])  # fmt: skip
def test_else_it_is_over_when_it_says(text: str, time: str) -> None:
    assert until(limit(text)) == ("limit", time)


@pytest.mark.parametrize("resets", [1, int((NOW + timedelta(days=9)).timestamp()), 10**12])
def test_a_time_that_cannot_be_is_not_waited_for(resets: int) -> None:
    assert until(limit("no time", resets)) == ("limit", "11-24T08:35:00Z")


@pytest.mark.parametrize("failure", [
    Failure("server_error", 529, 0, "API Error: 529 Overloaded."), Failure("overloaded", 0, 0, ""),
    limit("API Error: Server is temporarily limiting requests (not your usage limit)"),
])  # fmt: skip
def test_an_overload_is_waited_out_longer_each_time(failure: Failure) -> None:
    waits = [until(failure, before) for before in (0, 1, 2, 9)]
    assert waits == [("overloaded", f"11-24T{time}:00Z") for time in ("08:22", "08:24", "08:28", "09:20")]


@pytest.mark.parametrize("failure", [
    None, Failure("authentication_failed", 401, 0, "Invalid API key"), Failure("server_error", 500, 0, "500"),
    Failure("billing_error", 400, 0, "Credit balance is too low"),
])  # fmt: skip
def test_any_other_end_is_no_refusal_to_wait_out(failure: Failure | None) -> None:
    assert read_refusal(failure, NOW) is None
