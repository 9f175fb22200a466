"""The program's own Python packages: one folder for each lock file and interpreter, installed once.

A call that finds its folder costs one read and one stat; imports for installing alone are made there.
"""

import os
import sys
from zlib import crc32

from baton.errors import BatonError

LOCK_FILE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "requirements.txt")
# Set in the shells of a client whose hooks are on: they report so at its start.
HOOKS = "BATON_HOOKS"
# Set where the client's module calls, which starts agents itself.
DRIVEN = "BATON_DRIVEN"
# The version a call that looks for a newer Python goes on from, as `sys.hexversion`.
NEWER_THAN = "BATON_NEWER_THAN"
COMMAND_SECONDS = 600
WAIT_SECONDS = 1800

PIP = ("-m", "pip", "install", "--no-compile", "--no-input", "--progress-bar", "off", "--require-hashes")
IMPORT_CHECK = "import sys; sys.path.append(sys.argv[1]); import click, jinja2, jsonschema, yaml"
# Settings that say where or what to install; those that say from where (an index, a proxy) are the user's.
DROPPED = {
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_EDITABLE"),
    *("PIP_DRY_RUN", "PIP_REPORT", "PIP_REQUIRE_VIRTUALENV", "__PYVENV_LAUNCHER__"),
}

# What the output holds, why that is, what to do; the first that matches.
FAILURES = (
    ("connection broken by|Could not connect|Failed to establish a new connection|ReadTimeoutError",
     "the package registry was not reached", "connect, or name a mirror to pip"),
    ("from versions: none", "the registry lacks a package or was not reached", "check the registry in use"),
    ("No space left|Disk quota", "no space is left", "free some"),
    ("DO NOT MATCH THE HASHES", "a package is not the locked one", "check the registry in use"),
    ("No module named '?(venv|ensurepip|pip)|ensurepip is not",
     "this Python has no venv or no pip in it", "install its venv package, or set BATON_PYTHON to another"),
    ("", "pip failed", "fix what it reports"),
)  # fmt: skip


def find_packages() -> str:
    """Return the folder of the locked packages for this interpreter; empty where there is none yet."""
    folder = _folder()
    return folder if os.path.isdir(folder) else ""


def ensure_packages() -> str:
    """Return the folder of the locked packages for this interpreter; install them where there is none yet."""
    if sys.hexversion <= int(os.environ.get(NEWER_THAN, "0")):
        sys.exit(0)
    folder = _folder()
    installed = os.path.isdir(folder)
    if not installed:
        _install_once(folder)
    if not installed or "baton_probed" in sys._xoptions:
        _remember_interpreter()
    return folder


def python_for_shell() -> str:
    """Return the path of this interpreter, past virtual environments and version managers, for BATON_PYTHON."""
    return os.path.realpath(sys.executable)


def data_home() -> str:
    """Return the folder of the program's data for this user, whether it exists or not."""
    chosen = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(chosen):
        return os.path.join(chosen, "baton")
    home = os.path.expanduser("~")  # where HOME is not set, the account's
    if not os.path.isabs(os.environ.get("HOME", home)):
        raise BatonError("no home folder for its Python packages", "HOME", "set HOME or XDG_DATA_HOME")
    return os.path.join(home, ".local", "share", "baton")


def log_file() -> str:
    """Return the path of the log of the last installation."""
    return os.path.join(data_home(), "setup.log")


def _folder() -> str:
    try:
        with open(LOCK_FILE, "rb") as file:
            lock = file.read()
    except OSError as error:
        raise BatonError("cannot read its list of packages", LOCK_FILE, "install the plugin again") from error
    interpreter = (python_for_shell(), sys.version, sys.platform, os.uname().machine)
    key = crc32(lock + os.fsencode("\0".join(interpreter)))
    return os.path.join(data_home(), "environments", f"{sys.implementation.cache_tag}{sys.abiflags}-{key:08x}")


def _install_once(folder: str) -> None:
    """Install the packages into `folder`, or wait while another call does."""
    from pathlib import Path

    from baton.journal.lock import hold_lock

    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        raise BatonError("no Python 3.11 to 3.14", sys.executable, "set BATON_PYTHON to one")
    home = os.path.dirname(folder)
    try:
        os.makedirs(home, exist_ok=True)
        with hold_lock(Path(home, ".lock"), "setting up its Python packages", WAIT_SECONDS):
            if not os.path.isdir(folder):
                _make_folder(folder, os.path.join(home, ".making"))
    except OSError as error:
        remedy = f"{error.strerror or error}; fix that, or set XDG_DATA_HOME to another folder"
        raise BatonError("cannot keep its Python packages", home, remedy) from error


def _make_folder(folder: str, work: str) -> None:
    """Make `folder` with all its packages or not at all; nothing of `work` is left."""
    import shutil

    shutil.rmtree(work, ignore_errors=True)  # of a call that was killed: this one holds the lock
    os.mkdir(work)
    try:
        packages = os.path.join(work, "packages")
        _install(packages, work)
        os.sync()
        os.rename(packages, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(packages: str, work: str) -> None:
    """Install into the folder `packages` with the pip of a virtual environment in `work`."""
    import subprocess

    venv = os.path.join(work, "venv")
    commands = (
        (sys.executable, "-I", "-m", "venv", venv),
        (os.path.join(venv, "bin", "python"), "-I", *PIP, "--target", packages, "-r", LOCK_FILE),
        (sys.executable, "-I", "-S", "-B", "-c", IMPORT_CHECK, packages),
    )
    print("baton: setting up its Python packages once ...", file=sys.stderr, flush=True)
    with open(log_file(), "w", encoding="utf-8", errors="replace") as log:
        for command in commands:
            print("$", *command, file=log, flush=True)
            try:
                subprocess.run(
                    command, cwd=work, env=_pip_settings(), timeout=COMMAND_SECONDS, check=True,
                    stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                )  # fmt: skip
            except (OSError, subprocess.SubprocessError) as error:
                print(error, file=log, flush=True)
                raise _failure() from error


def _pip_settings() -> dict[str, str]:
    names = [name for name in os.environ if name not in DROPPED and not name.startswith("PYTHON")]
    # Fewer retries than pip would make: someone waits.
    return {"PIP_RETRIES": "2", **{name: os.environ[name] for name in names}, "PIP_USER": "0"}


def _failure() -> BatonError:
    """Return the error for an installation whose output is in the log."""
    import re

    with open(log_file(), encoding="utf-8", errors="replace") as log:
        output = log.read()
    why, remedy = next((why, what) for text, why, what in FAILURES if re.search(text, output, re.IGNORECASE))
    what = f"cannot set up its Python packages ({why})"
    return BatonError(what, sys.executable, f"{remedy}, then call again; the output is in {log_file()}")


def _remember_interpreter() -> None:
    from contextlib import suppress
    from pathlib import Path

    from baton.journal.atomic_file import write_durably

    with suppress(BatonError):  # it only spares the next call a search
        write_durably(Path(data_home(), "python"), python_for_shell() + "\n", Path(data_home()))
