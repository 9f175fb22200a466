"""What happened to a story is told event by event."""

import re

import pytest

from baton.journal.events import Rejected
from baton.journal.journal import Journal
from bench import Bench

EVENT = {"seq", "time", "kind", "rule", "run", "detail"}


def test_the_timeline_tells_every_event_in_order(judging: Bench) -> None:
    judging.judge()
    events = judging.baton("timeline", "42", "--json").json["events"]
    assert [one["seq"] for one in events] == list(range(1, len(judging.state.events) + 1))
    assert all(set(one) >= EVENT for one in events)
    assert (events[0]["kind"], events[-1]["kind"], events[-1]["rule"]) == ("created", "completed", "close/done")


def test_a_long_timeline_ends_with_the_newest_and_is_whole_when_asked_for(planning: Bench) -> None:
    journal = Journal(planning.journal)
    for number in range(60):
        journal.append(Rejected(planning.run.id, "plan", [f"finding {number} {'x' * 140}"]))
    cut, whole = (planning.baton("timeline", "42", *more).out for more in ((), ("--all",)))
    assert re.match(r"… \d+ earlier events: baton timeline 42 --all\n", cut)
    assert "finding 59 " in cut
    assert len(whole.splitlines()) == len(journal.records)


def test_a_torn_last_line_is_told_and_the_rest_is_shown(planning: Bench) -> None:
    whole = planning.baton("timeline", "42").out
    with planning.journal.open("ab") as file:
        file.write(b'{"seq":99')
    said = planning.baton("timeline", "42")
    assert (said.code, said.out) == (0, whole)
    assert said.err.startswith(f"baton: a torn last line at {planning.journal}: ")


@pytest.mark.parametrize("verb", [["status", "42"], ["timeline", "42"], ["next", "42"], ["question", "42"]])
def test_a_damaged_journal_is_one_line(verb: list[str], planning: Bench) -> None:
    data = bytearray(planning.journal.read_bytes())
    data[100] ^= 1
    planning.journal.write_bytes(data)
    said = planning.baton(*verb)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith("baton: damaged journal (")
