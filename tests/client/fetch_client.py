"""The pinned client, fetched once with npm."""

import functools
import os
import platform
import pty
from pathlib import Path

from fetched import CannotFetch, Missing, cached, run, unpack_from_npm

VERSION = "2.1.330"
PACKAGE = "@anthropic-ai/claude-code-{platform}"
INTEGRITY = {
    "linux-x64": "9Gn+V7DtJ8M1nztP9CeDVl9g3RtrepI7rOFTyPRRnZe8D6zebIHKmC7OvBauucuAP0X0k85SDN/LPVZyjsGezQ==",
    "linux-arm64": "V4yanAY5EA5UpwwRPtjSfqDbNqAlUJeVn3NYZw2AgmRHjdpSsLtHAzbxRXfkAnbjwTXzE0uedjQxUY02ARPcsA==",
    "darwin-arm64": "rgzAjrRJJsIdZXGF9CCFFbURxKuJNobRr+krV3dNmqNJWIws74rLD0CABe4+nXlx/9WwRECTrveprWB96mubqw==",
    "darwin-x64": "XenTNj2zXaFrnLmf47n25vChfFhlfeyaAR/vW5SFsEnLGwd2U1vDUY97+5etHBZu3xWBnlK8HhBVxzRi9YTUDw==",
}
MACHINES = {"x86_64": "x64", "amd64": "x64", "aarch64": "arm64", "arm64": "arm64"}


@functools.cache
def client() -> Path | Missing:
    """Return the pinned client, fetched if it was not yet, or why this machine cannot have it."""
    name = f"{platform.system().lower()}-{MACHINES.get(platform.machine().lower(), platform.machine())}"
    if name not in INTEGRITY:
        return Missing(f"Claude Code {VERSION} is not pinned for {name}")
    try:
        for end in pty.openpty():
            os.close(end)
    except OSError as error:
        return Missing(f"no pseudo-terminal can be opened ({error})")

    def fetch(folder: Path) -> None:
        unpack_from_npm(f"{PACKAGE.format(platform=name)}@{VERSION}", INTEGRITY[name], "claude", folder / "claude")
        (folder / "claude").chmod(0o755)

    found = cached(f"client/{VERSION}", "claude", fetch)
    return found if isinstance(found, Missing) else _checked(found)


def _checked(path: Path) -> Path | Missing:
    try:
        said = run([str(path), "--version"], path.parent)
    except CannotFetch as problem:
        said = str(problem)
    return path if said.startswith(f"{VERSION} ") else Missing(f"{path} does not run as {VERSION}: {said}")
