"""The program's own Python packages: one folder for each lock file and interpreter, installed once.

A call that finds its folder costs one read and one stat.
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
    if not installed or "baton_probed" in sys._xoptions:
        from baton.install_packages import install_once, keep_path  # every other call goes without it

        if not installed:
            install_once(folder, LOCK_FILE, log_file())
        keep_path(data_home(), python_for_shell())
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
