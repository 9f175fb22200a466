"""What the client itself says of the plugin: its checks pass, and it costs little when it is not used."""

import re
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from client.person import PLUGIN, NewDesk

SKILLS = ("implement", "resolve-pr-feedback", "coordinate-handoffs")


def test_the_clients_strictest_checks_find_nothing(new_desk: NewDesk, plugin_copy: Path) -> None:
    done = new_desk({}).run("plugin", "validate", "--strict", "--profile", "directory", str(plugin_copy))
    assert done.code == 0, done.out + done.err
    assert "⚠" not in done.out


def test_a_plugin_without_its_icon_would_be_found(new_desk: NewDesk, plugin_copy: Path) -> None:
    (plugin_copy / ".claude-plugin" / "icon.png").unlink()
    done = new_desk({}).run("plugin", "validate", "--strict", "--profile", "directory", str(plugin_copy))
    assert done.code != 0
    assert "ICON_MISSING" in done.out


def test_the_clients_own_tests_of_the_module_pass(new_desk: NewDesk) -> None:
    done = new_desk({}).run("plugin", "test", str(PLUGIN))
    found = re.search(r"(?m)^ (\d+) pass$", done.out)
    assert done.code == 0, done.out + done.err
    assert found
    assert int(found[1]) >= 10


def test_a_module_that_is_broken_would_be_found(new_desk: NewDesk, plugin_copy: Path) -> None:
    module = plugin_copy / "scripts" / "drive.js"
    module.write_text(module.read_text().replace('"--stopped"', '"--ended"'))
    tests = Path(__file__).with_name("drive.test.ts")
    (plugin_copy / tests.name).write_text(tests.read_text())
    done = new_desk({}).run("plugin", "test", str(plugin_copy))
    assert (done.code != 0, "by the person's stop is told as such" in done.out) == (True, True)


def test_the_module_is_short() -> None:
    assert len((PLUGIN / "scripts" / "drive.js").read_text().splitlines()) <= 150


def test_it_costs_at_most_150_tokens_when_it_is_not_used(new_desk: NewDesk, plugin_copy: Path) -> None:
    desk = new_desk({}).with_skills_copy(plugin_copy, "baton")
    done = desk.run("plugin", "details", "baton")
    found = re.search(r"Always-on:\s*~?\s*(\d+)", done.out)
    assert found, done.out + done.err
    assert int(found[1]) <= 150


@pytest.mark.parametrize("skill", SKILLS)
def test_a_skills_folder_copied_alone_says_first_that_the_plugin_is_missing(new_desk: NewDesk, skill: str) -> None:
    desk = new_desk({}).with_skills_copy(PLUGIN / "skills" / skill, skill)
    read = read_by_model(desk, f"/{skill} 42")
    assert "\nMISSING: this folder alone does nothing." in read
    assert "/plugin install baton@baton\nIf that says `MISSING`" in read


@pytest.mark.parametrize("skill", SKILLS)
def test_a_skill_of_the_whole_plugin_says_that_it_is_here(new_desk: NewDesk, skill: str) -> None:
    desk = new_desk({}).with_plugin_dir(PLUGIN)
    assert "\nHERE\nIf that says `MISSING`" in read_by_model(desk, f"/baton:{skill} 42")


def read_by_model(desk: Desk, typed: str) -> str:
    """Type something; return what the model reads first."""
    assert desk.headless(typed).code == 0
    return desk.model.of("main")[0].talk.news
