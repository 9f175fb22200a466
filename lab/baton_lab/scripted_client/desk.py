"""One person's machine as a test sees it: a home, a project, a client and the model it talks to."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from baton_lab.scripted_client.model import Model

if TYPE_CHECKING:
    from baton_lab.scripted_client.terminal import Terminal

KEY = "offline-offline-offline"
PERSON = {"NAME": "Test", "EMAIL": "test@example.com"}
CLIENT_SECONDS = 180
NOT_COPIED = (".git", ".venv", "__pycache__", ".*_cache")


class Finished(NamedTuple):
    """A client run that has ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class Desk:
    """A home of its own with the real client in it, in front of one project."""

    client: Path
    model: Model
    home: Path
    project: Path
    words: tuple[str, ...] = ()
    extra: Mapping[str, str] = field(default_factory=dict)

    def settle(self) -> Desk:
        """Skip the client's onboarding and trust the project; return the same desk."""
        self.home.mkdir(parents=True, exist_ok=True)
        state = {
            "hasCompletedOnboarding": True,
            "bypassPermissionsModeAccepted": True,
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(self.project): {"hasTrustDialogAccepted": True}},
        }
        (self.home / ".claude.json").write_text(json.dumps(state))
        return self

    def environment(self) -> dict[str, str]:
        """Return all the client's environment: of this process's own, only where tools and data are."""
        names = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in PERSON.items()}
        passed = {name: os.environ[name] for name in ("XDG_DATA_HOME", "TMPDIR") if name in os.environ}
        sandbox = {"IS_SANDBOX": "1"} if os.geteuid() == 0 else {}
        return {
            "HOME": str(self.home),
            "PATH": _path(),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.model.network.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            **names,
            **sandbox,
            **passed,
            **self.extra,
        }

    def command(self, *words: str) -> list[str]:
        """Take the client's arguments; return the command line that runs it in the model's network."""
        return [*self.model.network.enter, str(self.client), *words]

    def run(self, *words: str) -> Finished:
        """Take the client's arguments; run it without a terminal and return how it ended."""
        try:
            done = subprocess.run(
                self.command(*words), cwd=self.project, env=self.environment(),
                stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=CLIENT_SECONDS, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"the client did not end within {CLIENT_SECONDS} s") from error
        return Finished(done.returncode, done.stdout, done.stderr)

    def headless(self, prompt: str, *words: str) -> Finished:
        """Take a prompt; run it with `-p` in default permission mode and return how it ended."""
        return self.run("-p", prompt, *self.words, *words)

    def run_and_kill(self, happened: Callable[[], object], prompt: str, *words: str) -> None:
        """Take a condition; run a prompt with `-p` and kill the client, as a power cut would, once it holds."""
        child = subprocess.Popen(
            self.command("-p", prompt, *self.words, *words), cwd=self.project, env=self.environment(),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        late = time.monotonic() + CLIENT_SECONDS
        while not happened() and child.poll() is None and time.monotonic() < late:
            time.sleep(0.05)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def terminal(self, *words: str, mode: str = "default") -> Terminal:
        """Take a permission mode and more arguments; return the interactive client in a terminal."""
        from baton_lab.scripted_client.terminal import Terminal  # its libraries are the tests' alone

        line = self.command("--permission-mode", mode, *self.words, *words)
        return Terminal(line, self.project, self.environment())

    def with_extra(self, **variables: str) -> Desk:
        """Take variables; return a desk whose client finds them in its environment, too."""
        return replace(self, extra={**self.extra, **variables})

    def with_plugin_dir(self, plugin: Path) -> Desk:
        """Take a plugin's folder; return a desk whose client is told of it on its command line."""
        return replace(self, words=(*self.words, "--plugin-dir", str(plugin)))

    def with_skills_copy(self, plugin: Path, name: str) -> Desk:
        """Take a plugin's folder and name; copy it under the home's skills, where the client finds it."""
        skills = self.home / ".claude" / "skills"
        shutil.copytree(plugin, skills / name, symlinks=True, ignore=shutil.ignore_patterns(*NOT_COPIED))
        return self

    def with_marketplace(self, plugin: Path, name: str, market: str) -> Desk:
        """Take a folder that is a marketplace; install its plugin as a user does."""
        for words in (("marketplace", "add", str(plugin)), ("install", f"{name}@{market}")):
            done = self.run("plugin", *words)
            assert done.code == 0, f"claude plugin {' '.join(words)}: {done.out}{done.err}"
        return self


def _path() -> str:
    # The tests' own environment may hold a command of the plugin's name: the client must find the plugin's.
    own = str(Path(sys.prefix) / "bin") if sys.prefix != sys.base_prefix else ""
    return os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if part != own)
