"""The packages are installed once, all or none of them; what fails is one line."""

import os
import shlex
import socket
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from baton import bootstrap as environment
from baton.hooks import set_up
from baton.install_packages import failure_in
from programs import write_program
from pythons import as_numbers, pythons

from .conftest import PYTHON, Ended, Place, copy_plugin, wait_for

pytestmark = pytest.mark.sampled(3)

# What counts as set up.


def test_a_changed_lock_file_makes_another_and_leaves_the_old(fresh: Place) -> None:
    old = fresh.run().said["click"]
    with (fresh.plugin / "scripts/lib/requirements.txt").open("a") as lock:
        lock.write("# changed\n")
    assert fresh.run().said["click"] != old
    assert Path(old).exists()


def test_another_copy_of_the_plugin_with_the_same_lock_file_shares_it(place: Place, tmp_path: Path) -> None:
    copy = Place(copy_plugin(tmp_path), place.data, place.path)
    assert copy.run().said["click"] == place.run().said["click"]


def test_a_killed_set_up_leaves_nothing_that_counts(fresh: Place) -> None:
    program = fresh.plugin / "scripts/lib/baton/install_packages.py"
    text = program.read_text()
    program.write_text(text + "    os.kill(os.getpid(), 9)\n")
    assert fresh.run().code == -9
    assert not fresh.environments()
    program.write_text(text)
    assert fresh.run().said["click"]
    assert {path.name for path in fresh.data.glob("baton/environments/.*")} == {".lock"}


# What goes wrong.


@pytest.mark.long
def test_without_a_network_one_line_says_so_and_nothing_is_kept(unset: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"http://127.0.0.1:{server.getsockname()[1]}/simple"
    offline = {"PIP_INDEX_URL": closed, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_RETRIES": "1"}
    ended = unset.run(**offline)
    assert (ended.code, ended.out, unset.environments()) == (2, "", [])
    _, line = ended.error.splitlines()
    assert line.startswith("baton: cannot set up its Python packages (the package registry was not reached) at ")


@pytest.mark.parametrize(
    ("output", "why"),
    [
        ("Retrying after connection broken by 'NewConnectionError'", "the package registry was not reached"),
        ("(from versions: none)", "the registry lacks a package or was not reached"),
        ("OSError: [Errno 28] No space left on device", "no space is left"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "a package is not the locked one"),
        (
            "was not created because ensurepip is not\navailable",
            "this Python has no venv or no pip in it",
        ),
        ("/usr/bin/python3: No module named venv", "this Python has no venv or no pip in it"),
        ("ModuleNotFoundError: No module named 'click'", "pip failed"),
    ],
)
def test_a_failure_names_its_cause(output: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    log = tmp_path / "baton/setup.log"
    log.parent.mkdir()
    log.write_text(output)
    error = failure_in(environment.log_file())
    assert error.what == f"cannot set up its Python packages ({why})"
    assert error.remedy.endswith(f"the output is in {log}")


@pytest.mark.parametrize(("free", "why"), [(10_000_000, "no space is left"), (10_000_000_000, "pip failed")])
def test_a_full_disk_is_named_where_no_tool_names_it(
    free: int, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda path: SimpleNamespace(free=free))
    log = tmp_path / "setup.log"
    log.write_text("Command '-m ensurepip' returned non-zero exit status 1.")
    assert failure_in(str(log)).what == f"cannot set up its Python packages ({why})"


def test_a_data_folder_that_cannot_be_made_is_one_line(place: Place) -> None:
    ended = place.run(XDG_DATA_HOME="/dev/null")
    assert ended.code == 2
    assert ended.error.startswith("baton: cannot keep its Python packages at /dev/null/baton/environments: ")
    assert len(ended.error.splitlines()) == 1


# Hooks wait for nothing.


def test_a_hook_before_all_is_set_up_says_nothing_and_sets_nothing_up(fresh: Place) -> None:
    for event in ("user-prompt-submit", "post-tool-use", "subagent-stop"):
        assert fresh.run("hook", event) == Ended(0, "", "")
    assert not (fresh.data / "baton/setup.log").exists()


def test_a_sessions_start_sets_up_in_the_background_once(fresh: Place) -> None:
    assert fresh.run("hook", "session-start") == Ended(0, "", "")
    wait_for(lambda: len(fresh.environments()) == 1)
    assert fresh.run().error == ""


def test_a_set_up_that_failed_is_left_alone_for_a_while(fresh: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(fresh.data))
    began: list[None] = []
    monkeypatch.setattr(set_up, "_set_up_in_background", lambda _: began.append(None))
    log = fresh.data / "baton/setup.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("no network")
    assert (set_up.ready_for_hook("session-start"), began) == ("", [])
    os.utime(log, (0, 0))
    assert (set_up.ready_for_hook("session-start"), began) == ("", [None])


def test_a_newer_python_on_path_is_remembered_at_a_sessions_start(fresh: Place, tmp_path: Path) -> None:
    version, newest = list(pythons().items())[-1]
    if as_numbers(version) <= sys.version_info[:3]:
        pytest.skip("there is no newer Python on this machine")
    fresh.run()
    write_program(tmp_path / "bin/python3.14", "exit 1")  # as a version manager's that is not set up
    write_program(tmp_path / "bin/python3.13", f'exec {newest} "$@"')
    assert (fresh.data / "baton/python").read_text() == f"{PYTHON}\n"
    assert fresh.run("hook", "session-start", BATON_PYTHON=str(PYTHON)).code == 0
    assert not (fresh.data / "baton/looked").exists()  # the user has chosen
    assert fresh.run("hook", "session-start").code == 0
    wait_for(lambda: (fresh.data / "baton/python").read_text() == f"{newest}\n")

    (fresh.data / "baton/looked").unlink()
    (tmp_path / "bin/python3.13").unlink()
    older = fresh.run(BATON_NEWER_THAN=str(0x030E00F0), PATH=f"{tmp_path}/bin:{fresh.path}")
    assert (older.code, older.out) == (0, "")
    assert (fresh.data / "baton/python").read_text() == f"{newest}\n"


@pytest.fixture
def shell_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "env.sh"
    path.write_text("export OTHER=1\n")
    monkeypatch.setenv("CLAUDE_ENV_FILE", str(path))
    return path


def test_a_session_is_told_which_python_to_use_and_that_hooks_are_on(shell_settings: Path) -> None:
    set_up.tell_shell()
    told = f"export BATON_PYTHON={environment.python_for_shell()}\nexport BATON_HOOKS=1\n"
    assert shell_settings.read_text() == f"export OTHER=1\n{told}"


def test_a_python_in_a_folder_with_spaces_is_quoted(shell_settings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_up, "python_for_shell", lambda: "/opt/my python/$x'y")
    set_up.tell_shell()
    line = shell_settings.read_text().splitlines()[1]
    assert shlex.split(line) == ["export", "BATON_PYTHON=/opt/my python/$x'y"]


def test_a_file_that_cannot_be_written_is_one_line(place: Place, tmp_path: Path) -> None:
    said = place.run("hook", "session-start", CLAUDE_ENV_FILE=str(tmp_path))
    assert (said.code, said.out, said.error.count("\n")) == (1, "", 1)
