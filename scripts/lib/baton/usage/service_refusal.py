"""Refusals by the service, at the plan's limit or when overloaded, and when it takes requests again."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from baton.usage.transcript import Failure

LIMIT, OVERLOADED = "limit", "overloaded"
# What is waited where nobody says until when, doubled each time in a row; a limit resets within a week.
FIRST_WAIT = {LIMIT: timedelta(minutes=15), OVERLOADED: timedelta(minutes=2)}
LONGEST_WAIT, LONGEST_LIMIT = timedelta(hours=1), timedelta(days=8)
# The clock of this machine may be ahead of the service's.
MARGIN = timedelta(minutes=1)
RESETS = re.compile(
    r"\bresets (?:(?P<day>[A-Z][a-z]{2})(?: (?P<date>\d{1,2}),)? )?(?P<hour>\d{1,2})(?::(?P<minute>\d\d))? ?"
    r"(?P<half>[ap]m)\b(?: \((?P<zone>[\w/+-]+)\))?"
)
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Refusal(NamedTuple):
    """A refusal: its kind, and its end as the journal writes times."""

    kind: str
    until: str


def read_refusal(failure: Failure | None, now: datetime, before: int = 0) -> Refusal | None:
    """Return the refusal that ended a run, after `before` others in a row; None for any other end."""
    kind = _kind(failure) if failure else ""
    if not failure or not kind:
        return None
    named = _reset(failure, now) if kind == LIMIT else None
    wait = min(FIRST_WAIT[kind] * 2 ** min(before, 10), LONGEST_WAIT)
    until = named + MARGIN if named and now < named < now + LONGEST_LIMIT else now + wait
    return Refusal(kind, until.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))


def _kind(failure: Failure) -> str:
    if failure.error == "rate_limit" and (failure.resets_at or RESETS.search(failure.text)):
        return LIMIT
    return OVERLOADED if failure.error in ("rate_limit", "overloaded") or failure.status == 529 else ""


def _reset(failure: Failure, now: datetime) -> datetime | None:
    """Return the time at which a limit resets: from the service's field, else from the client's text."""
    if failure.resets_at:
        return datetime.fromtimestamp(min(failure.resets_at, 2**35), UTC)
    match = RESETS.search(failure.text)
    return _next_time(match, now) if match else None


def _next_time(match: re.Match[str], now: datetime) -> datetime | None:
    """Return the next time that fits `3pm`, `Mon 12:00am` or `Sep 15, 3am (Europe/Dublin)`."""
    local_now = now.astimezone(_zone(match["zone"]))
    hour = int(match["hour"]) % 12 + (12 if match["half"] == "pm" else 0)
    minute = int(match["minute"] or 0) % 60
    for days in range(LONGEST_LIMIT.days + 1):
        time = (local_now + timedelta(days=days)).replace(hour=hour, minute=minute, second=0, microsecond=0)
        named = (MONTHS[time.month - 1], str(time.day)) if match["date"] else (DAYS[time.weekday()], None)
        if time > local_now and (not match["day"] or (match["day"], match["date"]) == named):
            return time
    return None


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
