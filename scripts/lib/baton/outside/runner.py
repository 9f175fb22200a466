"""The process that runs a project's commands on one commit; started by checks.py, outlives its caller.

usage: runner.py FOLDER, which holds `job.json` {repository, commit, tree, limit: seconds a command may take,
commands: [{name, line, path, log}]}. Writes each command's log, `running.json` {name, log, since, runner: its
process} while it runs and, as its last act, `result.json` {results: [{name, code, seconds, log, ended}]}.
The standard library alone: it runs before and beside everything else.
"""

import contextlib
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
from baton.errors import BatonError
from baton.outside.git import SCRUBBED, git_words, run_git
from baton.secrets.names import without_credentials
from baton.story.durable import write_durably

# Git then asks nobody and no helper, ssh asks nobody.
NOBODY_ASKED = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "credential.helper",
    "GIT_CONFIG_VALUE_0": "",
    "GIT_CONFIG_KEY_1": "core.askPass",
    "GIT_CONFIG_VALUE_1": "",
    "GIT_SSH_COMMAND": "ssh -oBatchMode=yes",
    "SSH_ASKPASS_REQUIRE": "never",
}
# Without these nothing else can be run.
NEEDED = ("worktree", "setup")
GIT_SECONDS = 1800.0
# What a command gets to end by itself when its time is up.
GRACE_SECONDS = 5.0


def command_environment(environment: dict[str, str]) -> dict[str, str]:
    """Give a project's command the user's environment without credentials and without a way to ask for them."""
    kept = {name: value for name, value in environment.items() if name not in SCRUBBED}
    return {**without_credentials(kept), **NOBODY_ASKED}


def run_job(folder: str) -> list[dict[str, Any]]:
    """Run the job's commands in order in a fresh work tree of its commit; without that or a set-up, none."""
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    results: list[dict[str, Any]] = []
    try:
        results.append(_make_tree(folder, job))
        for command in job["commands"]:
            if results[-1]["name"] in NEEDED and results[-1]["code"] != 0:
                break
            results.append(_run_command(folder, job, command))
    finally:
        remove_tree(job["repository"], job["tree"])
    return results


def _make_tree(folder: str, job: dict[str, Any]) -> dict[str, Any]:
    remove_tree(job["repository"], job["tree"])
    log = os.path.join(folder, "worktree.log")
    try:
        os.makedirs(os.path.dirname(job["tree"]), exist_ok=True)
    except OSError as error:
        code, ended = _noted(log, error)
    else:
        # A hook of the user's is for their own trees.
        words = ("-c", f"core.hooksPath={os.devnull}", "worktree", "add", "--quiet", "--detach", "--")
        argv = git_words(*words, job["tree"], job["commit"])
        code, ended = _logged(log, argv, job["repository"], GIT_SECONDS)
    return {"name": "worktree", "code": code, "seconds": 0.0, "log": "worktree.log", "ended": ended}


def _run_command(folder: str, job: dict[str, Any], command: dict[str, Any]) -> dict[str, Any]:
    began = time.monotonic()
    told = {"name": command["name"], "log": command["log"], "since": time.time(), "runner": os.getpid()}
    with contextlib.suppress(OSError):  # it is only looked at
        write_durably(Path(folder, "running.json"), json.dumps(told), Path(folder))
    log = os.path.join(folder, command["log"])
    place = os.path.realpath(os.path.join(job["tree"], command["path"]))
    if os.path.isdir(place) and f"{place}/".startswith(f"{os.path.realpath(job['tree'])}/"):
        # A project's command is a shell line by contract; a person confirmed it, word for word.
        code, ended = _logged(log, ["sh", "-c", command["line"]], place, job["limit"])
    else:
        code, ended = 127, "no-folder"
    seconds = round(time.monotonic() - began, 1)
    return {"name": command["name"], "code": code, "seconds": seconds, "log": command["log"], "ended": ended}


def _logged(log: str, argv: Sequence[str], cwd: str, limit: float) -> tuple[int, str]:
    """Run a program with its output in `log`; gives its exit code and how it ended."""
    try:
        with open(log, "wb") as file:
            process = subprocess.Popen(
                argv,
                cwd=cwd,
                env=command_environment(dict(os.environ)),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
    except OSError as error:
        return _noted(log, error)
    try:
        return process.wait(limit), "exit"
    except subprocess.TimeoutExpired:
        _signal(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_SECONDS)
        return 124, "time-out"
    finally:
        # What it left running in its group would hold on to the work tree.
        _signal(process.pid, signal.SIGKILL)
        process.wait()


def _signal(group: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):  # nobody is left in it
        os.killpg(group, number)


def _noted(log: str, error: OSError) -> tuple[int, str]:
    """Keep why a command did not start where its output would be: a runner that died would be started again."""
    with open(log, "w", encoding="utf-8", errors="backslashreplace") as file:
        print(error, file=file)
    return 127, "not-started"


def remove_tree(repository: str, tree: str) -> None:
    """Remove a work tree this program made, and git's note of it, as far as that can be done.

    Nothing of the user's ever lies in it. What somebody else's process wrote there may not let itself be removed.
    """
    for folder, names, _ in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                with contextlib.suppress(OSError):
                    os.chmod(path, 0o700)  # a command may have left folders nobody can write to
    shutil.rmtree(tree, ignore_errors=True)
    known = _git(repository, "list", "--porcelain")
    if f"worktree {os.path.realpath(tree)}" in known.splitlines():
        _git(repository, "unlock", "--", tree)  # a git that was killed as it made it has left it locked
        _git(repository, "remove", "--", tree)


def _git(repository: str, *words: str) -> str:
    """Call `git worktree`; gives what it printed, whatever came of it."""
    with contextlib.suppress(BatonError):
        return run_git(Path(repository), "worktree", *words, seconds=GIT_SECONDS).out
    return ""


def main(folder: str) -> int:
    """Run the job in `folder` unless another runner has it, and write its result."""
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    # The caller reads this line: from here on the lock says that the job is running.
    print("running", flush=True)
    target = os.path.join(folder, "result.json")
    if os.path.exists(target):
        return 0
    results = run_job(folder)
    write_durably(Path(target), json.dumps({"results": results}), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
