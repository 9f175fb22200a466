"""Every local command in the README is run, in the order in which a reader meets them."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)


def run(lines: str, folder: Path, home: Path) -> str:
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    who = {f"GIT_{role}_{key}": "t@example.com" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}
    environment = {**os.environ, **who, "HOME": str(home), "XDG_DATA_HOME": data, "XDG_CACHE_HOME": cache}
    done = subprocess.run(
        ["sh", "-euc", lines], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the plugin where the README puts it."""
    skills = tmp_path / "home" / ".claude" / "skills"
    skills.mkdir(parents=True)
    (skills / "baton").symlink_to(ROOT)
    return tmp_path / "home"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a commit, as a reader has one."""
    folder = tmp_path / "repository"
    folder.mkdir()
    lines = "git init -q -b main\necho hello >README\ngit add README\n"
    run(lines + "git -c user.name=t -c user.email=t@example.com commit -qm first", folder, tmp_path)
    return folder


def test_the_readme_has_the_commands_it_promises() -> None:
    assert [block.split("\n")[0] for block in BLOCKS] == [
        "scripts/baton demo",
        'export PATH="$HOME/.claude/skills/baton/bin:$PATH"',
        "baton next --help",
        "scripts/test",
    ]


def test_the_first_command_ends_in_merged(home: Path) -> None:
    assert "merged" in run(BLOCKS[0], ROOT, home).splitlines()[-8:][0:8].__str__()


def test_the_commands_of_the_first_story_work_in_order(home: Path, repository: Path) -> None:
    out = run(BLOCKS[1] + BLOCKS[2], repository, home)
    assert "42  new  Dark mode" in out
    assert "qa/pass" in out


def test_the_last_command_sets_up_and_finds_the_tests(home: Path) -> None:
    lines = BLOCKS[3].replace("scripts/test", "scripts/test --collect-only --quiet -n 0 tests/test_readme.py")
    assert "test_the_first_command_ends_in_merged" in run(lines, ROOT, home)
