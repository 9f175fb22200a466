"""Install the program's own Python packages: all of them into one folder, or none."""

import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from baton.errors import BatonError
from baton.journal.atomic_file import write_durably
from baton.journal.lock import hold_lock

COMMAND_SECONDS = 600
# What an installation takes at most while it is made: a virtual environment with pip, and the packages.
NEEDED_BYTES = 50_000_000
WAIT_SECONDS = 1800

PIP = ("-m", "pip", "install", "--no-compile", "--no-input", "--progress-bar", "off", "--require-hashes")
IMPORT_CHECK = "import sys; sys.path.append(sys.argv[1]); import click, jinja2, jsonschema, yaml"
# Settings that say where or what to install; those that say from where (an index, a proxy) are the user's.
DROPPED = {
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_EDITABLE"),
    *("PIP_DRY_RUN", "PIP_REPORT", "PIP_REQUIRE_VIRTUALENV", "__PYVENV_LAUNCHER__"),
}

NO_SPACE = (
    "No space left|Disk quota",
    "no space is left",
    "free 50 MB, or set XDG_DATA_HOME to a folder elsewhere",
)
# What the output holds, why that is, what to do; the first that matches.
FAILURES = (
    ("connection broken by|Could not connect|Failed to establish a new connection|ReadTimeoutError",
     "the package registry was not reached", "connect, or name a mirror to pip"),
    ("from versions: none", "the registry lacks a package or was not reached", "check the registry in use"),
    NO_SPACE,
    ("DO NOT MATCH THE HASHES", "a package is not the locked one", "check the registry in use"),
    ("No module named '?(venv|ensurepip|pip)|ensurepip is not",
     "this Python has no venv or no pip in it", "install its venv package, or set BATON_PYTHON to another"),
    ("", "pip failed", "fix what it reports"),
)  # fmt: skip


def install_once(folder: str, lock_file: str, log_file: str) -> None:
    """Install the packages of a lock file into `folder`, or wait while another call does; the log is kept."""
    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        raise BatonError("no Python 3.11 to 3.14", sys.executable, "set BATON_PYTHON to one")
    home = os.path.dirname(folder)
    try:
        os.makedirs(home, exist_ok=True)
        with hold_lock(Path(home, ".lock"), "setting up its Python packages", WAIT_SECONDS):
            if not os.path.isdir(folder):
                _make_folder(folder, os.path.join(home, ".making"), lock_file, log_file)
    except OSError as error:
        remedy = f"{error.strerror or error}; fix that, or set XDG_DATA_HOME to another folder"
        raise BatonError("cannot keep its Python packages", home, remedy) from error


def _make_folder(folder: str, work: str, lock_file: str, log_file: str) -> None:
    """Make `folder` with all its packages or not at all; nothing of `work` is left."""
    shutil.rmtree(work, ignore_errors=True)  # of a call that was killed: this one holds the lock
    os.mkdir(work)
    try:
        packages = os.path.join(work, "packages")
        _install(packages, work, lock_file, log_file)
        os.sync()
        os.rename(packages, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(packages: str, work: str, lock_file: str, log_file: str) -> None:
    """Install into the folder `packages` with the pip of a virtual environment in `work`."""
    venv = os.path.join(work, "venv")
    commands = (
        (sys.executable, "-I", "-m", "venv", venv),
        (os.path.join(venv, "bin", "python"), "-I", *PIP, "--target", packages, "-r", lock_file),
        (sys.executable, "-I", "-S", "-B", "-c", IMPORT_CHECK, packages),
    )
    print("baton: setting up its Python packages once ...", file=sys.stderr, flush=True)
    with open(log_file, "w", encoding="utf-8", errors="replace") as log:
        for command in commands:
            print("$", *command, file=log, flush=True)
            try:
                subprocess.run(
                    command, cwd=work, env=_pip_settings(), timeout=COMMAND_SECONDS, check=True,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError) as error:
                print(error, file=log, flush=True)
                raise failure_in(log_file) from error


def _pip_settings() -> dict[str, str]:
    names = [name for name in os.environ if name not in DROPPED and not name.startswith("PYTHON")]
    # Fewer retries than pip would make: someone waits.
    return {"PIP_RETRIES": "2", **{name: os.environ[name] for name in names}, "PIP_USER": "0"}


def failure_in(log_file: str) -> BatonError:
    """Return the error for an installation whose output is in the log."""
    with open(log_file, encoding="utf-8", errors="replace") as log:
        output = log.read()
    row = next(row for row in FAILURES if re.search(row[0], output, re.IGNORECASE))
    # Where a disk is nearly full, `venv` says only that a command of its own failed.
    is_full = not row[0] and shutil.disk_usage(os.path.dirname(log_file)).free < NEEDED_BYTES
    _, why, remedy = NO_SPACE if is_full else row
    what = f"cannot set up its Python packages ({why})"
    return BatonError(what, sys.executable, f"{remedy}, then call again; the output is in {log_file}")


def keep_path(home: str, python: str) -> None:
    """Keep the path of the interpreter for later calls."""
    with suppress(BatonError):  # it only spares the next call a search
        write_durably(Path(home, "python"), f"{python}\n", Path(home))
