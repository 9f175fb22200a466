"""When a hook runs: what the client makes of its matcher."""

from collections.abc import Sequence
from typing import Any

from baton_lab.probes.hook_entries import BASH, hook, with_hooks
from baton_lab.probes.probe import PLUGIN_NAME, Lab, probe, steps, waited
from baton_lab.scripted_client.script import Step, call, say


def fired(lab: Lab, event: str, matchers: Sequence[str], step: Step = BASH, **agents: Any) -> str:
    """Return for which of these matchers a hook runs, as one line."""
    files = {matcher: lab.folder / f"{event}-{at}" for at, matcher in enumerate(matchers)}
    groups = [{"matcher": one, "hooks": [hook(f"touch {path}")]} for one, path in files.items()]
    with_hooks(lab, event, groups, step, **agents)
    return " ".join(matcher for matcher, path in files.items() if path.exists())


@probe(
    question="Is a matcher that is a regular expression anchored?",
    claim="A matcher of letters, digits, spaces and `_-,|` alone names tools in full; any other is a regular "
          "expression that may fit any part of a name.",
    expected="PreToolUse: Bash Edit|Bash (Ba|Edit) Ba.; PostToolUse: Bash Edit|Bash (Ba|Edit) Ba.",
)  # fmt: skip
def matcher_not_anchored(lab: Lab) -> str:
    """Call Bash, with hooks for parts of its name."""
    matchers = ["Bash", "Edit|Bash", "Ba", "(Ba|Edit)", "Ba.", "^(Ba|Edit)$"]
    return "; ".join(f"{event}: {fired(lab, event, matchers)}" for event in ("PreToolUse", "PostToolUse"))


@probe(
    question="Does a matcher fire that is written as a permission rule is?",
    claim="A matcher written as a permission rule, such as `Bash(git *)`, never fires.",
    expected="Bash",
)
def matcher_permission(lab: Lab) -> str:
    """Call what the rule would name."""
    matchers = ["Bash", "Bash(git *)", "Bash(*)", "Bash(git:*)"]
    return fired(lab, "PreToolUse", matchers, call("Bash", command="git status"))


@probe(
    question="Does a matcher look at upper and lower case?",
    claim="A matcher in lower case never fires.",
    expected="Bash",
)
def matcher_no_tool(lab: Lab) -> str:
    """Call Bash, with hooks for other spellings."""
    return fired(lab, "PreToolUse", ["Bash", "bash", "BASH"])


@probe(
    question="By which name does a hook know an agent of a plugin?",
    claim="`SubagentStart` and `SubagentStop` know an agent of a plugin by its full name alone.",
    expected="SubagentStart: probe:worker ^probe:worker$; SubagentStop: probe:worker ^probe:worker$",
)
def matcher_agent(lab: Lab) -> str:
    """Start an agent, with hooks for its two names."""
    lab.write_agent("worker")
    full = f"{PLUGIN_NAME}:worker"
    role = {"You are worker.": steps(say("done"))}
    events = ("SubagentStart", "SubagentStop")
    return "; ".join(
        f"{event}: {fired(lab, event, ['worker', full, f'^{full}$'], waited('worker'), **role)}"
        for event in events
    )


@probe(
    question="Does a matcher count for `Stop` and `UserPromptSubmit`?",
    claim="`Stop` and `UserPromptSubmit` have no matcher: a hook with one runs each time.",
    expected="Stop: nonsense; UserPromptSubmit: nonsense; PreToolUse:",
)
def matcher_ignored(lab: Lab) -> str:
    """Give hooks a matcher that fits nothing."""
    events = ("Stop", "UserPromptSubmit", "PreToolUse")
    return "; ".join(f"{event}: {fired(lab, event, ['nonsense'])}".rstrip() for event in events)
