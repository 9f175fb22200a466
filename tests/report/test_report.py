"""A report tells a story at any point of its life, by what its journal, its files and git say."""

import json
import re
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

from baton.commands.report_verb import MARK
from baton.errors import BatonError
from baton.journal.events import KINDS
from baton.journal.journal import Journal
from baton.journal.paths import validate_story_id
from baton.report.evidence import FOLDED, file_rows
from baton.report.report_decisions import DECIDED, decisions_of
from baton.story.integrate.completion_report import FileChange
from bench import REPORT, VERDICT, Bench, PlayScene
from scenes import spend

pytestmark = pytest.mark.sampled(14)

# How each state is reached, and what a report calls it.
STATES = {
    "start/mode": "waiting for you", "start/planning": "under way", "planning/valid": "under way",
    "run/blocked": "waiting for you", "qa/fail": "under way", "in-progress/abandoned": "abandoned",
    "in-progress/complete": "merged", "integrate/branch": "complete not merged", "micro/pass": "merged",
}  # fmt: skip


def told(bench: Bench, *words: str) -> Any:
    """Return a report as data."""
    return bench.baton("report", *(words or ("42",)), "--json").json


@pytest.mark.parametrize(("rule", "state"), STATES.items())
def test_a_story_is_told_in_any_state(rule: str, state: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    before = bench.journal.read_bytes()
    assert told(bench)["state"] == state
    for words in (["--md"], ["--html"], []):
        said = bench.baton("report", "42", *words)
        assert (said.code, said.err) == (0, "")
        assert state in said.out
    assert bench.journal.read_bytes() == before


def test_a_story_that_has_not_begun_is_told(bench: Bench) -> None:
    bench.new()
    assert (told(bench)["state"], told(bench)["runs"], told(bench)["undo"]) == ("not begun", [], "")
    assert "no criterion was judged" in told(bench)["not_verified"]


@pytest.mark.parametrize(
    "rule", ["start/planning", "test/unclear", "in-progress/abandoned", "in-progress/complete"]
)
def test_what_is_not_complete_is_not_verified_and_an_open_question_is_named(rule: str, play: PlayScene) -> None:
    bench, _ = play(rule)
    gaps = told(bench)["not_verified"]
    assert any(gap.startswith("it is not complete: ") for gap in gaps) == (rule != "in-progress/complete")
    assert any("test/unclear: a question that is open" in gap for gap in gaps) == (rule == "test/unclear")


@pytest.mark.parametrize(("rule", "why"), [
    ("in-progress/abandoned", "its branch is yours to keep or to delete"),
    ("start/planning", "`baton next 42` goes on"),
])  # fmt: skip
def test_what_was_abandoned_does_not_go_on(rule: str, why: str, play: PlayScene) -> None:
    assert told(play(rule)[0])["undo_why"].endswith(why)


@pytest.mark.parametrize("rule", ["integrate/branch", "merge/head-moved"])
def test_what_a_step_leads_to_is_no_second_decision(rule: str, play: PlayScene) -> None:
    assert [one["rule"] for one in told(play(rule)[0])["decisions"]].count(rule) == 1


def test_what_is_not_known_is_no_number(judging: Bench) -> None:
    before = judging.baton("report", "42", "--md").out
    spend(judging, 1_500_000)
    after = judging.baton("report", "42", "--md").out
    assert re.search(r"\| qa \|.*\| – \| – \| – \|", before)
    assert re.search(r"\| qa \|.*\| 1 min \| 1\.5M \| \\\$6\.00 \|", after)
    assert "list price, at least: \\$6.00" in after


def test_what_was_merged_is_told_with_its_evidence(judging: Bench) -> None:
    spend(judging, 1_500_000)
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    judging.end()
    data = told(judging)
    assert [one["phase"] for one in data["runs"]] == ["planning", "implementation", "qa"]
    assert (data["total"]["tokens"], data["total"]["usd"]) == ("1.5M", "$6.00")
    assert {one["name"]: one["passed"] for one in data["checks"]} == {"build": True, "test": True}
    assert [(one["name"], one["result"], one["evidence"]) for one in data["criteria"]] == [
        ("AC1", "PASS", "ran it"), ("AC2", "PASS", "ran it"),
    ]  # fmt: skip
    assert data["artifacts"][-1]["verdict"] == "PASS; AC1 PASS, AC2 PASS"
    assert {one["path"] for one in data["files"]} == {"calc.py", "test_calc.py"}
    assert (data["undo"], data["commits"][0]["id"]) == ("baton undo 42", data["commit"][:7])
    assert data["not_verified"] == ["no prepush command is configured"] or "what 2 runs used is not known" in str(
        data
    )


def test_a_decision_has_its_facts_rule_action_and_reason(judging: Bench) -> None:
    judging.judge("FAIL", "no docstring")
    row = next(
        decision for decision in decisions_of(Journal(judging.journal).records) if decision.rule == "qa/fail"
    )
    assert (row.when, row.facts, row.action) == ("the verdict is FAIL", "verdict = fail", "spawn implementer")
    assert "no docstring" in row.reason


def test_a_decision_of_any_kind_is_told_by_what_its_event_has() -> None:
    made = {"does", "notes", "who"}  # of several fields
    for kind, texts in DECIDED.items():
        named = {name for text in texts for _, name, _, _ in Formatter().parse(text) if name}
        assert named <= {*KINDS[kind]._fields, *made}, kind


def test_a_run_that_was_decided_on_before_is_no_second_decision(implementing: Bench) -> None:
    rules = [decision.rule for decision in decisions_of(Journal(implementing.journal).records)]
    assert rules == [
        "start/commands", "start/commands", "start/planning", "planning/valid",
    ]  # fmt: skip


def test_what_nobody_verified_is_told(implementing: Bench) -> None:
    implementing.implement(report=f"{REPORT}known_failures: [test_old fails]\n")
    assert "AC1: sub(3, 2) is 1 (not judged)" in told(implementing)["not_verified"]
    implementing.judge("ESCALATE", "the name is odd")
    implementing.answer("accept")
    gaps = told(implementing)["not_verified"]
    assert "fails as before: test_old fails" in gaps
    assert "QA has reservations: the name is odd" in gaps
    assert "what 3 runs used is not known" in gaps
    assert not [gap for gap in gaps if "not judged" in gap]


def test_a_story_is_told_whose_base_and_papers_are_gone(judging: Bench) -> None:
    judging.judge()
    judging.git("switch", "--quiet", "-c", "elsewhere")
    judging.git("branch", "-D", "main")
    for path in (judging.folder.root.parent / "accepted").iterdir():
        path.unlink()
    gaps = told(judging)["not_verified"]
    assert [gap for gap in gaps if gap.startswith("cannot be read: no branch main")]
    assert [gap for gap in gaps if "it was changed after it was accepted" in gap]


def test_a_story_that_was_undone_says_how_it_is_brought_back(judging: Bench) -> None:
    judging.judge()
    judging.baton("undo", "42")
    data = told(judging)
    assert (data["state"], data["undo"].partition(" && ")[0]) == ("undone", "git switch main")
    assert [one["by"] for one in data["decisions"]][-1] == "you"


def test_many_files_are_told_by_folder_and_few_are_not() -> None:
    changes = [FileChange(f"src/{at % 2}/f{at}.py", at, 1) for at in range(FOLDED + 1)]
    assert [row.path for row in file_rows(changes)] == ["src/0/ (16 files)", "src/1/ (15 files)"]
    assert len(file_rows(changes[1:])) == FOLDED
    assert file_rows([FileChange("a", 3, 1)])[0].added_share == 75


def test_markdown_is_whole_in_a_client_only_if_asked_for(judging: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    judging.judge()
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setattr("baton.commands.output.LIMIT_BYTES", 900)
    cut, whole = (judging.baton("report", "42", *more).out for more in ((), ("--md",)))
    assert cut.endswith("… the rest: baton report 42 --md\n")
    assert (len(cut.encode()) <= 901, whole.rstrip().endswith("on main")) == (True, True)


def test_a_page_lies_beside_the_journal_or_where_it_was_asked_for(planning: Bench, tmp_path: Path) -> None:
    kept = planning.baton("report", "42", "--html").out.splitlines()
    assert kept == [str(planning.journal.with_name("report.html")), kept[1]]
    assert re.fullmatch(r"42: under way, \d+ not verified", kept[1])
    words = ("report", "42", "--html", "--out", str(tmp_path / "own.html"))
    assert planning.baton(*words).code == planning.baton(*words).code == 0
    assert (tmp_path / "own.html").read_text().endswith(f"</html>\n{MARK}")


def test_a_file_that_is_no_report_is_left_alone(planning: Bench) -> None:
    planning.write({"own.html": "mine\n"})
    said = planning.baton("report", "42", "--html", "--out", "own.html").refused
    assert said.startswith("baton: it is not a report of baton's at ")
    assert (planning.root / "own.html").read_text() == "mine\n"


@pytest.mark.parametrize(("name", "told"), [
    ("x" * 300, "cannot read (File name too long)"), ("-", "no name of a file"), ("none/x", "cannot write ("),
])  # fmt: skip
def test_what_cannot_be_written_is_refused_in_a_line(name: str, told: str, planning: Bench) -> None:
    assert told in planning.baton("report", "42", "--out", name).refused
    assert not (planning.root / "-").exists()


def test_a_users_template_is_rendered_and_each_value_of_a_page_escaped(bench: Bench, tmp_path: Path) -> None:
    bench.new("A <b> title")
    bench.write({"own.j2": "{{ title }}: {{ state }}{% for one in not_verified %}\n{% endfor %}"})
    assert bench.baton("report", "42", "--template", "own.j2").out == "A \\<b\\> title: not begun\n"
    words = ("--html", "--out", str(tmp_path / "own.html"), "--template", "own.j2")
    assert bench.baton("report", "42", *words).code == 0
    assert (tmp_path / "own.html").read_text() == f"A &lt;b&gt; title: not begun\n{MARK}"


@pytest.mark.parametrize("text", [
    "{{ titel }}", "{% for %}", "{{ ''.__class__.__mro__ }}", "{% include '/etc/passwd' %}", "{{ 1 / 0 }}",
    "{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}", "{{ 1 | one_line }}",
])  # fmt: skip
def test_a_template_that_fails_or_reaches_out_is_refused_in_a_line(text: str, planning: Bench) -> None:
    planning.write({"own.j2": text})
    assert "the template fails (" in planning.baton("report", "42", "--template", "own.j2").refused


def test_stories_stand_side_by_side_each_with_its_page(judging: Bench) -> None:
    judging.judge()
    Bench(judging.root, "43").new("Add <numbers>")
    judging.baton("report", "42", "--html")
    page = Path(judging.baton("report", "--all", "--html").out.splitlines()[0])
    assert page == judging.project.state / "report.html"
    rows = {one["id"]: one for one in told(judging, "--all")["stories"]}
    assert [(one["state"], one["runs"], one["href"]) for one in (rows["42"], rows["43"])] == [
        ("merged", 3, "42/report.html"), ("not begun", 0, ""),
    ]  # fmt: skip
    assert '<a href="42/report.html">42</a>' in page.read_text()
    assert [one["id"] for one in told(judging, "--all", "--last", "1")["stories"]] == ["43"]
    assert "| 43 | Add \\<numbers\\> | not begun |" in judging.baton("report", "--all").out


def test_no_story_can_have_the_name_of_the_page_of_all() -> None:
    assert validate_story_id("report") == "report"
    with pytest.raises(BatonError, match="a name that baton itself uses"):
        validate_story_id("report.HTML")


@pytest.mark.parametrize(("words", "told"), [
    (["41"], "no story 41"), (["pr-9"], "pull request 9 was not fetched here"), ([], "name a story or --all"),
    (["42", "--all"], "name a story or --all"), (["42", "--md", "--html"], "one of --html, --md and --json"),
])  # fmt: skip
def test_what_cannot_be_told_is_said_in_a_line(words: list[str], told: str, planning: Bench) -> None:
    assert told in planning.baton("report", *words).refused


def test_the_data_is_what_a_template_gets(planning: Bench) -> None:
    data = told(planning)
    planning.write({"own.j2": "{{ timeline.bars | length }} {{ runs[0].phase }}"})
    said = planning.baton("report", "42", "--template", "own.j2").out
    assert said == f"{len(data['timeline']['bars'])} {data['runs'][0]['phase']}\n"
    assert json.loads(json.dumps(data)) == data
