"""A whole story in the real client: what the plugin promises there is seen there."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.artifacts.config import Config
from baton.project.permissions import command_rules
from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Step, Talk, call, say
from client.actors import SIX, marked, six_runs
from client.orchestrator import orchestrate
from client.person import PLUGIN, NewDesk, agents_sent, allow, baton, edits_in_trees, merges, status

pytestmark = pytest.mark.long


def see_complete(desk: Desk) -> None:
    """Type the command, and see the story end without a prompt."""
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: terminal.shows("the story is at complete"), 120)
    assert terminal.prompts == []


def test_a_story_is_merged_interactively_without_a_prompt(new_desk: NewDesk, ready: Path) -> None:
    allow(ready, edits_in_trees(ready))
    desk = new_desk({"main": orchestrate, **marked(six_runs())}).with_plugin_dir(PLUGIN)
    see_complete(desk)
    assert agents_sent(ready) == SIX
    assert desk.model.calls("main") == ["Bash"] + ["Agent"] * len(SIX)
    assert merges(ready) == ["story 42: Subtract"]


def test_the_person_is_told_the_permission_mode_and_what_it_asks_for(new_desk: NewDesk, ready: Path) -> None:
    desk = new_desk({"main": orchestrate}).with_plugin_dir(PLUGIN)
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: desk.model.calls("main", "Agent"))
    told = desk.model.of("main")[0].talk.news
    assert "Permission mode default" in told
    assert edits_in_trees(ready) in told


@pytest.mark.quick
def test_a_story_is_merged_headless_with_the_rules_of_init(new_desk: NewDesk, ready: Path) -> None:
    baton(ready, "init", "--allow")
    desk = new_desk({"main": orchestrate, **marked(six_runs())}).with_plugin_dir(PLUGIN)
    done = desk.headless("/implement 42")
    assert "the story is at complete" in done.out, done
    assert desk.model.calls("main") == ["Bash"] + ["Agent"] * len(SIX)
    assert status(ready) == "complete"


def test_without_hooks_next_does_the_same_job(new_desk: NewDesk, ready: Path) -> None:
    baton(ready, "init", "--allow")
    rules = json.loads((ready / ".claude" / "settings.local.json").read_text())["permissions"]["allow"]
    allow(ready, *rules, "Bash(baton *)", disableAllHooks=True)
    desk = new_desk({"main": orchestrate, **marked(six_runs())}).with_plugin_dir(PLUGIN)
    see_complete(desk)
    assert desk.model.calls("main") == ["Bash"] + ["Agent", "Bash"] * len(SIX)


@pytest.mark.parametrize("way", ["skills copy", "marketplace"])
def test_a_plan_is_made_by_any_installation(new_desk: NewDesk, ready: Path, plugin_copy: Path, way: str) -> None:
    desk = new_desk({"main": orchestrate, **marked(six_runs())})
    if way == "skills copy":
        desk.with_skills_copy(plugin_copy, "baton")
    else:
        desk.with_marketplace(plugin_copy, "baton", "baton")
    with desk.terminal() as terminal:
        terminal.type("/implement 42 --plan-only")
        terminal.wait_for(lambda: terminal.shows("planning/approval"), 90)
    assert terminal.prompts == []
    assert desk.model.calls("main") == ["Bash", "Agent", "AskUserQuestion"]


CALLED = ("python3 -c 'import json; print(len(json.dumps({})))'", "python3 -m unittest --help", "pytest --version")


@pytest.mark.parametrize("line", ["python3 -m unittest -q", "npm test"])
def test_rules_of_init_cover_other_calls_of_a_command(line: str, new_desk: NewDesk, ready: Path) -> None:
    def call_each(talk: Talk) -> Iterator[Step]:
        for command in CALLED:
            yield call("Bash", command=command)
            refused.append("requires approval" in talk.result)
        yield say("all was tried")

    refused = list[bool]()
    allow(ready, *command_rules(Config(commands={"test": line})))
    new_desk({"main": call_each}).headless("go")
    assert refused == [not line.startswith("python3"), not line.startswith("python3"), True]
