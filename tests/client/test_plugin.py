"""What the client itself says of the plugin: its checks pass, and it costs little when it is not used."""

from __future__ import annotations

import re
from pathlib import Path

from client.person import NewDesk


def test_the_clients_strictest_checks_find_nothing(new_desk: NewDesk, plugin_copy: Path) -> None:
    done = new_desk({}).run("plugin", "validate", "--strict", "--profile", "directory", str(plugin_copy))
    assert done.code == 0, done.out + done.err
    assert "⚠" not in done.out


def test_a_plugin_without_its_icon_would_be_found(new_desk: NewDesk, plugin_copy: Path) -> None:
    (plugin_copy / ".claude-plugin" / "icon.png").unlink()
    done = new_desk({}).run("plugin", "validate", "--strict", "--profile", "directory", str(plugin_copy))
    assert done.code != 0
    assert "ICON_MISSING" in done.out


def test_it_costs_at_most_150_tokens_when_it_is_not_used(new_desk: NewDesk, plugin_copy: Path) -> None:
    desk = new_desk({}).with_skills_copy(plugin_copy, "baton")
    done = desk.run("plugin", "details", "baton")
    found = re.search(r"Always-on:\s*~?\s*(\d+)", done.out)
    assert found, done.out + done.err
    assert int(found[1]) <= 150
