"""The scripted client itself: the real client talks to the scripted model, with and without a terminal."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Step, Talk, call, say
from baton_lab.scripted_client.terminal import dialog
from client.person import NewDesk

# What only long tests use is tried with them.
pytestmark = pytest.mark.long

MARKER = "You carry one parcel."
AGENT = f"---\nname: carrier\ndescription: carries\n---\n{MARKER}\n"


def greet(talk: Talk) -> Iterator[Step]:
    yield say(f"good day to you, {talk.prompt}")


def look_then_make(_: Talk) -> Iterator[Step]:
    yield call("Bash", command="git status --short")
    yield call("Bash", command="touch parcel")
    yield say("both were tried")


def send_carriers(talk: Talk) -> Iterator[Step]:
    yield [call("Agent", description=name, prompt=f"bring {name}", subagent_type="post:carrier")
           for name in ("bread", "salt")]  # fmt: skip
    while True:
        yield say(f"heard: {', '.join(sorted(talk.every(r'<result>(.*)</result>')))}")


def carry(talk: Talk) -> Iterator[Step]:
    yield call("Bash", command="git status --short")
    yield say(f"carried out: {talk.prompt}")


@pytest.fixture
def post(tmp_path: Path) -> Path:
    """Return a plugin with one agent, which is a marketplace of its own too."""
    folder = tmp_path / "post"
    for part in (".claude-plugin", "agents"):
        (folder / part).mkdir(parents=True)
    (folder / "agents" / "carrier.md").write_text(AGENT)
    about = {"name": "post", "version": "1.0.0", "description": "carriers"}
    market = {"name": "town", "description": "all of it", "owner": {"name": "Test"},
              "plugins": [{"name": "post", "source": "./"}]}  # fmt: skip
    (folder / ".claude-plugin" / "plugin.json").write_text(json.dumps(about))
    (folder / ".claude-plugin" / "marketplace.json").write_text(json.dumps(market))
    return folder


@pytest.mark.quick
def test_a_headless_run_answers_what_the_script_says(new_desk: NewDesk) -> None:
    done = new_desk({"main": greet}).headless("stranger")
    assert (done.code, done.out) == (0, "good day to you, stranger\n")


def test_an_interactive_run_answers_every_prompt_that_is_typed(new_desk: NewDesk) -> None:
    desk = new_desk({"main": lambda talk: (say(f"answer {n}") for n in (1, 2))})
    with desk.terminal() as terminal:
        for number in (1, 2):
            terminal.type(f"question {number}")
            terminal.wait_for(partial(terminal.shows, f"answer {number}"))
    assert desk.model.said("main") == ["answer 1", "answer 2"]


def test_two_conversations_with_one_agent_play_two_scripts(new_desk: NewDesk, post: Path) -> None:
    desk = new_desk({"main": send_carriers, MARKER: carry}).with_plugin_dir(post)
    assert desk.headless("send them").code == 0
    assert sorted(desk.model.said(MARKER)) == ["carried out: bring bread", "carried out: bring salt"]
    assert len({asked.agent for asked in desk.model.of(MARKER)}) == 2


def test_a_sub_agent_in_the_background_wakes_the_main_conversation(new_desk: NewDesk, post: Path) -> None:
    desk = new_desk({"main": send_carriers, MARKER: carry}).with_plugin_dir(post)
    with desk.terminal() as terminal:
        terminal.type("send them")
        terminal.wait_for(lambda: {"bread", "salt"} <= notified(desk))
    assert desk.model.calls("main") == ["Agent", "Agent"]
    assert terminal.prompts == []


def notified(desk: Desk) -> set[str]:
    heard = [asked.talk.every(r"<result>carried out: bring (\w+)</result>") for asked in desk.model.of("main")]
    return {name for names in heard for name in names}


def test_only_the_command_that_needs_a_person_prompts(new_desk: NewDesk, project: Path) -> None:
    with new_desk({"main": look_then_make}).terminal() as terminal:
        terminal.answer = "1"
        terminal.type("make it")
        terminal.wait_for(lambda: terminal.shows("both were tried"))
    assert len(terminal.prompts) == 1
    assert "touch parcel" in terminal.prompts[0]
    assert (project / "parcel").exists()


def test_a_prompt_that_nobody_answers_stays_open(new_desk: NewDesk, project: Path) -> None:
    with new_desk({"main": look_then_make}).terminal() as terminal:
        terminal.type("make it")
        assert "Do you want to" in terminal.wait_for_prompt("touch parcel")
    assert not (project / "parcel").exists()


@pytest.mark.quick
@pytest.mark.parametrize(
    ("screen", "asked"),
    [
        pytest.param(f"{'─' * 40}\n Bash command\n{'╌' * 40}\n touch x\n{'╌' * 40}\n Do you want to proceed?\n"
                     " ❯ 1. Yes\n   2. No\n", "Bash command\ntouch x\nDo you want to proceed?", id="a dialog"),
        pytest.param("● Do you want to proceed?\n\n❯\n", None, id="the same words without options"),
        pytest.param("❯ 1. first do this\n  2. then that\n", None, id="a numbered list typed by a person"),
    ],
)  # fmt: skip
def test_a_dialog_is_a_question_with_options(screen: str, asked: str | None) -> None:
    assert dialog(screen) == asked
