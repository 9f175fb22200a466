"""A whole story in the real client: what the plugin promises there is seen there."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from client.actors import MARKERS, Implementer, Judge, orchestrate, plan
from client.harness.desk import Desk
from client.harness.script import Script

NewDesk = Callable[[Mapping[str, Script]], Desk]
PLUGIN = Path(__file__).parents[2]
CONFIG = "base: main\nintegrate: {mode: local}\ncommands: {test: python3 -m unittest -q}\n"
RUNS = ["planner", "implementer", "implementer", "qa", "implementer", "qa"]


@pytest.fixture(autouse=True)
def shared_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every client use the packages this machine has set up: a client here has no network."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    monkeypatch.setenv("XDG_DATA_HOME", home)
    assert baton(Path.cwd(), "--version")


def baton(project: Path, *words: str, text: str = "") -> str:
    """Call the launcher as a person in a shell does."""
    line = [str(PLUGIN / "scripts" / "baton"), *words]
    done = subprocess.run(line, cwd=project, input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def ready(project: Path) -> Path:
    """A repository with a story that was asked all it is asked at the start."""
    (project / "calc.py").write_text("def add(a, b):\n    return a + b\n# more\n")
    (project / ".baton.yaml").write_text(CONFIG)
    (project / ".gitignore").write_text("__pycache__/\n.claude/\n")
    git(project, "config", "user.name", "t")
    git(project, "config", "user.email", "t@example.com")
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "first")
    baton(project, "story", "new", "Subtract", "--id", "42", "--criterion", "calc.sub(3, 5) is -2")
    assert "start/commands" in baton(project, "next", "42")
    baton(project, "answer", "42", "accept")
    return project


def git(project: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=project, check=True, capture_output=True, text=True).stdout


def allow(project: Path, *rules: str, **more: object) -> None:
    """Write the client's settings of this project."""
    (project / ".claude").mkdir(exist_ok=True)
    settings = {"permissions": {"allow": list(rules)}, **more}
    (project / ".claude" / "settings.local.json").write_text(json.dumps(settings))


def cast(project: Path) -> dict[str, Script]:
    return {
        "main": orchestrate,
        MARKERS["planner"]: plan,
        MARKERS["implementer"]: Implementer(project),
        MARKERS["qa"]: Judge(),
    }


def status(project: Path) -> str:
    return str(json.loads(baton(project, "status", "42", "--json"))["stories"][0]["status"])


def agents_sent(project: Path) -> list[str]:
    events = json.loads(baton(project, "timeline", "42", "--json"))["events"]
    return [one["detail"].split()[0] for one in events if one["kind"] == "dispatched"]


def test_a_story_is_merged_interactively_without_a_prompt(new_desk: NewDesk, ready: Path) -> None:
    allow(ready, "Edit(/**)", "Bash(python3 -m unittest *)")
    desk = new_desk(cast(ready)).with_plugin_dir(PLUGIN)
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: terminal.shows("the story is at complete"), 120)
    assert terminal.prompts == []
    assert agents_sent(ready) == RUNS
    assert desk.model.calls("main") == ["Bash"] + ["Agent"] * len(RUNS)
    assert git(ready, "log", "--merges", "--format=%s", "main").strip() == "story 42: Subtract"


def test_the_person_is_told_the_permission_mode_and_what_it_asks_for(new_desk: NewDesk, ready: Path) -> None:
    desk = new_desk({"main": orchestrate}).with_plugin_dir(PLUGIN)
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: desk.model.calls("main", "Agent"))
    told = desk.model.of("main")[0].talk.news
    assert "Permission mode default" in told
    assert "Edit(/**)" in told


def test_a_story_is_merged_headless_with_the_rules_of_init(new_desk: NewDesk, ready: Path) -> None:
    baton(ready, "init", "--allow")
    desk = new_desk(cast(ready)).with_plugin_dir(PLUGIN)
    done = desk.headless("/implement 42")
    assert "the story is at complete" in done.out, done
    assert desk.model.calls("main") == ["Bash"] + ["Agent"] * len(RUNS)
    assert status(ready) == "complete"


def test_without_hooks_next_does_the_same_job(new_desk: NewDesk, ready: Path) -> None:
    baton(ready, "init", "--allow")
    rules = json.loads((ready / ".claude" / "settings.local.json").read_text())["permissions"]["allow"]
    allow(ready, *rules, disableAllHooks=True)
    desk = new_desk(cast(ready)).with_plugin_dir(PLUGIN)
    with desk.terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: terminal.shows("the story is at complete"), 120)
    assert terminal.prompts == []
    assert desk.model.calls("main") == ["Bash"] + ["Agent", "Bash"] * len(RUNS)


@pytest.mark.parametrize("way", ["skills copy", "marketplace"])
def test_a_plan_is_made_whichever_way_the_plugin_is_installed(
    new_desk: NewDesk, ready: Path, plugin_copy: Path, way: str
) -> None:
    desk = new_desk(cast(ready))
    if way == "skills copy":
        desk.with_skills_copy(plugin_copy, "baton")
    else:
        desk.with_marketplace(plugin_copy, "baton", "baton")
    with desk.terminal() as terminal:
        terminal.type("/implement 42 --plan-only")
        terminal.wait_for(lambda: terminal.shows("planning/approval"), 90)
    assert terminal.prompts == []
    assert desk.model.calls("main") == ["Bash", "Agent"]
