"""The timeline: who was at it when, what was waited for, and a scale on which work can be seen."""

from pathlib import Path

import pytest

from baton.journal.events import EffectDone, Ended, Event, IntegrationStepDone
from baton.report.evidence import read_check_runs
from baton.report.lanes import MOST_BARS, Stretch, draw, spans_of_questions, spans_of_waits
from baton.text import lasting
from journal.happenings import COMPLETED, CREATED, answered, asked, judged, records

HOUR = 3_600.0


def waits(*events: Event, others: tuple[Stretch, ...] = ()) -> list[str]:
    return [wait.label for wait in spans_of_waits(records(CREATED, *events), others)]


def test_a_question_is_open_until_it_is_answered_or_until_now() -> None:
    said = records(
        CREATED, asked("run/blocked", "qa"), answered("run/blocked", "planner", "retry"), asked("qa/fail", "qa")
    )
    spans = list(spans_of_questions(said, 2e9))
    assert [(span.label, span.about.partition(": ")[2], span.end == 2e9) for span in spans] == [
        ("run/blocked", "retry", False), ("qa/fail", "open", True),
    ]  # fmt: skip


def test_what_is_waited_for_is_told_by_what_happens_meanwhile() -> None:
    assert waits(judged("i1", "qa", "report/valid")) == ["the next step"]
    assert waits(IntegrationStepDone("ci/pass", "", "")) == ["GitHub"]
    assert waits(IntegrationStepDone("merge/done", "", "")) == ["the next step"]
    assert waits(Ended("i1", "stop", refused="limit", until="")) == ["the service"]
    assert waits(EffectDone("revert", "c", "c", refused="nothing")) == ["the next step"]


def test_nothing_is_waited_for_while_something_goes_on_or_once_it_is_complete() -> None:
    start = spans_of_waits(records(CREATED, COMPLETED, COMPLETED), ())
    assert [one.end - one.start for one in start] == [60]
    busy = Stretch("runs", "a", "a", 0, 4e9)
    assert waits(COMPLETED, others=(busy,)) == []


def test_a_bar_begins_where_and_is_as_wide_as_it_lasted() -> None:
    drawn = draw([Stretch("runs", "a", "a", HOUR, 2 * HOUR), Stretch("questions", "q", "q", 2 * HOUR, 5 * HOUR)])
    assert [(bar.x, bar.width) for bar in drawn.bars] == [(0, 25), (25, 75)]
    assert (drawn.lasted, drawn.ticks[-1], drawn.shortened) == ("4 h", (100, "4 h"), ())


@pytest.mark.parametrize(("lasted", "shown"), [(3, ["0 s", "1 s", "2 s", "3 s"]), (0, ["0 s", "1 s"])])
def test_no_two_marks_of_the_scale_say_the_same(lasted: int, shown: list[str]) -> None:
    assert [label for _, label in draw([Stretch("runs", "a", "a", 0, lasted)]).ticks] == shown


def test_what_overlaps_in_a_lane_has_rows_of_its_own_and_what_does_not_shares_one() -> None:
    beside = [Stretch("runs", one, one, 0, 60) for one in "ab"]
    drawn = draw([*beside, Stretch("runs", "c", "c", 120, 180)])
    assert ([bar.row for bar in drawn.bars], drawn.heights["runs"]) == ([0, 1, 0], 2)


def test_the_oldest_of_too_many_are_left_out_and_counted() -> None:
    drawn = draw(Stretch("runs", str(at), "", at * 10, at * 10 + 9) for at in range(MOST_BARS + 3))
    assert (len(drawn.bars), drawn.left_out, drawn.bars[0].label) == (MOST_BARS, 3, "3")
    assert (drawn.lasted, drawn.ticks[0][1]) == ("33 min", "30 s")
    assert all(0 <= bar.x <= 100 and bar.x + bar.width <= 101 for bar in drawn.bars)


def test_no_stretch_has_no_bar_and_one_of_no_time_still_has_a_width() -> None:
    assert draw([]).bars == []
    assert draw([Stretch("runs", "a", "a", 5, 5)]).bars[0].width > 0


@pytest.mark.parametrize(("seconds", "told"), [
    (0, "0 s"), (59, "59 s"), (61, "1 min 1 s"), (660, "11 min"), (3_600, "1 h"), (5_400, "1 h 30 min"),
    (86_400, "1 day"), (180_000, "2 days 2 h"),
])  # fmt: skip
def test_how_long_something_took_is_said_in_two_units(seconds: float, told: str) -> None:
    assert lasting(seconds) == told


def test_a_damaged_record_of_a_command_is_passed_over(tmp_path: Path) -> None:
    job = tmp_path / "a"
    job.mkdir()
    for text in ("", "{", '{"commands": 3, "setup": 1}', '{"commands": [{"kept": "../../x"}, {}]}'):
        (job / "job.json").write_text(text)
        assert read_check_runs(tmp_path) == []
