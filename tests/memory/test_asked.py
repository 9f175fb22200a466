"""What goes into memory is the user's word: in the client they are asked once, and shown what is accepted."""

import shlex

import pytest

from bench import Bench, call
from hooks.run_trees import decide
from memory.test_triage import DELTA, finish

pytestmark = pytest.mark.sampled(8)

SESSION = "a0457378-5db1-4318-9df9-5eaddb98cfa8"
DECIDES = "baton memory triage 42 --accept 1,4 --reject=2 --edit '3=Build with make build'"


def reason(command: str, bench: Bench, decision: str = "ask") -> str:
    """Return why the client asks the user about a call, or why it is denied."""
    asked = decide(command, cwd=str(bench.root), session_id=SESSION)
    assert asked["permissionDecision"] == decision
    return str(asked["permissionDecisionReason"])


def deciding(bench: Bench) -> str:
    """Return a call that decides on the list as it is shown now."""
    seen = bench.baton("memory", "triage", "42").out.rpartition(" ")[2].strip()
    return f"{DECIDES} --seen {seen}"


@pytest.fixture
def client(judging: Bench, monkeypatch: pytest.MonkeyPatch) -> Bench:
    """A merged story with a delta, in a session of the client whose hooks are on."""
    finish(judging)
    for name, value in {"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": SESSION, "BATON_HOOKS": "1"}.items():
        monkeypatch.setenv(name, value)
    return judging


def test_the_question_names_the_decision_the_count_and_the_list(client: Bench) -> None:
    command = deciding(client)
    assert reason(command, client) == (
        f"baton: decides what goes into memory, of the list {command[-8:]} that you were shown: "
        "accept 1, 4 (2 in all); reject 2 (1 in all); edit 3=Build with make build. Yours to allow"
    )


@pytest.mark.parametrize(
    "more", ["", "--seen", "--seen a1b2c3d4 --seen 11111111", "--seen a1b2", "--seen a1b2c3d4 --accept x"]
)
def test_a_decision_on_no_list_is_not_asked_about(more: str, client: Bench) -> None:
    assert "`--seen HASH`" in reason(f"{DECIDES} {more}".strip(), client, "deny")


@pytest.mark.parametrize(("more", "decision"), [
    (f"--edit '5={'x' * 300}'", "ask"), (f"--edit '5={'x' * 600}'", "deny"), ("--edit=5=-", "deny"),
    ("--accept 1-400", "deny"),
])  # fmt: skip
def test_nothing_is_asked_that_the_client_would_cut(more: str, decision: str, client: Bench) -> None:
    assert len(reason(f"{DECIDES} --seen a1b2c3d4 {more}", client, decision)) <= 650


def test_a_list_is_shown_whole_before_the_command_that_decides(
    judging: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    finish(judging, DELTA.replace("theme.json", f"theme.json {'y' * 900}"))
    monkeypatch.setenv("CLAUDECODE", "1")
    shown = judging.baton("memory", "triage", "42").out
    assert "y" * 900 in shown
    assert "--seen" in shown


def test_a_list_that_does_not_fit_has_no_command_that_decides(
    judging: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = "".join(f"- Fact {number} {'z' * 900}\n" for number in range(9))
    finish(judging, DELTA.replace("- Every public", f"{more}- Every public"))
    monkeypatch.setenv("CLAUDECODE", "1")
    assert "--seen" not in judging.baton("memory", "triage", "42").out
    assert "--seen" in judging.baton("memory", "triage", "42", "--json").json["next"]


def test_what_the_user_allowed_is_done_once(client: Bench) -> None:
    command = str(decide(deciding(client), cwd=str(client.root), session_id=SESSION)["updatedInput"]["command"])
    words = shlex.split(command)[1:]
    assert call("--project", str(client.root), *words).code == 0
    assert "Build with make build (story 42)" in client.git("show", "main:CLAUDE.md")
    assert "the user has not given this answer" in call("--project", str(client.root), *words).refused


def test_what_was_allowed_of_another_list_is_not_done(client: Bench) -> None:
    for seen, why in (("--seen a1b2c3d4", "has changed since it was listed"), ("", "no `--seen HASH`")):
        asked = decide(f"{DECIDES} --seen a1b2c3d4", cwd=str(client.root), session_id=SESSION)
        allowed = str(asked["updatedInput"]["command"]).replace("--seen a1b2c3d4", seen)
        assert why in call("--project", str(client.root), *shlex.split(allowed)[1:]).refused


def test_a_model_that_was_not_allowed_it_writes_nothing(client: Bench) -> None:
    command = deciding(client)
    before = client.git("rev-parse", "main"), client.journal.read_bytes()
    assert "the user has not given this answer" in client.baton(*shlex.split(command)[1:]).refused
    assert (client.git("rev-parse", "main"), client.journal.read_bytes()) == before
