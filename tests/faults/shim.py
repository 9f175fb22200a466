"""Counts the calls of a forked child by which it changes what outlives it, and strikes at one of them.

Nothing is ever put back: what is patched here dies with the child.
"""

import builtins
import io
import os
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

# file: what changes a file or its name; folder: a folder opened to be walked or synced;
# process: a program about to be started; begun: it has begun; end: it is done; look: a name looked up.
Family = Literal["file", "folder", "process", "begun", "end", "look"]

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
# What in a name is by chance.
CHANCE = re.compile(r"(?<=^baton-index-).*|[0-9a-f]{7,}|\d+")
TWO_PATHS = ("rename", "replace", "link", "symlink")
ONE_PATH = ("unlink", "remove", "mkdir", "rmdir", "truncate")
LOOKS = ("stat", "lstat", "readlink", "scandir", "listdir")
BY_DESCRIPTOR = ("fsync", "fdatasync", "ftruncate")
# What `gh` is told on its stdin when it is to change something, and what its words are then counted with.
MUTATION, SENT = b"mutation ", " --method POST"


class Call(NamedTuple):
    """The n-th call that was counted, and what it is about."""

    number: int
    name: str
    subject: str

    def __str__(self) -> str:
        return f"call {self.number} ({self.name} {self.subject})"


def kind_of(call: Call) -> str:
    """Return what sort of effect a call has: what git did, or what was done to a name of which sort."""
    if call.name == "end of":
        words = [word for word in call.subject.split() if word[0] != "-" and not {"=", "/"} & {*word}]
        return " ".join([call.name, *words[:2]])
    if call.name not in (*TWO_PATHS, *ONE_PATH):
        return call.name
    name = os.path.basename(call.subject)
    return f"{call.name} {os.path.splitext(name)[1] or CHANCE.sub('0', name)}"


# Gives the words of a program to be started instead, or nothing; may raise OSError, or not return at all.
Strike = Callable[[Call], tuple[str, ...]]


@dataclass
class Shim:
    """Stands between this process and the system, for the families that are counted.

    Where `begun` is among them, each program holds the pipe `lasts` open until it ends.
    """

    strike: Strike
    families: tuple[Family, ...]
    count: int = 0
    files: dict[int, str] = field(default_factory=dict)
    folders: dict[int, str] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)
    lasts: int = -1

    def tick(self, family: Family, name: str, subject: object) -> tuple[str, ...]:
        """Count a call of a family that is counted, and strike if its turn has come."""
        if family not in self.families:
            return ()
        self.count += 1
        return self.strike(Call(self.count, name, str(subject)))

    def install(self) -> None:
        """Patch this process, which never goes back."""
        for name in TWO_PATHS:
            setattr(os, name, self._with_paths(name, ("src_dir_fd", "dst_dir_fd")))
        for name in ONE_PATH:
            setattr(os, name, self._with_paths(name, ("dir_fd",)))
        for name in LOOKS if "look" in self.families else ():
            setattr(os, name, self._with_paths(name, ("dir_fd",), "look"))
        for name in BY_DESCRIPTOR:
            setattr(os, name, self._with_descriptor(name))
        for name in ("write", "pwrite"):
            setattr(os, name, self._writing(name))
        setattr(os, "open", self._opening())  # noqa: B010 - each is a replacement of another signature
        setattr(os, "close", self._closing())  # noqa: B010
        builtins.open = io.open = self._opening_streams()
        subprocess.Popen = self._starting()  # type: ignore[misc]

    def _place(self, path: Any, folder: int | None) -> str:
        named = os.fsdecode(path) if not isinstance(path, int) else self.files.get(path, str(path))
        return f"{self.folders.get(folder, '?')}/{named}" if folder is not None else named

    def _with_paths(self, name: str, folders: tuple[str, ...], family: Family = "file") -> Callable[..., Any]:
        real = getattr(os, name)

        def call(*paths: Any, **named: Any) -> Any:
            places = [self._place(path, named.get(key)) for path, key in zip(paths, folders, strict=False)]
            self.tick(family, name, " -> ".join(places))
            return real(*paths, **named)

        return call

    def _with_descriptor(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(descriptor: int, *rest: Any) -> Any:
            known = self.files.get(descriptor) or self.folders.get(descriptor)
            if known is not None:
                self.tick("file", name, known)
            # A killed process loses nothing of what the system holds: the disk need not be waited for.
            return None if "sync" in name else real(descriptor, *rest)

        return call

    def _writing(self, name: str) -> Callable[..., Any]:
        real = getattr(os, name)

        def call(descriptor: int, data: Any, *place: Any) -> Any:
            path = self.files.get(descriptor)
            if path is None:
                return real(descriptor, data, *place)
            self.tick("file", name, path)
            half = len(data) // 2
            if not half:
                return real(descriptor, data, *place)
            real(descriptor, data[:half], *place)
            self.tick("file", f"{name} the other half", path)
            return half + int(real(descriptor, data[half:], *(one + half for one in place)))

        return call

    def _opening(self) -> Callable[..., int]:
        real = os.open

        def call(path: Any, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
            place = self._place(path, dir_fd)
            writes = bool(flags & WRITES) and place != os.devnull
            # Whoever polls a lock opens it as often as time allows: what creates nothing counts once.
            if writes and (flags & os.O_CREAT or place not in self.seen):
                self.seen.add(place)
                self.tick("file", "open", place)
            elif flags & os.O_DIRECTORY:
                self.tick("folder", "open", place)
            descriptor = real(path, flags, mode, dir_fd=dir_fd)
            (self.files if writes else self.folders)[descriptor] = place
            return descriptor

        return call

    def _closing(self) -> Callable[[int], None]:
        real = os.close

        def call(descriptor: int) -> None:
            self.folders.pop(descriptor, None)
            path = self.files.pop(descriptor, None)
            try:
                if path is not None:
                    self.tick("file", "close", path)
            finally:
                real(descriptor)

        return call

    def _opening_streams(self) -> Callable[..., Any]:
        real, shim = io.open, self

        class File(io.FileIO):
            def write(self, data: Any) -> int:
                shim.tick("file", "write", self.name)
                return super().write(data) or 0

            def close(self) -> None:
                if not self.closed:
                    shim.files.pop(self.fileno(), None)
                super().close()

        def call(file: Any, mode: str = "r", buffering: int = -1, *texts: Any, **named: Any) -> Any:
            if not set(mode) & set("wax+") or isinstance(file, int) or os.fspath(file) == os.devnull:
                return real(file, mode, buffering, *texts, **named)
            place = os.fsdecode(file)
            if "r" not in mode or place not in shim.seen:
                shim.seen.add(place)
                shim.tick("file", "open", place)
            raw = File(file, mode.replace("b", "").replace("t", ""))
            shim.files[raw.fileno()] = place
            stream = io.BufferedWriter(raw)
            return stream if "b" in mode else io.TextIOWrapper(stream, *texts, **named)

        return call

    def _starting(self) -> type[Any]:
        shim = self

        class Popen(subprocess.Popen):  # type: ignore[type-arg]
            def __init__(self, args: Any, *more: Any, **named: Any) -> None:
                self.told = False
                self.words = " ".join(map(os.fsdecode, args))
                line = shim.tick("process", "start", self.words) or args
                if "begun" in shim.families:
                    named["pass_fds"] = (shim.lasts,)
                super().__init__(line, *more, **named)
                shim.tick("begun", "begun", self.words)

            def communicate(self, input: Any = None, timeout: float | None = None) -> tuple[Any, Any]:
                if input and MUTATION in input:
                    self.words += SENT
                return super().communicate(input, timeout)

            def wait(self, timeout: float | None = None) -> int:
                code = super().wait(timeout)
                if not self.told:
                    self.told = True
                    shim.tick("end", "end of", self.words)
                return code

        return Popen
