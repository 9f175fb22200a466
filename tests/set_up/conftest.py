"""A copy of the plugin with a stub program in it, and one set of packages that the tests here share."""

import json
import os
import shlex
import shutil
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PYTHON = Path(sys.executable).resolve()
CLI = """
import json, os, sys
def main():
    import click, jinja2, jsonschema, yaml
    print(json.dumps({"argv": sys.argv, "cwd": os.getcwd(), "python": sys.executable, "path": sys.path,
                      "click": click.__file__, "cli": __file__, "modules": sorted(sys.modules)}))
"""
# Instead of what pip would do, so that only one set-up of a whole test run needs the network.
COPY = """

def _install(packages, *_):
    import shutil
    shutil.copytree({packages!r}, packages)
"""
HOOK = """
import sys
def main():
    print(sys.stdin.read(), "site" in sys.modules, "baton.bootstrap" in sys.modules)
"""


@dataclass(frozen=True)
class Place:
    """Where a test runs the launcher: a plugin, a data folder, a PATH, and settings on top."""

    plugin: Path
    data: Path
    path: str

    def settings(self, **more: str) -> dict[str, str]:
        """Return the environment variables of a call."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("BATON_", "PYTHON"))}
        return {**kept, "PATH": self.path, "XDG_DATA_HOME": str(self.data), **more}

    def start(self, command: list[str], **more: str) -> "subprocess.Popen[str]":
        """Start `command` with these settings and `more`."""
        pipe = subprocess.PIPE
        return subprocess.Popen(
            command, env=self.settings(**more), stdin=pipe, stdout=pipe, stderr=pipe, text=True
        )

    def run(self, *arguments: str, command: str = "", **more: str) -> "Ended":
        """Run `scripts/baton`, or the words of `command`, to its end, with `hello` on its standard input."""
        called = shlex.split(command) or [str(self.plugin / "scripts/baton")]
        process = self.start([*called, *arguments], **more)
        out, error = process.communicate("hello")
        return Ended(process.returncode, out, error)

    def environments(self) -> list[str]:
        """Return the names of the folders of packages there are."""
        return sorted(path.name for path in self.data.glob("baton/environments/[!.]*"))


@dataclass(frozen=True)
class Ended:
    """What a call of the launcher came to."""

    code: int
    out: str
    error: str

    @property
    def said(self) -> dict[str, Any]:
        """Return what the stub program printed."""
        assert self.code == 0, self.error
        printed: dict[str, Any] = json.loads(self.out)
        return printed


@dataclass(frozen=True)
class FirstCalls:
    """Five calls at the same moment on a machine where nothing is set up, and the plugin before and after."""

    place: Place
    ended: list[Ended]
    before: set[tuple[str, int, int]]
    after: set[tuple[str, int, int]]


def copy_plugin(to: Path) -> Path:
    """Copy the plugin's programs to the folder `to`, with stubs for what they start; return `to`."""
    for part in ("bin", "scripts"):
        shutil.copytree(ROOT / part, to / part, ignore=shutil.ignore_patterns("__pycache__"))
    (to / "scripts/lib/baton/cli.py").write_text(CLI)
    hooks = to / "scripts/lib/baton/hooks"
    hooks.mkdir(exist_ok=True)
    (hooks / "__init__.py").write_text("")
    (hooks / "pre_tool_use.py").write_text(HOOK)
    return to


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until what runs in the background has come to something, two minutes at most."""
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def files(folder: Path) -> set[tuple[str, int, int]]:
    """Return path, size and time of change of everything in `folder`."""
    states = [(path, path.lstat()) for path in [folder, *folder.rglob("*")]]
    return {(str(path), 0 if stat.S_ISDIR(at.st_mode) else at.st_size, at.st_mtime_ns) for path, at in states}


@pytest.fixture(scope="session")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for PATH with this Python."""
    folder = tmp_path_factory.mktemp("tools")
    (folder / "python3").symlink_to(PYTHON)
    for name in ("readlink", "cp"):
        (folder / name).symlink_to(str(shutil.which(name)))
    return folder


@pytest.fixture(scope="session")
def first_calls(tmp_path_factory: pytest.TempPathFactory, tools: Path) -> FirstCalls:
    """The one real set-up the tests share, with settings around that must not matter."""
    folder = tmp_path_factory.mktemp("first")
    place = Place(copy_plugin(folder / "plug in ü"), folder / "dåta home", str(tools))
    (folder / "stray").mkdir()
    (folder / "stray/click.py").write_text("raise SystemExit('not this one')")
    stray = str(folder / "stray")
    launcher = [str(place.plugin / "scripts/baton")]
    hostile = {"PIP_TARGET": stray, "PIP_USER": "1", "PIP_REQUIRE_VIRTUALENV": "1", "PIP_PREFIX": stray}
    before = files(place.plugin)
    calls = [place.start(launcher, **hostile, PYTHONPATH=stray, PYTHONHOME=stray) for _ in range(5)]
    outputs = [call.communicate() for call in calls]
    ended = [Ended(call.returncode, *output) for call, output in zip(calls, outputs, strict=True)]
    return FirstCalls(place, ended, before, files(place.plugin))


@pytest.fixture
def place(first_calls: FirstCalls) -> Place:
    """The plugin with its packages ready."""
    assert first_calls.ended[0].code == 0, first_calls.ended[0].error
    return first_calls.place


@pytest.fixture
def unset(place: Place, tmp_path: Path) -> Place:
    """A copy of the plugin of its own, with nothing set up yet and a folder `bin` for its PATH."""
    (tmp_path / "data/baton").mkdir(parents=True)
    (tmp_path / "data/baton/pycache").symlink_to(place.data / "baton/pycache")  # to be quick
    return Place(copy_plugin(tmp_path / "plugin"), tmp_path / "data", f"{tmp_path}/bin:{place.path}")


@pytest.fixture
def fresh(unset: Place, place: Place) -> Place:
    """The same, where setting up copies the shared packages."""
    with (unset.plugin / "scripts/lib/baton/install_packages.py").open("a") as file:
        file.write(COPY.format(packages=str(Path(place.run().said["click"]).parents[1])))
    return unset
