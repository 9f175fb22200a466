"""What the client makes of the definitions of agents."""

from collections.abc import Sequence

from baton_lab.probes.probe import PLUGIN_NAME, TERMINAL, Lab, probe, steps, waited
from baton_lab.scripted_client.script import MAIN, Script, call, say

GONE = "AgentOutputTool, BashOutput, LS, MultiEdit, NotebookRead, SlashCommand, TodoRead"
OF_MAIN = "AskUserQuestion, EnterPlanMode, ExitPlanMode, ScheduleWakeup, Workflow"


def offered(lab: Lab, names: Sequence[str]) -> dict[str, list[str]]:
    """Start agents of the plugin; returns which tools each was offered, none for one that did not start."""
    roles: dict[str, Script] = {f"You are {name}.": steps(say("done")) for name in names}
    played = lab.play([*(waited(name) for name in names), say("all done")], agents=roles)
    return {name: played.tools(f"You are {name}.") for name in names}


def listed(lab: Lab, *words: str) -> list[str]:
    """Return which of these words the client tells the model, in its list of agents and skills."""
    text = str(lab.play([say("done")]).model.of(MAIN)[0].request["messages"])
    return [word for word in words if word in text]


@probe(
    question="Can an agent start whose `tools` name nothing there is?",
    claim="An agent whose `tools` name no tool there is cannot be started.",
    expected="refused; with Read it runs",
)
def tools_unknown(lab: Lab) -> str:
    """Start an agent with a list of nothing, and one that may read."""
    lab.write_agent("empty", tools="Nothing")
    lab.write_agent("reader", tools="Read")
    empty, reader = lab.start_agent("empty"), lab.start_agent("reader")
    refused = "started" if empty.spoke("You are empty.") else "refused"
    return f"{refused}; with Read it {'runs' if reader.spoke('You are reader.') else 'does not run'}"


@probe(
    question="Which tools of earlier clients, and which misspelled ones, does an agent still get?",
    claim=f"The client has no tools {GONE} any more, and none in lower case: an agent whose `tools` name them "
          "beside others gets the others, without a word.",
    expected="Read",
)  # fmt: skip
def tools_gone(lab: Lab) -> str:
    """Ask for tools of long ago and for one that there is."""
    lab.write_agent("old", tools=f"{GONE}, bash, write, Read")
    return " ".join(offered(lab, ["old"])["old"])


@probe(
    question="Does an agent get the tools for questions, plans and workflows?",
    claim=f"An agent never gets {OF_MAIN}, whatever its `tools` say: only the conversation has them.",
    expected="agent: Read; conversation: AskUserQuestion ScheduleWakeup Workflow",
    scope=TERMINAL,
)
def tools_of_main(lab: Lab) -> str:
    """Ask for all that only the conversation has, and for one tool more."""
    lab.write_agent("asker", tools=f"{OF_MAIN}, Read")
    role = "You are asker."
    desk = lab.desk({MAIN: steps(waited("asker"), say("sent")), role: steps(say("done"))})
    with desk.terminal() as terminal:
        terminal.type("go")
        terminal.wait_for(lambda: desk.model.of(role))
    agent, main = ([tool["name"] for tool in desk.model.of(one)[0].request["tools"]] for one in (role, MAIN))
    has = [name for name in OF_MAIN.split(", ") if name in main]
    return f"agent: {' '.join(agent)}; conversation: {' '.join(has)}"


@probe(
    question="Do `hooks`, `mcpServers` and `permissionMode` count in an agent of a plugin?",
    claim="In an agent of a plugin `hooks`, `mcpServers` and `permissionMode` are ignored; in one of the project "
          "they count.",
    expected="plugin: none; project: hooks mcpServers permissionMode",
)  # fmt: skip
def plugin_agent_keys(lab: Lab) -> str:
    """Let each key of two agents leave a file: a hook, a server that is started, a file that is written."""
    told = {}
    for name, folder in (("mine", lab.plugin / "agents"), ("theirs", lab.project_agents)):
        files = {key: lab.folder / f"{name}-{key}" for key in ("hooks", "mcpServers", "permissionMode")}
        files["permissionMode"] = lab.project / f"{name}.txt"
        hook = {"type": "command", "command": f"touch {files['hooks']}"}
        server = {"type": "stdio", "command": "touch", "args": [str(files["mcpServers"])]}
        lab.write_agent(name, folder=folder, permissionMode="acceptEdits", mcpServers=[{"zz": server}],
                        hooks={"PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]})  # fmt: skip
        write = call("Write", file_path=str(files["permissionMode"]), content="x")
        script = steps(call("Bash", command="git status"), write, say("done"))
        full = name if name == "theirs" else f"{PLUGIN_NAME}:{name}"
        lab.play(
            [waited(name, subagent_type=full), say("all done")],
            agents={f"You are {name}.": script},
            mode="default",
        )
        told[name] = " ".join(key for key, path in files.items() if path.exists()) or "none"
    return f"plugin: {told['mine']}; project: {told['theirs']}"


@probe(
    question="Do `allowed-tools` and `disallowed-tools` count in an agent?",
    claim="An agent's tools are limited by `tools` and `disallowedTools` alone: `allowed-tools`, `allowedTools`, "
          "`allowed_tools`, `disallowed-tools` and `disallowed_tools` are ignored there.",
    expected="have Bash: a b c d e; have none: tools disallowedTools",
)  # fmt: skip
def agent_tool_keys(lab: Lab) -> str:
    """Keep Bash from agents under each key."""
    keys = {"a": ("allowed-tools", "Read"), "b": ("allowedTools", "Read"), "c": ("allowed_tools", "Read"),
            "d": ("disallowed-tools", "Bash"), "e": ("disallowed_tools", "Bash"), "tools": ("tools", "Read"),
            "disallowedTools": ("disallowedTools", "Bash")}  # fmt: skip
    for name, (key, value) in keys.items():
        lab.write_agent(name, "", None, **{key: value})
    has = {name: "Bash" in tools for name, tools in offered(lab, list(keys)).items()}
    some, none = ([name for name in keys if has[name] is wanted] for wanted in (True, False))
    return f"have Bash: {' '.join(some)}; have none: {' '.join(none)}"


@probe(
    question="Which names of a project's agents does the client pass over?",
    claim="An agent of the project whose name has a colon or begins with a hyphen is passed over without a word.",
    expected="plain",
)
def agent_names(lab: Lab) -> str:
    """Write agents of several names, and look which the model is told of."""
    names = {"plain": "plain-name", "colon": "team:reviewer", "hyphen": "-reviewer"}
    for word, name in names.items():
        lab.write_agent(word, folder=lab.project_agents, name=name, description=f"DOES-{word}")
    return " ".join(word[5:] for word in listed(lab, *(f"DOES-{word}" for word in names)))


@probe(
    question="What becomes of two agents of one name?",
    claim="Of two agents in one folder with the same `name` the client knows one only.",
    expected="1 of 2 in a plugin, 1 of 2 in a project",
)
def agent_same_name(lab: Lab) -> str:
    """Write two agents of one name in a plugin and in a project."""
    told = []
    for where, folder in (("plugin", lab.plugin / "agents"), ("project", lab.project_agents)):
        words = [f"DOES-{where}-{at}" for at in (1, 2)]
        for word in words:
            lab.write_agent(word, folder=folder, name="twin", description=word)
        told.append(f"{len(listed(lab, *words))} of 2 in a {where}")
    return ", ".join(told)


@probe(
    question="Which skills that an agent names in `skills` are in its context?",
    claim="A skill in an agent's `skills` that is not there, or has `disable-model-invocation`, is left out "
          "without a word.",
    expected="full name, bare name",
)  # fmt: skip
def agent_skills(lab: Lab) -> str:
    """Name four skills in an agent, and look which texts it has."""
    words = {"full": "full name", "bare": "bare name", "hidden": "hidden"}
    for name in words:
        lab.write_skill(name, f"TEXT-{name}", {"disable-model-invocation": name == "hidden"}, plugin=True)
    lab.write_agent("reader", skills=f"{PLUGIN_NAME}:full, bare, hidden, {PLUGIN_NAME}:nowhere")
    played = lab.start_agent("reader")
    text = str(played.model.of("You are reader.")[0].request["messages"])
    return ", ".join(words[name] for name in words if f"TEXT-{name}" in text)
