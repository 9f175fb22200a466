"""Whether the client can run baton's module, and why not."""

import re
from collections.abc import Mapping
from pathlib import Path
from shutil import which

from baton.checks.check_tree import read_record
from baton.errors import BatonError
from baton.process import run

# The first version in which modules run without a switch.
OLDEST = (2, 1, 330)
SETTING, OFF = "BATON_MODULE", "off"
# Set where the client was started with `--bare`, in which it has no tool that starts agents.
BARE = "CLAUDE_CODE_SIMPLE"
# What the client tells its children of itself, such as `claude-code_2-1-330_harness`.
TOLD = re.compile(r"claude-code_(\d+)-(\d+)-(\d+)")
MANAGED = "/etc/claude-code/managed-settings.json"


def find_client(folder: Path, environment: Mapping[str, str]) -> tuple[int, ...]:
    """Return the version of the client this is called in, else of the one on PATH; empty for none."""
    match = TOLD.match(environment.get("AI_AGENT", ""))
    if not match and which("claude"):
        try:
            match = re.match(r"(\d+)\.(\d+)\.(\d+)", run(("claude", "--version"), folder, seconds=20).out)
        except BatonError:
            return ()
    return tuple(map(int, match.groups())) if match else ()


def why_off(root: Path, version: tuple[int, ...], environment: Mapping[str, str]) -> str:
    """Say why the module cannot run; empty where no reason is seen."""
    if version < OLDEST:
        return f"Claude Code {'.'.join(map(str, OLDEST))} or newer runs it"
    if environment.get(SETTING) == OFF:
        return f"{SETTING}={OFF}"
    folders = (root / ".claude", Path.home() / ".claude")
    own = [folder / name for folder in folders for name in ("settings.json", "settings.local.json")]
    for path in (*own, Path(MANAGED)):
        settings = read_record(path)  # nothing of one that the client could not read either
        env = settings.get("env")
        if isinstance(env, dict) and env.get(SETTING) == OFF:
            return f"{SETTING}={OFF} in {path}"
        for name in ("disableAllHooks", "allowManagedHooksOnly"):
            if settings.get(name) is True:
                return f"`{name}` in {path}"
    return ""


def is_bare(environment: Mapping[str, str]) -> bool:
    """Whether the client this is called in can start no agents."""
    return environment.get(BARE, "0") not in ("", "0")
