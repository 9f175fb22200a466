"""Where stories stand and what happened to them."""

import re

import pytest

from baton.journal.events import Rejected
from baton.journal.journal import Journal
from bench import Bench, PlayScene, Reach

ROW = {"id", "title", "phase", "status", "iteration", "updated"}
EVENT = {"seq", "time", "kind", "rule", "run", "detail"}
STATUSES = {"story": "new", "planning": "planning", "implementing": "implementing", "judging": "qa"}
BY_RULE = {
    "planning/approval": "asking",
    "qa/escalate": "escalated",
    "merge/done": "complete",
    "under-way/abandoned": "abandoned",
}


@pytest.mark.parametrize("stage", STATUSES)
def test_the_status_is_one_word_for_where_the_story_stands(stage: str, reach: Reach) -> None:
    row = reach(stage).baton("status", "42", "--json").json["stories"][0]
    assert set(row) >= ROW
    assert row["status"] == STATUSES[stage]


@pytest.mark.parametrize("rule", BY_RULE)
def test_the_status_says_how_it_stopped(rule: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    assert bench.baton("status", "--json").json["stories"][0]["status"] == BY_RULE[rule]


def test_a_person_sees_progress_and_the_run_that_is_out(implementing: Bench) -> None:
    implementing.work(1)
    line, command = implementing.baton("status", "42").out.splitlines()
    assert line.startswith("42  implementing, 1/2 phases  Subtract numbers  (updated ")
    assert line.endswith(f", out: {implementing.run.id})")
    assert command == "    baton next 42"


def test_without_a_story_the_ways_to_make_one_are_shown(bench: Bench) -> None:
    said = bench.baton("status").out
    assert said.startswith('no story yet; `baton story new "TITLE" --criterion "TEXT"` makes one')
    assert "`baton story new --from PATH`" in said
    assert bench.baton("status", "--json").json == {"stories": [], "adoptable": [], "problems": []}


@pytest.mark.parametrize("verb", ["status", "timeline", "escalation", "next"])
def test_a_story_that_is_not_there_is_one_line_naming_those_that_are(verb: str, story: Bench) -> None:
    said = story.baton(verb, "7")
    assert (said.code, said.out) == (2, "")
    assert said.err == f"baton: no story 7 at {story.root}: call again with one of: 42\n"
    assert not (story.journal.parent.parent / "7").exists()


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


@pytest.mark.parametrize("verb", [["status", "42"], ["timeline", "42"], ["next", "42"], ["escalation", "42"]])
def test_a_damaged_journal_is_one_line(verb: list[str], planning: Bench) -> None:
    data = bytearray(planning.journal.read_bytes())
    data[100] ^= 1
    planning.journal.write_bytes(data)
    said = planning.baton(*verb)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert said.err.startswith("baton: damaged journal (")
