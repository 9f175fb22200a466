"""What the client's module is given of a round: what it shows, asks and starts."""

import re
from typing import Any

import pytest

from feedback.scene import PLAIN, WITH_TEST, PullScene, result

apart = pytest.mark.parametrize(
    "settings", [PLAIN.replace("{resolve", "{volume: 9, resolve")], ids=["three units"]
)
with_commands = pytest.mark.parametrize("settings", [WITH_TEST], ids=["with a command"])


def order(here: PullScene, *words: str, stdin: str = "") -> Any:
    said = here.bench.baton("for-module", *words, stdin=stdin)
    assert said.code == 0, said.err
    return said.json


@with_commands
def test_a_lone_option_has_another_beside_it_which_leaves_the_question_open(here: PullScene) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body="Rename it.")
    here.fetch()
    asked = order(here, "plan", "7")["ask"]
    assert [name for name, _ in asked["options"]] == ["accept", "later"]
    answered = order(here, "answer", "pr-7", "--token", asked["token"], stdin="later")
    assert (answered["show"], answered["ask"], answered["then"]) == (asked["left"], None, [])
    assert order(here, "plan", "7")["ask"]["options"] == asked["options"]


@with_commands
def test_words_that_name_no_option_are_asked_about_again_which_says_so(here: PullScene) -> None:
    here.pull.thread("src/a.py", 1, by="alice", body="Rename it.")
    here.fetch()
    asked = order(here, "plan", "7")["ask"]
    again = order(here, "answer", "pr-7", "--token", asked["token"], stdin="why not?")["ask"]
    assert again["text"] == f"Not taken, as it begins with no option: why not?\n\n{asked['text']}"


@apart
def test_the_end_of_a_round_is_told_once_however_many_agents_end(here: PullScene) -> None:
    threads = here.plan_threads("src/a.py", "src/b.py", "src/c.py")
    order(here, "plan", "7")
    for thread in threads:
        here.hand_in(here.unit_of(thread.id), result(thread.id))
    ends = [order(here, "ended", here.unit_of(thread.id)) for thread in threads]
    assert [end["then"] for end in ends] == [["land", "7"], [], []]
    line = r"PR 7: fix [abc]\.py:1, 1 comment ended in \d+ s — answered; 3 of 3 units are handed in"
    assert [end["show"] for end in ends if not re.fullmatch(line, end["show"])] == []
    landed = order(here, *ends[0]["then"])
    assert (landed["show"], landed["plain"]) == ("PR 7: nothing new is left", True)
    assert "ANSWERED 3 items" in landed["page"]
    late = order(here, "ended", here.unit_of(threads[0].id))
    assert (late["page"], late["then"]) == ("", [])


@apart
def test_an_agent_that_handed_nothing_in_is_told_of_and_gone_on_with_each_time(here: PullScene) -> None:
    first, other = here.plan_threads("src/a.py", "src/b.py")
    here.hand_in(here.unit_of(first.id), result(first.id))
    for _ in range(2):
        end = order(here, "ended", here.unit_of(other.id))
        assert end["show"].endswith("ended — it handed nothing in; 1 of 2 units are handed in")
        assert [one["run"] for one in order(here, *end["then"])["start"]] == [here.unit_of(other.id)]


@apart
def test_the_end_of_a_round_is_told_by_one_of_the_calls_that_give_units_up(here: PullScene) -> None:
    first, other = (here.unit_of(thread.id) for thread in here.plan_threads("src/a.py", "src/b.py"))
    order(here, "land", "7", "--skip-unit", first)
    ends = [order(here, "land", "7", "--skip-unit", unit) for unit in (other, first)]
    assert [(end["show"], end["then"]) for end in ends] == [
        ("PR 7: 2 new after the first cycle", ["plan", "7"]), ("", []),
    ]  # fmt: skip


def test_an_agent_is_listed_with_what_it_is_for(here: PullScene) -> None:
    here.pull.comment(by="alice", body="Please split the module.")
    here.fetch()
    given = order(here, "plan", "7")
    [reader] = given["start"]
    assert (given["show"], reader["label"]) == ("PR 7: read what was said", "PR 7: read what was said")
    here.be_readers(reader["run"])
    end = order(here, "ended", reader["run"])
    assert re.fullmatch(r"PR 7: read what was said ended in \d+ s — it is read", end["show"])
    given = order(here, *end["then"])
    assert {given["show"], given["start"][0]["label"]} == {"PR 7: settle 1 comment on the pull request"}
