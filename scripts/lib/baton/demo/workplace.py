"""The demo's workplace: small repositories of its own, without the user's settings."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from shutil import disk_usage
from sys import executable
from tempfile import TemporaryDirectory

from baton.artifacts.config import CONFIG_FILE
from baton.errors import BatonError
from baton.git.command import Git
from baton.journal.atomic_file import write_durably
from baton.journal.paths import Project

NEEDED_BYTES = 1_000_000  # below that nothing of it works
FILES = Path(__file__).with_name("repository")
# What the demo shows must not depend on how this user has set up git, gh, Python or baton.
SET_ASIDE = ("GIT_", "PYTHON", "BATON_", "MAX_ITERATIONS", "CLAUDE", "FORCE_COLOR", "GH_", "GITHUB_")
KEPT = ("GIT_EXEC_PATH", "PYTHONHOME")
# Files change twice within a second here, which cached bytecode would not notice.
OWN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "PYTHONDONTWRITEBYTECODE": "1"}
IDENTITY = {"user.name": "baton demo", "user.email": "demo@example.invalid", "commit.gpgSign": "false"}


@contextmanager
def workplace(keep: Path | None) -> Iterator[Path]:
    """Set the user's settings aside; gives `keep`, or a folder that is removed at the end."""
    if keep and (keep.is_file() or (keep.exists() and any(keep.iterdir()))):
        raise BatonError("not an empty folder", str(keep), "name a new one: `baton demo --keep DIR`")
    before = dict(os.environ)
    kept = {name: value for name, value in before.items() if name in KEPT or not name.startswith(SET_ASIDE)}
    try:
        temporary = TemporaryDirectory(prefix="baton-demo-", ignore_cleanup_errors=True)
    except OSError as error:
        remedy = f"{error.strerror}; set TMPDIR to a folder that can be written to"
        raise BatonError("cannot make a temporary folder", "TMPDIR", remedy) from error
    with temporary as scratch:
        try:
            _replace_environment({**kept, **OWN, "XDG_CACHE_HOME": f"{scratch}/cache"})
            yield keep.absolute() if keep else Path(scratch)
        except OSError as error:
            if error.errno == errno.ENOSPC and disk_usage(scratch).free < NEEDED_BYTES:
                raise BatonError(
                    "no space is left", os.path.dirname(scratch), "free some, or set TMPDIR to another folder"
                ) from error
            raise
        finally:
            _replace_environment(before)


def _replace_environment(wanted: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(wanted)


def make_repository(root: Path, settings: str = "") -> Path:
    """Make the demo's repository in the new folder `root`, with one commit; returns the folder.

    `settings` are added to the `.baton.yaml` that every demo has.
    """
    for path in sorted(FILES.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            write_durably(root / path.relative_to(FILES), path.read_text(encoding="utf-8"), root)
    write_durably(root / CONFIG_FILE, _config() + settings, root)
    git = Git(Project(root, root / ".git", root / ".git"))
    git.do("init", "--quiet", "--template=", "--initial-branch=main")
    for name, value in IDENTITY.items():
        git.do("config", name, value)
    git.do("add", "--all")
    git.do("commit", "--quiet", "--message", "teatime: how long a tea steeps")
    return root


def _config() -> str:
    # A single-quoted YAML scalar: nothing in it means anything but its quotes.
    test = f"{quote(executable)} -m unittest -q".replace("'", "''")
    return f"base: main\nintegrate:\n  mode: local\ncommands:\n  test: '{test}'\n"
