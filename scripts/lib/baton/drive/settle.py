"""What `init` settles: a configuration to commit, and the client's permission rules."""

import json
import os
from typing import Any

from baton.artefacts.config import LANGUAGES, NAME, Config
from baton.artefacts.document import read_document
from baton.artefacts.strict_json import JsonFault, load_json
from baton.drive.render import render
from baton.drive.settings import find_base, read_settings
from baton.errors import BatonError
from baton.outside.git import Git
from baton.story.durable import write_durably
from baton.story.places import Project

SETTINGS = ".claude/settings.local.json"


def config_text(git: Git) -> str:
    """Give the configuration for this repository: the one that is there, or a plain one to begin with."""
    path = git.project.root / NAME
    if os.path.lexists(path):
        return read_document(path)
    base = find_base(git)
    if not base:
        raise BatonError("no commit yet", str(git.project.root), "make a first commit, then call again")
    return render("config.yaml.j2", base=base)


def write_config(project: Project, text: str) -> bool:
    """Write the configuration unless there is one; whether it was written."""
    path = project.root / NAME
    if os.path.lexists(path):
        return False
    write_durably(path, text, project.root)
    return True


def allow_rules(git: Git) -> list[str]:
    """Give the permission rules a story needs: edits inside the project, baton, the project's own commands."""
    _, config = read_settings(git, "")
    return ["Edit(/**)", "Bash(baton *)", *_command_rules(config)]


def _command_rules(config: Config) -> list[str]:
    own = [one.commands for name, one in config.languages.items() if one is not LANGUAGES.get(name)]
    named = [line for commands in (config.commands, *own) for line in commands.values()]
    lines = [line for line in named if not set("\n;&|<>`$()*") & set(line)]
    return [f"Bash({line}{suffix})" for line in dict.fromkeys(lines) for suffix in ("", " *")]


def write_rules(project: Project, rules: list[str]) -> list[str]:
    """Add rules to the client's local settings, keeping all that is there; gives those that were missing."""
    path = project.root / SETTINGS
    try:
        settings: Any = load_json(path.read_text(encoding="utf-8")) if path.exists() else {}
        allowed = settings.setdefault("permissions", {}).setdefault("allow", [])
        missing = [rule for rule in rules if rule not in allowed]
        allowed += missing
    except (OSError, JsonFault, AttributeError, TypeError, UnicodeDecodeError) as error:
        raise BatonError(f"not settings as the client writes them ({error})", str(path), "mend it") from error
    if missing:
        write_durably(path, json.dumps(settings, indent=2, ensure_ascii=False) + "\n", project.root)
    return missing
