"""When the service that refused a run takes requests again: the plan's limit is reached, or it is overloaded."""

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
    """Why the service refused a run, and until when, as the journal writes times."""

    kind: str
    until: str


def read_refusal(failure: Failure | None, now: datetime, before: int = 0) -> Refusal | None:
    """Say what kind of refusal ended a run, after so many in a row before it; None for any other end."""
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
    """Return when a limit resets: as the client was told, else as it says."""
    if failure.resets_at:
        return datetime.fromtimestamp(min(failure.resets_at, 2**35), UTC)
    found = RESETS.search(failure.text)
    return _next_time(found, now) if found else None


def _next_time(found: re.Match[str], now: datetime) -> datetime | None:
    """Return the next time that fits `3pm`, `Mon 12:00am` or `Sep 15, 3am (Europe/Dublin)`."""
    here = now.astimezone(_zone(found["zone"]))
    hour = int(found["hour"]) % 12 + (12 if found["half"] == "pm" else 0)
    minute = int(found["minute"] or 0) % 60
    for days in range(LONGEST_LIMIT.days + 1):
        time = (here + timedelta(days=days)).replace(hour=hour, minute=minute, second=0, microsecond=0)
        named = (MONTHS[time.month - 1], str(time.day)) if found["date"] else (DAYS[time.weekday()], None)
        if time > here and (not found["day"] or (found["day"], found["date"]) == named):
            return time
    return None


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
