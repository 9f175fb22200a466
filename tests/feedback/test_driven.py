"""What the client's module is given of a round: what it shows, asks and starts."""

from typing import Any

import pytest

from feedback.scene import WITH_TEST, PullScene

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
