"""What the client makes of an agent's definition otherwise than it expects."""

from collections.abc import Iterator

from baton_lab.lint.definition import AGENT, SKILL, Definition, DefinitionSet, LintRule, Spot, Tool

TOOLS = frozenset((
    "Agent", "Task", "Bash", "CronCreate", "Edit", "EnterWorktree", "ExitWorktree", "Glob", "Grep", "KillBash",
    "KillShell", "ListAgents", "Monitor", "NotebookEdit", "Read", "ReportFindings", "SendMessage", "Skill",
    "TaskStop", "ToolSearch", "WebFetch", "WebSearch", "Write",
))  # fmt: skip
GONE = frozenset((
    "AgentOutputTool", "BashOutput", "LS", "MultiEdit", "NotebookRead", "SlashCommand", "TodoRead",
))  # fmt: skip
NOT_FOR_AGENTS = frozenset(("AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "Workflow"))
MISSPELLED = {name.lower() for name in TOOLS} - TOOLS | {"all", "tools", "none"}
IGNORED_IN_PLUGINS = ("hooks", "mcpServers", "permissionMode")
OTHER_KEYS = {
    "tools": ("allowed-tools", "allowedTools", "allowed_tools"),
    "disallowedTools": ("disallowed-tools", "disallowed_tools"),
}


def is_missing(tool: Tool) -> bool:
    """Whether the client has no tool of this name: it had one, or has one that is written otherwise."""
    return tool.name in GONE or (tool.name not in TOOLS and tool.name.lower() in MISSPELLED)


def is_main(one: Definition) -> bool:
    """Whether an agent is meant to be a session's own, which has other tools than a sub-agent."""
    return "initialPrompt" in one.fields


def without_tools(whole: DefinitionSet) -> Iterator[Spot]:
    """Find lists of tools that come to nothing."""
    for one in whole.of(AGENT):
        tools = one.tools("tools")
        if tools and not is_main(one) and all(is_missing(tool) or tool.name in NOT_FOR_AGENTS for tool in tools):
            yield one.key_spot("tools", tools=", ".join(tool.name for tool in tools))


def left_out(whole: DefinitionSet) -> Iterator[Spot]:
    """Find tools in a list that the client does not have, beside some that it has."""
    for one in whole.of(AGENT):
        missing = [tool.name for tool in one.tools("tools") if is_missing(tool)]
        if missing and any(tool.name in TOOLS for tool in one.tools("tools")):
            yield one.key_spot("tools", tools=", ".join(missing))


def not_for_agents(whole: DefinitionSet) -> Iterator[Spot]:
    """Find tools in a list that only the conversation has, beside some that an agent has."""
    for one in whole.of(AGENT):
        tools = [tool.name for tool in one.tools("tools")]
        refused = [name for name in tools if name in NOT_FOR_AGENTS]
        if refused and not is_main(one) and not TOOLS.isdisjoint(tools):
            yield one.key_spot("tools", tools=", ".join(refused))


def patterns(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a pattern behind Bash, which looks like a fence; the list alone does not make `Bash` whole."""
    for one in whole.of(AGENT):
        narrow = [tool.pattern for tool in one.tools("tools") if tool.name == "Bash" and tool.pattern]
        if narrow and not is_main(one) and not set(narrow) & {"(*)", "(*:*)", "(:*)"}:
            yield one.key_spot("tools", tool=f"Bash{narrow[0]}")


def ignored_in_plugins(whole: DefinitionSet) -> Iterator[Spot]:
    """Find keys that count for a project's agents alone."""
    for one in whole.of(AGENT) if whole.plugin else ():
        yield from (one.key_spot(key, key=key) for key in IGNORED_IN_PLUGINS
                    if one.fields.get(key) not in (None, "default"))  # fmt: skip


def other_keys(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a list of tools under a key that agents do not have."""
    for one in whole.of(AGENT):
        for right, others in OTHER_KEYS.items():
            if right not in one.fields:
                yield from (one.key_spot(key, key=key, right=right) for key in others if one.tools(key))


def passed_over(whole: DefinitionSet) -> Iterator[Spot]:
    """Find names for which the client passes a project's agent over."""
    for one in whole.of(AGENT) if not whole.plugin else ():
        if "name" in one.fields and (":" in one.name or one.name.startswith("-")):
            yield one.key_spot("name", name=one.name)


def same_names(whole: DefinitionSet) -> Iterator[Spot]:
    """Find agents of one folder with one name."""
    first: dict[tuple[object, str], Definition] = {}
    for one in whole.of(AGENT):
        if "name" in one.fields or whole.plugin:
            other = first.setdefault((one.path.parent, one.name), one)
            if other is not one:
                yield one.key_spot("name", name=one.name, other=other.path.name)


def without_repository(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a project's agents that need a git repository where there is none, and no hook makes work trees."""
    makes_trees = any(hook.event == "WorktreeCreate" for hook in whole.hooks)
    for one in whole.of(AGENT) if not (whole.plugin or whole.in_repository or makes_trees) else ():
        if one.fields.get("isolation") == "worktree":
            yield one.key_spot("isolation")


def skills_not_loaded(whole: DefinitionSet) -> Iterator[Spot]:
    """Find skills an agent names that its own plugin does not have, or that no model may call."""
    known = {name: one for one in whole.of(SKILL) for name in (one.path.parent.name, one.name)}
    for one in whole.of(AGENT) if whole.plugin else ():
        for skill in one.tools("skills"):
            plugin, _, name = skill.name.rpartition(":")
            hidden = name in known and known[name].fields.get("disable-model-invocation") is True
            absent = plugin == whole.plugin and name not in known
            if (hidden and plugin in ("", whole.plugin)) or absent:
                why = "there is none" if absent else "its `disable-model-invocation` hides it"
                yield one.key_spot("skills", skill=skill.name, why=why)


AGENT_RULES = (
    LintRule("agent-without-tools", "tools-unknown", "error",
             "the client has none of these tools for an agent, and refuses to start it: {tools}",
             "name tools that it has, or leave `tools` out", without_tools),
    LintRule("agent-unknown-tool", "tools-gone", "warning",
             "the client has no such tool, and leaves it out without a word: {tools}",
             "take it from the list", left_out),
    LintRule("agent-main-tool", "tools-of-main", "warning",
             "a sub-agent never gets {tools}: only the conversation has it",
             "have the agent return what it would ask, or run it with `claude --agent`", not_for_agents),
    LintRule("agent-tool-pattern", "tool-patterns", "warning",
             "`{tool}` limits nothing: the agent gets the whole Bash tool, and no call is allowed by it",
             "write `Bash`, and deny commands in settings or by a PreToolUse hook", patterns),
    LintRule("agent-plugin-key", "plugin-agent-keys", "warning",
             "`{key}` is ignored in an agent of a plugin",
             "put hooks and servers into the plugin itself, permissions into settings", ignored_in_plugins),
    LintRule("agent-tool-key", "agent-tool-keys", "error",
             "`{key}` is no key of agents: the client ignores it, and the agent has every tool",
             "name it `{right}`", other_keys),
    LintRule("agent-name", "agent-names", "error",
             "the client passes over a project's agent named `{name}`",
             "begin with a letter, and leave the colon out", passed_over),
    LintRule("agent-same-name", "agent-same-name", "error",
             "`{name}` is the name of {other} too, and the client knows one of them only",
             "give each its own name", same_names),
    LintRule("agent-no-repository", "tree-without-repository", "error",
             "`isolation: worktree` outside of a git repository: the client refuses to start the agent",
             "run `git init`, or take `isolation` out", without_repository),
    LintRule("agent-skill", "agent-skills", "warning",
             "the skill `{skill}` is not loaded into the agent, and nothing says so: {why}",
             "name a skill of this plugin that the model may call", skills_not_loaded),
)  # fmt: skip
