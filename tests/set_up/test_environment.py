"""The packages are made once, whole or not at all, in whichever way works here; what fails is one line."""

import os
import shlex
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from baton import bootstrap as environment
from baton.errors import BatonError
from baton.hooks import set_up

from .conftest import Ended, Place, copy_plugin, fake_uv, wait_for

# Ways to install.


def test_uv_is_used_when_it_is_there(fresh: Place, tmp_path: Path) -> None:
    ended = fresh.run()
    assert "with uv" in ended.error
    assert str(tmp_path) in ended.said["click"]
    (call,) = (tmp_path / "uv/calls").read_text().splitlines()
    assert call.startswith("pip install")
    assert "--require-hashes" in call
    assert "venv" not in (fresh.data / "baton/setup.log").read_text()


def test_the_real_uv_installs(fresh: Place, tmp_path: Path) -> None:
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if uv is None:
        pytest.skip("there is no uv on this machine")
    (tmp_path / "uv/uv").unlink()
    (tmp_path / "uv/uv").symlink_to(uv)
    assert str(tmp_path) in fresh.run().said["click"]
    assert "venv" not in (fresh.data / "baton/setup.log").read_text()


def test_the_pip_of_this_python_installs_when_no_other_way_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if subprocess.run([sys.executable, "-E", "-m", "pip", "-V"], capture_output=True).returncode:
        pytest.skip("this Python has no pip")
    last = [[sys.executable, "-E", *environment.PIP]]
    ways = {"a uv that fails": [["false"]], "one that lies": [["true"]], "one gone": [["/no"]], "pip": last}
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(environment, "_ways", lambda work: ways)
    assert Path(environment.ready(), "click/__init__.py").exists()


# What counts as an environment.


def test_a_changed_lock_file_makes_another_and_leaves_the_old(fresh: Place) -> None:
    old = fresh.run().said["click"]
    with (fresh.plugin / "scripts/lib/requirements.txt").open("a") as lock:
        lock.write("# changed\n")
    assert fresh.run().said["click"] != old
    assert Path(old).exists()


def test_another_copy_of_the_plugin_with_the_same_lock_file_shares_it(place: Place, tmp_path: Path) -> None:
    copy = Place(copy_plugin(tmp_path), place.data, place.path)
    assert copy.run().said["click"] == place.run().said["click"]


def test_a_half_made_environment_is_not_taken_for_a_whole_one(fresh: Place, place: Place) -> None:
    (name,) = place.environments()
    half = fresh.data / "baton/environments" / name
    (half / "click").mkdir(parents=True)
    assert str(half) in fresh.run().said["click"]
    assert (half / "click/__init__.py").exists()


def test_a_killed_set_up_leaves_nothing_that_counts(fresh: Place, tmp_path: Path, copying_uv: str) -> None:
    fake_uv(tmp_path / "uv", f"({copying_uv}); kill -9 $PPID")
    assert fresh.run().code == -9
    assert not fresh.environments()
    fake_uv(tmp_path / "uv", copying_uv)
    assert fresh.run().said["click"]
    assert not list(fresh.data.glob("baton/environments/.making-*"))


# What goes wrong.


def test_without_a_network_one_line_says_so_and_the_next_call_tries_again(fresh: Place, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        closed = f"http://127.0.0.1:{server.getsockname()[1]}/simple"
    offline = {"PIP_INDEX_URL": closed, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_RETRIES": "1"}
    ended = fresh.run(**offline, PATH=str(fresh.path.partition(":")[2]))
    assert ended.code == 2
    assert ended.out == ""
    _, line = ended.error.splitlines()
    assert line.startswith("baton: cannot set up its Python packages (the package registry was not reached) at ")
    assert fresh.run().said["click"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("Caused by: error sending request for url (https://a.invalid/)", "the package registry was not reached"),
        ("Retrying after connection broken by 'NewConnectionError'", "the package registry was not reached"),
        ("(from versions: none)", "the registry lacks a package or was not reached"),
        ("OSError: [Errno 28] No space left on device", "no space is left"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES", "a package is not the locked one"),
        ("/usr/bin/python3: No module named pip", "there is no uv, venv or pip"),
        ("error: command 'cc' failed", "every way failed"),
    ],
    ids=["uv: no network", "pip: no network", "nothing", "a full disk", "another", "no installer", "the rest"],
)
def test_a_failure_names_its_cause_and_where_the_output_is(said: str, why: str) -> None:
    error = environment._failure(said, "/env", "/the/log")
    assert (error.what, error.where) == (f"cannot set up its Python packages ({why})", "/env")
    assert error.remedy.endswith("what the installers said is in /the/log")


def test_a_data_folder_that_cannot_be_made_is_one_line(place: Place) -> None:
    ended = place.run(XDG_DATA_HOME="/dev/null")
    assert ended.code == 2
    assert ended.error.startswith("baton: cannot keep its Python packages at /dev/null/baton/environments: ")
    assert len(ended.error.splitlines()) == 1


def test_a_user_without_a_home_folder_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setenv("XDG_DATA_HOME", "not/absolute")
    monkeypatch.setattr(os, "getuid", lambda: 4_000_000_001)
    with pytest.raises(BatonError, match="at HOME: set HOME or XDG_DATA_HOME"):
        environment.data_home()


# Hooks wait for nothing.


def test_a_hook_before_all_is_set_up_says_nothing_and_sets_nothing_up(fresh: Place) -> None:
    for event in ("user-prompt-submit", "post-tool-use", "subagent-stop"):
        assert fresh.run("hook", event) == Ended(0, "", "")
    assert not (fresh.data / "baton/setup.log").exists()


def test_a_sessions_start_sets_up_in_the_background_once(fresh: Place, tmp_path: Path) -> None:
    assert fresh.run("hook", "session-start") == Ended(0, "", "")
    wait_for(lambda: len(fresh.environments()) == 1)
    assert fresh.run("hook", "session-start").said["argv"] == ["baton", "hook", "session-start"]


def test_a_set_up_that_failed_is_left_alone_for_a_while(fresh: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(fresh.data))
    began: list[None] = []
    monkeypatch.setattr(set_up, "_set_up_in_background", lambda: began.append(None))
    log = fresh.data / "baton/setup.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("no network")
    assert (set_up.ready_for_hook("session-start"), began) == ("", [])
    os.utime(log, (0, 0))
    assert (set_up.ready_for_hook("session-start"), began) == ("", [None])


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
