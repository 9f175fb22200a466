"""You see what goes on without asking: on the client's own screen, and at no token's cost."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton_lab.scripted_client.script import Step, Talk, call, say
from baton_lab.scripted_client.terminal import Terminal
from client.actors import begun, in_turn, plan, six_runs
from client.papers import PLAN
from client.person import PLUGIN, NewDesk, allow, baton, desk_of, driven, edits_in_trees, unasked

pytestmark = pytest.mark.long

STORY = "42 Subtract"
# What each run is for, and what came of it, in the order in which it is shown.
SHOWN = (
    ("plan", "the plan is valid, with 2 phases; next: implement, phase 1 of 2"),
    ("implement, phase 1 of 2", "1 of 2 phases are done; next: implement, phase 2 of 2"),
    ("implement, phase 2 of 2", "all phases are done; next: QA"),
    ("QA", "QA failed the story: `sub` has no docstring; next: implement, fix what QA found"),
    ("implement, fix what QA found", "all phases are done; next: QA"),
    ("QA", "QA passed every criterion; merged into main"),
)
LINE = {"type": "command", "command": f"{PLUGIN}/bin/baton status --line", "refreshInterval": 1}


# What the client shows of an agent that is started, and of baton's word when it has ended.
STARTED = re.compile(rf"baton:[a-z-]+\({STORY}: ([^)⎿●]+)\)")
ENDED = re.compile(rf"(?m)UserPromptSubmit says: ({STORY}: .+ ended in .+)$")


class Reader:
    """Somebody who reads the screen as it goes by."""

    def __init__(self, terminal: Terminal) -> None:
        self.terminal = terminal
        self.started, self.ended, self.lines = dict[str, None](), dict[str, None](), dict[str, None]()

    @property
    def whole_lines(self) -> list[str]:
        """What was told, without the beginnings of lines that were being drawn."""
        known = self.ended
        return [one for one in known if not any(other != one and other.startswith(one) for other in known)]

    def reads_the_end(self) -> bool:
        screen = self.terminal.screen()
        whole = re.sub(r"\s+", " ", screen)
        self.started.update(dict.fromkeys(STARTED.findall(whole)))
        self.ended.update(dict.fromkeys(ENDED.findall(screen)))
        self.lines.update(dict.fromkeys(re.findall(rf"(?m)^ *{STORY}: (.+), \d+ s(?: |$)", screen)))
        before_report = re.split(r"\bDO (?:wait|ask|complete)\b", whole)[0]  # what the model copies out
        assert not re.search(r"sess_\w+|baton begin", before_report), screen
        return self.terminal.shows("the story is at complete")


def test_every_run_its_purpose_and_its_outcome_are_on_the_screen(new_desk: NewDesk, ready: Path) -> None:
    desk = desk_of(new_desk, ready, **{**six_runs(), "planner": plan(PLAN)})
    allow(ready, edits_in_trees(ready), statusLine=LINE)
    with unasked(desk) as terminal:
        reader = Reader(terminal)
        terminal.type("/implement 42")
        terminal.wait_for(reader.reads_the_end, 120)
    assert list(reader.started) == list(dict.fromkeys(task for task, _ in SHOWN))
    told = [re.fullmatch(rf"{STORY}: (.+) ended in \d+ s — (.+)", line) for line in reader.whole_lines]
    assert [one and one.groups() for one in told] == list(SHOWN)
    assert set(reader.lines) >= {"implement, phase 2 of 2", "QA"}
    requests = json.dumps([asked.request for asked in desk.model.asked], ensure_ascii=False)
    assert "DO spawn baton:qa" in requests
    assert ("ended in" in requests, "; next: " in requests) == (False, False)


def test_what_the_client_asks_for_an_agent_is_told_until_it_goes_on(new_desk: NewDesk, small: Path) -> None:
    def deliver(talk: Talk) -> Iterator[Step]:
        tree = yield from begun(talk)
        yield call("Bash", command=f"touch {tree}/added")
        yield say("enough")

    desk = driven(desk_of(new_desk, small, micro_delivery=deliver))
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: "asked in the client" in baton(small, "status"), 120)
        assert "Bash touch /" in baton(small, "status")
        terminal.press("1")
        terminal.wait_for(lambda: "asked in the client" not in baton(small, "status"), 60)


def idle(talk: Talk) -> Iterator[Step]:
    """End without a call, as an agent that was cut off does."""
    yield say("all is well")


def test_a_run_that_is_lost_and_a_question_are_told_too(new_desk: NewDesk, ready: Path) -> None:
    with unasked(desk_of(new_desk, ready, planner=in_turn(idle, plan(PLAN)))) as terminal:
        reader = Reader(terminal)
        terminal.type("/implement 42 --plan-only")
        terminal.wait_for(lambda: reader.reads_the_end() or terminal.shows("the story is at ask"), 90)
    assert [line.partition(" — ")[2] for line in reader.whole_lines] == [
        "it never began; next: plan, once more",
        "the plan is ready; it asks you: Should this plan be carried out?",
    ]
