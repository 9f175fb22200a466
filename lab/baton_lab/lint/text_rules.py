"""What the client makes of the text of skills and commands otherwise than it expects."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from baton_lab.lint.definition import AGENT, COMMAND, SKILL, Definition, DefinitionSet, LintRule, Spot

LISTED = 1536
# `!` runs a command where it begins a word, in fences and prose alike; and there is a fence for it.
SHELL = re.compile(r"(?:^|(?<=\s))!`([^`\n]+)`|^```!\n(.*?)^```", re.MULTILINE | re.DOTALL)
ARGUMENT = re.compile(r"(?<!\\)\$(?:ARGUMENTS|[0-9])")
FENCE = re.compile(r"^( *)(`{3,}|~{3,})(\w*)[^\n]*\n(.*?)^\1\2", re.MULTILINE | re.DOTALL)
# A second argument that stands for the first: no price, no `$10`, nothing escaped.
SECOND = re.compile(r"(?<![\\\w$])\$1(?!\d|[.,]\d|[kKMB]\b)")
FIRST = re.compile(r"\$0|\$ARGUMENTS\[")
AWK = re.compile(r"\bawk\b[^\n'|]*'[^'\n]*?(?<!\\)(\$[0-9])")
BARE_ROOT = re.compile(r"\$CLAUDE_PLUGIN_ROOT\b")
# What the client asks about unless a rule allows it.
ASKS = re.compile(
    r"(?:npm|npx|yarn|pnpm|make|pytest|python3?(?! --version)|cargo|go|curl|kubectl|terraform|bash|sh|gh|ruby|"
    r"java|pip|uv|mkdir|rm|cp|touch|git (?:push|add|commit|fetch))(?= |$)"
)
GRANTED_LATER = ("Bash", "Edit", "Write")
OTHER_KEYS = ("tools", "allowedTools", "allowed_tools")
BUILT_IN = {"Explore", "Plan", "general-purpose", "claude", "statusline-setup"}


class ShellCommand(NamedTuple):
    """A command that is run before the model reads the text, and where it stands."""

    text: str
    at: int


def shell_commands(one: Definition) -> Iterator[ShellCommand]:
    """Yield the commands that a text runs."""
    for found in SHELL.finditer(one.body):
        yield ShellCommand((found[1] or found[2]).strip(), found.start())


def cut_descriptions(whole: DefinitionSet) -> Iterator[Spot]:
    """Find descriptions that are longer than the list the model chooses from."""
    for one in whole.of(SKILL, COMMAND):
        length = sum(len(str(one.fields.get(key) or "")) for key in ("description", "when_to_use"))
        if length > LISTED and one.fields.get("disable-model-invocation") is not True:
            yield one.key_spot("description", length=f"{length:,}")


def other_keys(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a list of tools under a key that allows nothing."""
    for one in whole.of(SKILL, COMMAND):
        if "allowed-tools" not in one.fields:
            yield from (one.key_spot(key, key=key) for key in OTHER_KEYS if one.tools(key))


def ended_grants(whole: DefinitionSet) -> Iterator[Spot]:
    """Find grants for what comes after an agent that is started by the same text."""
    for one in whole.of(SKILL, COMMAND):
        tools = one.tools("allowed-tools")
        later = [tool.name + tool.pattern for tool in tools if tool.name in GRANTED_LATER]
        if later and any(tool.name in ("Agent", "Task") for tool in tools):
            yield one.key_spot("allowed-tools", tools=", ".join(later))


def pasted_arguments(whole: DefinitionSet) -> Iterator[Spot]:
    """Find arguments inside of commands that are run."""
    for one in whole.of(SKILL, COMMAND):
        for command in shell_commands(one):
            if found := ARGUMENT.search(command.text):
                yield one.body_spot(command.at, command=command.text, argument=found[0])


def refused_commands(whole: DefinitionSet) -> Iterator[Spot]:
    """Find commands that are run but that nothing in the definition allows."""
    for one in whole.of(SKILL, COMMAND):
        for command in shell_commands(one):
            found = ASKS.match(command.text)
            if found and not ARGUMENT.search(command.text) and not is_allowed(one, command.text):
                yield one.body_spot(command.at, command=command.text, kind=one.kind, word=found[0])


def is_allowed(one: Definition, command: str) -> bool:
    """Whether `allowed-tools` allows a command, judged by its beginning."""
    for tool in one.tools("allowed-tools"):
        begins = re.split(r":?\*", tool.pattern[1:-1], maxsplit=1)[0].rstrip()
        if tool.name == "Bash" and command.startswith(begins):
            return True
    return False


def counted_from_one(whole: DefinitionSet) -> Iterator[Spot]:
    """Find `$1` meant as the first argument, in the prose of a text that says it takes some."""
    for one in whole.of(SKILL, COMMAND):
        prose = FENCE.sub(lambda found: "\n" * found[0].count("\n"), one.body)
        if "argument-hint" in one.fields and not FIRST.search(one.body) and (found := SECOND.search(prose)):
            line = prose.count("\n", 0, found.start())
            yield one.body_spot(len("\n".join(one.body.split("\n")[:line])) + 1)


def replaced_columns(whole: DefinitionSet) -> Iterator[Spot]:
    """Find awk programs whose columns look like arguments."""
    for one in whole.of(SKILL, COMMAND):
        if found := AWK.search(one.body):
            yield one.body_spot(found.start(1), column=found[1])


def root_outside(whole: DefinitionSet) -> Iterator[Spot]:
    """Find the folder of a plugin in the text of a project."""
    for one in whole.of(SKILL, COMMAND) if not whole.plugin else ():
        if (at := one.body.find("${CLAUDE_PLUGIN_ROOT}")) >= 0:
            yield one.body_spot(at)


def bare_root(whole: DefinitionSet) -> Iterator[Spot]:
    """Find the folder of the plugin without braces, in shell code that the model is to run."""
    for one in whole.of(SKILL, COMMAND) if whole.plugin else ():
        for fence in FENCE.finditer(one.body):
            found = BARE_ROOT.search(fence[4]) if fence[3] in ("bash", "sh", "shell") else None
            if found:
                yield one.body_spot(fence.start(4) + found.start())


def folder_in_command(whole: DefinitionSet) -> Iterator[Spot]:
    """Find the folder of a skill in a command, which has none."""
    for one in whole.of(COMMAND):
        if (at := one.body.find("${CLAUDE_SKILL_DIR}")) >= 0:
            yield one.body_spot(at)


def hidden_twins(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a command and a skill of one name."""
    skills = {one.path.parent.name: one for one in whole.of(SKILL)}
    for one in whole.of(COMMAND):
        if one.path.stem in skills and one.path.parent.name == "commands":
            hidden = skills[one.path.stem] if whole.plugin else one
            wins = "command" if whole.plugin else "skill"
            yield hidden.key_spot("name", name=one.path.stem, wins=wins)


def forks_elsewhere(whole: DefinitionSet) -> Iterator[Spot]:
    """Find skills that are to run in an agent of their own plugin, without its full name."""
    for one in whole.of(SKILL, COMMAND) if whole.plugin else ():
        agent = str(one.fields.get("agent") or "")
        own = {other.name for other in whole.of(AGENT)} - BUILT_IN
        if one.fields.get("context") == "fork" and agent in own:
            yield one.key_spot("agent", agent=agent, right=f"{whole.plugin}:{agent}")


def dropped(whole: DefinitionSet) -> Iterator[Spot]:
    """Find front matter that the client cannot read."""
    for definition in whole.definitions:
        if definition.fault:
            yield definition.key_spot("", why=definition.fault)


TEXT_RULES = (
    LintRule("front-matter-dropped", "front-matter-dropped", "error",
             "the front matter is no YAML ({why}): the client drops all of it, limits of tools too",
             "quote the value", dropped),
    LintRule("description-cut", "description-cut", "warning",
             "{length} characters: in the list that the model chooses from, `description` and `when_to_use` "
             "together end at 1,536",
             "say first what it is for, and put the rest into the text", cut_descriptions),
    LintRule("grant-key", "grant-keys", "warning",
             "`{key}` allows nothing here", "name it `allowed-tools`", other_keys),
    LintRule("grants-end", "skill-grant", "warning",
             "these grants end when an agent started in the background reports back: {tools}",
             "allow in settings what is called after that, or by a PreToolUse hook", ended_grants),
    LintRule("shell-arguments", "shell-arguments", "error",
             "what is typed behind the command becomes part of this shell line, quoted or not: `{command}`",
             "leave {argument} to the text, and let the model make the call", pasted_arguments),
    LintRule("shell-not-allowed", "shell-not-allowed", "warning",
             "nothing allows `{command}`, so the whole {kind} fails where no setting does",
             "add `Bash({word} *)` to `allowed-tools`", refused_commands),
    LintRule("arguments-from-zero", "arguments-from-zero", "error",
             "`$1` is the second argument, and stays as it is where only one is given",
             "write `$0` for the first, `$1` for the second", counted_from_one),
    LintRule("awk-column", "awk-columns", "warning",
             "`{column}` in an awk program is replaced by an argument where so many are given",
             "write `\\{column}`", replaced_columns),
    LintRule("plugin-root-outside", "plugin-root-outside", "error",
             "`${{CLAUDE_PLUGIN_ROOT}}` is replaced in plugins alone, and no variable of the Bash tool",
             "name the path from the project's root, or use `${{CLAUDE_SKILL_DIR}}` in a skill", root_outside),
    LintRule("plugin-root-bare", "plugin-root-bare", "error",
             "`$CLAUDE_PLUGIN_ROOT` is replaced with its braces alone, and no variable of the Bash tool",
             "write `${{CLAUDE_PLUGIN_ROOT}}`", bare_root),
    LintRule("command-skill-dir", "skill-dir", "error",
             "`${{CLAUDE_SKILL_DIR}}` is replaced in skills alone",
             "make it a skill, or in a plugin write `${{CLAUDE_PLUGIN_ROOT}}`", folder_in_command),
    LintRule("same-name", "same-names", "error",
             "a command and a skill are named `{name}`: the {wins} answers, this one never",
             "rename one of them", hidden_twins),
    LintRule("fork-agent", "skill-agent-unknown", "error",
             "`{agent}` is not found without the plugin's name, and a general agent runs instead",
             "write `{right}`", forks_elsewhere),
)  # fmt: skip
