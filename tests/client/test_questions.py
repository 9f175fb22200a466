"""The user is asked in the real client, answers in words, and the story goes on with them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from baton_lab.scripted_client.script import Step, Talk, call, say
from client.actors import Worker, block, in_turn, judge, plan
from client.papers import PASS, PLAN
from client.person import (
    CONFIG,
    MERGED,
    PLUGIN,
    NewDesk,
    agents_sent,
    choose,
    desk_of,
    git,
    happened,
    merges,
    tell,
    unasked,
)

pytestmark = pytest.mark.long

ODD = 'below zero is fine; it\'s `int` only, and $(touch gone) "quoted" stays text'


def test_the_next_planners_brief_quotes_the_answer_to_a_blocked_plan(new_desk: NewDesk, ready: Path) -> None:
    with unasked(desk_of(new_desk, ready, planner=in_turn(block, plan(PLAN)))) as terminal:
        tell(terminal, "/implement 42 --plan-only", "Nobody says whether a result may be negative",
             "What should the planner know or assume?", "OPTION retry", "OPTION replan", "OPTION abandon",
             "the story is at escalate")  # fmt: skip
        choose(terminal, f"retry: {ODD}", "the story is at ask: planning/approval")
    assert agents_sent(ready) == ["planner", "planner"]
    assert happened(ready, "answered")[1:] == [f"retry (dialog, retry: {ODD}): {ODD}"]
    assert f"> {ODD}\n" in next(ready.glob(".git/baton/42/briefs/*_plan2.md")).read_text()
    assert not (ready / "gone").exists()


def test_a_story_at_its_limit_asks_and_goes_on_to_the_merge_when_told(new_desk: NewDesk, ready: Path) -> None:
    worker = Worker()
    runs = in_turn(worker.first, worker.second)
    with unasked(desk_of(new_desk, ready, planner=plan(PLAN), implementer=runs, qa=judge(PASS))) as terminal:
        tell(terminal, "/implement 42 --max-iterations 1", "implementation runs so far: 1, as many as allowed",
             "Should another implementation run be made?", "the story is at ask: limit/iterations")  # fmt: skip
        assert agents_sent(ready) == ["planner", "implementer"]
        choose(terminal, "continue", "the story is at complete")
    assert agents_sent(ready) == ["planner", "implementer", "implementer", "qa"]
    assert merges(ready) == [MERGED]


def answer_in_their_place(talk: Talk) -> Iterator[Step]:
    for command in ("baton next 42", "baton answer 42 accept", "X=baton; $X answer 42 accept; $X undo 42"):
        yield call("Bash", command=command)
    yield say("all was tried")


@pytest.fixture
def asks_again(ready: Path) -> Path:
    """A story that asks about commands which are other ones than those that were confirmed."""
    (ready / ".baton.yaml").write_text(CONFIG.replace("-q", "-v"))
    git(ready, "commit", "--quiet", "--all", "--message", "more words")
    return ready


def test_an_allowed_answer_is_taken_and_the_model_sees_no_token(new_desk: NewDesk, asks_again: Path) -> None:
    desk = new_desk({"main": answer_in_their_place}).with_plugin_dir(PLUGIN)
    with desk.terminal(mode="bypassPermissions") as terminal:
        terminal.answer = "1"
        terminal.type("go")
        terminal.wait_for(lambda: "all was tried" in desk.model.said("main"))
    assert len(terminal.prompts) == 2  # the other is allowed too, and has no token
    assert happened(asks_again, "answered")[1:] == ["accept (asked)"]
    assert "--permit" not in str([one.request for one in desk.model.of("main")])


def test_no_other_call_takes_an_answer_that_nobody_allowed(new_desk: NewDesk, asks_again: Path) -> None:
    desk = new_desk({"main": answer_in_their_place}).with_plugin_dir(PLUGIN)
    assert desk.headless("go", "--permission-mode", "bypassPermissions").code == 0
    assert len(happened(asks_again, "answered")) == 1
    requests = str([one.request for one in desk.model.of("main")])
    assert "You have not said so in this session" in requests
    assert "in a command that is not one plain call is yours to allow" in requests
    assert "--permit" not in requests
