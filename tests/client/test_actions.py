"""The workflow's jobs with the real client in the one that has the model: only the model and GitHub stand in."""

import shlex
from pathlib import Path

import pytest

from actions.runner import Runner
from actions.test_jobs import labelled
from baton_lab.scripted_client.desk import Desk
from client.actors import MARKERS, marked, three_agents
from client.person import PLUGIN, NewDesk
from client.test_delivery import Delivered, delivered  # noqa: F401
from programs import write_program

pytestmark = pytest.mark.long
# What the job has of its own, and what a client needs of the desk.
OWN = ("HOME", "PATH", "ANTHROPIC_API_KEY")


def program(desk: Desk, folder: Path, client: str = "") -> str:
    """Make the plugin's command as it lies in its checkout, with the desk's client on its PATH, or another."""
    environment = desk.environment()
    passed = "".join(
        f"export {name}={shlex.quote(text)}\n" for name, text in environment.items() if name not in OWN
    )
    write_program(folder / "claude", client or f'exec {shlex.join(desk.command())} "$@"')
    return f'#!/bin/sh\n{passed}export PATH="{folder}:$PATH"\nexec {PLUGIN}/bin/baton "$@"\n'


def test_an_issue_becomes_a_pull_request_without_a_person(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
    tmp_path: Path,
) -> None:
    agents = three_agents()
    desk = new_desk(marked(agents))
    delivered.on_story(delivered.actions.job)
    runner = Runner(
        tmp_path / "runner", delivered.actions.place, delivered.hub, program=program(desk, tmp_path / "bin")
    )
    ran = runner.run("issues", labelled(delivered.hub))
    assert [one.code for one in ran] == [0, 0, 0], "\n".join(one.out for one in ran)
    assert (delivered.pull.state, delivered.pull.head_oid) == ("OPEN", delivered.actions.head("story/1-subtract"))
    asked = [role for role in ("main", *MARKERS.values()) if desk.model.of(role)]
    assert asked == [MARKERS[name] for name in agents]


def test_a_client_that_cannot_be_started_starts_no_workflow_again(
    new_desk: NewDesk,
    delivered: Delivered,  # noqa: F811
    tmp_path: Path,
) -> None:
    command = program(new_desk({}), tmp_path / "bin", "echo no key >&2\nexit 1")
    runner = Runner(tmp_path / "runner", delivered.actions.place, delivered.hub, program=command)
    ran = runner.run("issues", labelled(delivered.hub))
    assert [one.code for one in ran] == [0, 1, 0], "\n".join(one.out for one in ran)
    assert "the client failed: no key" in ran[1].out
    assert ("nothing was done on it: see the job `work`" in ran[2].out, delivered.actions.started) == (True, [])
