"""The Pythons of this machine that the program promises to work with: each has its own `re`, `json` and so on."""

import os
import subprocess
from functools import cache
from glob import glob

import pytest

PROMISED = ("3.11", "3.12", "3.13", "3.14")
# Where they lie beside PATH: a system's own, and those of pyenv, uv and GitHub's runners.
PLACES = ("/usr/bin", "/usr/local/bin", "/opt/homebrew/bin")
INSTALLED = ("~/.pyenv/versions/*/bin", "~/.local/share/uv/python/*/bin", "$RUNNER_TOOL_CACHE/Python/*/*/bin")
ASK = "import os, sys; print('%d.%d.%d' % sys.version_info[:3], os.path.realpath(sys.executable))"


@cache
def pythons() -> dict[str, str]:
    """Return the path of a Python of each version there is."""
    folders = [
        *os.get_exec_path(),
        *PLACES,
        *(path for one in INSTALLED for path in glob(os.path.expanduser(os.path.expandvars(one)))),
    ]
    paths = {os.path.realpath(f"{folder}/python{one}") for folder in folders for one in PROMISED}
    found: dict[str, str] = {}
    for path in sorted(filter(os.path.exists, paths)):
        done = subprocess.run((path, "-I", "-S", "-c", ASK), capture_output=True, text=True, check=False)
        version, _, python = done.stdout.strip().partition(" ")
        if version.rpartition(".")[0] in PROMISED:
            found.setdefault(version, python)
    return {version: found[version] for version in sorted(found, key=as_numbers)}


def as_numbers(version: str) -> tuple[int, ...]:
    """Return a version as what compares: 3.14.10 is newer than 3.14.9."""
    return tuple(map(int, version.split(".")))


def say_pythons(terminalreporter: pytest.TerminalReporter) -> None:
    """Print under which Pythons hooks and launcher were tested, and which were not found."""
    ran = {stat.nodeid for key in ("passed", "failed") for stat in terminalreporter.stats.get(key, [])}
    used = [python for python in pythons() if any(f"[{python}]" in name for name in ran)]
    if used:
        missing = [one for one in PROMISED if not any(name.startswith(f"{one}.") for name in pythons())]
        lacking = f"; not found on this machine: {', '.join(missing)}" if missing else ""
        terminalreporter.write_line(f"hooks and launcher ran under Python {', '.join(used)}{lacking}")
