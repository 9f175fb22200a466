"""What the client makes of hooks: how one is run, what it is given, and what becomes of its answer."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from baton_lab.probes.probe import Lab, Played, probe
from baton_lab.scripted_client.script import Step, call, say

Group = dict[str, Any]
BASH = call("Bash", command="echo hi")
NO_VARIABLES = ("TOOL_NAME", "TOOL_INPUT", "CLAUDE_TOOL_NAME", "CLAUDE_TOOL_INPUT", "CLAUDE_FILE_PATHS")
DENIES = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "not-now"}


def hook(command: str, **keys: Any) -> Group:
    """Return a hook that runs a command."""
    return {"type": "command", "command": command, **keys}


def answer(said: Mapping[str, Any]) -> str:
    """Return the command of a hook that answers this."""
    return f"echo '{json.dumps({'hookSpecificOutput': said})}'"


def with_hooks(lab: Lab, event: str, groups: Sequence[Group], step: Step = BASH, **agents: Any) -> Played:
    """Give the plugin these hooks, and take one step."""
    lab.write_json(lab.plugin / "hooks/hooks.json", {"hooks": {event: list(groups)}})
    return lab.play([step, say("done")], agents=agents)


def runs(lab: Lab, command: str, **keys: Any) -> Path:
    """Give the plugin a hook before Bash, which leaves a file, and take a step; returns the file's path."""
    ran = lab.folder / "ran"
    ran.unlink(missing_ok=True)
    script = lab.write(lab.plugin / "hooks/x.sh", f"#!/bin/sh\ntouch {ran}\n")
    script.chmod(keys.pop("mode", 0o755))
    with_hooks(lab, "PreToolUse", [{"matcher": "Bash", "hooks": [hook(command, **keys)]}])
    return ran


def verdicts(lab: Lab, commands: Mapping[str, str], **keys: Any) -> str:
    """Return for each of these commands whether the plugin's script was run."""
    ran = {name: runs(lab, command, **keys).exists() for name, command in commands.items()}
    return "; ".join(f"{name}: {'runs' if ran[name] else 'fails'}" for name in commands)


@probe(
    question="Where does `if` count?",
    claim="`if` counts in a hook itself; beside its matcher it is ignored, and the hook runs for everything.",
    expected="in the hook: does not run; beside the matcher: runs",
)
def if_ignored(lab: Lab) -> str:
    """Put a condition that does not hold in both places."""
    told = []
    for where in ("in the hook", "beside the matcher"):
        ran, condition = lab.folder / where.replace(" ", "-"), {"if": "Bash(git *)"}
        inside, beside = (condition, {}) if where == "in the hook" else ({}, condition)
        with_hooks(lab, "PreToolUse", [{"matcher": "Bash", "hooks": [hook(f"touch {ran}", **inside)], **beside}])
        told.append(f"{where}: {'runs' if ran.exists() else 'does not run'}")
    return "; ".join(told)


@probe(
    question="Does a hook with `async` still decide?",
    claim="A `PreToolUse` hook with `async` decides nothing: the call has run by then.",
    expected="waited for: denied; async: runs",
)
def async_decision(lab: Lab) -> str:
    """Deny a call in both ways."""
    said = []
    for keys in ({}, {"async": True}):
        played = with_hooks(lab, "PreToolUse", [{"matcher": "Bash", "hooks": [hook(answer(DENIES), **keys)]}])
        said.append("denied" if "not-now" in played.heard() else "runs")
    return f"waited for: {said[0]}; async: {said[1]}"


@probe(
    question="Is a hook's `timeout` in seconds?",
    claim="A hook's `timeout` is in seconds.",
    expected="2 s long, of 1: cut off; of 1000: ends",
)
def timeout_seconds(lab: Lab) -> str:
    """Run a hook of two seconds with 1 and with 1000."""
    slow = 'sleep 2; "${CLAUDE_PLUGIN_ROOT}/hooks/x.sh"'
    cut, whole = (runs(lab, slow, timeout=limit).exists() for limit in (1, 1000))
    return f"2 s long, of 1: {'ends' if cut else 'cut off'}; of 1000: {'ends' if whole else 'cut off'}"


@probe(
    question="Does a hook need quotes about `${CLAUDE_PLUGIN_ROOT}`?",
    claim="Where the plugin's folder has a space in its path, a hook's command fails without double quotes about "
          "`${CLAUDE_PLUGIN_ROOT}`.",
    expected="quoted: runs; not: fails; with sh: fails",
)  # fmt: skip
def root_not_quoted(lab: Lab) -> str:
    """Run a script of a plugin in such a folder."""
    lab.plugin = lab.plugin.rename(lab.folder / "a plugin")
    path = "${CLAUDE_PLUGIN_ROOT}/hooks/x.sh"
    return verdicts(lab, {"quoted": f'"{path}"', "not": path, "with sh": f"sh {path}"})


@probe(
    question="From where does a hook of a plugin take a relative path?",
    claim="A relative path in a hook of a plugin is taken from the user's project.",
    expected="./hooks/x.sh: fails; sh hooks/x.sh: fails; in the project: runs",
)
def hook_relative(lab: Lab) -> str:
    """Run a script of the plugin, then one of the project, by a relative path."""
    failing = verdicts(lab, {one: one for one in ("./hooks/x.sh", "sh hooks/x.sh")})
    lab.write(lab.project / "hooks/x.sh", f"touch {lab.folder}/ran\n")
    return f"{failing}; {verdicts(lab, {'in the project': 'sh hooks/x.sh'})}"


@probe(
    question="What does a hook do whose script is not there?",
    claim="A hook whose script is not there fails each time: called by itself it stops nothing, called by `sh` it "
          "blocks the tool.",
    expected="by itself: the call runs; by sh: the call is blocked",
)  # fmt: skip
def hook_no_script(lab: Lab) -> str:
    """Call a tool with such a hook before it."""
    told = []
    for how, before in (("by itself", ""), ("by sh", "sh ")):
        command = f'{before}"${{CLAUDE_PLUGIN_ROOT}}/hooks/nowhere.sh"'
        played = with_hooks(lab, "PreToolUse", [{"matcher": "Bash", "hooks": [hook(command)]}])
        told.append(f"{how}: the call {'is blocked' if 'hook error' in played.heard() else 'runs'}")
    return "; ".join(told)


@probe(
    question="What does a hook do whose script is not executable?",
    claim="A hook whose script is not executable fails without a word, and the call goes on; with an interpreter "
          "before it, it runs.",
    expected="by itself: fails; by sh: runs",
)  # fmt: skip
def hook_not_executable(lab: Lab) -> str:
    """Run a script without the right, in both ways."""
    path = '"${CLAUDE_PLUGIN_ROOT}/hooks/x.sh"'
    return verdicts(lab, {"by itself": path, "by sh": f"sh {path}"}, mode=0o644)


@probe(
    question="Does a hook in settings know `${CLAUDE_PLUGIN_ROOT}`?",
    claim="A hook in settings that has `${CLAUDE_PLUGIN_ROOT}` in its command is not run.",
    expected="with: not run; without: run",
)
def root_in_settings(lab: Lab) -> str:
    """Put both into the project's settings."""
    told = []
    for word, rest in (("with", " # ${CLAUDE_PLUGIN_ROOT}"), ("without", "")):
        groups = [{"matcher": "Bash", "hooks": [hook(f"touch {lab.folder}/{word}{rest}")]}]
        lab.write_json(lab.project / ".claude/settings.json", {"hooks": {"PreToolUse": groups}})
        lab.play([BASH, say("done")])
        told.append(f"{word}: {'run' if (lab.folder / word).exists() else 'not run'}")
    return "; ".join(told)


@probe(
    question="Which of two hooks that change a tool's input wins?",
    claim="Of two hooks that change a tool's input the one that ends last wins, and the other's change is lost.",
    expected="first slow: first; second slow: second",
)
def two_inputs(lab: Lab) -> str:
    """Let two hooks rewrite a command, each in turn the slower one."""
    told = []
    for slow in ("first", "second"):
        hooks = []
        for name in ("first", "second"):
            said = {"hookEventName": "PreToolUse", "permissionDecision": "allow",
                    "updatedInput": {"command": f"echo it-was-{name}"}}  # fmt: skip
            hooks.append(hook(f"sleep {int(name == slow)}; {answer(said)}"))
        heard = with_hooks(lab, "PreToolUse", [{"matcher": "Bash", "hooks": hooks}]).heard()
        told.append(f"{slow} slow: {' '.join(one for one in ('first', 'second') if f'it-was-{one}' in heard)}")
    return "; ".join(told)


@probe(
    question="Does a hook find the tool and its input in variables?",
    claim="A hook reads what is going on from its standard input, as JSON: there are no variables `TOOL_NAME`, "
          "`TOOL_INPUT`, `CLAUDE_TOOL_NAME`, `CLAUDE_TOOL_INPUT` or `CLAUDE_FILE_PATHS`.",
    expected="variables: none; on standard input: Bash",
)  # fmt: skip
def hook_variables(lab: Lab) -> str:
    """Have a hook write down its environment and its input."""
    command = f"env > {lab.folder}/env; cat > {lab.folder}/input"
    with_hooks(lab, "PreToolUse", [{"matcher": "Bash", "hooks": [hook(command)]}])
    names = {line.partition("=")[0] for line in (lab.folder / "env").read_text(encoding="utf-8").splitlines()}
    found = sorted(names & set(NO_VARIABLES)) or ["none"]
    given = json.loads((lab.folder / "input").read_text(encoding="utf-8"))
    return f"variables: {' '.join(found)}; on standard input: {given['tool_name']}"
