"""What goes into memory is the user's word: in the client they are asked once, and shown what is accepted."""

import shlex

import pytest

from bench import Bench, call
from hooks.run_trees import decide
from memory.test_triage import finish

SESSION = "a0457378-5db1-4318-9df9-5eaddb98cfa8"
COMMAND = "baton memory triage 42 --accept 1,4 --reject=2 --edit '3=Build with make build'"


@pytest.fixture
def client(judging: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A merged story with a delta, in a session of the client whose hooks are on."""
    finish(judging)
    for name, value in {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION, "BATON_HOOKS": "1"}.items():
        monkeypatch.setenv(name, value)
    return judging


def test_one_question_shows_every_entry_that_is_decided(client: Bench) -> None:
    asked = decide(COMMAND, cwd=str(client.root), session_id=SESSION)
    assert asked["permissionDecision"] == "ask"
    assert asked["permissionDecisionReason"].partition("yours to allow: ")[2] == (
        "accept 1: The colors come from the file theme.json; "
        "accept 4: Painting happens before the settings are read; "
        "reject 2: Every public function has a type annotation; edit 3=Build with make build"
    )


def test_what_the_user_allowed_is_done_once(client: Bench) -> None:
    command = str(decide(COMMAND, cwd=str(client.root), session_id=SESSION)["updatedInput"]["command"])
    words = shlex.split(command)[1:]
    assert call("--project", str(client.root), *words).code == 0
    assert "Build with make build (story 42)" in client.git("show", "main:CLAUDE.md")
    assert "the user has not given this answer" in call("--project", str(client.root), *words).refused


def test_a_model_that_was_not_allowed_it_writes_nothing(client: Bench) -> None:
    before = client.git("rev-parse", "main"), client.journal.read_bytes()
    assert "the user has not given this answer" in client.baton(*shlex.split(COMMAND)[1:]).refused
    assert (client.git("rev-parse", "main"), client.journal.read_bytes()) == before


def test_the_story_that_is_named_is_the_one_that_is_shown(client: Bench) -> None:
    client.baton("story", "new", "Another", "--id", "1", "--criterion", "x")
    command = "baton memory triage --accept 1 42"
    reason = decide(command, cwd=str(client.root), session_id=SESSION)["permissionDecisionReason"]
    assert reason.endswith("accept 1: The colors come from the file theme.json")
