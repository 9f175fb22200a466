"""What the client makes of hooks otherwise than they expect."""

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from pathlib import Path

from baton_lab.lint.agent_rules import GONE, TOOLS
from baton_lab.lint.definition import AGENT, DefinitionSet, HookEntry, LintRule, Spot

OF_TOOLS = ("PreToolUse", "PostToolUse")
OF_AGENTS = ("SubagentStart", "SubagentStop")
WITHOUT_MATCHER = ("Stop", "UserPromptSubmit")
EVERYTHING = ("", "*", ".*")
EXACT = re.compile(r"[A-Za-z0-9_\-, |]*")
CALL = re.compile(r"[A-Z][A-Za-z]*\(.*\)")
ALL_TOOLS = TOOLS | {"AskUserQuestion", "ExitPlanMode", "Workflow"}
LOWER = {name.lower() for name in ALL_TOOLS}
ROOT = re.compile(r"\$\{?CLAUDE_PLUGIN_ROOT\b\}?")
SCRIPT = re.compile(r"^(?P<runner>(?:ba|z)?sh |python3? |node |bun )?\"?\$\{?CLAUDE_PLUGIN_ROOT\}?\"?/"
                    r"(?P<path>[\w./-]+)\"?(?= |$)")  # fmt: skip
RELATIVE = re.compile(r"^(?:(?:ba|z)?sh |python3? |node |bun )?\"?(?P<path>(?:\./)?[\w.-]+/[\w./-]+|\./[\w.-]+)")
ANSWERS = re.compile(r"permissionDecision|exit 2\b|sys\.exit\(2\)|process\.exit\(2\)|[\"']decision[\"']")
SECONDS = 1000
ASSIGNED = re.compile(r"(?:^|[\s;&|])\w+=$")
VARIABLE = re.compile(r"\$\{?(TOOL_NAME|TOOL_INPUT|CLAUDE_TOOL_NAME|CLAUDE_TOOL_INPUT|CLAUDE_FILE_PATHS)\b")


def script_of(entry: HookEntry, whole: DefinitionSet) -> tuple[Path, bool] | None:
    """Return the script of the plugin that a hook runs, and whether directly; None for another command."""
    found = SCRIPT.match(entry.command.strip()) if whole.plugin else None
    return (whole.root / found["path"], not found["runner"]) if found else None


def says(entry: HookEntry, whole: DefinitionSet, pattern: re.Pattern[str]) -> bool:
    """Whether a hook's command, or the script it runs, holds something."""
    script = script_of(entry, whole)
    text = entry.command
    with suppress(OSError):  # what cannot be read is not held against it
        if script and script[0].is_file() and script[0].stat().st_size < 1_000_000:
            text += script[0].read_text(encoding="utf-8", errors="replace")
    return bool(pattern.search(text))


def fires_for(matcher: str) -> set[str]:
    """Return the tools for which a matcher fires; none for what is no expression."""
    if matcher in EVERYTHING:
        return set(ALL_TOOLS)
    if EXACT.fullmatch(matcher):
        names = {name.strip() for name in re.split(r"[|,]", matcher)}
        return {name for name in ALL_TOOLS if name in names or (name == "Agent" and "Task" in names)}
    try:
        return {name for name in ALL_TOOLS if re.search(matcher, name)}
    except (re.error, OverflowError, RecursionError):
        return set()


def matched(whole: DefinitionSet, *events: str) -> Iterator[HookEntry]:
    """Yield the first hook of each group of some events that has a matcher."""
    groups = {id(hook.group): hook for hook in reversed(whole.hooks) if hook.event in events}
    return (hook for hook in whole.hooks if groups.get(id(hook.group)) is hook and hook.matcher not in EVERYTHING)


def not_anchored(whole: DefinitionSet) -> Iterator[Spot]:
    """Find expressions that fire for more tools than they name in full."""
    for one in matched(whole, *OF_TOOLS):
        if EXACT.fullmatch(one.matcher) or ".*" in one.matcher:
            continue
        fires = fires_for(one.matcher)
        meant = {name for name in fires if re.fullmatch(one.matcher, name)}
        if meant and (more := sorted(fires - meant)):
            yield one.spot(one.matcher, matcher=one.matcher, more=", ".join(more))


def permission_rules(whole: DefinitionSet) -> Iterator[Spot]:
    """Find matchers written as permission rules are."""
    for one in matched(whole, *OF_TOOLS):
        if CALL.fullmatch(one.matcher) and not fires_for(one.matcher):
            yield one.spot(one.matcher, matcher=one.matcher, name=one.matcher.partition("(")[0])


def unknown_tools(whole: DefinitionSet) -> Iterator[Spot]:
    """Find matchers that name nothing but tools that are gone or are written otherwise."""
    for one in matched(whole, *OF_TOOLS):
        names = [name.strip() for name in re.split(r"[|,]", one.matcher) if name.strip()]
        wrong = [name for name in names if name in GONE or (name not in ALL_TOOLS and name.lower() in LOWER)]
        if EXACT.fullmatch(one.matcher) and names and wrong == names:
            yield one.spot(one.matcher, matcher=one.matcher)


def agents_without_plugin(whole: DefinitionSet) -> Iterator[Spot]:
    """Find an agent of the plugin in a matcher, without the plugin's name."""
    own = {one.name for one in whole.of(AGENT)}
    for one in matched(whole, *OF_AGENTS) if whole.plugin else ():
        names = [name.strip() for name in re.split(r"[|,]", one.matcher)]
        if EXACT.fullmatch(one.matcher) and (found := [name for name in names if name in own]):
            yield one.spot(one.matcher, name=found[0], right=f"^{whole.plugin}:{found[0]}$")


def matcher_ignored(whole: DefinitionSet) -> Iterator[Spot]:
    """Find matchers of events that have none."""
    for one in matched(whole, *WITHOUT_MATCHER):
        yield one.spot(one.matcher, event=one.event, matcher=one.matcher)


def if_ignored(whole: DefinitionSet) -> Iterator[Spot]:
    """Find conditions beside a matcher, where they count for nothing."""
    seen: set[int] = set()
    for hook in whole.hooks:
        if "if" in hook.group and id(hook.group) not in seen:
            seen.add(id(hook.group))
            yield hook.spot(str(hook.group["if"]), condition=str(hook.group["if"]))


def answers_late(whole: DefinitionSet) -> Iterator[Spot]:
    """Find hooks that decide, but are not waited for."""
    for hook in whole.hooks:
        if hook.hook.get("async") is True and hook.event == "PreToolUse" and says(hook, whole, ANSWERS):
            yield hook.spot(hook.command)


def milliseconds(whole: DefinitionSet) -> Iterator[Spot]:
    """Find time limits that look like milliseconds: thousands, for a hook that is waited for."""
    for hook in whole.hooks:
        limit = hook.hook.get("timeout")
        if isinstance(limit, int) and limit >= SECONDS and limit % SECONDS == 0 and not hook.hook.get("async"):
            yield hook.spot("timeout", limit=str(limit), minutes=str(limit // 60))


def quoting(command: str) -> Iterator[str]:
    """Yield how each mention of the plugin's folder is quoted: `\"`, `'`, or nothing.

    What a variable is set to needs no quotes.
    """
    for found in ROOT.finditer(command):
        if ASSIGNED.search(command[: found.start()]):
            continue
        state = ""
        for before, character in pairwise(" " + command[: found.start()]):
            if character in "\"'" and before != "\\" and state in ("", character):
                state = "" if state else character
        yield state


def not_quoted(whole: DefinitionSet) -> Iterator[Spot]:
    """Find the plugin's folder where a shell splits it at a space."""
    for hook in whole.hooks if whole.plugin else ():
        if "args" not in hook.hook and "" in quoting(hook.command):
            yield hook.spot(hook.command, command=hook.command)


def from_the_project(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a plugin's script by a path that is looked for in the user's project."""
    for hook in whole.hooks if whole.plugin else ():
        found = RELATIVE.match(hook.command.strip())
        if found and (whole.root / found["path"]).is_file():
            yield hook.spot(hook.command, path=found["path"])


def without_script(whole: DefinitionSet) -> Iterator[Spot]:
    """Find hooks whose script is not there."""
    for hook in whole.hooks:
        script = script_of(hook, whole)
        if script and not script[0].exists():
            yield hook.spot(hook.command, path=str(script[0].relative_to(whole.root)))


def not_executable(whole: DefinitionSet) -> Iterator[Spot]:
    """Find scripts that are called directly, and may not be run."""
    for hook in whole.hooks:
        script = script_of(hook, whole)
        if script and script[1] and script[0].is_file() and not os.stat(script[0]).st_mode & 0o111:
            yield hook.spot(hook.command, path=str(script[0].relative_to(whole.root)))


def root_in_settings(whole: DefinitionSet) -> Iterator[Spot]:
    """Find the folder of a plugin in settings."""
    for hook in whole.hooks if not whole.plugin else ():
        if "${CLAUDE_PLUGIN_ROOT}" in hook.command:
            yield hook.spot(hook.command)


def unknown_variables(whole: DefinitionSet) -> Iterator[Spot]:
    """Find variables that no hook is given."""
    for hook in whole.hooks:
        if found := VARIABLE.search(hook.command):
            yield hook.spot(hook.command, name=found[1])


def two_inputs(whole: DefinitionSet) -> Iterator[Spot]:
    """Find a second hook that changes the input of a tool."""
    changing = [hook for hook in whole.hooks if hook.event == "PreToolUse" and hook.command
                and says(hook, whole, re.compile("updatedInput"))]  # fmt: skip
    for at, one in enumerate(changing):
        for other in changing[:at]:
            if both := sorted(fires_for(one.matcher) & fires_for(other.matcher)):
                yield one.spot(one.command, tool=both[0])
                break


HOOK_RULES = (
    LintRule("matcher-not-anchored", "matcher-not-anchored", "warning",
             "`{matcher}` is a regular expression that fires for {more} too",
             "write `^{matcher}$`, or the names alone with `|` between them", not_anchored),
    LintRule("matcher-permission", "matcher-permission", "error",
             "`{matcher}` never fires: a matcher is compared with the tool's name alone",
             "write `{name}`, and put the rest into the hook's `if`", permission_rules),
    LintRule("matcher-no-tool", "matcher-no-tool", "error",
             "`{matcher}` never fires: the client has no tool of this name",
             "write the name as the client does, such as `Bash`", unknown_tools),
    LintRule("matcher-agent", "matcher-agent", "error",
             "`{name}` never fires: the client names an agent of a plugin with the plugin",
             "write `{right}`", agents_without_plugin),
    LintRule("matcher-ignored", "matcher-ignored", "warning",
             "{event} has no matcher: the hook runs each time, not for `{matcher}` alone",
             "take the matcher out, and let the script decide", matcher_ignored),
    LintRule("if-ignored", "if-ignored", "error",
             "`if` beside a matcher is ignored: the hook runs also where `{condition}` does not hold",
             "put `if` into the hook itself", if_ignored),
    LintRule("hook-async-decision", "async-decision", "error",
             "a hook with `async` is not waited for: what it decides comes too late, and is dropped",
             "take `async` out", answers_late),
    LintRule("hook-timeout", "timeout-seconds", "warning",
             "`timeout` is in seconds: {limit} are {minutes} minutes", "write seconds", milliseconds),
    LintRule("hook-not-quoted", "root-not-quoted", "warning",
             "where the plugin's folder has a space in its path this cannot start: {command}",
             "write `\"${{CLAUDE_PLUGIN_ROOT}}/…\"`", not_quoted),
    LintRule("hook-relative", "hook-relative", "error",
             "`{path}` is looked for in the user's project, not in the plugin",
             "write `\"${{CLAUDE_PLUGIN_ROOT}}/…\"`", from_the_project),
    LintRule("hook-no-script", "hook-no-script", "error",
             "there is no {path}: the hook fails each time, and where that means exit code 2, as with `sh`, it "
             "blocks the tool",
             "add the script, or take the hook out", without_script),
    LintRule("hook-not-executable", "hook-not-executable", "error",
             "{path} may not be run, so the hook fails each time, and nothing is checked",
             "run `chmod +x` on it, or name its interpreter", not_executable),
    LintRule("hook-root-in-settings", "root-in-settings", "error",
             "`${{CLAUDE_PLUGIN_ROOT}}` in settings: the client refuses to run the hook",
             "write `\"$CLAUDE_PROJECT_DIR\"/…`, or move the hook into the plugin", root_in_settings),
    LintRule("hook-variable", "hook-variables", "error",
             "`${name}` is empty: the client gives a hook no such variable",
             "read JSON from standard input, such as `jq -r .tool_name`", unknown_variables),
    LintRule("hook-two-inputs", "two-inputs", "warning",
             "two hooks change the input of {tool}: the one that ends last wins, the other's change is lost",
             "change it in one hook", two_inputs),
)  # fmt: skip
