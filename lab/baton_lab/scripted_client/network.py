"""A loopback apart from the machine's: a network namespace where that is allowed, else the machine's."""

import os
import shutil
import socket
import subprocess
import sys
from typing import NamedTuple

# Runs inside the new namespace: a socket stays in the namespace it was made in, so a listener handed out of
# it is served by this process, while what runs inside sees nothing but this loopback.
INSIDE = """
import fcntl, os, socket, struct, sys
probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
UP, SET_FLAGS = 1, 0x8914
fcntl.ioctl(probe, SET_FLAGS, struct.pack("16sH14x", b"lo", UP))
listener = socket.create_server(("127.0.0.1", 0))
space = os.open("/proc/self/ns/net", os.O_RDONLY)
socket.send_fds(socket.socket(fileno=int(sys.argv[1])), [b"."], [listener.fileno(), space])
"""


class Network(NamedTuple):
    """Where the scripted model listens, and what to put before a command so that it runs beside it."""

    listener: socket.socket
    space: int | None

    @property
    def url(self) -> str:
        """Return the address the client is given."""
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    @property
    def enter(self) -> list[str]:
        """Return the words that run a command in this network."""
        return [] if self.space is None else ["nsenter", f"--net=/proc/{os.getpid()}/fd/{self.space}"]

    def close(self) -> None:
        """Give the network up."""
        self.listener.close()
        if self.space is not None:
            os.close(self.space)


def open_network() -> Network:
    """Return a loopback cut off from everything else where the machine allows it, else the machine's own."""
    if os.geteuid() == 0 and shutil.which("unshare") and shutil.which("nsenter"):
        return _separate() or _shared()
    return _shared()


def _shared() -> Network:
    return Network(socket.create_server(("127.0.0.1", 0)), None)


def _separate() -> Network | None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        run = ["unshare", "--net", sys.executable, "-c", INSIDE, str(theirs.fileno())]
        if subprocess.run(run, pass_fds=[theirs.fileno()], capture_output=True, check=False).returncode:
            return None
        _, (listener, space), _, _ = socket.recv_fds(ours, 1, 2)
    return Network(socket.socket(fileno=listener), space)
