"""The process that runs a project's commands in a check tree; started by job.py, outlives its caller.

usage: worker.py FOLDER, which holds `job.json` {common, owner: the check tree's, commit, tree: the commit's,
stay: names the tree and the try, limit: seconds a command may take, exclusive: none beside it, is_base, setup:
null or a command, commands: [{name, step, line, path, kept, log, report}], stuck, starts: its workers so far}.
Writes each command's log and, as it has ended, its result, `kept`; or, where none can be run, `stuck`.
`running.json` says what it is at.
The standard library alone: it runs before and beside everything else.
"""

import contextlib
import fcntl
import json
import math
import os
import re
import shutil
import stat
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
from baton.checks.check_tree import (
    CheckTree,
    check_tree,
    read_record,
    remove_tree,
    repository_label,
    slot_of,
    trees_folder,
)
from baton.checks.child_environment import is_within, with_installed
from baton.checks.foreign_paths import Surroundings, find_foreign, look_around
from baton.checks.included_files import copy_included
from baton.checks.logged_process import end_at_sigterm, keep_end, run_logged
from baton.checks.manifests import manifests_in, setup_digest
from baton.checks.result import MOST_BYTES, read_outcome, report_of
from baton.errors import BatonError
from baton.git.worktrees import clear_path
from baton.journal.atomic_file import write_durably
from baton.journal.lock import hold_lock

TREE_LOG = "worktree.log"


class Job:
    """A job that is run: its folder, what it asks for, its check tree, and where its commands run."""

    def __init__(self, folder: str, asked: dict[str, Any]) -> None:
        self.folder = Path(folder)
        self.asked = asked
        self.tree = check_tree(Path(asked["common"]), asked["owner"])
        self.where = Surroundings(str(self.tree.path), (), {}, (), ())
        self.environment: Mapping[str, str] = {}
        self.wrote = set[str]()  # tracked files that its commands changed

    def report_progress(self, **what: object) -> None:
        """Write which command it is at, or that it waits."""
        with contextlib.suppress(BatonError):  # it is only looked at
            self.write("running.json", {"since": time.time(), "runner": os.getpid(), **what})

    def write(self, name: str, record: dict[str, Any]) -> None:
        """Write a record into its folder."""
        write_durably(self.folder / name, json.dumps(record), self.folder)

    def stop(self, name: str, why: str, ended: str) -> bool:
        """Keep why nothing can be run here, with the reason as the log."""
        (self.folder / TREE_LOG).write_text(f"{why}\n", encoding="utf-8", errors="backslashreplace")
        self.write(self.asked["stuck"], {"name": name, "log": TREE_LOG, "code": 1, "ended": ended, "seconds": 0.0})
        return False


def run_job(job: Job) -> None:
    """Run the job's commands that are not known yet, in order, in the check tree as it is at the commit."""
    job.report_progress(waits=True)
    alone = hold_lock(trees_folder(job.tree.common) / ".exclusive.lock", str(job.folder), math.inf)
    others = alone if job.asked["exclusive"] else contextlib.nullcontext()
    with hold_lock(job.tree.lock, str(job.folder), math.inf), others:
        job.report_progress()
        try:
            ready = _make_ready(job)
        except BatonError as error:
            ready = job.stop("worktree", str(error), "not-started")
        commands = job.asked["commands"] if ready else ()
        _newly_written(job)
        missing = [command for command in commands if not read_outcome(job.folder, command["kept"])]
        for command in commands:
            again = command["step"] == "build" and job.tree.known.get("built") != command["kept"]
            if command in missing or (again and missing):
                _run_command(job, command)


def _make_ready(job: Job) -> bool:
    """Put the check tree at the commit and set it up; False where a result says why that cannot be."""
    tree, asked = job.tree, job.asked
    stays = tree.known.get("stay") == asked["stay"] and tree.is_at(asked["tree"])
    if not stays:
        tree.note(stay="")
        if tree.put_at(asked["commit"], asked["tree"], tree.spared):
            tree.note(setup="", spared=[])
    job.where = look_around(tree, asked["tree"], [command["line"] for command in asked["commands"]])
    job.environment = {**job.where.environment, **_own_settings(tree)}
    copy_included(tree, {entry.path for entry in job.where.entries})
    problem = find_foreign(job.where)
    if problem and tree.known.get("setup"):  # it may be the set-up's, or a command's, of an earlier commit
        remove_tree(tree)
        tree.put_at(asked["commit"], asked["tree"], ())
        problem = find_foreign(job.where)
    if problem:
        return job.stop("tree", problem, "foreign")
    line = asked["setup"] and asked["setup"]["line"]
    digest = setup_digest(line, asked["tree"], tree.path, list(job.where.entries)) if line else ""
    if digest and tree.known.get("setup") != digest and not _set_up(job, digest):
        return False
    if tree.known.get("stay") != asked["stay"]:
        tree.note(stay=asked["stay"], built="")
    return True


def _set_up(job: Job, digest: str) -> bool:
    """Run the set-up in the clean tree, and learn what it leaves; then the commit's files are as they were."""
    tree, asked = job.tree, job.asked
    _clear_environments(job)
    tree.note(setup="", spared=[], stay="")
    tree.move(asked["commit"], asked["tree"], ())
    before = _hooks(tree)
    result = _run(job, asked["setup"])
    now = _hooks(tree)
    if new_hooks := sorted(name for name, text in now.items() if before.get(name) != text):
        tree.note(hooks=[str(tree.common / "hooks"), *new_hooks])
    if result["code"] != 0:
        _clear_environments(job)  # while it can be told: at the next commit only what git ignores would be left
        job.write(asked["stuck"], result)
        return False
    spared = tree.untracked()
    tree.move(asked["commit"], asked["tree"], spared)
    tree.note(setup=digest, spared=spared)
    if asked["is_base"]:
        write_durably(trees_folder(tree.common) / ".learned.json", json.dumps({"names": spared}), tree.common)
    problem = find_foreign(job.where)
    return job.stop("tree", problem, "foreign") if problem else True


def _hooks(tree: CheckTree) -> dict[str, bytes]:
    """Return the hooks in the repository's own folder, which belongs to its user, and where git looks for them."""
    hooks = dict[str, bytes]()
    with contextlib.suppress(OSError):
        lines = (tree.common / "config").read_bytes().splitlines()
        hooks["core.hooksPath"] = b"".join(line for line in lines if b"hookspath" in line.lower())
    for path in (tree.common / "hooks").glob("*"):
        with contextlib.suppress(OSError):
            hooks[path.name] = path.read_bytes()
    return hooks


def _clear_environments(job: Job) -> None:
    """Remove what the last set-up made: what is installed no more would be there still, or half of it."""
    tree = job.tree
    folders = {"", *(manifest.folder for manifest in manifests_in(list(job.where.entries)))}
    environments = [
        path.parent for folder in sorted(folders) for path in (tree.path / folder).glob("*/pyvenv.cfg")
    ]
    for path in [*environments, *(tree.path / name for name in tree.spared)]:
        if is_within(str(path.parent), str(tree.path)):
            clear_path(str(path))


def _own_settings(tree: CheckTree) -> dict[str, str]:
    """Return the variables that keep apart what commands of this tree and of another start."""
    compose = re.sub(r"[^a-z0-9_-]", "-", f"baton-{repository_label(tree.common)}-{tree.owner}".lower())
    return {"BATON_SLOT": str(slot_of(tree)), "COMPOSE_PROJECT_NAME": compose}


def _run_command(job: Job, command: dict[str, Any]) -> None:
    began = time.time()
    result = {**_run(job, command), "wrote": _newly_written(job)}
    if command["report"]:
        _keep_report(job, command, began)
    job.write(command["kept"], result)
    if command["step"] == "build":
        job.tree.note(built=command["kept"])


def _newly_written(job: Job) -> list[str]:
    """Return the tracked files in the tree that are not as they are committed, and were when last asked."""
    with contextlib.suppress(BatonError):  # the next command, or the next job, says what is wrong with the tree
        new = [name for name in job.tree.differing() if name not in job.wrote]
        job.wrote.update(new)
        return new
    return []


def _keep_report(job: Job, command: dict[str, Any], began: float) -> None:
    """Copy the report a command has written beside its log: the next command of the tree may replace it."""
    path = os.path.realpath(job.tree.path / command["report"])
    copy = report_of(job.folder / command["log"])
    with contextlib.suppress(OSError):
        copy.unlink(missing_ok=True)
        status = os.lstat(path)
        is_new = stat.S_ISREG(status.st_mode) and status.st_mtime >= int(began) and status.st_size <= MOST_BYTES
        if is_new and is_within(path, str(job.tree.path)):
            shutil.copyfile(path, copy)


def _run(job: Job, command: dict[str, Any]) -> dict[str, Any]:
    """Run a command in its folder; return how it went, as a record."""
    began = time.monotonic()
    job.report_progress(name=command["name"], log=command["log"])
    place = os.path.realpath(job.tree.path / command["path"])
    if os.path.isdir(place) and is_within(place, str(job.tree.path)):
        # A project's command is a shell line by contract; the user confirmed it, word for word.
        words, log = ["sh", "-c", command["line"]], str(job.folder / command["log"])
        environment = with_installed(job.environment, place, str(job.tree.path))
        code, ended = run_logged(log, words, place, environment, job.asked["limit"])
        keep_end(log, MOST_BYTES + 1)  # the byte more tells that it is cut
    else:
        code, ended = 127, "no-folder"
    seconds = round(time.monotonic() - began, 1)
    return {"name": command["name"], "log": command["log"], "code": code, "ended": ended, "seconds": seconds}


def main(folder: str) -> int:
    """Run the job in `folder` unless another worker has it, and write its results."""
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    end_at_sigterm()
    # The caller reads this line: from here on the lock says that the job is running.
    print("running", flush=True)
    asked = read_record(Path(folder, "job.json"))
    if asked:  # else it was damaged meanwhile, and is begun anew
        job = Job(folder, asked)
        run_job(job)
        job.write("job.json", {**asked, "starts": 0})
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
