"""Work trees as the client makes them for its agents, without git: the files by which a hook knows them."""

import json
from pathlib import Path
from typing import Any

from baton.hooks import pre_tool_use
from bench import as_a_hook

AGENT = "a39ff4067488694b3"


def make_tree(project: Path, agent: str = AGENT, begun: bool = True) -> Path:
    """Make the tree of an agent in a project; with `begun`, a run was begun there. Gives its folder."""
    git_dir = project / ".git/worktrees" / f"agent-{agent}"
    git_dir.mkdir(parents=True)
    if begun:
        (git_dir / "baton-run").write_text(json.dumps({"run": "sess_1_a_iter1", "story": "42"}) + "\n")
    tree = project / ".claude/worktrees" / f"agent-{agent}"
    tree.mkdir(parents=True)
    (tree / ".git").write_text(f"gitdir: {git_dir}\n")
    return tree


def of_agent(tree: Path, kind: str = "implementer", agent: str = AGENT) -> dict[str, object]:
    """Return what the client tells of the caller, in every event of one of baton's agents."""
    return {"agent_id": agent, "agent_type": f"baton:{kind}", "cwd": str(tree)}


def commands_in(examples: str) -> list[str]:
    """Return the commands of a file of examples: one a line, or each ended by a line `%%`."""
    return examples.split("\n%%\n" if "\n%%\n" in examples else "\n")[:-1]


def decide(command: str = "", **more: object) -> dict[str, Any]:
    """Return the answer to a call, of Bash if no other tool is named; one without a decision for silence."""
    event = {"tool_name": "Bash", "tool_input": {"command": command}, **more}
    with as_a_hook():
        said = pre_tool_use.decide(json.dumps(event).encode())
    silence = {"permissionDecision": "", "permissionDecisionReason": ""}
    answer: dict[str, Any] = json.loads(said)["hookSpecificOutput"] if said else silence
    assert "\n" not in answer["permissionDecisionReason"]
    return answer


def decision(command: str = "", **more: object) -> str:
    """Return what is decided of a call; nothing where it is left to the client."""
    return str(decide(command, **more)["permissionDecision"])
