"""The hook allows one plain call of our own launcher and says nothing to anything else.

Examples are files, commands/allowed/RULE.txt and commands/silent/RULE.txt: one command a line, or ended by "%%".
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from baton.hooks import pre_tool_use
from baton.hooks.calls import ALLOW, LOOKING
from hooks.run_trees import commands_in, decision
from scale import tries

LIB = Path(pre_tool_use.__file__).parents[2]
QUICKLY = tries(200)
OF_THE_CONVERSATION = [
    "next", "status", "story", "question", "pr", "doctor", "explain", "timeline", "show", "validate",
    "check", "init", "start", "brief", "cluster-brief", "resume-context", "--help", "--version",
]  # fmt: skip


def examples(folder: str) -> list[Any]:
    files = sorted((Path(__file__).parent / "commands" / folder).glob("*.txt"))
    commands = [(file.stem, command) for file in files for command in commands_in(file.read_text("utf-8"))]
    return [pytest.param(command, id=rule) for rule, command in commands]


def is_allowed(command: str, **more: object) -> bool:
    return decision(command, **more) == "allow"


@pytest.fixture(autouse=True)
def plugin_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", "/opt/baton")


# What is allowed, and what beside it is not


@pytest.mark.parametrize("command", examples("allowed"))
def test_one_plain_call_is_allowed(command: str) -> None:
    assert is_allowed(command)


@pytest.mark.parametrize("command", examples("silent"))
def test_anything_else_is_not_allowed(command: str) -> None:
    assert not is_allowed(command)


@pytest.mark.parametrize("verb", OF_THE_CONVERSATION)
def test_the_conversation_takes_the_steps(verb: str) -> None:
    assert is_allowed(f"baton {verb}")
    assert not is_allowed(f"baton {verb}", agent_id="a1", agent_type="Explore") or verb in LOOKING


@pytest.mark.parametrize("code", {*range(0x20), *range(0x7F, 0xA0), 0xD83D} - {0x09, 0x0A}, ids="U+{:04X}".format)
def test_a_control_character_or_half_of_one_is_never_allowed(code: int) -> None:
    forms = [
        "status{}", "status{}42", "status 'a{}b'", 'status "a{}b"', "status <<'E'\na{}\nE", "status <<'E'{}\na\nE",
    ]  # fmt: skip
    assert [form for form in forms if is_allowed("baton " + form.format(chr(code)))] == []
    assert is_allowed("baton status 'a\U0001f600b'")


@pytest.mark.parametrize(
    "more", [{"dangerouslyDisableSandbox": True}, {"env": {"PATH": "/tmp"}}], ids=["sandbox", "env"]
)
def test_a_call_with_settings_we_do_not_know_is_not_allowed(more: dict[str, object]) -> None:
    known = {"command": "baton status", "description": "Show", "timeout": 1000, "run_in_background": True}
    assert is_allowed("", tool_input={**known, "dangerouslyDisableSandbox": False})
    assert not is_allowed("", tool_input={**known, **more})


# The launcher's own paths


@pytest.mark.parametrize(("root", "bare", "single", "double"), [
    ("/opt/baton", True, True, True), ("/home/a b/baton", False, True, True), ("/a'b", False, False, True),
    *[(root, False, True, False) for root in ("/a$b", "/a`b", "/a\\b", "/a!b", '/a"b')],
    *[(root, False, False, False) for root in ("", "/", "relative", "./x", "~")],
])  # fmt: skip
@pytest.mark.parametrize("program", ["scripts/baton", "bin/baton"])
def test_a_root_is_allowed_as_every_shell_reads_it(
    program: str, root: str, bare: bool, single: bool, double: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", root)
    path = f"{root.rstrip('/')}/{program}"
    assert [is_allowed(f"{written} status") for written in (path, f"'{path}'", f'"{path}"')] == [
        bare,
        single,
        double,
    ]


def test_the_folder_the_hook_runs_from_is_a_root_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUDE_PLUGIN_ROOT")
    assert is_allowed(f"'{LIB.parents[1]}/scripts/baton' status")
    assert not is_allowed(f"'{LIB.parents[2]}/scripts/baton' status")


# Input that is not what the client sends


BASH = b'{"tool_name": "Bash", "tool_input": {"command": "baton status"}'
MALFORMED = {
    "nothing": b"",
    "a word": b"baton",
    "a list": b"[" + BASH + b"}]",
    "a string": b'"baton"',
    "an object cut short": BASH,
    "not UTF-8": BASH + b', "x": "\xff"}',
    "a byte order mark": b"\xef\xbb\xbf" + BASH + b"}",
    "nested beyond reason": b"[" * 200_000 + b"baton",
    "input that is no object": b'{"tool_name": "Bash", "tool_input": "baton status"}',
    "a command that is no string": b'{"tool_name": "Bash", "tool_input": {"command": ["baton", "status"]}}',
    "a tool name that is no string": b'{"tool_name": ["Bash"], "tool_input": {"command": "baton status"}}',
    "no tool name": b'{"tool_input": {"command": "baton status"}}',
    "another tool": b'{"tool_name": "Write", "tool_input": {"command": "baton status"}}',
    "another event": BASH + b', "hook_event_name": "PostToolUse"}',
    "more than the limit": BASH + b"}" + b" " * pre_tool_use.LARGEST_INPUT,
}


@pytest.mark.parametrize("raw", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_input_is_left_to_the_client(raw: bytes) -> None:
    assert pre_tool_use.decide(BASH + b"}") == ALLOW
    assert pre_tool_use.decide(raw) == ""


JSON = st.recursive(
    st.none() | st.integers() | st.text() | st.sampled_from(["Bash", "baton status"]),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["command", "x"]), inner),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["tool_name", "tool_input", "agent_id", "agent_type", "permission_mode", "hook_event_name", "baton"]
)


@pytest.mark.parametrize("raw", [MALFORMED["an object cut short"], MALFORMED["more than the limit"]], ids=len)
def test_an_unreadable_call_of_an_agent_is_denied(raw: bytes) -> None:
    assert "deny" in pre_tool_use.decide(raw.replace(b"{", b'{"agent_id": "a1", ', 1))


@QUICKLY
@given(st.binary() | st.text().map(str.encode) | st.dictionaries(FIELDS, JSON).map(json.dumps).map(str.encode))
def test_no_input_makes_it_fail(raw: bytes) -> None:
    for text in (raw, raw + b"baton"):
        said = pre_tool_use.decide(text)
        assert not said or json.loads(said)["hookSpecificOutput"]["permissionDecision"] in ("allow", "ask", "deny")


@QUICKLY
@given(st.text(alphabet="baton '\"\\\n<EOF$`-=/;"))
def test_no_command_is_allowed_that_a_shell_would_expand_or_split(tail: str) -> None:
    bare = re.sub(r"""'[^']*'|"[^"$`\\]*\"""", "", tail.partition("<<")[0])
    assert not (is_allowed("baton status" + tail) and {*"$`;\\<"} & {*bare})


# The process


def run_hook(stdin: bytes) -> "subprocess.CompletedProcess[bytes]":
    code = (
        f"import sys; sys.path.insert(0, {str(LIB)!r}); from baton.hooks.pre_tool_use import main; code = main();"
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    return subprocess.run([sys.executable, "-I", "-S", "-c", code], input=stdin, capture_output=True, check=True)


def test_the_answer_is_exactly_one_object() -> None:
    event = {"tool_name": "Bash", "tool_input": {"command": "baton status"}}
    answer = json.loads(run_hook(json.dumps(event).encode()).stdout)["hookSpecificOutput"]
    assert answer.pop("permissionDecisionReason")
    assert answer == {"hookEventName": "PreToolUse", "permissionDecision": "allow"}


def test_a_call_that_is_not_ours_prints_nothing_and_loads_almost_nothing() -> None:
    done = run_hook(b'{"tool_name": "Bash", "tool_input": {"command": "ls"}}')
    assert done.stdout == b""
    assert set(done.stderr.decode().split()).isdisjoint(
        {"json", "os", "re", "typing", "argparse", "pathlib", "site"}
    )


def test_input_larger_than_the_limit_is_read_to_its_end_and_left_to_the_client() -> None:
    assert run_hook(b"baton" * pre_tool_use.LARGEST_INPUT).stdout == b""
