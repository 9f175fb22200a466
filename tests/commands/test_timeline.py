"""What happened to a story is told event by event."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.commands.timeline import describe_record
from baton.commands.wrap_lines import wrap_markdown
from baton.journal.events import KINDS, NAMES, Event, Rejected
from baton.journal.journal import Journal, Record
from bench import Bench
from journal.happenings import answered, any_event, dispatched, judged
from scenes import spend

EVENT = {"seq", "time", "kind", "rule", "run", "detail"}


def test_the_timeline_tells_every_event_in_order(judging: Bench) -> None:
    judging.judge()
    events = judging.baton("timeline", "42", "--json").json["events"]
    assert [event["seq"] for event in events] == list(range(1, len(judging.state.events) + 1))
    assert all(set(event) >= EVENT for event in events)
    assert (events[0]["kind"], events[-1]["kind"], events[-1]["rule"]) == ("created", "completed", "close/done")


def test_in_the_client_a_long_timeline_ends_with_the_newest(planning: Bench, client: None) -> None:
    journal = Journal(planning.journal)
    for number in range(60):
        journal.append(Rejected(planning.run.id, "plan", [f"finding {number} {'x' * 140}"]))
    cut, all_of_it = (planning.baton("timeline", "42", *more).out for more in ((), ("--all",)))
    assert "finding" not in cut
    assert cut.endswith("… and 62 other events: baton timeline 42 --all\n")
    runs = planning.baton("timeline", "42", "--run", planning.run.id).out
    assert re.match(r"… \d+ earlier events: baton timeline 42 --all\n", runs)
    assert "finding 59 " in runs
    assert len(all_of_it.splitlines()) == len(journal.records)


def test_a_timeline_is_whole_elsewhere(planning: Bench) -> None:
    Journal(planning.journal).append(Rejected(planning.run.id, "plan", ["x" * 9_000]))
    lines = planning.baton("timeline", "42", "--all").out.splitlines()
    assert (len(lines), lines[-1].endswith("x" * 9_000)) == (len(planning.state.events), True)


def test_the_decisions_are_shown_with_their_stage(judging: Bench) -> None:
    judging.judge()
    stages = [line.split()[4] for line in judging.baton("timeline", "42").out.splitlines()[:-1]]
    assert list(dict.fromkeys(stages)) == ["preflight", "plan", "gate", "qa", "integrate", "summary"]


@pytest.mark.parametrize(("words", "kinds"), [
    (["--kind", "started"], ["started"]), (["--run", "{run}"], ["dispatched", "begun"]),
])  # fmt: skip
def test_events_of_a_run_or_a_kind_are_shown_alone(words: list[str], kinds: list[str], planning: Bench) -> None:
    assert planning.tree
    named = [word.format(run=planning.run.id) for word in words]
    events = planning.baton("timeline", "42", "--json", *named).json["events"]
    assert [event["kind"] for event in events] == kinds
    assert planning.baton("timeline", "42", *named).out.count("Z  +") == len(kinds)


@pytest.mark.parametrize("words", [("timeline",), ("timeline", "--all"), ("show",)])
def test_on_a_terminal_a_table_is_broken_between_words(
    words: tuple[str, ...], judging: Bench, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    judging.judge()
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "9999")
    whole = judging.baton(*words, "42").out
    monkeypatch.setenv("COLUMNS", "80")
    narrow = judging.baton(*words, "42").out
    assert narrow.split() == whole.split()
    assert [line for line in narrow.splitlines() if len(line) > 80 and len(line.split()) > 1] == []
    assert words[0] == "show" or len(narrow.splitlines()) > len(whole.splitlines())


def test_on_a_terminal_a_reports_tables_are_lines(
    judging: Bench, terminal: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    lines = judging.baton("report", "42").out.splitlines()
    assert "- Criterion · Result · How it was seen" in lines
    assert [line for line in lines if line.startswith("|") or (len(line) > 80 and len(line.split()) > 1)] == []
    assert "| Criterion | | Result | How it was seen |" in judging.baton("report", "42", "--md").out


@pytest.mark.parametrize(("text", "shown"), [
    (r"\_\_main\_\_.py", "__main__.py"), (r"`grep '\.py'`", r"`grep '\.py'`"),
    ("```\n| a |\n|---|\n| \\. |\n```", "```\n| a |\n|---|\n| \\. |\n```"),
    ("| a |\n|---|\n| \\| |\n", "- a\n- |\n"),
])  # fmt: skip
def test_on_a_terminal_markdown_is_read_as_markdown_has_it(text: str, shown: str, terminal: None) -> None:
    assert wrap_markdown(text) == shown


@pytest.mark.parametrize("words", [("--kind", "nonsense"), ("--run", "nope")])
def test_a_filter_that_fits_nothing_says_what_there_is(words: tuple[str, str], planning: Bench) -> None:
    assert "its kinds are created, " in planning.baton("timeline", "42", *words).refused


def test_each_event_has_its_date_and_how_long_it_took(story: Bench) -> None:
    times = iter(["2026-01-02T03:04:05Z", "2026-01-02T03:04:47Z", "2026-01-03T03:04:47Z"])
    journal = Journal(story.journal, clock=lambda: next(times))
    for _ in range(3):
        journal.append(Rejected("r", "plan", []))
    lines = story.baton("timeline", "42", "--all").out.splitlines()[-2:]
    assert [line[4:33].rstrip().split(maxsplit=1) for line in lines] == [
        ["2026-01-02T03:04:47Z", "+42 s"], ["2026-01-03T03:04:47Z", "+1 day"],
    ]  # fmt: skip


def test_a_torn_last_line_is_told_and_the_rest_is_shown(planning: Bench) -> None:
    whole = planning.baton("timeline", "42").out
    with planning.journal.open("ab") as file:
        file.write(b'{"seq":99')
    said = planning.baton("timeline", "42")
    assert (said.code, said.out) == (0, whole)
    assert said.err.startswith(f"baton: an incomplete last line at {planning.journal}: ")


@pytest.mark.parametrize("verb", [["status", "42"], ["timeline", "42"], ["next", "42"], ["question", "42"]])
def test_a_damaged_journal_is_one_line(verb: list[str], planning: Bench) -> None:
    data = bytearray(planning.journal.read_bytes())
    data[100] ^= 1
    planning.journal.write_bytes(data)
    assert planning.baton(*verb).refused.startswith("baton: damaged journal (")


def test_the_timeline_has_a_line_for_each_runs_spending_and_one_for_the_sum(implementing: Bench) -> None:
    assert "spent" not in implementing.baton("timeline", "42").out
    spend(implementing, 1_500_000)
    *_, line, total, rest = implementing.baton("timeline", "42").out.splitlines()
    assert re.search(r" delegate +spent +claude-opus-5-5; 1\.5M tokens in", line)
    assert total.startswith("in all: 1.5M tokens in")
    assert rest.startswith("… and ")


# Rows: whatever happened to a story is one line for the user


@pytest.mark.parametrize("kind", KINDS.values(), ids=list(KINDS))
@settings(max_examples=10, derandomize=True)
@given(data=st.data())
def test_an_event_of_any_kind_can_be_told(kind: type[Event], data: st.DataObject) -> None:
    row = describe_record(Record(7, "now", data.draw(any_event(kind))))
    assert (row.seq, row.time, row.kind) == (7, "now", NAMES[kind])


@pytest.mark.parametrize(("event", "rule", "guard", "run", "detail"), [
    (dispatched("i1", "implementer"), "some/rule", "limit/proceed", "i1", "implementer i1, attempt 1"),
    (judged("i1", "qa", "report/valid"), "report/valid", "", "i1", "spawn qa: because"),
    (answered("limit/iterations", "planner", "replan"), "limit/iterations", "", "", "replan: a note"),
], ids=["a dispatch", "a judgment", "an answer"])  # fmt: skip
def test_a_row_names_what_an_event_is_about(event: Event, rule: str, guard: str, run: str, detail: str) -> None:
    row = describe_record(Record(1, "now", event))
    assert (row.rule, row.guard, row.run, row.detail) == (rule, guard, run, detail)
