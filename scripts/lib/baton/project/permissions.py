"""The permission rules a story needs in the client's settings: those to add, and the line on what is missing."""

import json
import os
from itertools import takewhile
from pathlib import Path
from typing import Any

from baton.artifacts.config import LANGUAGES, ROOT_STEPS, Config
from baton.artifacts.strict_json import JsonFault, load_json
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.worktrees import main_root
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project
from baton.project.settings import read_settings

SETTINGS = ".claude/settings.local.json"
# What a line that begins so may be called as: an interpreter runs what agents write anyway, as the tests do.
RUNNERS = {
    **{name: (name,) for name in ("python", "python3", "node", "ruby", "jest", "vitest", "rspec", "ruff", "mypy")},
    "pytest": ("pytest", "python -m pytest", "python3 -m pytest"),
}
ASKS = {
    "default": "it asks before an agent edits a file or runs a command no rule allows",
    "acceptEdits": "edits do not ask; it asks before a command no rule allows",
    "bypassPermissions": "nothing asks",
    "dontAsk": "nothing asks, and what no rule allows is refused",
    "auto": "the client's own safety check decides what asks",
    "plan": "no agent is started: leave plan mode first",
}


def permission_line(project: Project, mode: str) -> str:
    """Return the line on the permission mode and its prompts, for the user."""
    says = ASKS.get(mode, "what it asks for is not known")
    line = f"Permission mode {mode or 'unknown'}: {says}. baton's own steps never ask."
    if missing := missing_rules(project, mode):
        line += f" Not allowed yet: {', '.join(missing)}; `baton init --allow` adds that."
    return line


def missing_rules(project: Project, mode: str) -> list[str]:
    """Return the rules a story needs in a permission mode that the client's settings do not have."""
    if mode not in ("default", "acceptEdits", "dontAsk", ""):
        return []
    missing = _not_allowed(project)
    return [rule for rule in missing if mode != "acceptEdits" or not rule.startswith("Edit(")]


def _not_allowed(project: Project) -> list[str]:
    allowed, git = set[str](), Git(project)
    # The client reads the main checkout's in all that are linked to it.
    for folder in {project.root / ".claude", main_root(git) / ".claude", Path.home() / ".claude"}:
        for name in ("settings.json", "settings.local.json"):
            allowed |= _allowed(folder / name)
    needed = [edit_rule(git)] if "Bash" in allowed else allow_rules(git)
    return [rule for rule in needed if not _is_covered(rule, allowed)]


def _is_covered(rule: str, allowed: set[str]) -> bool:
    """Whether a rule is allowed, or an allowed one covers its command by a prefix."""
    if rule in allowed or (rule.startswith("Edit(") and "Edit" in allowed):
        return True
    command = rule.removeprefix("Bash(").removesuffix(" *)").removesuffix(")")
    prefixes = (
        text[5:-2].rstrip(" :") for text in allowed if text.startswith("Bash(") and text.endswith(("*)", ":*)"))
    )
    return rule.startswith("Bash(") and any(
        f"{command} ".startswith(f"{prefix} ") for prefix in prefixes if prefix
    )


def _allowed(path: Path) -> set[str]:
    """Return the rules a settings file allows; none for a file the client could not read either."""
    try:
        rules = json.loads(path.read_text(encoding="utf-8"))["permissions"]["allow"]
    except (OSError, ValueError, KeyError, TypeError):
        return set()
    return {rule for rule in rules if isinstance(rule, str)} if isinstance(rules, list) else set()


def allow_rules(git: Git) -> list[str]:
    """Return the permission rules a story needs: edits in the trees of its runs, the project's own commands."""
    _, config = read_settings(git, "")
    return [edit_rule(git), *command_rules(config)]


def edit_rule(git: Git) -> str:
    """Return the rule for the trees the client makes for runs: absolute, so it holds wherever that was started."""
    return f"Edit(/{main_root(git)}/.claude/worktrees/**)"


def command_rules(config: Config) -> list[str]:
    """Return the rules for the configured commands as agents call them: with other options, or on one test."""
    own = [language.commands for name, language in config.languages.items() if language is not LANGUAGES.get(name)]
    named = [commands[name] for commands in (config.commands, *own) for name in ROOT_STEPS if name in commands]
    named += [command.run for command in config.prepush]
    lines = [line for line in named if not set("\n;&|<>`$()*") & set(line)]
    called = [name for line in lines for name in _called_as(line)]
    return [f"Bash({name}{suffix})" for name in dict.fromkeys(called) for suffix in ("", " *")]


def _called_as(line: str) -> tuple[str, ...]:
    """Return the beginnings of the calls that a rule for this line allows."""
    first, *others = line.split(" ")
    if first in RUNNERS:
        return RUNNERS[first]
    words = [first, *takewhile(lambda word: word and word[0] not in "-./\"'" and "/" not in word, others)]
    # One word may be a shell, or a package manager that also publishes: then the line as it is written.
    return (" ".join(words) if len(words) > 1 else line,)


def write_rules(project: Project, rules: list[str]) -> list[str]:
    """Add rules to the client's local settings; returns those that were missing."""
    path = project.root / SETTINGS
    try:
        settings: Any = load_json(path.read_text(encoding="utf-8")) if path.exists() else {}
        allowed = settings.setdefault("permissions", {}).setdefault("allow", [])
        missing = [rule for rule in rules if rule not in allowed]
        allowed += missing
    except (OSError, JsonFault, AttributeError, TypeError, UnicodeDecodeError) as error:
        raise BatonError(f"not settings as the client writes them ({error})", str(path), "fix it") from error
    if missing or path.exists():
        _ignore_settings(Git(project))
    if missing:
        write_durably(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n", project.root)
    return missing


def _ignore_settings(git: Git) -> None:
    """Keep the local settings out of `git status`, by a `.gitignore` in their folder that lists itself, too."""
    tracked = git.ask("ls-files", "--error-unmatch", "--", SETTINGS).code == 0
    path = git.project.root / SETTINGS
    place = path.with_name(".gitignore")
    if not (tracked or git.ignored_by(SETTINGS) or os.path.lexists(place)):
        write_durably(place, f"/{path.name}\n/{place.name}\n", git.project.root)
