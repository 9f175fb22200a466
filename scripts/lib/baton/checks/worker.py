"""The process that runs a project's commands in a check tree; started by checks.py, outlives its caller.

usage: worker.py FOLDER, which holds `job.json` {common, owner: the check tree's, commit, tree: the commit's,
stay: names the tree and the try, limit: seconds a command may take, is_base, setup: null or a command, commands:
[{name, step, line, path, kept, log, report}], stuck, starts: its workers so far}. Writes each command's log and,
as it has ended, its result, `kept`; or, where none can be run, `stuck`. `running.json` says what it is at.
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
    label,
    read_record,
    remove_tree,
    slot_of,
    trees_folder,
)
from baton.checks.child_environment import is_inside
from baton.checks.foreign_paths import Surroundings, foreign, look_around
from baton.checks.logged_process import logged
from baton.checks.manifests import manifests, setup_digest
from baton.checks.result import MOST_BYTES, read_outcome, report_of
from baton.errors import BatonError
from baton.git.worktrees import clear
from baton.journal.atomic_file import write_durably
from baton.journal.lock import hold_lock

SETUP_LOG, TREE_LOG = "setup.log", "worktree.log"


class Job:
    """A job that is run: its folder, what it says, its check tree, and the environment its commands get."""

    def __init__(self, folder: str, said: dict[str, Any]) -> None:
        self.folder = folder
        self.said = said
        self.tree = check_tree(Path(said["common"]), said["owner"])
        self.environment: Mapping[str, str] = {}
        self.where = Surroundings(str(self.tree.path), (), {}, (), ())

    def tell(self, **what: object) -> None:
        """Say what it is at."""
        told = {"since": time.time(), "runner": os.getpid(), **what}
        with contextlib.suppress(BatonError):  # it is only looked at
            write_durably(Path(self.folder, "running.json"), json.dumps(told), Path(self.folder))

    def keep(self, name: str, command: dict[str, Any], code: int, ended: str, seconds: float = 0.0) -> None:
        """Keep how a command went."""
        result = {"name": command["name"], "log": command["log"], "code": code, "ended": ended, "seconds": seconds}
        write_durably(Path(self.folder, name), json.dumps(result), Path(self.folder))

    def stop(self, name: str, log: str, text: str, ended: str) -> bool:
        """Keep why nothing can be run here, with its text as the log."""
        Path(self.folder, log).write_text(f"{text}\n", encoding="utf-8", errors="backslashreplace")
        self.keep(self.said["stuck"], {"name": name, "log": log}, 1, ended)
        return False


def run_job(job: Job) -> None:
    """Run the job's commands that are not known yet, in order, in the check tree as it is at the commit."""
    job.tell(waits=True)
    with hold_lock(job.tree.lock, job.folder, math.inf):
        job.tell()
        try:
            ready = _make_ready(job)
        except BatonError as error:
            ready = job.stop("worktree", TREE_LOG, str(error), "not-started")
        if not ready:
            return
        commands = job.said["commands"]
        open_ones = [one for one in commands if not read_outcome(Path(job.folder), one["kept"])]
        for command in commands:
            again = command["step"] == "build" and job.tree.known.get("built") != command["kept"]
            if command in open_ones or (again and open_ones):
                _run_command(job, command)


def _make_ready(job: Job) -> bool:
    """Put the check tree at the commit and set it up; False where a result says why that cannot be."""
    tree, said = job.tree, job.said
    stays = tree.known.get("stay") == said["stay"] and tree.is_at(said["tree"])
    if not stays:
        tree.note(stay="")
        if tree.put_at(said["commit"], said["tree"], tree.spared):
            tree.note(setup="", spared=[])
    job.where = look_around(tree, said["tree"], [command["line"] for command in said["commands"]])
    job.environment = {**job.where.environment, **_own_settings(tree)}
    told = foreign(job.where)
    if told and tree.known.get("setup"):  # it may be the set-up's, or a command's, of an earlier commit
        remove_tree(tree)
        tree.put_at(said["commit"], said["tree"], ())
        told = foreign(job.where)
    if told:
        return job.stop("tree", TREE_LOG, told, "foreign")
    line = said["setup"] and said["setup"]["line"]
    digest = setup_digest(line, said["tree"], tree.path, list(job.where.entries)) if line else ""
    if digest and tree.known.get("setup") != digest and not _set_up(job, digest):
        return False
    if tree.known.get("stay") != said["stay"]:
        tree.note(stay=said["stay"], built="")
    return True


def _set_up(job: Job, digest: str) -> bool:
    """Run the set-up in the clean tree, and learn what it leaves; then the commit's files are as they were."""
    tree, said = job.tree, job.said
    _clear_environments(job)
    tree.note(setup="", spared=[], stay="")
    tree.move(said["commit"], said["tree"], ())
    code, ended, _ = _run(job, said["setup"])
    if code != 0:
        job.keep(said["stuck"], said["setup"], code, ended)
        return False
    spared = tree.untracked()
    tree.move(said["commit"], said["tree"], spared)
    tree.note(setup=digest, spared=spared)
    if said["is_base"]:
        write_durably(trees_folder(tree.common) / ".learned.json", json.dumps({"names": spared}), tree.common)
    told = foreign(job.where)
    return job.stop("tree", TREE_LOG, told, "foreign") if told else True


def _clear_environments(job: Job) -> None:
    """Remove what the last set-up made: what is installed no more would be there still, or half of it."""
    tree = job.tree
    folders = {"", *(one.folder for one in manifests(list(job.where.entries)))}
    found = [one.parent for folder in sorted(folders) for one in (tree.path / folder).glob("*/pyvenv.cfg")]
    for path in [*found, *(tree.path / one for one in tree.spared)]:
        if is_inside(str(path.parent), str(tree.path)):
            clear(str(path))


def _own_settings(tree: CheckTree) -> dict[str, str]:
    """Return the variables by which what commands start differs from what those of another tree start."""
    compose = re.sub(r"[^a-z0-9_-]", "-", f"baton-{label(tree.common)}-{tree.owner}".lower())
    return {"BATON_SLOT": str(slot_of(tree)), "COMPOSE_PROJECT_NAME": compose}


def _run_command(job: Job, command: dict[str, Any]) -> None:
    began = time.time()
    code, ended, seconds = _run(job, command)
    if command["report"]:
        _keep_report(job, command, began)
    job.keep(command["kept"], command, code, ended, seconds)
    if command["step"] == "build":
        job.tree.note(built=command["kept"])


def _keep_report(job: Job, command: dict[str, Any], began: float) -> None:
    """Copy the report a command has written beside its log: the next command of the tree may replace it."""
    top = os.path.realpath(job.tree.path)
    path = os.path.realpath(os.path.join(top, command["report"]))
    copy = report_of(Path(job.folder, command["log"]))
    with contextlib.suppress(OSError):
        copy.unlink(missing_ok=True)
        found = os.lstat(path)
        is_new = stat.S_ISREG(found.st_mode) and found.st_mtime >= int(began) and found.st_size <= MOST_BYTES
        if is_new and path.startswith(f"{top}/"):
            shutil.copyfile(path, copy)


def _run(job: Job, command: dict[str, Any]) -> tuple[int, str, float]:
    """Run a command in its folder; returns its exit code, how it ended, and the seconds it took."""
    began = time.monotonic()
    job.tell(name=command["name"], log=command["log"])
    log = os.path.join(job.folder, command["log"])
    top = os.path.realpath(job.tree.path)
    place = os.path.realpath(os.path.join(top, command["path"]))
    if os.path.isdir(place) and f"{place}/".startswith(f"{top}/"):
        # A project's command is a shell line by contract; a person confirmed it, word for word.
        code, ended = logged(log, ["sh", "-c", command["line"]], place, job.environment, job.said["limit"])
    else:
        code, ended = 127, "no-folder"
    return code, ended, round(time.monotonic() - began, 1)


def main(folder: str) -> int:
    """Run the job in `folder` unless another runner has it, and write its results."""
    lock = os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return 0
    # The caller reads this line: from here on the lock says that the job is running.
    print("running", flush=True)
    said = read_record(Path(folder, "job.json"))
    if said:  # else it was damaged meanwhile, and is begun anew
        run_job(Job(folder, said))
        write_durably(Path(folder, "job.json"), json.dumps({**said, "starts": 0}, indent=1), Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
