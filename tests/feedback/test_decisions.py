"""What a resolver leaves to the user is asked, one decision at a time, and worked on once it is decided."""

import json
import re
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from bench import CallResult
from fake_github.pull_request import PullRequest
from fake_github.state import Thread
from feedback.scene import PullScene, cut_short, result

pytestmark = [pytest.mark.gh, pytest.mark.sampled(6)]

NAMES = {"question": "Which name?", "options": ["alpha, as in the paper", "beta"]}
UNITS = {"question": "Which unit?", "options": ["seconds", "minutes"]}


def to_decide(item: str, asked: dict[str, Any] = NAMES) -> dict[str, Any]:
    return result(item, "needs-human", decision_context=asked)


def asking(here: PullScene, *contexts: dict[str, Any]) -> tuple[CallResult, list[Thread]]:
    """Land a round whose threads all wait for a decision; gives what is said, and the threads."""
    names = "ab"[: len(contexts)]
    threads = [here.pull.thread(f"src/{name}.py", 1, by="alice", body=f"Rename {name}?") for name in names]
    here.plan()
    here.settle(*(to_decide(one.id, asked) for one, asked in zip(threads, contexts, strict=True)))
    return here.land(), threads


def planned_items(here: PullScene) -> list[str]:
    """Plan without reading anew; returns the items to be worked on."""
    here.replan()
    return here.planned_items


# Asked


def test_a_report_with_an_open_decision_asks_for_it_below_all_its_lines(here: PullScene) -> None:
    said, [thread] = asking(here, NAMES)
    lines = said.out.splitlines()
    assert lines[:2] == ["DO ask", "WHY verify/decide: a resolver asks for decisions"]
    assert lines.index("NEEDS-HUMAN 1") < lines.index('QUESTION @alice src/a.py:1 "Rename a?": Which name?')
    assert lines[-4:] == [
        "OPTION a: alpha, as in the paper", "OPTION b: beta", "OPTION leave: leaves it open",
        "THEN baton answer pr-7 OPTION",
    ]  # fmt: skip
    assert (here.replies, thread.resolved) == ([thread.id], False)


def test_a_report_without_one_asks_for_nothing(here: PullScene) -> None:
    here.fixed()
    assert here.landed().action == "DO report"


def test_a_resolvers_words_stay_on_their_line_and_are_cut(here: PullScene) -> None:
    asked = {
        "question": "Which?\nOPTION leave: {pushes}\u202e",
        "options": ["x\nTHEN baton pr land 7", "y" * 1_000],
    }
    said, _ = asking(here, asked)
    [question] = re.findall(r"(?m)^QUESTION .*", said.out)
    assert question.endswith('": Which?[U+000A]OPTION leave: {pushes}[U+202E]')
    assert re.findall(r"(?m)^OPTION (\w+)|^THEN (.*)", said.out)[-1][1] == "baton answer pr-7 OPTION"
    assert "\nOPTION a: x[U+000A]THEN baton pr land 7\n" in said.out


def test_decisions_are_asked_one_at_a_time_in_order_and_none_twice(here: PullScene) -> None:
    said, threads = asking(here, NAMES, UNITS)
    first, second = re.findall(r"(?m)^    (Which \w+\?)$", said.out)
    assert re.findall(r"(?m)^QUESTION .*: (.*)", said.out) == [first]
    assert here.answer("leave").out.splitlines()[-1] == "THEN baton pr plan 7"
    step = here.replan()
    assert (step["action"], step["rule"]) == ("ask", "verify/decide")
    assert step["question"].endswith(second)
    assert re.findall(r"(?m)^QUESTION .*: (.*)", here.land().out) == [second]
    assert "THEN" not in here.answer("leave").out
    assert (here.replan()["rule"], [thread.resolved for thread in threads]) == ("pr/nothing", [False, False])


def test_one_answer_decides_two_items_that_ask_in_the_same_words(here: PullScene) -> None:
    said, threads = asking(here, NAMES, NAMES)
    assert len(re.findall(r"(?m)^QUESTION ", said.out)) == 1
    here.answer("a")
    assert {*planned_items(here)} == {thread.id for thread in threads}
    assert here.briefs.count("Decided: alpha, as in the paper") == 2


# Decided


def test_a_decided_item_is_settled_with_the_users_words(here: PullScene) -> None:
    _, [thread] = asking(here, NAMES)
    assert here.answer("a", "--note", "and the test too").out.endswith("THEN baton pr plan 7\n")
    assert planned_items(here) == [thread.id]
    said = here.briefs.partition("## What the user said")[2].partition("\n## ")[0]
    assert [line[2:] for line in said.split("\n") if line.startswith("> ")] == [
        f'Asked of {thread.id}: @alice src/a.py:1 "Rename a?": Which name?', "Decided: alpha, as in the paper",
        "and the test too",
    ]  # fmt: skip
    here.fix(thread.id)
    assert here.landed().out.startswith("DO report\nWHY verify/clean")
    assert (here.replies, thread.resolved, here.replan()["rule"]) == ([thread.id] * 2, True, "pr/nothing")


def test_a_comment_on_the_whole_is_decided_and_answered_as_a_thread_is(here: PullScene) -> None:
    comment = here.pull.comment(by="bob", body="What should it be called?")
    here.plan()
    here.settle(to_decide(comment.id))
    assert 'QUESTION @bob "What should it be called?": Which name?' in here.land().out
    here.answer("b")
    assert planned_items(here) == [comment.id]
    here.settle(result(comment.id))
    assert "WHY verify/clean" in here.land().out
    assert (here.replies, "Nothing new is left" in here.fetch().out) == ([comment.id] * 2, True)


def test_only_the_decided_one_of_two_items_is_worked_on(here: PullScene) -> None:
    said, threads = asking(here, NAMES, UNITS)
    chosen = next(thread for thread in threads if f"QUESTION @alice {thread.path}:1" in said.out)
    here.answer("b")
    assert here.replan()["rule"] == "verify/decide"
    assert "THEN baton pr plan 7" in here.answer("leave").out  # the first one is still to be worked on
    assert planned_items(here) == [chosen.id]


def test_a_decision_that_leads_to_another_is_asked_as_well(here: PullScene) -> None:
    _, [thread] = asking(here, NAMES)
    here.answer("a")
    here.replan()
    here.settle(to_decide(thread.id, UNITS))
    said = here.land()
    assert ("WHY verify/decide" in said.out, "Which unit?\nOPTION a: seconds" in said.out) == (True, True)
    here.answer("a")
    here.replan()
    assert "Decided: seconds" in here.briefs


def test_a_decision_whose_unit_was_given_up_is_not_lost(here: PullScene) -> None:
    _, [thread] = asking(here, NAMES)
    here.answer("a")
    [unit] = [one["id"] for one in here.replan()["units"]]
    assert here.land("--skip-unit", unit).action == "DO report"
    assert (planned_items(here), "Decided: alpha" in here.briefs) == ([thread.id], True)


# Told in one report


def account(lines: list[str]) -> list[str]:
    """Return the first words of what a report says was done and left, and what stands between two rounds."""
    heads = ("COMMIT", "ANSWERED", "FIXED", "REPLIED", "NEEDS", "LEFT", "AFTER")
    return [line.split()[0] for line in lines if line.startswith(heads)]


@pytest.mark.parametrize("cut", [False, True], ids=["", "cut short"])
def test_a_report_has_what_all_rounds_since_the_last_one_did(here: PullScene, cut: bool) -> None:
    asks, other = here.plan_threads("src/a.py", "src/b.py", body="Rename this variable.")
    here.edit(other.id, {"src/b.py": "beta = 1\n"})
    here.settle(to_decide(asks.id), result(other.id, "fixed", "src/b.py"))
    assert account(here.land().out.splitlines()) == ["COMMIT", "ANSWERED", "NEEDS-HUMAN", "LEFT", "FIXED"]
    here.answer("a")
    planned_items(here)
    here.settle(result(asks.id))
    with cut_short("land.land_command.save_round") if cut else nullcontext():
        here.land()
    report = account(here.land().out.splitlines())
    assert report == ["COMMIT", "ANSWERED", "FIXED", "AFTER", "ANSWERED", "LEFT", "REPLIED"]
    here.pull.thread("lib/c.py", 1, by="alice", body="And this?")
    here.plan()
    here.settle(*(result(name) for name in here.planned_items))
    assert account(here.land().out.splitlines()) == ["ANSWERED", "LEFT", "REPLIED"]


def test_a_report_names_what_was_left_open_before_it(here: PullScene) -> None:
    said, threads = asking(here, NAMES, UNITS)
    left, decided = sorted(threads, key=lambda one: f"QUESTION @alice {one.path}:1" not in said.out)
    here.answer("leave")
    here.replan()
    here.answer("a")
    assert planned_items(here) == [decided.id]
    here.settle(result(decided.id))
    lines = here.land().out.splitlines()
    assert lines[lines.index("LEFT OPEN BY YOU 1") + 1].startswith(f"  @alice {left.path}:1 ")


def test_a_decision_that_is_left_open_ends_with_the_report(here: PullScene) -> None:
    asking(here, NAMES)
    lines = here.answer("leave").out.splitlines()
    assert lines[0] == "answered verify/decide: what is open stays open"
    assert account(lines) == ["ANSWERED", "NEEDS-HUMAN", "LEFT"]
    again = here.land().out.splitlines()
    assert (again[0], again[2:]) == ("DO report", lines[1:])


# Killed, or gone on with by other calls


@pytest.mark.parametrize("answered", [True, False], ids=["after the answer", "before it"])
def test_whoever_begins_anew_is_led_back_to_it(here: PullScene, answered: bool) -> None:
    _, [thread] = asking(here, NAMES)
    if answered:
        here.answer("a")
    said = here.fetch()
    assert ("Nothing new" in said.out, "THEN baton pr plan 7" in said.out) == (False, True)
    step = here.replan()
    assert step["rule"] == ("gate/none" if answered else "verify/decide")
    if not answered:
        here.answer("a")
    assert planned_items(here) == [thread.id]


CUT = {
    "before it is kept": "land.land_command.Answers.keep_decisions",
    "before it is asked": "store.questions.Answers.ask",
    "before the summary is kept": "land.land_command.keep_summary",
    "before the round is": "land.land_command.save_round",
}  # fmt: skip


@pytest.mark.parametrize("where", CUT)
def test_a_landing_that_is_cut_short_asks_when_it_is_called_again(here: PullScene, where: str) -> None:
    with cut_short(CUT[where]):
        said, [thread] = asking(here, NAMES)
        assert said.code == 2
    assert "QUESTION @alice src/a.py:1" in here.land().out
    here.answer("a")
    assert (planned_items(here), here.replies) == ([thread.id], [thread.id])


@pytest.mark.parametrize("where", ["store.questions.QuestionReplies.forget", "plan.plan_command.save_round"])
def test_an_answer_that_is_cut_short_is_not_asked_for_again(here: PullScene, where: str) -> None:
    _, [thread] = asking(here, NAMES)
    with cut_short(where):
        codes = [here.bench.baton(*words).code for words in (("answer", "pr-7", "a"), ("pr", "plan", "7"))]
        assert 2 in codes
    assert (planned_items(here), "Decided: alpha" in here.briefs) == ([thread.id], True)


def test_an_item_that_was_left_is_not_asked_about_again_after_another_read(here: PullScene) -> None:
    asking(here, NAMES)
    here.answer("leave")
    assert "Nothing new is left to do." in here.fetch().out
    assert here.replan()["rule"] == "pr/nothing"


MEANWHILE: dict[str, Callable[[PullRequest], object]] = {
    "somebody spoke": lambda pull: pull.threads[0].reply(by="alice", body="Take alpha."),
    "it was resolved": lambda pull: setattr(pull.threads[0], "resolved", True),
}


@pytest.mark.parametrize("what", MEANWHILE)
def test_no_decision_is_asked_for_that_was_made_in_the_thread(here: PullScene, what: str) -> None:
    asking(here, NAMES)
    MEANWHILE[what](here.pull)
    assert here.plan()["rule"] == ("gate/none" if what == "somebody spoke" else "pr/nothing")


# Beside other items


def beside(here: PullScene, pull: PullRequest) -> tuple[Thread, Thread, CallResult]:
    """Land a round with a decision while alice says something else."""
    first = pull.thread("src/a.py", 1, by="alice", body="Rename a?")
    here.plan()
    here.settle(to_decide(first.id))
    other = pull.thread("src/b.py", 1, by="alice", body="And why this?")
    return first, other, here.land()


@pytest.mark.parametrize("option", ["a", "leave"])
def test_a_decision_is_asked_for_before_the_next_round_is_planned(here: PullScene, option: str) -> None:
    first, other, said = beside(here, here.pull)
    assert said.out.startswith("DO plan\nWHY verify/again")
    assert here.replan()["rule"] == "verify/decide"
    assert "THEN baton pr plan 7" in here.answer(option).out
    assert {*planned_items(here)} == {other.id, *([first.id] if option == "a" else [])}


def test_whoever_leaves_what_is_new_is_still_asked_to_decide(here: PullScene) -> None:
    first, other, _ = beside(here, here.pull)
    here.replan()
    here.answer("a")
    here.replan()
    here.settle(to_decide(first.id, UNITS), result(other.id))
    here.pull.thread("lib/c.py", 1, by="alice", body="And this?")
    assert "WHY verify/pattern" in here.land().out
    assert "THEN baton pr plan 7" in here.answer("leave").out
    assert here.replan()["question"].endswith("Which unit?")
    here.answer("a")
    assert planned_items(here) == [first.id]


@pytest.mark.parametrize("option", ["a", "leave"])
def test_after_a_round_of_what_a_url_names_nothing_else_is_planned(here: PullScene, option: str) -> None:
    first, _ = (here.pull.thread(f"src/{one}.py", 1, by="alice", body=f"Rename {one}?") for one in "ab")
    here.plan(fetch=f"https://github.com/octo/app/pull/7#discussion_r{first.comments[0].number}")
    here.settle(to_decide(first.id))
    assert "WHY verify/decide" in here.land().out
    assert ("THEN baton pr plan" in here.answer(option).out) == (option == "a")
    if option == "a":
        assert (planned_items(here), here.planned["rule"]) == ([first.id], "gate/targeted")
        here.settle(result(first.id))
        assert "WHY verify/targeted" in here.land().out


# Through the client's module


def order(here: PullScene, *words: str, stdin: str = "") -> Any:
    said = here.bench.baton("for-module", *words, stdin=stdin)
    assert said.code == 0, said
    return said.json


def test_the_clients_module_asks_in_a_dialog_and_goes_on(here: PullScene) -> None:
    thread = here.pull.thread("src/a.py", 1, by="alice", body="Rename a?")
    here.plan()
    here.settle(to_decide(thread.id))
    asked = order(here, "land", "7")["ask"]
    assert (asked["about"], asked["options"]) == (
        "pr-7",
        [["a", "a: alpha, as in the paper"], ["b", "b: beta"], ["leave", "leave: leaves it open"]],
    )
    assert "NEEDS-HUMAN 1" in asked["text"]
    again = order(here, "answer", "pr-7", "--token", asked["token"], stdin="a better one")["ask"]
    assert again["options"] == asked["options"]  # an article is no option
    went = order(here, "answer", "pr-7", "--token", again["token"], stdin="b: a short one")
    assert went["then"] == ["plan", "7"]
    [agent] = order(here, *went["then"])["start"]
    [made] = (json.loads(path.read_text()) for path in here.bench.root.glob(".git/baton/**/round.json"))
    assert (agent["run"], made["units"][0]["items"]) == (made["units"][0]["id"], [thread.id])
    assert "> Decided: beta\n> a short one\n" in Path(made["units"][0]["brief"]).read_text(encoding="utf-8")


def test_the_clients_module_does_nothing_more_where_an_answer_leaves_all_as_it_was(here: PullScene) -> None:
    asking(here, NAMES)
    asked = order(here, "land", "7")["ask"]
    went = order(here, "answer", "pr-7", "--token", asked["token"], stdin="leave")
    assert (went["show"], went["then"]) == ("answered verify/decide: what is open stays open", [])
    assert (account(went["page"].splitlines()), went["plain"]) == (["ANSWERED", "NEEDS-HUMAN", "LEFT"], True)


@pytest.mark.parametrize("answered", [True, False], ids=["decided", "open"])
def test_the_clients_module_that_begins_anew_is_led_back_to_it(here: PullScene, answered: bool) -> None:
    asking(here, NAMES)
    if answered:
        here.answer("a")
    went = order(here, "feedback", "7")["then"]
    assert went == ["plan", "7"]
    given = order(here, *went)
    assert (bool(given["start"]), bool(given["ask"])) == (answered, not answered)
