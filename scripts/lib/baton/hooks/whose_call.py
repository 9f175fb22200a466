"""Read a call that may be about baton, and have it judged by whose it is: a sub-agent's or the conversation's."""

import json
import re

from baton.hooks.calls import OUR_AGENTS, Event, deny, input_of
from baton.hooks.conversation import PLAN_MODE, judge_conversation
from baton.hooks.run_tree import EDITS


def judge_input(raw: bytes, of_an_agent: bool) -> str:
    """Take the hook's input as it came; give the line to print.

    Silence would let an agent through by a call too long to read, or with a path that no file can have.
    """
    unread = deny("this call cannot be read") if of_an_agent else ""
    try:
        event = json.loads(raw.decode())
    except (ValueError, RecursionError):
        return unread
    try:
        return judge_call(event) if isinstance(event, dict) else unread
    except ValueError:
        return unread


def judge_call(event: Event) -> str:
    """Take the client's event; give the line to print, empty when the client is to decide by itself."""
    agent = [event.get("agent_id"), event.get("agent_type")]
    tool = event.get("tool_name")
    if event.get("hook_event_name", "PreToolUse") != "PreToolUse" or not isinstance(tool, str):
        return ""
    if tool == "Agent":  # also by the client's module
        sends_out = input_of(event, "subagent_type").startswith(OUR_AGENTS)
        planning = sends_out and event.get("permission_mode") == "plan"
        return deny(PLAN_MODE.format(_goes_on(input_of(event, "prompt")))) if planning else ""
    if tool != "Bash" and tool not in EDITS:
        return ""
    if any(agent):
        from baton.hooks.guard import judge_agent  # the conversation's calls, most of baton's, do without

        return judge_agent(event, tool)
    return judge_conversation(event, tool)


def _goes_on(prompt: str) -> str:
    """Return what starts this agent later, by the first words of its prompt."""
    run = re.match(r"Run \S+ of story (\S{1,80}):|\w+ pr(\d{1,20})-", prompt)
    if not run:
        return "call it again"
    return f"`/implement {run[1]}`" if run[1] else f"`/resolve-pr-feedback {run[2]}`"
