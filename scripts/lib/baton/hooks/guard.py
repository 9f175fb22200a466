"""Judge the calls of sub-agents: never what is the user's, and nothing before their run is begun."""

import re

from baton.feedback.store.work_names import is_reading, number_of
from baton.hooks.agent_edits import why_not_edit
from baton.hooks.calls import (
    ALLOW,
    LOOKING,
    OUR_AGENTS,
    Event,
    deny,
    input_of,
    is_about_baton,
    plain_call,
    user_option,
)
from baton.hooks.plugin_folder import writes_to_plugin
from baton.hooks.run_tree import BEGIN_FIRST, edited_path, files_outside, is_in_git, why_not_begun

RUN_VERBS = LOOKING | {"begin", "check", "hand-in", "setup"}
READER = "baton:feedback-reader"
GIT_FOLDER = "git's own folder is not yours to edit"
# All work trees have one stash: what one run puts there, another takes.
STASH = re.compile(r"(?<![\w.-])git(?:\s+-\S+(?:\s+(?!stash\b)[^\s-]\S*)?)*\s+stash\b(?!\s+(?:list|show)\b)")
STASHED = "all work trees share one stash, and the user's is in it: copy a file aside, or `git restore FILE`"
HOLDS_RULES = "the plugin's own folder holds the rules that judge you: read it with cat, grep, head or ls, no more"


def judge_agent(event: Event, tool: str) -> str:
    """Take a call of a sub-agent; give the line to print, empty when the client is to decide by itself."""
    if event.get("agent_type") == READER:
        return _judge_reader(event, tool)
    ours = str(event.get("agent_type") or "").startswith(OUR_AGENTS)
    arguments = plain_call(event) if tool == "Bash" else None
    if refused := why_not_begun(event) if ours else "":
        begins = arguments is not None and len(arguments) == 2 and _may_call(arguments, frozenset({"begin"}))
        return ALLOW if begins and refused == BEGIN_FIRST else deny(refused)
    if ours and tool == "Bash" and arguments is None and STASH.search(input_of(event, "command")):
        return deny(STASHED)
    if tool != "Bash":
        why = why_not_edit(event, tool) if ours else GIT_FOLDER if is_in_git(event, tool) else ""
        why = why or (HOLDS_RULES if writes_to_plugin(event, edited_path(event, tool)) else "")
        return deny(why) if why else ""
    verbs = RUN_VERBS if ours else LOOKING
    if arguments is not None and _may_call(arguments, verbs):
        outside = next(files_outside(event, _own_arguments(arguments)), "")
        return deny(f"{ascii(outside)[:80]} is not in your own work tree") if outside else ALLOW
    if arguments is not None or is_about_baton(input_of(event, "command")):
        return deny(f"a sub-agent may call baton only as one plain command: {', '.join(sorted(verbs))} or pr show")
    return deny(HOLDS_RULES) if writes_to_plugin(event) else ""


def _judge_reader(event: Event, tool: str) -> str:
    """Whoever reads what others said has two calls and no other: its brief, and the hand-in of its own reading."""
    match plain_call(event) if tool == "Bash" else None:
        case ["begin", name] | ["begin", name, "--part", _] if is_reading(name):
            return ALLOW
        case ["hand-in", pull, "feedback-reading", "--run", name] if is_reading(name):
            if pull == f"pr-{number_of(name)}":
                return ALLOW
    return deny("a reader calls `baton begin READING` and the hand-in of its brief, and nothing else")


def _may_call(arguments: list[str], verbs: frozenset[str]) -> bool:
    verb = arguments[0] if arguments else ""
    if user_option(_own_arguments(arguments)):
        return False
    return verb in verbs or arguments[:2] == ["pr", "show"]


def _own_arguments(arguments: list[str]) -> list[str]:
    """Return baton's own arguments: what follows `--` in a check is for the project's command."""
    checks = arguments[:1] == ["check"] and "--" in arguments
    return arguments[: arguments.index("--")] if checks else arguments
