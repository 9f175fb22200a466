"""The timeline as lanes: who was at it when, on a scale that shortens what was only waited for."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from baton.checks.check_tree import read_record
from baton.checks.result import Outcome, read_outcome
from baton.journal.events import Answered, Completed, IntegrationStepDone, Judged, QuestionAsked, QuestionClosed
from baton.journal.journal import Record
from baton.journal.state import State
from baton.text import plural
from baton.usage.words import REFUSED

LANES = ("runs", "waits", "checks", "questions", "github")
# In these somebody or something is at work: such time is never shortened.
BUSY = ("runs", "checks", "github")
# Of what happens by steps on GitHub, by the first word of a rule.
ON_GITHUB = ("push", "pr", "ci", "review", "deploy")
MOST_BARS, TICKS, SHORTEST_WAIT = 200, 6, 5


class Stretch(NamedTuple):
    """What went on in a lane from one second (since 1970) to another, in short and in full; `tone` as it ended."""

    lane: str
    label: str
    about: str
    start: float
    end: float
    tone: str = ""


class Bar(NamedTuple):
    """A span as it is drawn: where it begins and how wide it is, in hundredths; in which row of its lane."""

    lane: str
    label: str
    about: str
    tone: str
    began: str
    lasted: str
    x: float
    width: float
    row: int


class Timeline(NamedTuple):
    """The lanes as they are drawn: bars by their begin, marks of time, and what of it is drawn shorter."""

    bars: list[Bar]
    heights: dict[str, int]
    ticks: list[tuple[float, str]]
    shortened: list[tuple[float, float, str]]
    lasted: str
    left_out: int = 0


class RanCheck(NamedTuple):
    """A command that was run on a commit of the story: how it went, and when it had ended."""

    commit: str
    outcome: Outcome
    end: float


def seconds(time: str) -> float:
    """Return a time of the journal in seconds since 1970."""
    return datetime.fromisoformat(time).timestamp()


def lasting(span: float) -> str:
    """Say how long something took, in two units at most."""
    whole = max(0, round(span))
    minutes, hours, days = whole // 60, whole // 3_600, whole // 86_400
    if whole < 60:
        return f"{whole} s"
    if minutes < 60:
        return f"{minutes} min {whole % 60} s" if minutes < 10 and whole % 60 else f"{minutes} min"
    if hours < 24:
        return f"{hours} h {minutes % 60} min" if minutes % 60 else f"{hours} h"
    return f"{plural(days, 'day')} {hours % 24} h" if hours % 24 else plural(days, "day")


def read_check_runs(place: Path) -> list[RanCheck]:
    """Read which commands were run on a story's commits, in the order in which they ended."""
    found = list[RanCheck]()
    for job in place.glob("*/job.json"):
        asked = read_record(job)
        rows = [one for one in (asked.get("setup"), *_rows(asked.get("commands"))) if isinstance(one, dict)]
        for kept in {Path(str(one.get("kept"))).name for one in rows}:
            if (outcome := read_outcome(job.parent, kept)) is not None:
                found.append(RanCheck(str(asked.get("commit")), outcome, (job.parent / kept).stat().st_mtime))
    return sorted(found, key=lambda one: one.end)


def _rows(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def spans_of_runs(state: State, now: float) -> Iterator[Stretch]:
    """Give when each run was out, named by its phase, and what it led to."""
    for run in state.runs:
        is_out = run is state.run and not run.judged
        end = seconds(run.ended_at) if run.ended_at else now if is_out else seconds(run.time)
        led_to = run.judged.rule if run.judged else "not judged yet"
        tone = "open" if not run.judged else "bad" if run.judged.charges or run.judged.question else ""
        yield Stretch("runs", run.phase, f"{run.id.rpartition('_')[2]}: {led_to}", seconds(run.time), end, tone)


def spans_of_checks(checks: Iterable[RanCheck]) -> Iterator[Stretch]:
    """Give when each command ran, and how it ended."""
    for one in checks:
        went = one.outcome
        how = "passed" if went.code == 0 else f"ended with {went.code}"
        about, tone = f"{went.name} on {one.commit[:12]}: {how}", "good" if went.code == 0 else "bad"
        yield Stretch("checks", went.name, about, one.end - went.seconds, one.end, tone)


def spans_of_questions(records: Sequence[Record], now: float) -> Iterator[Stretch]:
    """Give when each question was open: until it was answered, or until now."""
    asked: tuple[Record, str] | None = None
    for record in records:
        match record.event:
            case QuestionAsked(rule=rule) | Judged(rule=rule, question=dict()):
                asked = record, rule
            case Answered(rule=rule) | QuestionClosed(rule=rule) as over if asked:
                how = over.option if isinstance(over, Answered) else "answered by GitHub"
                yield Stretch(
                    "questions", rule, f"{rule}: {how}", seconds(asked[0].time), seconds(record.time), "ask"
                )
                asked = None
    if asked:
        yield Stretch("questions", asked[1], f"{asked[1]}: open", seconds(asked[0].time), now, "ask")


def spans_of_waits(records: Sequence[Record], others: Iterable[Stretch]) -> Iterator[Stretch]:
    """Give what was waited for from one record to another while no run, command or question was under way."""
    done = [at for at, one in enumerate(records, 1) if isinstance(one.event, Completed)]
    records = records[: done[0]] if done else records
    began = seconds(records[0].time)
    for start, end in sorted((one.start, one.end) for one in others):
        if start - began >= SHORTEST_WAIT:
            yield _wait(records, began, start)
        began = max(began, end)
    if (end := seconds(records[-1].time)) - began >= SHORTEST_WAIT:
        yield _wait(records, began, end)


def _wait(records: Sequence[Record], start: float, end: float) -> Stretch:
    """Return a wait by what happened in it: for the service, for GitHub, or for whoever takes the next step."""
    within = [one.event for one in records if start <= seconds(one.time) <= end]
    rules = [one.rule for one in within if isinstance(one, IntegrationStepDone)]
    if any(getattr(one, "refused", "") in REFUSED for one in within):
        what = "the service"
    else:
        what = "GitHub" if any(is_on_github(rule) for rule in rules) else "the next step"
    return Stretch("waits", what, "", start, end)


def is_on_github(rule: str) -> bool:
    """Whether a rule is about what happens on GitHub."""
    return rule.partition("/")[0] in ON_GITHUB


def timeline_of(state: State, records: Sequence[Record], checks: Sequence[RanCheck], until: str) -> Timeline:
    """Draw what went on with a story, until a time."""
    runs, questions = spans_of_runs(state, seconds(until)), spans_of_questions(records, seconds(until))
    spans = [*runs, *spans_of_checks(checks), *questions]
    return draw([*spans, *spans_of_waits(records, spans)])


def draw(spans: Iterable[Stretch]) -> Timeline:
    """Draw spans: where each begins on a scale of 100, in which row of its lane, and what the scale shortens."""
    every = sorted(spans, key=lambda one: (one.start, one.end))
    shown = every[-MOST_BARS:]
    if not shown:
        return Timeline([], dict.fromkeys(LANES, 0), [], [], "0 s")
    knots, shortened = _scale(shown)
    times = [(x, time) for time, x in knots]
    rows = dict[str, list[float]]()
    bars = list[Bar]()
    for one in shown:
        x, end = _between(knots, one.start), _between(knots, one.end)
        ends = rows.setdefault(one.lane, [])
        row = next((at for at, taken in enumerate(ends) if taken <= x + 1e-6), len(ends))
        width = max(end - x, 0.4)
        ends[row : row + 1] = [x + width]
        began = datetime.fromtimestamp(one.start, UTC).strftime("%Y-%m-%d %H:%M:%S")
        lasted = lasting(one.end - one.start)
        bars.append(
            Bar(one.lane, one.label, one.about, one.tone, began, lasted, round(x, 2), round(width, 2), row)
        )
    # What is left out took its time, too.
    begin, last = every[0].start, max(one.end for one in every)
    places = [100 * at / (TICKS - 1) for at in range(TICKS)]
    ticks = [(place, lasting(_between(times, place) - begin)) for place in places if len(knots) > 1]
    heights = {lane: len(rows.get(lane, ())) for lane in LANES}
    return Timeline(bars, heights, ticks, shortened, lasting(last - begin), len(every) - len(shown))


def _scale(spans: Sequence[Stretch]) -> tuple[list[tuple[float, float]], list[tuple[float, float, str]]]:
    """Return times with their places, 0 to 100, and the stretches that are drawn shorter than they were."""
    times = sorted({time for one in spans for time in (one.start, one.end)})
    busy = [one for one in spans if one.lane in BUSY]
    parts = [
        (end - start, any(one.start < end and start < one.end for one in busy)) for start, end in pairwise(times)
    ]
    at_work = sum(length for length, worked in parts if worked)
    most = max(at_work / 6, 30) if at_work else float("inf")
    drawn = [length if worked else min(length, most) for length, worked in parts]
    whole, x = sum(drawn) or 1.0, 0.0
    knots, shortened = [(times[0], 0.0)], list[tuple[float, float, str]]()
    for end, (length, _), width in zip(times[1:], parts, drawn, strict=True):
        if width < length:
            shortened.append((round(x, 2), round(100 * width / whole, 2), lasting(length)))
        x += 100 * width / whole
        knots.append((end, x))
    return knots, shortened


def _between(points: Sequence[tuple[float, float]], value: float) -> float:
    """Return what belongs to a value on the line through points, both of which only grow."""
    at = min(bisect_right(points, value, key=lambda one: one[0]), len(points) - 1)
    (before, low), (after, high) = points[max(at - 1, 0)], points[at]
    return low if after == before else low + (high - low) * (value - before) / (after - before)
