"""Who reads what the commands print."""

from pathlib import Path

import pytest

from baton.commands import output as render


@pytest.fixture
def client(surrounded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Be called by the client, for a model."""
    monkeypatch.setenv("CLAUDECODE", "1")


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """Print on a terminal, for the user."""
    monkeypatch.setattr(render, "on_terminal", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
