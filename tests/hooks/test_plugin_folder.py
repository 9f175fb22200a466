"""The rules lie in the plugin's own folder: no agent changes it, and of the conversation the user is asked."""

from pathlib import Path
from typing import Any

import pytest

from bench import ROOT
from hooks.run_trees import decision, make_tree, of_agent

PLUGIN = "/opt/baton"
PAGE = f"{PLUGIN}/skills/implement/stages/qa.md"
WRITES = [
    f"sed -i s/fail/pass/ {PAGE}", f"sed -i 's/a/b/' '{PAGE}'", f'sed -i s/a/b/ "{PAGE}"',
    f"sed -i s/a/b/ {PLUGIN}/scripts/lib/baton/rules/engine.py", f"echo x > {PAGE}", f"cat x >> {PAGE}",
    f"echo x | tee {PAGE}", f"cp x {PAGE}", f"rm -rf {PLUGIN}", f"cd {PLUGIN} && sed -i s/a/b/ skills/x.md",
    f"cd {PLUGIN}/skills; python3 -c 'open(\"x\", \"w\")'", f"git -C {PLUGIN} checkout x",
    f"find {PLUGIN} -delete", f"ln -sf x {PAGE}", f"/opt//baton/../baton/x; mv x {PLUGIN}", f"mv x {PLUGIN}/./y",
    f"git diff --output={PAGE}", f"git log -p '--out'put={PAGE}", f"cd {PLUGIN}/skills && git commit -am x",
    f"cd {PLUGIN}/skills && git add .", "cd /opt && sed -i s/a/b/ baton/skills/x.md", "rm /OPT/Baton/skills/x.md",
    f"sed -n w{PAGE} x", f"sed -n -i 1,2p {PAGE}",
    f"sed -n 1,2p -i {PAGE}", f"sed -n 1,2p x > {PAGE}", f"git log > {PAGE}",
    "sed -i s/a/b/ ~/plugins/baton/x.md", "sed -i s/a/b/ $HOME/plugins/baton/x.md", "rm -r ${HOME}/plugins/baton",
    f"sed -i s/a/b/ {ROOT}/skills/implement/stages/qa.md", "sed -i s/a/b/ /opt/ba\\\nton/x.md",
    "sed -i s/a/b/ /opt/b'a'ton/x.md", f"perl -pi -e 's/a/b/' {PAGE}", f"bash -c 'sed -i s/a/b/ {PAGE}'",
]  # fmt: skip
READS = [
    f"cat {PAGE}", f"grep -n fail {PAGE} | head", f"cd {PLUGIN}/skills && ls", f"wc -l {PAGE}",
    f"sed -n '1,80p' {PAGE}", f"cd {PLUGIN}/skills && git log -3", "echo '${CLAUDE_PLUGIN_ROOT}/x' > hooks.json",
    "sed -i s/a/b/ /opt/baton-else/x.md", "sed -i s/a/b/ src/x.md", "rm ~/plugins/x",
]  # fmt: skip


@pytest.fixture(autouse=True)
def plugin_root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", PLUGIN)
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)


def asked(command: str, monkeypatch: pytest.MonkeyPatch, **more: object) -> str:
    if "plugins/baton" in command:
        monkeypatch.setenv("HOME", "/home/a")
        monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/home/a/plugins/baton")
    return decision(command, **more)


@pytest.mark.parametrize("kind", ["baton:implementer", "Explore"])
@pytest.mark.parametrize("command", WRITES)
def test_no_agent_edits_a_plugin(command: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    caller: Any = {**of_agent(make_tree(tmp_path)), "agent_type": kind}
    assert asked(command, monkeypatch, **caller) == "deny"


@pytest.mark.parametrize("command", WRITES)
def test_the_user_is_asked_about_the_conversations(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(command, monkeypatch) == "ask"


@pytest.mark.parametrize("command", READS)
def test_reads_and_other_writes_are_let_go(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(command, monkeypatch) == ""
    assert asked(command, monkeypatch, **of_agent(make_tree(tmp_path))) == ""


def test_a_path_is_followed_from_where_the_shell_stands(tmp_path: Path) -> None:
    caller: Any = {**of_agent(make_tree(tmp_path)), "agent_type": "Explore"}
    for place, decided in (("/opt/proj", "deny"), ("/srv/proj", "")):
        assert decision("sed -i s/a/b/ ../baton/x.md", **{**caller, "cwd": place}) == decided


def test_a_shell_that_stands_there_may_only_read(tmp_path: Path) -> None:
    caller: Any = {**of_agent(make_tree(tmp_path)), "agent_type": "Explore", "cwd": str(ROOT / "skills")}
    assert decision("sed -i s/a/b/ baton.md", **caller) == "deny"
    assert decision("cat baton.md", **caller) == ""


@pytest.mark.parametrize("tool", ["Edit", "Write"])
def test_an_edit_there_is_denied_to_agents_and_asked_about(tool: str, tmp_path: Path) -> None:
    call: dict[str, Any] = {"tool_name": tool, "tool_input": {"file_path": PAGE}}
    other: Any = {**of_agent(make_tree(tmp_path)), "agent_type": "general-purpose"}
    assert decision(**call) == "ask"
    assert decision(**call, **other) == "deny"
    call["tool_input"] = {"file_path": "/opt/baton-else/x.md"}
    assert decision(**call) == ""


def test_work_on_baton_itself_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", PLUGIN)
    assert decision(f"sed -i s/a/b/ {PAGE}") == ""


SMALL = [
    "validate-handoff plan p.md", "resume-context 42", "cluster-brief docs/x.json",
    f"{PLUGIN}/bin/cluster-brief x", f"{PLUGIN}/scripts/validate-handoff plan p.md",
]  # fmt: skip


@pytest.mark.parametrize("command", SMALL)
def test_a_small_script_is_let_pass_as_its_verb_is(command: str) -> None:
    assert decision(command) == "allow"
    assert decision(f"{command} | sh") != "allow"


def test_a_small_script_reads_no_file_of_elsewhere(tmp_path: Path) -> None:
    assert decision("validate-handoff plan /etc/passwd", cwd=str(tmp_path)) == "ask"
