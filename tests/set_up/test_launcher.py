"""From a shell, a hook or a link: the launcher finds its plugin, a Python and its packages, or says why not."""

import os
import shlex
import shutil
from pathlib import Path

import pytest

from baton import bootstrap as environment
from programs import write_program

from .conftest import PYTHON, Ended, FirstCalls, Place, copy_plugin

SHELLS = ["sh", "dash", "bash --posix", "busybox sh", "ksh", "zsh --emulate sh"]


# The first call.


def test_of_five_calls_at_the_same_moment_one_sets_up_and_all_work(first_calls: FirstCalls) -> None:
    used = {ended.said["click"] for ended in first_calls.ended}
    progress = [line for ended in first_calls.ended for line in ended.error.splitlines()]
    assert progress == ["baton: setting up its Python packages once ..."]
    assert len(used) == len(first_calls.place.environments()) == 1


def test_nothing_in_the_plugin_folder_changes(first_calls: FirstCalls) -> None:
    assert first_calls.before == first_calls.after


def test_setting_up_leaves_no_scratch_behind(first_calls: FirstCalls) -> None:
    names = {path.name for path in (first_calls.place.data / "baton/environments").iterdir()}
    assert names == {".lock", *first_calls.place.environments()}


def test_the_second_call_is_silent_and_needs_no_path(place: Place) -> None:
    ended = place.run("status", "a b", PATH="/nowhere")
    assert ended.error == ""
    assert ended.said["argv"] == ["baton", "status", "a b"]
    assert ended.said["python"] == str(PYTHON)


def test_a_ready_call_imports_nothing_heavy_before_the_program(place: Place, tmp_path: Path) -> None:
    plugin = copy_plugin(tmp_path)
    (plugin / "scripts/lib/baton/cli.py").write_text("import sys\ndef main(): print(*sys.modules)")
    loaded = Place(plugin, place.data, place.path).run().out.split()
    assert {"baton.bootstrap", "os"} <= {*loaded}
    assert not {"site", "subprocess", "hashlib", "shutil", "re", "typing", "pathlib"} & {*loaded}


def test_the_hook_on_tool_calls_runs_without_an_environment(fresh: Place) -> None:
    assert fresh.run("hook", "pre-tool-use").out == "hello False False\n"
    assert not fresh.environments()


def test_a_home_that_is_not_there_leaves_nothing_in_the_current_folder(
    fresh: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = set(tmp_path.iterdir())
    assert fresh.run("hook", "pre-tool-use", HOME="/no-such-home", XDG_DATA_HOME="").code == 0
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize("wrong", [{"XDG_DATA_HOME": "/dev/null"}, {"BATON_PYTHON": "/bin/false"}], ids=str)
def test_a_hook_that_cannot_start_is_silent_and_blocks_nothing(wrong: dict[str, str], place: Place) -> None:
    assert place.run("hook", "pre-tool-use", BATON_PYTHON="/bin/false") == Ended(0, "", "")
    assert place.run("hook", "post-tool-use", **wrong) == Ended(0, "", "")


def test_without_a_python_the_start_of_a_session_says_so_in_one_line(place: Place) -> None:
    said = place.run("hook", "session-start", BATON_PYTHON="/bin/false")
    assert (said.code, said.error.count("\n")) == (1, 1)


# Which Python.


def test_baton_python_is_honored(place: Place, tmp_path: Path) -> None:
    chosen = tmp_path / "my python"
    chosen.symlink_to(PYTHON)
    assert place.run(BATON_PYTHON=str(chosen)).said["python"] == str(chosen)


def test_a_baton_python_that_is_gone_is_told(place: Place) -> None:
    line = "baton: no Python 3.11 to 3.14 at /no/such/python: set BATON_PYTHON to one, or unset it\n"
    assert place.run(BATON_PYTHON="/no/such/python") == Ended(2, "", line)
    assert place.run("hook", "pre-tool-use", BATON_PYTHON="/no/such/python") == Ended(0, "", "")


def test_one_that_a_sessions_start_named_and_is_gone_is_passed_over(place: Place) -> None:
    assert place.run(BATON_PYTHON="/no/such/python", BATON_HOOKS="1").said["python"] == str(PYTHON)


@pytest.mark.parametrize("text", ["exit 0", "echo 3.10", "echo 3.15", "exit 1"])
def test_a_baton_python_that_will_not_do_is_one_line(text: str, place: Place, tmp_path: Path) -> None:
    chosen = write_program(tmp_path / "python", text)
    ended = place.run(BATON_PYTHON=str(chosen))
    remedy = "set BATON_PYTHON to one, or unset it"
    assert ended.code == 2
    assert ended.error == f"baton: no Python 3.11 to 3.14 at {chosen}: {remedy}\n"


@pytest.mark.parametrize("python", [None, "echo 3.10"], ids=["no Python", "an old Python"])
def test_no_python_in_range_is_one_line(python: str | None, fresh: Place, tmp_path: Path) -> None:
    if python:
        write_program(tmp_path / "bin/python3", python)
    ended = fresh.run(PATH=str(tmp_path / "bin"))
    assert ended.code == 2
    assert ended.error == "baton: no Python 3.11 to 3.14 at PATH: install one, or set BATON_PYTHON\n"


def test_the_first_python_in_range_is_taken_and_remembered(fresh: Place, tmp_path: Path) -> None:
    write_program(tmp_path / "bin/python3", "echo 3.10")
    (tmp_path / "bin/python3.12").symlink_to(PYTHON)
    assert fresh.run().said["python"] == str(tmp_path / "bin/python3.12")
    assert (fresh.data / "baton/python").read_text() == f"{PYTHON}\n"


@pytest.mark.parametrize("remembered", [None, "/no/such/python\n"], ids=["forgotten", "gone"])
def test_a_python_found_again_is_remembered_again(remembered: str | None, fresh: Place) -> None:
    fresh.run()
    (fresh.data / "baton/python").unlink()
    if remembered:
        (fresh.data / "baton/python").write_text(remembered)
    assert fresh.run().said["python"].endswith("/python3")
    assert fresh.run().said["python"] == environment.python_for_shell() == str(PYTHON)


# From where.


@pytest.mark.parametrize("program", ["scripts/baton", "bin/baton"])
@pytest.mark.parametrize("link", ["{0}", "{1}/a link", "../{2}/chain"], ids=["itself", "a link", "a chain"])
def test_the_launcher_finds_its_plugin(
    link: str, program: str, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a link").symlink_to(os.path.relpath(place.plugin / program, tmp_path))
    (tmp_path / "chain").symlink_to("./a link")
    monkeypatch.chdir(tmp_path)
    said = place.run(command=shlex.quote(link.format(place.plugin / program, tmp_path, tmp_path.name))).said
    assert said["cli"] == str(place.plugin / "scripts/lib/baton/cli.py")
    assert said["cwd"] == str(tmp_path)


def test_the_launcher_works_through_a_linked_plugin_folder(place: Place, tmp_path: Path) -> None:
    (tmp_path / "skills").symlink_to(place.plugin)
    assert place.run(command=f"{tmp_path}/skills/bin/baton").said["path"][0] == f"{place.plugin}/scripts/lib"


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("call", ["{0}/scripts/baton", "{0}/bin/baton", "baton"])
def test_any_shell_runs_the_launcher(shell: str, call: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    program, _, options = shell.partition(" ")
    if not (found := shutil.which(program)):
        pytest.skip(f"there is no {program} on this machine")
    monkeypatch.chdir(place.plugin / "scripts")
    said = place.run("a b", "", "ü*", command=f"{found} {options} '{call.format(place.plugin)}'").said
    assert said["argv"] == ["baton", "a b", "", "ü*"]


def test_the_launcher_needs_no_home_or_says_which_setting_it_lacks(place: Place) -> None:
    without_home = f"/usr/bin/env -u HOME '{place.plugin}/scripts/baton'"
    assert place.run(HOME="not/absolute").said["click"]
    assert place.run(command=without_home).said["click"]
    ended = place.run(HOME="not/absolute", XDG_DATA_HOME="")
    line = "baton: no home folder for its Python packages at HOME: set HOME or XDG_DATA_HOME\n"
    assert (ended.code, ended.error) == (2, line)
