"""What is written when a story closes."""

import re
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.journal.events import Dispatched, Ended, Event, RunStarted
from baton.journal.journal import Record
from baton.journal.run import Run
from baton.story.integrate.complete import _with_status
from bench import FOLDER, REPORT, SETTINGS, STORY, VERDICT, Bench, report_on
from scenes import begin_where_base_fails, spend

pytestmark = pytest.mark.sampled(4)


def merged(bench: Bench) -> str:
    """Return the completion report as it was merged."""
    return bench.git("show", f"main:{FOLDER}/42.completion-report.md")


@pytest.mark.parametrize(("before", "after"), [
    ("id: 42\nstatus: new\n---\n# T\n", "id: 42\nstatus: complete\n---\n# T\n"),
    ("id: 42\n---\n", "status: complete\nid: 42\n---\n"),
], ids=["its own alone", "one where there was none"])  # fmt: skip
def test_a_status_is_written_into_the_front_matter(before: str, after: str) -> None:
    assert _with_status(f"---\n{before}\nstatus: as it was\n") == f"---\n{after}\nstatus: as it was\n"


def test_a_story_without_front_matter_is_refused_in_one_line() -> None:
    with pytest.raises(BatonError, match=r"^no front matter at story\.md: "):
        _with_status("# T\n")


def test_the_report_says_how_each_criterion_was_seen(judging: Bench) -> None:
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen").replace("ran it", "ran `sub`: 1 | one", 1))
    judging.end()
    rows = "- AC1: sub(3, 2) is 1 — PASS, ran `sub`: 1 | one\n- AC2: a test shows it — PASS, ran it\n"
    assert rows in merged(judging)


def test_what_you_decided_is_in_git_with_when_and_why(implementing: Bench) -> None:
    implementing.work(status="blocked")
    assert implementing.baton("answer", "42", "retry", "--note", "AC2 wins").code == 0
    implementing.next()
    implementing.implement(report=f"summary: Sub takes one from another\n{REPORT}")
    implementing.judge()
    report = merged(implementing)
    assert re.search(
        r'## What A Person Decided\n(.*\n)*- \d{4}-\d\d-\d\d, `run/blocked`: retry \("AC2 wins"\)', report
    )
    assert "- **Built:** Sub takes one from another\n" in report


def test_a_report_says_what_all_runs_built_and_not_how_it_was_fixed(implementing: Bench) -> None:
    implementing.work(1, summary="Subtract numbers.")
    implementing.implement(report=f"summary: Test it\n{REPORT}")
    implementing.judge("FAIL", "no docstring")
    implementing.implement({"calc.py": "SUB = 2\n"}, f"summary: Address the finding\n{REPORT}")
    implementing.judge()
    assert "- **Built:** Subtract numbers; Test it\n" in merged(implementing)


def test_a_report_says_what_a_fix_did_where_no_other_run_says_what_it_did(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    judging.implement({"calc.py": "SUB = 2\n"}, f"summary: Say what sub does\n{REPORT}")
    judging.judge()
    assert "- **Built:** Say what sub does\n" in merged(judging)


def test_reservations_that_you_accept_are_what_is_left(judging: Bench) -> None:
    assert judging.judge("ESCALATE", "the name is odd")["rule"] == "qa/escalate"
    judging.answer("accept")
    assert "- QA has reservations: the name is odd" in merged(judging)


def test_what_fails_on_base_too_is_what_is_left(implementing: Bench) -> None:
    implementing.implement(report=f"{REPORT}known_failures: [test_old fails]\n")
    implementing.judge()
    assert "## What Is Left\n\n- fails as before: test_old fails" in merged(implementing)


def test_what_two_reports_say_of_one_failure_of_base_is_one_line(bench: Bench) -> None:
    begin_where_base_fails(bench, "echo FAIL: one; echo FAIL: two; exit 1")
    bench.plan()
    bench.implement(report=f"{REPORT}known_failures: ['FAIL: one, as on main', 'FAIL: two']\n")
    bench.hand_in("qa-report", VERDICT.format("PASS", "seen") + "known_failures: ['as ever: FAIL: one', odd]\n")
    bench.end()
    report = merged(bench)
    assert re.findall("fails as before: (.*)", report) == ["FAIL: one", "FAIL: two", "odd"]


def test_the_report_says_what_was_spent_and_by_which_model(judging: Bench) -> None:
    spend(judging, 1_500_000)
    judging.judge()
    said = judging.baton("next", "42").out
    assert "- **Spent:** 1.5M tokens in, cache 0 read and 0 written, at least 0 out; " in said
    assert "$6.00 or more; not counted: 2 runs of unknown use" in said


def test_the_report_says_that_nothing_is_known_of_what_was_spent(judging: Bench) -> None:
    judging.judge()
    assert "- **Spent:** not known, for no hook of the client has reported it\n" in judging.baton("next", "42").out


def test_a_report_says_of_each_run_who_saw_its_start(judging: Bench) -> None:
    judging.judge()
    report = merged(judging)
    assert "\n- **Starts seen by:** nobody\n" in report
    assert "| nobody |" in judging.baton("report", "42", "--md").out


SENT = Dispatched("i1", "implementer", 1, 1, "h", "r", "", "")


@pytest.mark.parametrize(("driven", "events", "seen"), [
    (False, [RunStarted("i1", "a1", "s")], "a hook"),
    (True, [RunStarted("i1", "", ""), RunStarted("i1", "a1", "s")], "a hook"),
    (False, [RunStarted("i1", "", "s", "baton run")], "baton run"),
    (False, [RunStarted("i1", "", "s"), Ended("i1", "process")], "baton run"),
    (True, [RunStarted("i1", "", "s")], "the client's module"),
    (False, [RunStarted("i1", "", "s"), Ended("i1", "caller")], "nobody"),
    (False, [], "nobody"),
])  # fmt: skip
def test_who_saw_a_start_is_told_by_the_journal(driven: bool, events: list[Event], seen: str) -> None:
    run = Run(SENT._replace(driven=driven), "")
    for number, one in enumerate(events):
        run.apply_event(Record(number, "2026-01-01T00:00:00Z", one))
    assert run.start_seen_by == seen


@pytest.mark.parametrize("mode", ["local", "branch"])
@pytest.mark.parametrize(("files", "met"), [({}, True), ({"calc.py": "SUB = 1\n"}, False)], ids=["met", "not met"])
def test_where_base_met_the_story_already_report_and_commit_say_so(
    mode: str, files: dict[str, str], met: bool, bench: Bench
) -> None:
    bench.configure(SETTINGS.replace("local", mode))
    bench.begin()
    bench.plan()
    bench.edit(files)
    bench.mark(1, 2)
    bench.insist("impl-report", report_on(*files))
    bench.end()
    report = Path(bench.judge()["report"]).read_text(encoding="utf-8")
    assert ("**Built:** Nothing had to be changed: main met the story already\n- **Files:** none" in report) == met
    ended = bench.git("log", "-1", "--format=%B", "main" if mode == "local" else STORY)
    assert ("\n\nNothing had to be changed: main met the story already." in ended) == met
