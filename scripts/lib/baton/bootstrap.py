"""The program's own Python packages: one folder for each lock file and interpreter, made once.

A finished folder is found with one read and one stat; what only making one needs is imported there.
"""

import os
import sys
from _imp import source_hash  # hashlib would cost a call more than all the rest of this module

from baton.errors import BatonError

LOCK = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "requirements.txt")
# Set in the shells of a client whose hooks are on, as they have said at its start.
HOOKS = "BATON_HOOKS"
MARK = ".complete"
KEY_VERSION = 1
WAY_SECONDS = 600
WAIT_SECONDS = 1800

PIP = ("-m", "pip", "install", "--no-compile", "--no-input", "--progress-bar", "off", "--require-hashes")
UV = ("pip", "install", "--no-progress", "--link-mode", "copy", "--require-hashes")
PROOF = "import sys; sys.path.append(sys.argv[1]); import click, jinja2, jsonschema, yaml"
CHECK = (sys.executable, "-I", "-S", "-B", "-c", PROOF)

# Settings that say where or what to install; those that say from where (an index, a proxy) are the user's.
DROPPED = {
    *("PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_PYTHON", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_EDITABLE"),
    *("PIP_DRY_RUN", "PIP_REPORT", "UV_PYTHON", "UV_SYSTEM_PYTHON", "UV_CONSTRAINT", "UV_OVERRIDE", "UV_EXCLUDE"),
    *("UV_PROJECT", "UV_WORKING_DIR", "__PYVENV_LAUNCHER__"),
}

NOT_REACHED = (
    "after connection broken by|Could not connect|error sending request|dns error|tcp connect error"
    "|operation timed out|network was disabled|Failed to establish a new connection|ReadTimeoutError"
)
# What the installers said, why that is, what to do; the first that matches.
FAILURES = (
    (NOT_REACHED, "the package registry was not reached", "connect, or name a mirror to pip or uv"),
    ("from versions: none", "the registry lacks a package or was not reached", "check the registry in use"),
    ("No space left|os error 28|Disk quota", "no space is left", "free some"),
    ("DO NOT MATCH THE HASHES|Hash mismatch", "a package is not the locked one", "check the registry in use"),
    ("No module named pip", "there is no uv, venv or pip", "install uv, or the venv or pip of this Python"),
    ("", "every way failed", "fix what the installers report"),
)


def found() -> str:
    """Return the folder of the locked packages for this interpreter; empty where there is none yet."""
    folder = _folder()
    return folder if _is_complete(folder) else ""


def ready() -> str:
    """Return the folder of the locked packages for this interpreter; where there is none yet, make it."""
    folder = _folder()
    if not _is_complete(folder):
        _make_once(folder)
    elif "baton_probed" in sys._xoptions:
        _remember_interpreter()
    return folder


def python_for_shell() -> str:
    """Return the path of this interpreter, past virtual environments and version managers, for BATON_PYTHON."""
    return os.path.realpath(sys.executable)


def data_home() -> str:
    """Return the folder that holds what the program keeps for this user, whether it exists or not."""
    chosen = os.environ.get("XDG_DATA_HOME", "")
    if os.path.isabs(chosen):
        return os.path.join(chosen, "baton")
    home = os.environ.get("HOME", "")
    return os.path.join(home if os.path.isabs(home) else _account_home(), ".local", "share", "baton")


def log_file() -> str:
    """Return the path of what the installers said last."""
    return os.path.join(data_home(), "setup.log")


def _folder() -> str:
    return os.path.join(data_home(), "environments", _key())


def _account_home() -> str:
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        raise BatonError("no home folder for its Python packages", "HOME", "set HOME or XDG_DATA_HOME") from None


def _key() -> str:
    try:
        with open(LOCK, "rb") as file:
            lock = file.read()
    except OSError as error:
        raise BatonError("cannot read its list of packages", LOCK, "install the plugin again") from error
    interpreter = (python_for_shell(), sys.version, sys.platform, os.uname().machine)
    digest = source_hash(KEY_VERSION, lock + os.fsencode("\0".join(interpreter)))
    return f"{sys.implementation.cache_tag}{sys.abiflags}-{digest.hex()}"


def _is_complete(folder: str) -> bool:
    return os.path.exists(os.path.join(folder, MARK))


def _make_once(folder: str) -> None:
    """Make `folder` unless another call does at this moment: then wait for it."""
    from pathlib import Path

    from baton.journal.lock import hold_lock

    if not (3, 11) <= sys.version_info[:2] <= (3, 14):
        raise BatonError("no Python 3.11 to 3.14", sys.executable, "set BATON_PYTHON to one")
    home = os.path.dirname(folder)
    try:
        os.makedirs(home, exist_ok=True)
        with hold_lock(Path(home, ".lock"), "setting up its Python packages", WAIT_SECONDS):
            if not _is_complete(folder):
                _make(folder)
    except OSError as error:
        remedy = f"{error.strerror or error}; fix that, or set XDG_DATA_HOME to another folder"
        raise BatonError("cannot keep its Python packages", home, remedy) from error
    _remember_interpreter()


def _remember_interpreter() -> None:
    from contextlib import suppress
    from pathlib import Path

    from baton.journal.atomic_file import write_durably

    with suppress(BatonError):  # it only spares the next call a search
        write_durably(Path(data_home(), "python"), python_for_shell() + "\n", Path(data_home()))


def _make(folder: str) -> None:
    import shutil
    import tempfile

    home = os.path.dirname(folder)
    for name in os.listdir(home):
        if name.startswith(".making-"):  # its maker was killed: this call holds the lock
            shutil.rmtree(os.path.join(home, name), ignore_errors=True)
    work = tempfile.mkdtemp(prefix=".making-", dir=home)
    try:
        packages = _install(work, folder)
        _seal(packages)
        if os.path.exists(folder):  # without its mark, so no call uses it
            shutil.rmtree(folder)
        os.rename(packages, folder)
        _sync(home)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _install(work: str, folder: str) -> str:
    """Return the folder in `work` that the first way to succeed has filled."""
    log = log_file()
    ways = _ways(work)
    print(f"baton: setting up its Python packages once, with {next(iter(ways))} ...", file=sys.stderr, flush=True)
    open(log, "w").close()
    for way, commands in ways.items():
        if way == "pip" and _matches(NOT_REACHED, _read(log)):
            break  # the throw-away venv's pip has just waited for the same registry
        packages = os.path.join(work, f"{way}-packages")
        checked = [*commands[:-1], [*commands[-1], "--target", packages, "-r", LOCK], [*CHECK, packages]]
        if all(_succeeds(command, work, log) for command in checked):
            return packages
    raise _failure(_read(log), folder, log)


def _ways(work: str) -> dict[str, list[list[str]]]:
    """Return the commands of each way to install, the likeliest first; the last of each fills the folder."""
    import shutil

    python, venv = sys.executable, os.path.join(work, "venv")
    ways = {
        "venv": [[python, "-I", "-m", "venv", venv], [os.path.join(venv, "bin", "python"), "-I", *PIP]],
        "pip": [[python, "-E", *PIP]],
    }
    uv = shutil.which("uv")
    return {"uv": [[uv, *UV, "--python", python]], **ways} if uv else ways


def _succeeds(command: list[str], work: str, log: str) -> bool:
    import subprocess

    with open(log, "a", encoding="utf-8", errors="replace") as file:
        print("$", *command, file=file, flush=True)
        try:
            done = subprocess.run(
                command, cwd=work, env=_installer_settings(), timeout=WAY_SECONDS,
                stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            print(error, file=file)
            return False
    return done.returncode == 0


def _installer_settings() -> dict[str, str]:
    settings = {"PIP_RETRIES": "2", "UV_HTTP_RETRIES": "2"}  # fewer than they would make: someone waits
    for name, value in os.environ.items():
        if name not in DROPPED and not name.startswith("PYTHON"):
            settings[name] = value
    return {**settings, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0"}


def _failure(said: str, folder: str, log: str) -> BatonError:
    """Return the error to show for all that the installers have `said`."""
    why, remedy = next((why, remedy) for pattern, why, remedy in FAILURES if _matches(pattern, said))
    what = f"cannot set up its Python packages ({why})"
    return BatonError(what, folder, f"{remedy}, then call again; what the installers said is in {log}")


def _matches(pattern: str, text: str) -> bool:
    import re

    return re.search(pattern, text, re.IGNORECASE) is not None


def _read(path: str) -> str:
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def _seal(packages: str) -> None:
    """Put every byte of `packages` on the disk, and the mark of a whole environment in it."""
    with open(os.path.join(packages, MARK), "w", encoding="utf-8", errors="replace") as file:
        print(python_for_shell(), sys.version, file=file)
    for folder, _, names in os.walk(packages):
        for name in names:
            _sync(os.path.join(folder, name))
        _sync(folder)


def _sync(path: str) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
