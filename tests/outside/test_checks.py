"""A project's commands on a commit: in a work tree of their own, once, and reported when they have ended."""

import fcntl
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.outside import runner
from baton.outside.checks import Checks, Outcome
from baton.outside.git import find_project
from bench import Bench

Make = Callable[..., Checks]


@pytest.fixture
def checks(bench: Bench) -> Make:
    """Make the checks of commands on HEAD."""
    head = bench.git("rev-parse", "HEAD")

    def make(tries: int = 0, **commands: str) -> Checks:
        return Checks(find_project(bench.root), "42", head, commands, tries)

    return make


def run_all(checks: Checks) -> dict[str, Outcome]:
    outcomes = checks.begin() or checks.wait(60)
    assert outcomes is not None
    return {one.name: one for one in outcomes}


def test_the_commands_run_in_order_up_to_the_first_that_fails(checks: Make) -> None:
    ended = run_all(checks(test="true", build="exit 4", setup="true"))
    assert [(one.name, one.code) for one in ended.values()] == [("worktree", 0), ("setup", 0), ("build", 4)]


def test_a_command_sees_the_commit_alone(bench: Bench, checks: Make) -> None:
    bench.write({"calc.py": "CHANGED = 1\n", "new.py": "x\n", "x.log": "x\n"})
    ended = run_all(checks(test="cat calc.py; ls; git status --porcelain"))
    assert ended["test"].tail.splitlines() == ["def add(a, b):", "    return a + b", "calc.py", "tools"]


def test_the_work_tree_is_gone_afterwards(bench: Bench, checks: Make) -> None:
    made = checks(test="touch made; mkdir -p a/b; chmod 500 a; exit 1")
    run_all(made)
    assert not Path(made.tree).exists()
    assert bench.trees == [bench.root]
    assert bench.changes == ""


def test_a_command_has_no_stdin(checks: Make) -> None:
    assert run_all(checks(test="cat; read x || echo end of file"))["test"].tail == "end of file"


def test_a_command_has_no_secrets_and_is_never_asked_for_any(
    checks: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = ("GITHUB_TOKEN", "my_secret", "ANTHROPIC_API_KEY", "DB_PASSWORD", "SSH_ASKPASS", "GIT_DIR")
    for name in (*secrets, "PLAIN", "TOKENS_ARE_NOT"):
        monkeypatch.setenv(name, "set")
    names = set(run_all(checks(test="env | cut -d= -f1"))["test"].log.read_text().split())
    assert (names & set(secrets), "PLAIN" in names, "GIT_TERMINAL_PROMPT" in names) == (set(), True, True)


def test_output_is_shown_without_what_a_terminal_would_obey(checks: Make) -> None:
    tail = run_all(checks(test=r"printf '\033[31mred\033[0m\n\033]0;title\007x\n\233y\n'"))["test"].tail
    assert [one for one in tail if ord(one) < 32 and one != "\n"] == []
    assert tail.startswith("red\n")


def test_of_much_output_the_end_is_shown(checks: Make) -> None:
    outcome = run_all(checks(test="seq 100000; head -c 100000 /dev/zero | tr '\\0' x"))["test"]
    assert outcome.tail.splitlines()[-2] == "100000"
    assert len(outcome.tail) < 4000
    assert outcome.log.stat().st_size > 500_000


def test_what_was_run_is_not_run_again(checks: Make, tmp_path: Path) -> None:
    counted = f"echo >>'{tmp_path}/count'"
    for tries in (0, 0, 1):
        run_all(checks(tries, test=counted))
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


def test_what_a_killed_runner_left_is_removed(bench: Bench, checks: Make) -> None:
    made = checks(test="ls")
    bench.git("worktree", "add", "--quiet", "--detach", made.tree)
    (Path(made.tree) / "half.py").touch()
    assert run_all(made)["test"].tail.splitlines() == ["calc.py", "tools"]


@pytest.mark.skipif(sys.platform == "darwin", reason="a cache folder is made there by another rule")
def test_a_work_tree_that_cannot_be_made_is_an_outcome(
    checks: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    outcome = run_all(checks(test="true"))["worktree"]
    assert (outcome.code, "Not a directory" in outcome.tail) == (127, True)


def test_a_commit_that_is_not_there_is_an_outcome(bench: Bench) -> None:
    gone = Checks(find_project(bench.root), "42", "f" * 40, {"test": "true"}, 0)
    assert list(run_all(gone)) == ["worktree"]
    assert run_all(gone)["worktree"].code != 0


def test_a_runner_that_cannot_begin_is_one_line(checks: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "__file__", "/no/such/runner.py")
    with pytest.raises(BatonError, match=r"^the commands could not be started at "):
        checks(test="true").begin()


def test_the_runner_needs_the_standard_library_alone(bench: Bench, checks: Make) -> None:
    made = checks(test="true")
    made.folder.mkdir(parents=True)
    job = {"repository": str(bench.root), "commit": "HEAD", "tree": made.tree, "commands": [["test", "true"]]}
    (made.folder / "job.json").write_text(json.dumps(job))
    command = [sys.executable, "-I", "-S", runner.__file__, str(made.folder)]
    done = subprocess.run(command, capture_output=True, text=True, env={"PATH": os.environ["PATH"]}, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "running\n", "")
    assert run_all(made)["test"].code == 0


def test_the_tree_of_a_job_that_was_killed_is_removed_by_the_next_job(bench: Bench, checks: Make) -> None:
    dead, running = checks(test="one"), checks(test="two")
    for made in (dead, running):
        made.folder.mkdir(parents=True)
        (made.folder / "job.json").write_text(json.dumps({"tree": made.tree}))
        bench.git("worktree", "add", "--quiet", "--detach", made.tree)
    with (running.folder / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        run_all(checks(test="true"))
    assert (Path(dead.tree).exists(), Path(running.tree).exists()) == (False, True)
