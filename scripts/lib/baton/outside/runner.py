"""The process that runs a project's commands on one commit; started by checks.py, outlives its caller.

usage: runner.py FOLDER, which holds `job.json` {repository, commit, tree, commands: [[name, line], …]}.
Writes NAME.log for each command and, as its last act, `result.json` {results: [{name, code, seconds}]}.
The standard library alone: it runs before and beside everything else.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
from baton.story.durable import write_durably

SECRET_WORDS = (
    "TOKEN",
    "SECRET",
    "PASSWORD",
    "PASSWD",
    "API_KEY",
    "APIKEY",
    "CREDENTIAL",
    "PRIVATE_KEY",
    "ASKPASS",
)
GIT_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_PREFIX")


def command_environment(environment: dict[str, str]) -> dict[str, str]:
    """Give a project's command the user's environment without secrets and without a way to ask for them."""
    kept = {
        name: value
        for name, value in environment.items()
        if name not in GIT_PLACES and not any(word in name.upper() for word in SECRET_WORDS)
    }
    return {**kept, "GIT_TERMINAL_PROMPT": "0"}


def run_job(folder: str) -> list[dict[str, Any]]:
    """Run the job's commands in order in a fresh work tree of its commit, up to the first that fails."""
    with open(os.path.join(folder, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    results: list[dict[str, Any]] = []
    try:
        code = _prepare(folder, job)
        results.append({"name": "worktree", "code": code, "seconds": 0.0})
        for name, line in job["commands"]:
            if results[-1]["code"] != 0:
                break
            results.append(_run_command(folder, name, line, job["tree"]))
    finally:
        remove_tree(job["repository"], job["tree"])
    return results


def _prepare(folder: str, job: dict[str, Any]) -> int:
    remove_tree(job["repository"], job["tree"])
    try:
        os.makedirs(os.path.dirname(job["tree"]), exist_ok=True)
    except OSError as error:
        return _noted(folder, "worktree", error)
    return _logged(
        folder,
        "worktree",
        ["git", "worktree", "add", "--quiet", "--detach", "--", job["tree"], job["commit"]],
        job["repository"],
    )


def _run_command(folder: str, name: str, line: str, tree: str) -> dict[str, Any]:
    began = time.monotonic()
    # A project's command is a shell line by contract; a person confirmed it, word for word.
    code = _logged(folder, name, ["sh", "-c", line], tree)
    return {"name": name, "code": code, "seconds": round(time.monotonic() - began, 1)}


def _logged(folder: str, name: str, argv: list[str], cwd: str) -> int:
    try:
        with open(os.path.join(folder, f"{name}.log"), "wb") as log:
            done = subprocess.run(
                argv,
                cwd=cwd,
                env=command_environment(dict(os.environ)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                check=False,
            )
    except OSError as error:
        return _noted(folder, name, error)
    return done.returncode


def _noted(folder: str, name: str, error: OSError) -> int:
    """Keep why a command did not start where its output would be: a runner that died would be started again."""
    with open(os.path.join(folder, f"{name}.log"), "w", encoding="utf-8", errors="backslashreplace") as log:
        print(error, file=log)
    return 127


def remove_tree(repository: str, tree: str) -> None:
    """Remove a work tree this program made, and git's note of it; nothing of the user's ever lies in it."""
    for folder, names, _ in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, 0o700)  # a command may have left folders nobody can write to
    shutil.rmtree(tree, ignore_errors=True)
    known = subprocess.run(
        ["git", "worktree", "list", "--porcelain"], cwd=repository, capture_output=True, text=True, check=False
    )
    if f"worktree {os.path.realpath(tree)}" in known.stdout.splitlines():
        subprocess.run(["git", "worktree", "remove", "--", tree], cwd=repository, capture_output=True, check=False)


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
