"""A project's commands on a commit: in a work tree of their own, once, and reported when they have ended."""

import fcntl
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from baton.artifacts.config import Command
from baton.checks import worker as runner
from baton.checks.job import MOST_COMMITS, Checks, baselines, forget_old, story_checks
from baton.checks.result import MOST_BYTES
from baton.errors import BatonError
from baton.git.command import find_project
from bench import Bench

from .conftest import checks_of, run_all

Make = Callable[..., Checks]


@pytest.fixture
def checks(bench: Bench) -> Make:
    """Make the checks of commands on a commit."""
    return partial(checks_of, bench)


@pytest.mark.parametrize(("lines", "codes"), [
    ({"setup": "true", "build": "exit 4", "test": "exit 5"}, {"build": 4, "test": 5}),
    ({"setup": "exit 4", "build": "true", "test": "true"}, {"setup": 4}),
])  # fmt: skip
def test_commands_run_in_order_after_a_set_up(lines: dict[str, str], codes: dict[str, int], checks: Make) -> None:
    assert [(name, one.code) for name, one in run_all(checks(**lines)).items()] == [*codes.items()]


def test_a_long_output_keeps_its_end_and_is_marked_as_cut(checks: Make) -> None:
    ended = run_all(checks(build="echo short", test="yes | head -c 6000000; echo; echo the end"))
    assert (ended["build"].is_cut, ended["test"].is_cut) == (False, True)
    assert (ended["test"].log.stat().st_size, ended["test"].tail[-7:]) == (MOST_BYTES + 1, "the end")


def test_a_command_sees_the_commit_alone(bench: Bench, checks: Make) -> None:
    bench.write({"calc.py": "CHANGED = 1\n", "new.py": "x\n", "x.log": "x\n"})
    ended = run_all(checks(test="cat calc.py; ls; git status --porcelain"))
    assert ended["test"].tail.splitlines() == ["def add(a, b):", "    return a + b", "calc.py", "tools"]


def test_a_command_has_no_stdin(checks: Make) -> None:
    assert run_all(checks(test="cat; read x || echo end of file"))["test"].tail == "end of file"


def test_a_command_has_no_secrets_and_is_asked_for_none(checks: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    secrets = ("GITHUB_TOKEN", "my_secret", "DB_PASS", "SENTRY_DSN", "BEARER", "SSH_AUTH_SOCK", "GIT_DIR")
    made = checks(test="env | cut -d= -f1")
    for name in (*secrets, "PLAIN", "TOKENIZERS"):
        monkeypatch.setenv(name, "set")
    monkeypatch.setenv("DATABASE_URL", "postgres://u:pw@h/d")
    names = set(run_all(made)["test"].log.read_text().split())
    assert names.isdisjoint({*secrets, "DATABASE_URL"})
    assert names >= {"PLAIN", "TOKENIZERS", "GIT_TERMINAL_PROMPT"}


def test_output_is_shown_without_what_a_terminal_would_obey(checks: Make) -> None:
    tail = run_all(checks(test=r"printf '\033[31mred\033[0m\n\033]0;title\007x\n\233y\n'"))["test"].tail
    assert [one for one in tail if ord(one) < 32 and one != "\n"] == []
    assert tail.startswith("red\n")


def test_the_end_of_much_output_is_shown(checks: Make) -> None:
    outcome = run_all(checks(test="seq 100000; head -c 100000 /dev/zero | tr '\\0' x"))["test"]
    assert outcome.tail.splitlines()[-2] == "100000"
    assert len(outcome.tail) < 4000
    assert outcome.log.stat().st_size > 500_000


def test_the_same_job_runs_only_once(checks: Make, tmp_path: Path) -> None:
    counted = f"echo >>'{tmp_path}/count'"
    for salt in ("", "", "1"):
        run_all(checks(salt=salt, test=counted))
    assert (tmp_path / "count").read_text().count("\n") == 2


def test_without_patience_there_is_no_outcome_yet(checks: Make, tmp_path: Path) -> None:
    made = checks(test=f"while test ! -e '{tmp_path}/gate'; do sleep 0.05; done")
    assert (made.begin(), made.wait(0), made.outcomes()) == (None, None, None)
    (tmp_path / "gate").touch()
    assert run_all(made)["test"].code == 0


def test_a_second_runner_leaves_the_work_to_the_first(checks: Make) -> None:
    made = checks(test="true")
    made.folder.mkdir(parents=True)
    with open(made.folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert runner.main(str(made.folder)) == 0
    assert made.outcomes() is None


@pytest.mark.skipif(sys.platform == "darwin", reason="a cache folder is made there by another rule")
def test_a_tree_not_made_is_an_outcome(checks: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    outcome = run_all(checks(test="true"))["worktree"]
    assert (outcome.code, "Not a directory" in outcome.tail) == (1, True)


def test_a_commit_that_is_not_there_is_an_outcome(bench: Bench) -> None:
    project = find_project(bench.root)
    gone = Checks(project, story_checks(project, "42"), "f" * 40, [Command("test", "true")], 60, owner="42")
    assert list(run_all(gone)) == ["worktree"]
    assert run_all(gone)["worktree"].code != 0


def test_a_runner_that_cannot_begin_is_one_line(checks: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "__file__", "/no/such/runner.py")
    with pytest.raises(BatonError, match=r"^the commands could not be started at "):
        checks(test="true").begin()


def test_the_runner_needs_the_standard_library_alone(checks: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    made = checks(test="true")
    with monkeypatch.context() as patch:
        patch.setattr(made, "_start_worker", lambda: None)
        made.begin()
    command = [sys.executable, "-I", "-S", runner.__file__, str(made.folder)]
    environment = {name: os.environ[name] for name in ("PATH", "HOME")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "running\n", "")
    assert run_all(made)["test"].code == 0


def test_a_command_that_takes_too_long_is_ended_with_all_it_started(checks: Make, tmp_path: Path) -> None:
    outcome = run_all(checks(limit=1, test=f"(sleep 60; touch '{tmp_path}/late') & echo begun; wait"))["test"]
    assert (outcome.ended, outcome.code, outcome.tail) == ("time-out", 124, "begun")
    assert outcome.seconds < 60


def test_a_command_that_ends_in_time_leaves_nothing_running(checks: Make, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reading = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    outcome = run_all(checks(test=f"sleep 60 >'{tmp_path}/pipe' &"))["test"]
    assert (outcome.ended, outcome.code) == ("exit", 0)
    assert os.read(reading, 1) == b""  # the end: nobody holds the other side any more
    os.close(reading)


def in_folders(bench: Bench, *paths: str) -> Checks:
    project, head = find_project(bench.root), bench.git("rev-parse", "HEAD")
    commands = [Command("prepush", "pwd", path) for path in paths]
    return Checks(project, story_checks(project, "42"), head, commands, 60, owner="42")


def test_stopping_a_job_leaves_nothing_running(checks: Make, tmp_path: Path) -> None:
    run = checks(build=f"echo $$ > {tmp_path}/pid; sleep 60; touch {tmp_path}/done")
    run.begin()
    while not (tmp_path / "pid").exists():
        time.sleep(0.01)
    run.stop()
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)
    assert run.outcomes() is None


@pytest.mark.parametrize("folder", [".venv/bin", "node_modules/.bin"])
def test_programs_that_the_setup_installs_come_first_on_the_path(folder: str, checks: Make) -> None:
    setup = f"mkdir -p {folder} && printf '#!/bin/sh\necho ours\n' > {folder}/git && chmod +x {folder}/git"
    assert run_all(checks(setup=setup, test="git"))["test"].tail == "ours"


def test_a_command_runs_in_its_folder_and_each_has_a_log_of_its_own(bench: Bench) -> None:
    bench.commit({"a b/x": "x", "c/x": "x"})
    bench.git("reset", "--quiet", "--hard")
    made = in_folders(bench, "a b", "c")
    ended = run_all(made)
    assert [one.tail for one in ended.values()] == [f"{made.tree}/a b", f"{made.tree}/c"]
    assert len({one.log for one in ended.values()}) == 2


def test_a_command_whose_folder_is_not_there_or_leads_out_is_not_run(bench: Bench) -> None:
    (bench.root / "out").symlink_to("/")
    bench.git("add", "out")
    bench.git("commit", "--quiet", "--message", "a link")
    ended = run_all(in_folders(bench, "gone", "out"))
    assert [one.ended for one in ended.values()] == ["no-folder", "no-folder"]


def test_progress_names_the_command_that_runs_how_long_and_its_last_line(checks: Make, tmp_path: Path) -> None:
    made = checks(setup="true", test=f"echo half way; while test ! -e '{tmp_path}/gate'; do sleep 0.05; done")
    made.begin()
    while "half way" not in (told := made.progress(time.time() + 125)):
        assert made.outcomes() is None
    assert re.fullmatch(r"`test` for 2:\d\d min, last line: half way", told)
    (tmp_path / "gate").touch()
    run_all(made)


def test_old_results_are_forgotten_and_running_ones_are_not(bench: Bench) -> None:
    place = baselines(find_project(bench.root))
    for number in range(MOST_COMMITS + 3):
        (place / f"{number:02}").mkdir(parents=True)
        os.utime(place / f"{number:02}", (number, number))
    with (place / "01" / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        os.utime(place / "01", (1, 1))
        forget_old(place, place / "00")
    assert sorted(path.name for path in place.iterdir())[:3] == ["00", "01", "03"]


def test_results_that_another_story_removes_are_no_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    monkeypatch.setattr("baton.checks.job.is_running", lambda folder: folder.rmdir())
    forget_old(tmp_path, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
