"""Find the program's packages for the client's hooks: none of them waits for a set-up."""

import os
import shlex
import sys
import time

from baton.bootstrap import (
    HOOKS,
    LOCK_FILE,
    NEWER_THAN,
    data_home,
    ensure_packages,
    find_packages,
    log_file,
    python_for_shell,
)
from baton.errors import BatonError

# How long the start of a session leaves a set-up alone that was begun or failed, and a look for a newer Python.
RETRY_SECONDS = 600


def ready_for_hook(event: str) -> str:
    """Return the folder of the packages; empty where they are not set up, and the hook has nothing to say.

    At the start of a session they are set up in the background, and at times for a newer Python that is on PATH,
    which is then remembered; unless that was tried a short while ago.
    """
    starts = event == "session-start"
    if starts:
        tell_shell()
    try:
        if folder := find_packages():
            if starts:
                ensure_packages()
                _look_for_newer()
            return folder
        if starts and not _tried_lately(log_file()):
            _set_up_in_background({})
    except (BatonError, OSError):  # the next command the user or an agent calls says it
        pass
    return ""


def tell_shell() -> None:
    """Tell the client's later shell calls which Python to use, and that its hooks are on."""
    path = os.environ.get("CLAUDE_ENV_FILE")
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"export BATON_PYTHON={shlex.quote(python_for_shell())}\nexport {HOOKS}=1\n")
    except OSError as error:
        remedy = f"{error.strerror}; the client names it in CLAUDE_ENV_FILE"
        raise BatonError("cannot write", path, remedy) from error


def _look_for_newer() -> None:
    looked = os.path.join(data_home(), "looked")
    if not os.environ.get("BATON_PYTHON") and not _tried_lately(looked):
        with open(looked, "wb"):
            pass
        _set_up_in_background({NEWER_THAN: str(sys.hexversion)})


def _tried_lately(mark: str) -> bool:
    try:
        return time.time() - os.path.getmtime(mark) < RETRY_SECONDS
    except OSError:
        return False


def _set_up_in_background(settings: dict[str, str]) -> None:
    import subprocess  # of the start of a session alone

    null, env = subprocess.DEVNULL, {**os.environ, **settings}
    words = (os.path.join(os.path.dirname(os.path.dirname(LOCK_FILE)), "baton"), "--version")
    subprocess.Popen(words, stdin=null, stdout=null, stderr=null, start_new_session=True, env=env)
