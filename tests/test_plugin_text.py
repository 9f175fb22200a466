"""What the model and the person read: each command exists, each action is explained, all of it is short."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import get_args

import click
import pytest

from baton.artifacts.front_matter import load_yaml, split_front_matter
from baton.cli import baton
from baton.hooks.command_line import parse
from baton.journal.run import ROLES
from baton.rules.engine import Action
from baton.rules.tables import TABLES

ROOT = Path(__file__).parents[1]
SKILLS = sorted(ROOT.glob("skills/*/SKILL.md"))
OF_STORIES = [path for path in SKILLS if path.parent.name != "resolve-pr-feedback"]
AGENTS = sorted(ROOT.glob("agents/*.md"))
COMMANDS = sorted(ROOT.glob("commands/*.md"))
DOCS = sorted(ROOT.glob("docs/*.md"))
TEMPLATES = sorted(ROOT.glob("scripts/lib/baton/templates/brief*.j2"))
DOCUMENTS = [ROOT / "README.md", *DOCS, *SKILLS, *AGENTS, *COMMANDS, *TEMPLATES]
CALL = re.compile(r"\bbaton ((?:(?:story|pr) (?=[a-z]))?[a-z][a-z-]*)((?: +--[a-z-]+| +[^\s`|]+)*)")
NO_VERBS = {"story", "decides", "itself", "asks", "prints", "and", "has", "is", "s"}


def front_matter(path: Path) -> dict[str, object]:
    head, _ = split_front_matter(path.read_text(encoding="utf-8"))
    fields = load_yaml(head)
    assert isinstance(fields, dict)
    return fields


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def calls(text: str) -> list[tuple[str, str]]:
    """The calls of baton in code: in backticks, in fences, and after `THEN`."""
    code = re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL)
    return [(match[1], match[2]) for part in code for match in CALL.finditer(part)]


def test_there_is_text_to_check() -> None:
    assert (len(SKILLS), len(AGENTS), len(COMMANDS), len(TEMPLATES)) == (3, 5, 3, 6)


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_call_of_baton_in_the_text_exists(path: Path) -> None:
    for verb, words in calls(path.read_text(encoding="utf-8")):
        command = find_command(verb)
        assert command is not None, f"baton {verb}"
        known = {option for parameter in command.params for option in parameter.opts}
        assert set(re.findall(r"--[a-z-]+", words)) <= known | {"--help"}, f"baton {verb}{words}"


def find_command(verb: str) -> click.Command | None:
    found: click.Command | None = baton
    for name in verb.split():
        found = found.get_command(click.Context(found), name) if isinstance(found, click.Group) else None
    return found


def test_a_call_that_does_not_exist_would_be_found() -> None:
    assert calls("run `baton dance 42 --loud`") == [("dance", " 42 --loud")]
    assert find_command("dance") is None


@pytest.mark.parametrize("path", SKILLS, ids=named)
def test_a_skill_is_named_like_its_folder_and_short(path: Path) -> None:
    fields = front_matter(path)
    assert fields["name"] == path.parent.name
    assert len(str(fields["description"])) <= 300
    assert len(path.read_text(encoding="utf-8")) <= 6_000


@pytest.mark.parametrize("path", AGENTS, ids=named)
def test_an_agent_is_named_like_its_file_and_has_few_tools(path: Path) -> None:
    fields = front_matter(path)
    tools = set(str(fields["tools"]).split(", "))
    assert fields["name"] == path.stem
    changes_code = path.stem == "pr-comment-resolver" or ROLES[path.stem].changes_code
    writing = {"Edit", "Write"} if changes_code else set()
    assert tools <= {"Read", "Grep", "Glob", "Bash"} | writing


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_a_command_is_at_most_twenty_lines(path: Path) -> None:
    assert front_matter(path)["description"]
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 20


@pytest.mark.parametrize("path", OF_STORIES, ids=named)
def test_a_skill_explains_every_action_next_can_print(path: Path) -> None:
    printed = {"spawn", "wait", "ask", "escalate", "complete"}
    assert printed <= set(get_args(Action))
    explained = set(re.findall(r"`DO (\w+)", path.read_text(encoding="utf-8")))
    assert explained == printed


IMPLEMENT = (ROOT / "skills" / "implement" / "SKILL.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", ["docs/dark.md", "my docs/a b/", "it's.md", "$(touch x)`y`;&.md", '"a"!\\.md'])
def test_a_path_written_as_the_skill_says_is_one_word_that_needs_no_permission(path: str) -> None:
    assert """write each `'` in it as `'"'"'`""" in IMPLEMENT
    written = path.replace("'", """'"'"'""")
    assert parse(f"baton story new --from '{written}'", ("baton",)) == ["story", "new", "--from", path]


def test_every_block_of_the_skill_is_one_call_that_needs_no_permission() -> None:
    blocks = re.findall(r"```\n(.*?)```", IMPLEMENT, re.DOTALL)
    assert [(parse(block, ("baton",)) or [""])[0] for block in blocks] == ["story", "answer"]


def test_the_skill_says_what_to_do_with_every_sort_of_argument() -> None:
    rows = re.findall(r"(?m)^\| (is empty|is one line.*?|is one word.*?|is anything else) \| (.*?) \|$", IMPLEMENT)
    first = [calls(what)[0][0] if calls(what) else "" for _, what in rows]
    assert first == ["status", "story new", "next", "next"]


def test_the_tables_are_named_where_they_are_explained() -> None:
    text = (ROOT / "skills" / "coordinate-handoffs" / "SKILL.md").read_text(encoding="utf-8")
    line = next(line for line in text.split("\n\n") if line.startswith("`KIND`"))
    assert {table.phase for table in TABLES} <= set(re.findall(r"`([^`]+)`", line))


def test_the_versions_agree() -> None:
    manifest = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
    module = (ROOT / "scripts" / "lib" / "baton" / "__init__.py").read_text(encoding="utf-8")
    assert f'__version__ = "{manifest["version"]}"' in module
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"(?m)^## \[(.+?)\]", changes)[0] in ("Unreleased", manifest["version"])


def test_the_icon_is_a_square_png_of_512_pixels_or_more() -> None:
    data = (ROOT / ".claude-plugin" / "icon.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    assert width == height >= 512
