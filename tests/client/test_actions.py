"""The workflow's jobs with the real client in the one that has the model: only the model and GitHub stand in."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from actions.runner import Runner
from actions.test_jobs import labelled
from client.actors import MARKERS, Worker, judge, plan
from client.harness.desk import Desk
from client.papers import PASS, PLAN
from client.person import PLUGIN, NewDesk
from client.test_delivery import Delivered, delivered  # noqa: F401

pytestmark = pytest.mark.long
# What the job has of its own, and what a client needs of the desk.
OWN = ("HOME", "PATH", "ANTHROPIC_API_KEY")


def program(desk: Desk, folder: Path) -> str:
    """Make the plugin's command as it lies in its checkout, with the desk's client on its PATH."""
    environment = desk.environment()
    passed = "".join(
        f"export {name}={shlex.quote(text)}\n" for name, text in environment.items() if name not in OWN
    )
    folder.mkdir()
    client = folder / "claude"
    client.write_text(f'#!/bin/sh\nexec {shlex.join(desk.command())} "$@"\n')
    client.chmod(0o755)
    return f'#!/bin/sh\n{passed}export PATH="{folder}:$PATH"\nexec {PLUGIN}/bin/baton "$@"\n'


def test_an_issue_becomes_a_pull_request_without_a_person(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
    tmp_path: Path,
) -> None:
    agents = {"planner": plan(PLAN), "implementer": Worker().whole(), "qa": judge(PASS)}
    desk = new_desk({MARKERS[name]: script for name, script in agents.items()})
    delivered.on_story(delivered.actions.job)
    runner = Runner(
        tmp_path / "runner", delivered.actions.place, delivered.hub, program=program(desk, tmp_path / "bin")
    )
    ran = runner.run("issues", labelled(delivered.hub))
    assert [one.code for one in ran] == [0, 0, 0], "\n".join(one.out for one in ran)
    assert (delivered.pull.state, delivered.pull.head_oid) == ("OPEN", delivered.actions.head("story/1-subtract"))
    assert [len(desk.model.of(role)) > 0 for role in ("main", *MARKERS.values())] == [
        False,
        True,
        True,
        True,
        False,
    ]
