"""Where the feedback on a pull request stands is seen as a story is: in `status`, its line and `question`."""

import sys

import pytest

from bench import Bench
from feedback.scene import PLAIN, WITH_TEST, PullScene, result

HEAD = PLAIN.replace("{resolve", "{volume: 9, resolve")
with_commands = pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])
apart = pytest.mark.parametrize("settings", [HEAD], ids=["two units"])


def ask_about_commands(here: PullScene) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body="Why?")
    here.fetch()
    assert here.replan()["rule"] == "land/commands"


@with_commands
def test_a_question_is_among_what_needs_you_with_the_calls_that_show_and_answer_it(here: PullScene) -> None:
    ask_about_commands(here)
    heading, line, look, answer = here.bench.baton("status").out.splitlines()
    assert heading == "NEEDS YOU (1)"
    assert line.startswith("pr-7  asking  Pull request 7  (land/commands, updated ")
    assert (look, answer) == ("    baton question pr-7", "    baton answer pr-7 OPTION, one of: accept")
    assert here.bench.baton("status", "--line").out == "pr-7 asks: May baton run these commands here?"
    [row] = here.bench.baton("status", "--json").json["pull_requests"]
    assert (row["id"], row["stage"], row["options"]) == ("pr-7", "question", ["accept"])


@apart
def test_a_round_is_running_until_it_has_landed(here: PullScene) -> None:
    first, other = here.plan_threads("src/a.py", "src/b.py")
    here.hand_in(here.unit_of(first.id), result(first.id))
    heading, line, command = here.bench.baton("status").out.splitlines()
    assert (heading, command) == ("RUNNING (1)", "    baton pr land 7")
    assert line.startswith("pr-7  1 of 2 units handed in  Pull request 7  (updated ")
    assert here.bench.baton("status", "--line").out == "pr-7: 1 of 2 units handed in"
    here.hand_in(here.unit_of(other.id), result(other.id))
    here.landed()
    assert "no story yet" in here.bench.baton("status").out
    assert here.bench.baton("status", "--line").out == ""


@with_commands
def test_an_open_question_is_printed_whole_and_an_answered_one_not(here: PullScene) -> None:
    ask_about_commands(here)
    first, why, *lines = here.bench.baton("question", "pr-7").out.splitlines()
    assert (first, why[:18]) == ("PR 7 Pull request 7", "WHY land/commands:")
    assert "QUESTION May baton run these commands here?" in lines
    assert here.bench.baton("question", "pr-7", "--json").json["answer_with"] == "baton answer pr-7 OPTION"
    here.answer("accept")
    assert here.bench.baton("question", "pr-7").refused.startswith("baton: no question is open at pr-7: ")


@apart
def test_what_a_resolver_asks_is_printed_with_what_the_round_did(here: PullScene) -> None:
    [thread] = here.plan_threads("src/a.py")
    asks = {"question": "Which way?", "options": ["one", "other"]}
    here.settle(result(thread.id, "needs-human", decision_context=asks))
    here.landed()
    said = here.bench.baton("question", "pr-7").out
    assert ("ANSWERED 1 item" in said, "Which way?" in said, "DO " in said) == (True, True, False)
    told = here.bench.baton("report", "pr-7", "--json").json
    assert (told["state"], "`baton answer pr-7 OPTION`" in told["not_verified"][0]) == ("waiting for you", True)


@apart
def test_of_a_pull_request_that_cannot_be_read_the_error_is_told(here: PullScene) -> None:
    here.plan_threads("src/a.py")
    [path] = (here.bench.root / ".git/baton").rglob("round.json")
    path.write_text("{")
    heading, error = here.bench.baton("status").out.splitlines()
    assert (heading, error.startswith("not as it was written ")) == ("ERRORS (1)", True)
    assert here.bench.baton("status", "--line").out == "a pull request cannot be read: see `baton status`"


def test_where_no_pull_request_was_fetched_nothing_of_feedback_is_imported(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "baton.feedback.open_rounds", raising=False)
    assert bench.baton("status").code == bench.baton("status", "--line").code == 0
    assert "baton.feedback.open_rounds" not in sys.modules
    (bench.root / ".git/baton/.pull-requests").mkdir(parents=True)
    assert bench.baton("status").code == 0
    assert "baton.feedback.open_rounds" in sys.modules
