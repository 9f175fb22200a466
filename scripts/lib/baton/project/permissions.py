"""The permissions that the client will ask for while a story runs, told before it begins."""

import json
from pathlib import Path

from baton.git.command import Git
from baton.git.worktrees import main_root
from baton.journal.paths import Project
from baton.project.first_settings import allow_rules, edit_rule

ASKS = {
    "default": "it asks before an agent edits a file or runs a command no rule allows",
    "acceptEdits": "edits do not ask; it asks before a command no rule allows",
    "bypassPermissions": "nothing asks",
    "dontAsk": "nothing asks, and what no rule allows is refused",
    "auto": "the client's own safety check decides what asks",
    "plan": "nothing can be edited: leave plan mode first",
}


def permission_line(project: Project, mode: str) -> str:
    """Return the line on the permission mode and its prompts, to be repeated to the user."""
    says = ASKS.get(mode, "what it asks for is not known")
    line = f"Permission mode {mode or 'unknown'}: {says}. baton's own steps never ask."
    if missing := missing_rules(project, mode):
        line += f" Not allowed yet: {', '.join(missing)}; `baton init --allow` adds that."
    return f"Say this line to the user first, word for word:\n{line}"


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
