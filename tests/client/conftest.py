"""The real client for every test in this folder, or the reason why they are left out."""

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.model import Model
from baton_lab.scripted_client.script import Script
from client.extra_calls import table
from client.fetch_client import client
from client.person import MODULE_OFF, PLUGIN, NewDesk, baton, begin_story
from fetched import or_skip


@pytest.fixture(scope="session")
def real_client() -> Path:
    """Return the pinned client; leave the test out, saying why, where there is none."""
    return or_skip(client())


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a fresh repository on its branch main."""
    folder = tmp_path / "project"
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "main", folder], check=True)
    return folder


@pytest.fixture
def shared_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every client use the packages this machine has set up: a client here has no network."""
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    monkeypatch.setenv("XDG_DATA_HOME", home)
    assert baton(Path.cwd(), "--version")


@pytest.fixture
def ready(shared_environment: None, project: Path) -> Path:
    """Return a repository with a story that was asked all it is asked at the start."""
    return begin_story(project)


@pytest.fixture
def small(shared_environment: None, project: Path) -> Path:
    """Return the same with a story that is known to be small."""
    return begin_story(project, "--complexity", "1")


@pytest.fixture
def new_desk(real_client: Path, tmp_path: Path, project: Path) -> Iterator[NewDesk]:
    """Return what makes a desk out of a model's scripts; the model's requests end up in desk*.jsonl."""
    with ExitStack() as stack:
        # The client's sockets lie in its temporary folder, and a socket's path must be short.
        scratch = stack.enter_context(TemporaryDirectory(prefix="desk-"))
        made = itertools.count(1)

        def make(scripts: Mapping[str, Script]) -> Desk:
            model = stack.enter_context(Model(scripts))
            name = f"desk{next(made)}"
            stack.callback(model.dump, tmp_path / f"{name}.jsonl")
            # What a model is told and does by the skills is seen without the module; test_module.py has it on.
            extra = {"CLAUDE_CODE_TMPDIR": scratch, **MODULE_OFF}
            return Desk(real_client, model, tmp_path / name / "home", project, extra=extra).settle()

        yield make


@pytest.fixture
def plugin_copy(tmp_path: Path) -> Path:
    """The plugin as git has it, in a folder with a space and a letter that is not ASCII."""
    folder = tmp_path / "grün plugin"
    names = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=PLUGIN, check=True, capture_output=True, text=True,
    ).stdout.split("\0")  # fmt: skip
    for name in filter(None, names):
        if not name.startswith("tests/"):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(PLUGIN / name, folder / name)
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what each misbehaviour cost."""
    for line in table():
        terminalreporter.write_line(line)
