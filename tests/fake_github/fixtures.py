"""A host for a test, and a gh that talks to it."""

import contextlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fetched import or_skip

from . import provision
from .hub import Hub
from .inside import answer_inside
from .server import served

NewHub = Callable[..., Hub]
ENTERPRISE = "ghe.example.com"
# What this machine may have set for its own gh.
UNSET = (
    "GH_HOST", "GH_REPO", "GH_DEBUG", "DEBUG", "GH_TOKEN", "GITHUB_TOKEN", "GITHUB_ENTERPRISE_TOKEN",
    "GH_ENTERPRISE_TOKEN", "GH_FORCE_TTY", "GH_PAGER", "CODESPACES",
)  # fmt: skip


@pytest.fixture(scope="session")
def gh_program() -> Path:
    """Return the real gh; leave the test out, saying why, where there is none or no schema."""
    or_skip(provision.schema())
    return or_skip(provision.gh())


@pytest.fixture
def new_hub(
    gh_program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[NewHub]:
    """Make hosts, each served: gh talks to the one made last, and is started for tests marked `gh` alone."""
    with contextlib.ExitStack() as open_hubs:

        def new_hub(host: str = "github.com") -> Hub:
            # The path of a socket may be 100 characters long, that of a test's own folder is longer.
            folder = Path(tempfile.mkdtemp(prefix="hub"))
            open_hubs.callback(shutil.rmtree, folder)
            hub = Hub(host)
            open_hubs.enter_context(served(hub, folder / "socket"))
            for name in UNSET:
                monkeypatch.delenv(name, raising=False)
            for name, value in gh_settings(hub, folder / "socket", tmp_path / "gh-config", gh_program).items():
                monkeypatch.setenv(name, value)
            if request.node.get_closest_marker("gh") is None:
                answer_inside(hub, monkeypatch)
            return hub

        yield new_hub


def gh_settings(hub: Hub, socket: Path, config: Path, program: Path) -> dict[str, str]:
    """Give the environment in which gh talks to a host, and to nothing else."""
    config.mkdir(exist_ok=True)
    (config / "config.yml").write_text(f"http_unix_socket: {socket}\n", encoding="utf-8")
    token = "GH_TOKEN" if hub.host == "github.com" else "GH_ENTERPRISE_TOKEN"
    return {
        "GH_CONFIG_DIR": str(config), token: hub.token, "GH_NO_UPDATE_NOTIFIER": "1", "GH_PROMPT_DISABLED": "1",
        "PATH": f"{program.parent}{os.pathsep}{os.environ['PATH']}",
    }  # fmt: skip


@pytest.fixture
def hub(new_hub: NewHub) -> Hub:
    """Give a host that stands for github.com."""
    return new_hub()


@pytest.fixture
def enterprise(new_hub: NewHub) -> Hub:
    """Give a host that stands for a GitHub Enterprise Server."""
    return new_hub(ENTERPRISE)
