"""What tools a sub-agent is offered: its lists, and the tools of MCP servers."""

from pathlib import Path
from typing import Any

from baton_lab.probes.permissions import write_settings
from baton_lab.probes.probe import BYPASS, Lab, Played, probe, steps, waited
from baton_lab.scripted_client.script import Step, call, say

SERVER = """
import json, sys, time

time.sleep(float(sys.argv[1]))
for line in sys.stdin:
    asked = json.loads(line)
    given = asked.get("params", {})
    if asked["method"] == "tools/call":
        print(given["arguments"]["who"], file=open(sys.argv[2], "a"))
    hello = {"name": "hello", "description": "says hello", "inputSchema": {"type": "object"}}
    answer = {
        "initialize": {"protocolVersion": given.get("protocolVersion"), "capabilities": {"tools": {}},
                       "serverInfo": {"name": "desk", "version": "1"}},
        "tools/list": {"tools": [hello]},
        "tools/call": {"content": [{"type": "text", "text": "hello"}]},
    }.get(asked["method"], {})
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": answer}), flush=True)
"""
HELLO = "mcp__desk__hello"


def send_all(lab: Lab, names: list[str], *words: str) -> Played:
    """Start these agents side by side and wait for them; each greets the MCP server and makes a file."""
    scripts = {
        f"You are {name}.": steps(call(HELLO, who=name), call("Bash", command=f"touch {name}"), say("done"))
        for name in names
    }
    main: list[Step] = [[waited(name) for name in names], say("all done")]
    return lab.play(main, *words, agents=scripts, mode=BYPASS)


def server_file(lab: Lab, path: Path, seconds: float = 0) -> Path:
    """Write where an MCP server named `desk` is configured, which takes so long to answer; returns the file."""
    script = lab.write(lab.folder / "server.py", SERVER)
    words = [str(script), str(seconds), str(lab.folder / "called")]
    return lab.write_json(path, {"mcpServers": {"desk": {"command": "python3", "args": words}}})


def words_of(names: list[str]) -> str:
    """Return names as they are told; `nothing` for none."""
    return ", ".join(names) or "nothing"


@probe(
    question="What do `tools` and `disallowedTools` leave an agent?",
    claim="`tools` lists all that an agent is offered; `disallowedTools` takes away from that list, or from "
    "all there is.",
    expected="tools: Read, Write; with disallowedTools too: Read; disallowedTools alone takes: Bash, Write",
)
def tool_lists(lab: Lab) -> str:
    """See what four agents with different lists are offered."""
    lab.write_agent("free")
    lab.write_agent("listed", tools="Read, Write")
    lab.write_agent("both", tools="Read, Write", disallowedTools="Write")
    lab.write_agent("less", disallowedTools="Write, Bash")
    played = send_all(lab, ["free", "listed", "both", "less"])
    free, listed, both, less = (played.tools(f"You are {one}.") for one in ("free", "listed", "both", "less"))
    taken = words_of(sorted(set(free) - set(less)))
    return (f"tools: {words_of(listed)}; with disallowedTools too: {words_of(both)}; "
            f"disallowedTools alone takes: {taken}")  # fmt: skip


@probe(
    question="Does a pattern in `tools` narrow what Bash may run?",
    claim="A pattern in `tools` narrows nothing: with `Bash(git *)` an agent has all of Bash. Deny commands "
    "by permission rules or a hook.",
    expected="Bash(git *): touch ran; Read: touch did not run",
)
def tool_patterns(lab: Lab) -> str:
    """Let an agent that lists Bash for git alone make a file, and one that has no Bash."""
    lists = {"narrow": "Read, Bash(git *)", "reader": "Read"}
    for name, tools in lists.items():
        lab.write_agent(name, tools=tools)
    send_all(lab, list(lists))
    ran = {name: "touch ran" if (lab.project / name).exists() else "touch did not run" for name in lists}
    return f"Bash(git *): {ran['narrow']}; Read: {ran['reader']}"


@probe(
    question="When does an agent have Grep and Glob?",
    claim="An agent has `Grep` and `Glob` only if its `tools` name them and leave out `Bash`; one with `Bash` "
    "searches with `grep` and `find` there.",
    expected="Grep, Glob, Read: Glob, Grep, Read; with Bash: Bash, Read; without tools: neither",
)
def search_tools(lab: Lab) -> str:
    """See what three agents are offered."""
    lab.write_agent("searcher", tools="Grep, Glob, Read")
    lab.write_agent("shell", tools="Grep, Glob, Read, Bash")
    lab.write_agent("free")
    played = send_all(lab, ["searcher", "shell", "free"])
    searcher, shell, free = (played.tools(f"You are {one}.") for one in ("searcher", "shell", "free"))
    found = words_of([one for one in free if one in ("Grep", "Glob")]).replace("nothing", "neither")
    return f"Grep, Glob, Read: {words_of(searcher)}; with Bash: {words_of(shell)}; without tools: {found}"


@probe(
    question="Do sub-agents have the MCP tools of their session?",
    claim="A sub-agent has the session's MCP tools, unless `tools` leaves them out or `disallowedTools` names "
    "the server (`mcp__SERVER`).",
    expected="called by: free, named; not by: closed, denied",
)
def mcp_tools(lab: Lab) -> str:
    """Let four agents with different lists call a server's tool."""
    lists: dict[str, dict[str, Any]] = {
        "free": {},
        "named": {"tools": f"Read, {HELLO}"},
        "closed": {"tools": "Read"},
        "denied": {"disallowedTools": "mcp__desk"},
    }
    for name, keys in lists.items():
        lab.write_agent(name, **keys)
    send_all(lab, list(lists), "--mcp-config", str(server_file(lab, lab.folder / "mcp.json")))
    called = sorted((lab.folder / "called").read_text().split())
    return f"called by: {words_of(called)}; not by: {words_of([one for one in lists if one not in called])}"


@probe(
    question="Is a slow MCP server waited for before agents start?",
    claim="`claude -p` waits for a slow server of `--mcp-config` before its first turn, but only briefly for "
    "one of `.mcp.json`: an agent that starts before that one is ready is not offered its tools, even if its "
    "`tools` name them.",
    expected="--mcp-config: offered after 3 s; .mcp.json: offered after 0 s, not offered after 20 s",
)
def mcp_slow(lab: Lab) -> str:
    """Start an agent that names a tool of a server that is quick, slow, or configured elsewhere."""
    lab.write_agent("named", tools=f"Read, {HELLO}")
    write_settings(lab, enableAllProjectMcpServers=True)
    of_project = lab.project / ".mcp.json"

    def offered(*words: str) -> str:
        played = lab.send("named", words=words)
        assert played.spoke("You are named."), "the agent was not started"
        return "offered" if HELLO in played.tools("You are named.") else "not offered"

    waited = offered("--mcp-config", str(server_file(lab, lab.folder / "mcp.json", 3)))
    quick, slow = ((server_file(lab, of_project, seconds), offered())[1] for seconds in (0, 20))
    return f"--mcp-config: {waited} after 3 s; .mcp.json: {quick} after 0 s, {slow} after 20 s"
