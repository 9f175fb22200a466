"""Names that were given as files of the work tree, held against what is there: no link, no other repository."""

import os
import stat
import unicodedata
from pathlib import Path

from baton.artifacts.file_name import told
from baton.git.command import Git

LFS = b"version https://git-lfs.github.com/spec/"
LOOKED_AT = 8000
PERSON = "leave it as it is and hand in needs-human"


class Tree:
    """A work tree that names are looked up in, and the commit it began from."""

    def __init__(self, git: Git, base: str = "HEAD") -> None:
        self.git, self.root, self.base = git, git.project.root, base

    def fault(self, name: str) -> str:
        """Say what is wrong with a name as that of a text file, there or deleted; nothing when all is well."""
        folder = self.root
        *above, last = name.split("/")
        for part in above:
            if fault := _misspelled(folder, part):
                return fault
            folder /= part
            if fault := _no_folder(folder):
                return fault
            if not folder.exists():
                return self._gone(name)
        return _misspelled(folder, last) or self._no_file(folder / last, name)

    def _no_file(self, path: Path, name: str) -> str:
        try:
            mode = path.lstat().st_mode
        except FileNotFoundError:
            return self._gone(name)
        except OSError as error:
            return f"cannot be looked at ({error.strerror})"
        if stat.S_ISLNK(mode):
            return f"is a symbolic link: {PERSON}"
        if stat.S_ISDIR(mode):
            here = "another repository" if (path / ".git").exists() else "a folder"
            return f"is {here}: name the files that were changed, of this repository alone"
        return _content(path) if stat.S_ISREG(mode) else "is no plain file"

    def _gone(self, name: str) -> str:
        return "" if self.git.has(name, self.base) else "is not there, nor was it in the commit you began from"


def _no_folder(path: Path) -> str:
    if path.is_symlink():
        return f"is behind a symbolic link, {told(path.name)}: {PERSON}"
    if path.is_dir():
        return f"is in another repository, {told(path.name)}: {PERSON}" if (path / ".git").exists() else ""
    return f"is inside of {told(path.name)}, which is no folder" if path.exists() else ""


def _misspelled(folder: Path, part: str) -> str:
    """Say that a name is there in another spelling: on some file systems that is the same file, on others not."""
    try:
        names = os.listdir(folder)
    except OSError as error:
        return f"cannot be looked at ({error.strerror})"
    if part in names:
        return ""
    same = next((one for one in names if _plain(one) == _plain(part)), "")
    return f"is spelled otherwise here: {told(same)}" if same else ""


def _plain(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def _content(path: Path) -> str:
    """Say that a file is none that is edited as text."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            return "is no plain file"
        start = file.read(LOOKED_AT)
    if start.startswith(LFS):
        return f"is kept by git LFS: {PERSON}"
    return f"is no text: {PERSON}" if b"\0" in start else ""
