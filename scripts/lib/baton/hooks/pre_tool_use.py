"""Answer the client's PreToolUse: allow one plain call of our own launcher, say nothing about anything else.

Silence leaves the decision to the client and its user, so every doubt ends in silence. This runs before every
Bash call: it imports next to nothing, and most calls are let go before their input is even parsed.
"""

import sys

from baton.hooks.command_line import parse, spellings

IN_A_SUB_AGENT = frozenset({"escalation", "explain", "hand-in", "status", "timeline", "validate"})
# All that a sub-agent sees of a pull request; its option names which, and is no start of another's.
SHOW, WHICH = ["pr", "show"], "--pr"
# Only the conversation the person reads may decide, start or land anything.
IN_THE_CONVERSATION = IN_A_SUB_AGENT | {"answer", "doctor", "init", "next", "pr", "story"}
ALONE = frozenset({"--help", "--version"})
# They add permissions, write to a file of the caller's choice, work in another project, give a journal up.
FOR_THE_PERSON = ("--allow", "--out", "--project", "--set-aside")
# Any other setting of a Bash call, such as leaving the client's sandbox, is not ours to allow.
HARMLESS_SETTINGS = frozenset({"command", "description", "run_in_background", "timeout"})
LARGEST_INPUT = 1 << 20
ALLOW = (
    '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow",'
    ' "permissionDecisionReason": "one plain call of baton itself"}}'
)


def main() -> int:
    """Take the hook's input from stdin and print the decision, if any; give the exit code, always 0."""
    raw = sys.stdin.buffer.read(LARGEST_INPUT + 1)
    while len(raw) > LARGEST_INPUT and sys.stdin.buffer.read(LARGEST_INPUT):
        pass  # a client that is still writing must not meet a closed pipe
    if answer := decide(raw):
        print(answer)
    return 0


def decide(raw: bytes) -> str:
    """Take the hook's input; give the line to print, empty when the client is to decide by itself."""
    if b"baton" not in raw or len(raw) > LARGEST_INPUT:
        return ""
    import json  # it is half of the start-up time, and few calls come this far

    try:
        event = json.loads(raw.decode())
    except (ValueError, RecursionError):
        return ""
    return ALLOW if isinstance(event, dict) and _is_ours(event) else ""


def _is_ours(event: dict[str, object]) -> bool:
    agent = [event.get("agent_id"), event.get("agent_type")]
    # In plan mode the person has asked that nothing be changed.
    if event.get("hook_event_name", "PreToolUse") != "PreToolUse" or event.get("permission_mode") == "plan":
        return False
    if not all(isinstance(name, str | None) for name in agent):
        return False
    arguments = _arguments(event)
    return arguments is not None and _may_pass(arguments, in_sub_agent=any(agent))


def _arguments(event: dict[str, object]) -> list[str] | None:
    call = event.get("tool_input")
    if event.get("tool_name") != "Bash" or not isinstance(call, dict):
        return None
    command = call.get("command")
    if not isinstance(command, str) or any(call[name] for name in call.keys() - HARMLESS_SETTINGS):
        return None
    return parse(command, _launchers())


def _may_pass(arguments: list[str], *, in_sub_agent: bool) -> bool:
    shows = arguments[:2] == SHOW
    looked_at = [one for one in arguments if not (shows and one.partition("=")[0] == WHICH)]
    if any(_names(argument, option) for argument in looked_at for option in FOR_THE_PERSON):
        return False
    verb = arguments[0] if arguments else ""
    if in_sub_agent:
        return verb in IN_A_SUB_AGENT or shows
    return verb in IN_THE_CONVERSATION or (verb in ALONE and len(arguments) == 1)


def _names(argument: str, option: str) -> bool:
    name = argument.partition("=")[0]
    return len(name) > 2 and option.startswith(name)  # an option parser may accept the start of a name


def _launchers() -> tuple[str, ...]:
    import os  # as above

    roots = {os.environ.get("CLAUDE_PLUGIN_ROOT", "").rstrip("/"), __file__.rsplit("/", 5)[0]}
    paths = [root + tail for root in roots if root.startswith("/") for tail in ("/bin/baton", "/scripts/baton")]
    return ("baton", *(spelling for path in paths for spelling in spellings(path)))
