"""The user's own command is called once when a story asks or ends, as they confirmed it, and changes nothing."""

from pathlib import Path
from typing import Any

import pytest

from baton.story.answer import notify
from bench import Bench
from killing import killed_at

pytestmark = pytest.mark.sampled(6)

TELL = """'env | grep -E "^BATON_(EVENT|RULE|STORY|URL)=" | sort >> "$HOME/told"; cat >> "$HOME/told"'"""


@pytest.fixture
def told(surrounded: Path) -> Path:
    return surrounded / "told"


def begin(bench: Bench, line: str = TELL) -> None:
    """Take a story to its implementer, in a repository with a command that notifies."""
    bench.settle("", f"notify: {line}")
    bench.begin()
    bench.plan()


def ask(bench: Bench) -> Any:
    return bench.work(status="blocked", errors=[{"message": "no database"}])


def test_a_question_is_told_with_its_story_rule_and_options(bench: Bench, told: Path) -> None:
    begin(bench)
    assert ask(bench)["rule"] == "run/blocked"
    assert told.read_text().splitlines()[:5] == [
        "BATON_EVENT=question", "BATON_RULE=run/blocked", "BATON_STORY=42", "BATON_URL=",
        "Story 42: Subtract numbers",
    ]  # fmt: skip
    assert "no database" in told.read_text()
    assert "\nabandon: closes the story; its branch and files stay\n" in told.read_text()


def test_it_is_told_once_however_often_it_is_looked_at(bench: Bench, told: Path) -> None:
    begin(bench)
    ask(bench)
    before = told.read_text()
    bench.next()
    assert told.read_text() == before


def test_each_question_and_the_end_are_told(bench: Bench, told: Path) -> None:
    begin(bench)
    ask(bench)
    bench.answer("retry")
    ask(bench)
    bench.baton("answer", "42", "abandon")
    events = [line for line in told.read_text().splitlines() if "EVENT" in line]
    assert events == ["BATON_EVENT=question", "BATON_EVENT=question", "BATON_EVENT=end"]
    assert told.read_text().endswith(
        "Story 42: Subtract numbers\nabandoned; its branch story/42-subtract-numbers stays\n"
    )


def test_a_completed_story_is_told(bench: Bench, told: Path) -> None:
    begin(bench)
    bench.implement()
    assert bench.judge()["action"] == "complete"
    assert "BATON_EVENT=end\nBATON_RULE=close/done\n" in told.read_text()
    assert "merged into main as" in told.read_text()


def test_without_the_setting_nothing_is_noted(implementing: Bench) -> None:
    ask(implementing)
    assert ("notify", f"question {implementing.state.asked_seq}") not in implementing.state.outbox


# The user confirms it


def test_it_is_shown_among_the_commands_and_not_called_before_they_are_confirmed(bench: Bench, told: Path) -> None:
    bench.settle("", f"notify: {TELL}")
    bench.new()
    step = bench.next()
    assert (step["rule"], told.exists()) == ("start/commands", False)
    assert "\n  notify: env | grep -E" in step["reason"]


def test_alone_it_is_asked_about_too(bench: Bench) -> None:
    bench.configure("base: main\nintegrate: {mode: local}\nnotify: cat\n")
    bench.new()
    assert bench.next()["rule"] == "start/commands"


def test_another_line_is_called_only_once_it_is_confirmed(bench: Bench, told: Path) -> None:
    begin(bench)
    bench.settle(TELL, """'echo other >> "$HOME/told"'""")
    bench.implement()
    assert (bench.judge("ESCALATE")["rule"], told.exists()) == ("qa/escalate", False)
    assert (bench.answer("accept")["rule"], told.exists()) == ("start/commands", False)
    assert bench.answer("accept")["action"] == "complete"
    assert told.read_text() == "other\n"


def test_agents_run_the_confirmed_commands_beside_it(bench: Bench) -> None:
    begin(bench)
    assert bench.in_tree("check", "test").code == 0


# It changes nothing


@pytest.mark.parametrize(("line", "says"), [("exit 3", "failed (exit 3)"), ("sleep 600", "did not end in 0 s")])
def test_its_failure_is_one_line(line: str, says: str, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notify, "SECONDS", 0.3)
    begin(bench, line)
    bench.mark(1)
    bench.meta("blocked", errors=[{"message": "no database"}])
    said = bench.baton("next", "42", "--json", "--ended", bench.run.id)
    assert (said.json["rule"], said.err.count("\n")) == ("run/blocked", 1)
    assert f"`notify` {says}" in said.err


def test_it_gets_no_credentials_nor_is_it_heard(bench: Bench, told: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("APP_TOKEN", "a-secret")
    begin(bench, """'echo loud; echo "${APP_TOKEN-none} $(pwd)" >> "$HOME/told"'""")
    ask(bench)
    assert told.read_text() == f"none {bench.journal.parent}\n"


@pytest.mark.parametrize(("where", "calls"), [("Notice.call", 0), ("journal_notice", 1)])
def test_killed_beforehand_it_is_called_once_at_most(where: str, calls: int, bench: Bench, told: Path) -> None:
    begin(bench)
    with killed_at(f"story.answer.notify.{where}"):
        ask(bench)
    bench.next()
    bench.next()
    assert (told.read_text().count("EVENT") if told.exists() else 0) == calls
