"""What a sub-agent must not get by: each is denied, in every permission mode, beside calls that pass."""

from pathlib import Path
from typing import Any

import pytest

from bench import Bench
from hooks.run_trees import AGENT, decide, make_tree, of_agent
from hooks.test_pre_tool_use import examples

ROOT = "/opt/baton"
PASS = [
    "baton begin sess_1_a_iter1", "baton check", "baton check test -- -k 'a b' --out x", "baton status 42 --json",
    "baton hand-in 42 plan --run r <<'EOF'\nbaton answer 42 accept\nEOF", "baton validate plan p.md",
    "baton show 42", "baton timeline 42", "baton explain",
    "baton hand-in 42 plan --run r --file ./x.md", "baton check -- --file /x", "baton pr show PRRT_1 --pr 7",
    f"{ROOT}/scripts/baton status",
]  # fmt: skip
PASS_UNSAID = [
    "ls", "sh test.sh", "cat /home/a/baton/src/x.py", "cat baton.yaml .baton.yaml", "grep -rn baton_run src",
    "python3 -m pytest tests/test_baton.py", "git log -- my-baton", "cd baton-next/src && make",
    "BATON_SLOT=1 make",
]  # fmt: skip
MUST_NOT = [
    # what is the user's, and what is the conversation's
    "baton answer 42 accept", "baton answer 42 accept --note -", "baton next 42", "baton next 42 --ended RUN",
    "baton next 42 --max-iterations 100", "baton init", "baton init --allow", "baton undo 42",
    "baton memory triage 42", "baton memory triage 42 --accept", "baton start -",
    "baton story new Title", "baton doctor", "baton question 42",
    "baton doctor 42 --set-aside", "baton pr fetch 7 --out /root/.bashrc",
    "baton pr land 7", "baton pr plan 7", "baton hook post-tool-use", "baton demo", "baton", "baton --help",
    "baton for-module go 42", "baton for-module answer 42 --token x", "baton wait RUN",
    # what is theirs, elsewhere or with more than is theirs
    "baton --project /other status", "baton status --project /other", "baton status --proj=/other",
    "baton begin RUN --make", "baton show 42 --out x", "baton check --project /other -- x",
    # not one plain call
    "cd sub && baton answer 42 accept", "true; baton answer 42 accept", "baton status | sh", "baton status && id",
    "echo $(baton answer 42 accept)", "echo `baton answer 42 accept`", "FOO=1 baton answer 42 accept",
    "env baton answer 42 accept", "env -u CLAUDECODE baton answer 42 accept", "sh -c 'baton answer 42 accept'",
    'bash -c "baton answer 42 accept"', "eval baton answer 42 accept", "xargs baton answer 42 < x",
    "script -qc 'baton answer 42 accept' /dev/null", "nohup baton answer 42 accept &", "(baton answer 42 accept)",
    "if true; then baton answer 42 accept; fi", "printf '1\\nbaton answer 42 accept\\n' | sh",
    "sh <<'E'\nbaton answer 42 accept\nE", "echo 'baton answer 42 accept' > x.sh; sh x.sh",
    # by another spelling
    f"{ROOT}/scripts/baton answer 42 accept", f"'{ROOT}/bin/baton' answer 42 accept",
    "/elsewhere/bin/baton answer 42 accept", "./baton answer 42 accept", "'baton' answer 42 accept",
    '"baton" answer 42 accept', 'ba"to"n answer 42 accept', "b\\aton answer 42 accept",
    "ba\\\nton answer 42 accept",
    "\\baton answer 42 accept", "BATON answer 42 accept", "command baton answer 42 accept",
    f"python3 {ROOT}/scripts/lib/launch.py answer 42 accept", "python3 -c 'from baton.cli import main; main()'",
    "python3 -c 'import baton.journal.permit'", "python3 -m baton.cli undo 42",
    # its records
    "echo x >> ../../../.git/baton/42/journal.jsonl", "rm -rf /p/.git/baton", "cp x /p/.git//baton/42/permit.json",
    "cd /p/.git/./baton && ls", "cd /p/.git; echo x > baton/.permits/x",
    "echo '{}' > /p/.git/worktrees/agent-x/baton-run",
]  # fmt: skip


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree of an agent in which its run was begun."""
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", ROOT)
    return make_tree(tmp_path / "p")


def judge(caller: dict[str, Any], tool: str = "Bash", mode: str = "default", **given: object) -> str:
    """Return what is decided of a call, and why it is denied; nothing where it is left to the client."""
    answer = decide(tool_name=tool, tool_input=given, permission_mode=mode, **caller)
    decision = str(answer["permissionDecision"])
    return f"deny: {answer['permissionDecisionReason']}" if decision == "deny" else decision


@pytest.mark.parametrize(("command", "is_denied"), [
    ("git stash", True), ("git stash push -m x", True), ("cd sub && git -C . stash pop", True),
    ("git --no-pager -c a=b stash", True), ("git stash list", False), ("git stash show -p", False),
    ("git log --grep stash", False), ("git grep stash", False), ("git diff -- stash.py", False),
])  # fmt: skip
def test_the_stash_that_all_work_trees_share_is_not_an_agents(tree: Path, command: str, is_denied: bool) -> None:
    said = judge(of_agent(tree), command=command)
    assert said.startswith("deny: baton: all work trees share one stash") == is_denied
    assert not judge({**of_agent(tree), "agent_type": "general-purpose"}, command=command).startswith("deny")


# A run that was begun


@pytest.mark.parametrize("command", [*PASS, *PASS_UNSAID])
def test_a_run_hands_in_and_looks_all_but_baton_is_left_to_the_client(command: str, tree: Path) -> None:
    assert judge(of_agent(tree), command=command) == ("allow" if command in PASS else "")


@pytest.mark.parametrize("mode", ["default", "bypassPermissions", "plan"])
@pytest.mark.parametrize("command", MUST_NOT)
def test_a_run_must_not_get_by(command: str, mode: str, tree: Path) -> None:
    assert judge(of_agent(tree), mode=mode, command=command).startswith("deny: baton: a sub-agent may call baton")


@pytest.mark.parametrize("given", ["validate return-meta /etc/x.json", "hand-in 42 plan --run r --file ../x"])
def test_a_run_reads_files_of_its_own_tree_alone(given: str, tree: Path) -> None:
    assert "is not in your own work tree" in judge(of_agent(tree), command=f"baton {given}")


@pytest.mark.parametrize("command", examples("silent"))
def test_a_run_is_allowed_no_more_than_the_conversation(command: str, tree: Path) -> None:
    assert judge(of_agent(tree), command=command) != "allow"


def test_a_call_with_settings_nobody_knows_is_denied(tree: Path) -> None:
    assert judge(of_agent(tree), command="baton status") == "allow"
    assert "deny" in judge(of_agent(tree), command="baton status", dangerouslyDisableSandbox=True)


@pytest.mark.parametrize("tool", ["Edit", "Write", "NotebookEdit"])
@pytest.mark.parametrize(("path", "denied"), [
    ("src/a.py", False), (".github/x", False), (".gitignore", False), ("/p/.git/baton/42/journal.jsonl", True),
    (".git", True), ("x/../.git/config", True), ("/p/.git/worktrees/agent-x/baton-run", True),
    ("/bare.git/baton/x", True),
])  # fmt: skip
def test_a_run_edits_nothing_of_gits_own(tool: str, path: str, denied: bool, tree: Path) -> None:
    given = {"notebook_path" if tool == "NotebookEdit" else "file_path": path}
    assert judge(of_agent(tree), tool, **given).startswith("deny") == denied


# A run that is not, or whose tree is gone

BEGIN = "deny: baton: run `baton begin RUN` first: RUN is in your prompt"
GONE = "deny: baton: your work tree is gone: end your turn"


@pytest.mark.parametrize(
    "command", ["ls", "baton status", "baton begin", "baton begin RUN && ls", "baton begin R --make"]
)
def test_until_it_is_begun_a_run_may_only_begin(command: str, tmp_path: Path) -> None:
    caller = of_agent(make_tree(tmp_path, begun=False))
    assert judge(caller, command="baton begin sess_1_a_iter1") == "allow"
    assert judge(caller, command=command) == judge(caller, "Write", file_path="a.py") == BEGIN


def test_a_run_is_begun_in_every_folder_of_its_tree(tree: Path) -> None:
    (tree / "src/deep").mkdir(parents=True)
    assert judge({**of_agent(tree), "cwd": str(tree / "src/deep")}, command="ls") == ""


@pytest.mark.parametrize("mark", ["", "{", "[]", '{"run": ""}'])
def test_a_mark_that_names_no_run_is_none(mark: str, tree: Path) -> None:
    (tree.parents[2] / f".git/worktrees/agent-{AGENT}/baton-run").write_text(mark)
    assert judge(of_agent(tree), command="ls") == BEGIN


def test_in_anybody_elses_tree_a_run_does_nothing(tree: Path, tmp_path: Path) -> None:
    for place in (tree.parents[2], tmp_path, tmp_path / "missing"):
        caller = {**of_agent(tree), "cwd": str(place)}
        for command in ("ls", "baton begin RUN", "baton status"):
            assert judge(caller, command=command) == judge(caller, "Edit", file_path="x") == GONE
    assert judge(of_agent(tree, agent="another"), command="baton begin RUN") == GONE


def test_a_tree_that_git_knows_no_more_is_gone(tree: Path) -> None:
    git_dir = tree.parents[2] / f".git/worktrees/agent-{AGENT}"
    git_dir.rename(git_dir.with_name("elsewhere"))
    assert judge(of_agent(tree), command="ls") == GONE


def test_a_tree_that_git_made_is_known(bench: Bench) -> None:
    tree = bench.root / f".claude/worktrees/agent-{AGENT}"
    bench.git("worktree", "add", "--quiet", "--detach", str(tree))
    assert judge(of_agent(tree), command="ls") == BEGIN
    bench.write({f".git/worktrees/agent-{AGENT}/baton-run": '{"run": "sess_1_a_iter1", "story": "42"}\n'})
    assert judge(of_agent(tree), command="ls") == ""
    assert judge({**of_agent(tree), "cwd": str(bench.beside)}, command="ls") == GONE


def test_a_run_without_the_client_may_be_in_any_tree_with_its_mark(tmp_path: Path) -> None:
    headless = {"agent_type": "baton:qa"}
    assert judge({**headless, "cwd": str(make_tree(tmp_path, "x1"))}, command="ls") == ""
    assert judge({**headless, "cwd": str(make_tree(tmp_path, "x2", begun=False))}, command="ls") == BEGIN
    assert judge({**headless, "cwd": str(tmp_path)}, command="ls") == GONE


# Other people's agents


def test_other_agents_keep_their_freedom_and_only_look_at_baton(tmp_path: Path) -> None:
    caller = {"agent_id": "a1", "agent_type": "Explore", "cwd": str(tmp_path)}
    for command, decided in (("ls", ""), ("baton status", "allow"), ("baton pr show X", "allow")):
        assert judge(caller, command=command) == decided
    assert judge(caller, "Write", file_path=".git/config") == ""
    for command in (*MUST_NOT, "baton begin RUN", "baton check", "baton hand-in 42 plan --run r"):
        assert judge(caller, command=command).startswith("deny"), command
    assert judge(caller, "Write", file_path=".git/baton/42/journal.jsonl").startswith("deny")
