"""What goes into memory is the user's word: in the client they are asked, once, about exactly one commit."""

import shlex

import pytest

from bench import SESSION, Bench, call
from hooks.run_trees import decide
from memory.test_triage import LEARNED, edit, finish

ACCEPTS = "baton memory triage 42 --accept --seen {}"


def ask(command: str, bench: Bench, decision: str = "ask", **more: str) -> dict[str, object]:
    """Return what the hook says of a call."""
    asked = decide(command, cwd=str(bench.root), session_id=SESSION, **more)
    assert asked["permissionDecision"] == decision
    return dict(asked)


@pytest.fixture
def client(judging: Bench, request: pytest.FixtureRequest) -> Bench:
    """A merged story with a delta, in a session of the client whose hooks are on."""
    finish(judging)
    request.getfixturevalue("in_client")
    return judging


def test_an_allowed_commit_lands_once(client: Bench) -> None:
    commit = edit(client)
    asked = ask(ACCEPTS.format(commit), client)
    assert f"baton: lands commit {commit} in what every session reads" in str(asked["permissionDecisionReason"])
    words = shlex.split(str(asked["updatedInput"]["command"]))[1:]  # type: ignore[index]
    assert call("--project", str(client.root), *words).code == 0
    assert client.git("rev-parse", "main") == commit
    assert "the client did not ask about this call" in call("--project", str(client.root), *words).refused


def test_allowing_one_commit_allows_no_other(client: Bench) -> None:
    commit = edit(client)
    asked = ask(ACCEPTS.format("a" * 40), client)
    words = shlex.split(str(asked["updatedInput"]["command"]).replace("a" * 40, commit))[1:]  # type: ignore[index]
    assert "the client did not ask about this call" in call("--project", str(client.root), *words).refused


@pytest.mark.parametrize("more", ["", "--seen a1b2c3d4", f"--seen {'a' * 40} --seen {'b' * 40}", "--seen main"])
def test_a_call_that_names_no_commit_is_denied_unasked(more: str, client: Bench) -> None:
    said = ask(f"baton memory triage 42 --accept {more}".strip(), client, "deny")
    assert "`--seen COMMIT`" in str(said["permissionDecisionReason"])


def test_each_decision_and_draft_is_asked_about_and_an_agent_is_denied_it(client: Bench) -> None:
    for words in (f"--accept --seen {'a' * 40}", "--reject", "--draft", "--tree"):
        ask(f"baton memory triage 42 {words}", client)
        ask(f"baton memory triage 42 {words}", client, "deny", agent_id="a", agent_type="baton:qa")
    ask("baton memory triage 42", client, "allow")


def test_a_model_that_was_not_allowed_it_writes_nothing(client: Bench) -> None:
    commit, main = edit(client), client.git("rev-parse", "main")
    before = client.journal.read_bytes()
    for words in (("--accept", "--seen", commit), ("--reject",)):
        assert "the client did not ask about this call" in client.baton("memory", "triage", "42", *words).refused
    assert (client.git("rev-parse", "main"), client.journal.read_bytes()) == (main, before)


@pytest.mark.parametrize(("lines", "fits"), [(9, True), (180, False)])
def test_a_diff_that_does_not_fit_has_no_command_that_accepts(lines: int, fits: bool, client: Bench) -> None:
    edit(client, LEARNED + f"- {'x' * 40}\n" * lines)
    assert ("--accept" in client.baton("memory", "triage", "42").out) == fits
    assert "--accept" in client.baton("memory", "triage", "42", "--json").json["next"]
