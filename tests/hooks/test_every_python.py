"""Hook and launcher do the same under every Python of this machine, whichever of them runs the other tests."""

import json
import random
import subprocess
from pathlib import Path

import pytest

from baton.hooks import pre_tool_use
from baton.hooks.calls import ALLOW
from hooks.run_trees import commands_in, make_tree, of_agent
from pythons import pythons
from quick_run import rank

ROOT = Path(pre_tool_use.__file__).parents[4]
EXAMPLES = sorted((Path(__file__).parent / "commands").glob("*/*.txt"))
PIECES = [*" '\"\n-=a\\$;", "''", '""', "a b", "--a=b", " 42", " <<'EOF'\n", "\nEOF", "\nEOF\n", "EOF"]
DECIDE = """
import json, sys
sys.path.insert(0, sys.argv[1])
from baton.hooks.pre_tool_use import decide
print(json.dumps([decide(line.encode()) for line in sys.stdin.read().splitlines()]))
"""
every_python = pytest.mark.parametrize("version", pythons())


def test_there_is_a_python_to_try() -> None:
    assert pythons()


@every_python
def test_every_python_reads_calls_alike(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/opt/baton")
    chance = random.Random(rank("calls"))
    commands = [command for file in EXAMPLES for command in commands_in(file.read_text("utf-8"))]
    commands += ["baton status" + "".join(chance.choices(PIECES, k=chance.randrange(12))) for _ in range(10_000)]
    events = [json.dumps({"tool_name": "Bash", "tool_input": {"command": command}}) for command in commands]
    words = (pythons()[version], "-I", "-S", "-X", "utf8", "-c", DECIDE, str(ROOT / "scripts/lib"))
    done = subprocess.run(words, input="\n".join(events), capture_output=True, text=True, check=True)
    wanted = [pre_tool_use.decide(event.encode()) for event in events]
    assert ALLOW in wanted[-10_000:]
    both = zip(commands, wanted, json.loads(done.stdout), strict=True)
    assert [one for one, here, there in both if here.partition("Reason")[0] != there.partition("Reason")[0]] == []


@every_python
def test_under_any_python_an_agent_hands_in(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BATON_PYTHON", pythons()[version])
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    tree = make_tree(tmp_path)

    def said(command: str) -> str:
        call = {"tool_name": "Bash", "tool_input": {"command": command}, **of_agent(tree)}
        words = (ROOT / "scripts/baton", "hook", "pre-tool-use")
        return subprocess.run(words, input=json.dumps(call), capture_output=True, text=True, check=True).stdout

    assert said("baton hand-in 42 plan --run r <<'END'\n# Plan\nEND").strip() == ALLOW
    assert said("baton hand-in 42 plan --run r <<'END'\n# Plan\nEND\nid").strip() != ALLOW
