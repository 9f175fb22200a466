"""The timeline as lanes: runs, checks, questions, GitHub, and the waits between them."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from baton.journal.events import Answered, Completed, IntegrationStepDone, Judged, QuestionAsked, QuestionClosed
from baton.journal.journal import Record
from baton.journal.state import State
from baton.report.report_data import Bar, Timeline
from baton.text import lasting
from baton.usage.spending_words import REFUSED

LANES = ("runs", "waits", "checks", "questions", "github")
# Of what happens by steps on GitHub, by the first word of a rule.
ON_GITHUB = ("push", "pr", "ci", "review", "deploy")
MOST_BARS, TICKS, SHORTEST_WAIT = 200, 6, 5
# How wide a bar is at least, in hundredths.
THINNEST = 0.4


class Stretch(NamedTuple):
    """A stretch of a lane, from a second (since 1970) to another, in short and in full; `tone` as it ended."""

    lane: str
    label: str
    about: str
    start: float
    end: float
    tone: str = ""


def seconds(time: str) -> float:
    """Return a time of the journal in seconds since 1970."""
    return datetime.fromisoformat(time).timestamp()


def is_on_github(rule: str) -> bool:
    """Whether a rule is about what happens on GitHub."""
    return rule.partition("/")[0] in ON_GITHUB


def spans_of_runs(state: State, now: float) -> Iterator[Stretch]:
    """Give the stretch of each run, named by its phase, with the rule it led to."""
    for run in state.runs:
        is_out = run is state.run and not run.judged
        end = seconds(run.ended_at) if run.ended_at else now if is_out else seconds(run.time)
        led_to = run.judged.rule if run.judged else "not judged yet"
        tone = "open" if not run.judged else "bad" if run.judged.charges or run.judged.question else ""
        yield Stretch("runs", run.phase, f"{run.id.rpartition('_')[2]}: {led_to}", seconds(run.time), end, tone)


def spans_of_questions(records: Sequence[Record], now: float) -> Iterator[Stretch]:
    """Give the stretch of each question: until it was answered, or until now."""
    asked: Stretch | None = None
    for record in records:
        match record.event:
            case QuestionAsked(rule=rule) | Judged(rule=rule, question=dict()):
                asked = Stretch("questions", rule, f"{rule}: open", seconds(record.time), now, "ask")
            case (Answered() | QuestionClosed()) as over if asked:
                how = over.option if isinstance(over, Answered) else "answered by GitHub"
                yield asked._replace(about=f"{over.rule}: {how}", end=seconds(record.time))
                asked = None
    if asked:
        yield asked


def spans_of_waits(records: Sequence[Record], others: Iterable[Stretch]) -> Iterator[Stretch]:
    """Give the waits until the story was complete, while no run, command or question was under way."""
    done = next((at for at, record in enumerate(records, 1) if isinstance(record.event, Completed)), None)
    records = records[:done]
    began, last = seconds(records[0].time), seconds(records[-1].time)
    for start, end in [*sorted((other.start, other.end) for other in others), (last, last)]:
        if start - began >= SHORTEST_WAIT:
            yield Stretch("waits", _waited_for(records, began, start), "", began, start)
        began = max(began, end)


def _waited_for(records: Sequence[Record], start: float, end: float) -> str:
    """Name what was waited for, by the events meanwhile."""
    within = [record.event for record in records if start <= seconds(record.time) <= end]
    if any(getattr(event, "refused", "") in REFUSED for event in within):
        return "the service"
    github = any(isinstance(event, IntegrationStepDone) and is_on_github(event.rule) for event in within)
    return "GitHub" if github else "the next step"


def timeline_of(state: State, records: Sequence[Record], checks: Iterable[Stretch], until: str) -> Timeline:
    """Draw the timeline of a story, until a time."""
    now = seconds(until)
    spans = [*spans_of_runs(state, now), *checks, *spans_of_questions(records, now)]
    return draw([*spans, *spans_of_waits(records, spans)])


def draw(spans: Iterable[Stretch]) -> Timeline:
    """Draw spans on a scale of 100, overlapping ones of a lane below each other; of too many, the newest."""
    every = sorted(spans, key=lambda span: (span.start, span.end))
    shown = every[-MOST_BARS:]
    rows = {lane: list[float]() for lane in LANES}
    if not shown:
        return Timeline([], dict.fromkeys(LANES, 0), [], "0 s")
    first, last = shown[0].start, max(span.end for span in every)
    whole = last - first or 1
    bars = list[Bar]()
    for span in shown:
        x = 100 * (span.start - first) / whole
        width = max(100 * (span.end - span.start) / whole, THINNEST)
        ends = rows[span.lane]
        row = next((at for at, end in enumerate(ends) if end <= x + 1e-6), len(ends))
        ends[row : row + 1] = [x + width]
        began = datetime.fromtimestamp(span.start, UTC).strftime("%Y-%m-%d %H:%M:%S")
        drawn = lasting(span.end - span.start), round(x, 2), round(width, 2), row
        bars.append(Bar(span.lane, span.label, span.about, span.tone, began, *drawn))
    # What is left out took its time, too.
    before = first - every[0].start
    count = max(2, min(TICKS, int(whole) + 1))  # none at the second of another
    places = [100 * at / (count - 1) for at in range(count)]
    ticks = [(place, lasting(before + whole * place / 100)) for place in places]
    heights = {lane: len(ends) for lane, ends in rows.items()}
    return Timeline(bars, heights, ticks, lasting(last - every[0].start), len(every) - len(shown))
