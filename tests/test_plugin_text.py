"""What the model and the user read: each command exists, each action is explained, all of it is short."""

import json
import re
import struct
from pathlib import Path
from typing import get_args

import click
import pytest

from baton.artifacts.strict_yaml import load_yaml, split_front_matter
from baton.cli import baton
from baton.hooks.calls import parse_call
from baton.hooks.conversation import FREE
from baton.journal.events import KINDS
from baton.journal.run import ROLES
from baton.rules.engine import Action
from baton.rules.pages import story_tables
from baton.rules.sources import SOURCES
from baton.story.ask.step import SKILL_STAGES

ROOT = Path(__file__).parents[1]
SKILLS = sorted(ROOT.glob("skills/*/SKILL.md"))
OF_STORIES = [path for path in SKILLS if path.parent.name != "resolve-pr-feedback"]
AGENTS = sorted(ROOT.glob("agents/*.md"))
COMMANDS = sorted(ROOT.glob("commands/*.md"))
DOCS = sorted(ROOT.glob("docs/*.md"))
TEMPLATES = sorted(ROOT.glob("scripts/lib/baton/templates/brief*.j2"))
STAGE_PAGES = sorted(ROOT.glob("skills/*/stages/*.md"))
DOCUMENTS = [ROOT / "README.md", *DOCS, *SKILLS, *STAGE_PAGES, *AGENTS, *COMMANDS, *TEMPLATES]
CALL = re.compile(r"\bbaton ((?:(?:story|pr|memory) (?=[a-z]))?[a-z][a-z-]*)((?: +--[a-z-]+| +[^\s`|]+)*)")


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
    assert (len(SKILLS), len(AGENTS), len(COMMANDS), len(TEMPLATES)) == (3, 6, 3, 7)


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


def test_every_option_that_the_readme_names_by_itself_exists() -> None:
    context = click.Context(baton)
    verbs = [find_command(name) for name in baton.list_commands(context)]
    known = {option for verb in verbs if verb for parameter in verb.params for option in parameter.opts}
    named = set(re.findall(r"`(--[a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert named
    assert named <= known


def test_a_call_that_does_not_exist_would_be_found() -> None:
    assert calls("run `baton dance 42 --loud`") == [("dance", " 42 --loud")]
    assert find_command("dance") is None


@pytest.mark.parametrize("path", TEMPLATES, ids=named)
def test_no_hand_in_is_shown_with_a_brace_before_a_quote_which_the_client_refuses(path: Path) -> None:
    text = re.sub(r"{{.*?}}|{%.*?%}", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    shown = re.findall(r"(?ms)^baton hand-in .*?^END-OF-ARTIFACT$|`[^`\n]+`", text)
    assert [one for one in shown if re.search(r"{[^}]*['\"]", one)] == []


@pytest.mark.parametrize("path", SKILLS, ids=named)
def test_a_skill_is_named_like_its_folder_and_short(path: Path) -> None:
    fields = front_matter(path)
    assert fields["name"] == path.parent.name
    assert len(str(fields["description"])) <= 300
    assert len(path.read_text(encoding="utf-8")) <= 6_000


@pytest.mark.parametrize("path", SKILLS, ids=named)
def test_a_skill_says_first_whether_the_plugin_is_there_and_no_argument_reaches_that_shell(path: Path) -> None:
    _, text = split_front_matter(path.read_text(encoding="utf-8"))
    before, command = re.findall(r"(?s)\A(.*?)(!`test -x [^`\n]+`)\nIf that says `MISSING`, ", text)[0]
    assert calls(before) == []
    assert re.findall(r"\$\{?\w+", command) == ["${CLAUDE_SKILL_DIR"]


@pytest.mark.parametrize("path", AGENTS, ids=named)
def test_an_agent_is_named_like_its_file_and_has_few_tools(path: Path) -> None:
    fields = front_matter(path)
    tools = set(str(fields["tools"]).split(", "))
    assert fields["name"] == path.stem
    changes_code = path.stem == "pr-comment-resolver" or (path.stem in ROLES and ROLES[path.stem].changes_code)
    writing = {"Edit", "Write"} if changes_code else set()
    assert tools <= {"Read", "Grep", "Glob", "Bash"} | writing


@pytest.mark.parametrize("path", COMMANDS, ids=named)
def test_a_command_is_at_most_twenty_lines(path: Path) -> None:
    assert front_matter(path)["description"]
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 20


@pytest.mark.parametrize("path", OF_STORIES, ids=named)
def test_a_skill_explains_every_action_next_can_print(path: Path) -> None:
    printed = {"spawn", "wait", "ask", "escalate", "complete", "feedback"}
    assert printed <= set(get_args(Action))
    explained = set(re.findall(r"`DO (\w+)", path.read_text(encoding="utf-8")))
    assert explained == printed


IMPLEMENT = (ROOT / "skills" / "implement" / "SKILL.md").read_text(encoding="utf-8")


def test_every_block_of_the_skill_is_one_call_that_needs_no_permission() -> None:
    blocks = re.findall(r"```\n(.*?)```", IMPLEMENT, re.DOTALL)
    assert [(parse_call(block, ("baton",)) or [""])[0] for block in blocks] == ["start", "answer"]
    assert "start" in FREE


@pytest.mark.parametrize("given", ["", "42 --plan-only", "it's $(touch x) `y`; & \\", "# Tea\n\nwith 'milk'\nEOF"])
def test_whatever_was_given_reaches_baton_as_it_is(given: str) -> None:
    [block] = re.findall(r"```\n(baton start .*?)```", IMPLEMENT, re.DOTALL)
    assert parse_call(block.replace("$ARGUMENTS", given), ("baton",)) == ["start", "-"]


# The stages


def stage_rows(skill: str) -> dict[str, list[str]]:
    """Return the table of stages: the cells behind each name."""
    section = (ROOT / "skills" / skill / "SKILL.md").read_text(encoding="utf-8").partition("## Stages")[2]
    lines = [line.strip()[1:-1] for line in section.partition("\n## ")[0].split("\n") if line[:2] == "| "]
    rows = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {name.partition("]")[0].lstrip("["): cells for name, *cells in rows if name != "Stage"}


def in_code(texts: list[str]) -> list[str]:
    return re.findall(r"`([^`]+)`", " ".join(texts))


def pages(skill: str) -> dict[str, str]:
    """Return each page of a skill by its name, without the rules."""
    found = (path for path in STAGE_PAGES if path.parts[-3] == skill)
    return {path.stem: path.read_text(encoding="utf-8").partition("\n## ")[0] for path in found}


def test_the_stages_are_those_next_names() -> None:
    assert tuple(stage_rows("implement")) == SKILL_STAGES
    assert {*pages("implement")} == {*SKILL_STAGES, "deliver", "ask"}
    linked = set(re.findall(r"\]\(stages/(\w+)\.md\)", IMPLEMENT))
    assert linked == {*pages("implement")}


def test_every_table_decides_in_a_stage_and_every_event_has_one() -> None:
    rows = stage_rows("implement").values()
    assert set(in_code([cells[2] for cells in rows])) == {table.phase for table in story_tables()}
    section = IMPLEMENT.partition("## Stages")[2].partition("\n## ")[0]
    named = in_code([cells[3] for cells in rows]) + in_code([section.rpartition("\n\nAny stage")[2]])
    assert sorted(named) == sorted(KINDS)


def test_every_table_of_feedback_decides_in_its_stage() -> None:
    rows = stage_rows("resolve-pr-feedback")
    named = {name: in_code([cells[2]]) for name, cells in rows.items()}
    assert named == {name: [table for table in SOURCES if SOURCES[table].page == name] for name in rows}
    assert {table for tables in named.values() for table in tables} == {t for t in SOURCES if "feedback" in t}
    assert {*pages("resolve-pr-feedback")} == {*rows}


@pytest.mark.parametrize("name", stage_rows("resolve-pr-feedback"))
def test_a_page_of_feedback_says_what_its_stage_is_for_and_what_you_may_do(name: str) -> None:
    page = pages("resolve-pr-feedback")[name]
    assert re.findall(r"(?m)^- \*\*(.+?):\*\*", page) == [*PARTS, "You may"]


PARTS = ("For", "Runs", "Leaves", "May come out", "May go wrong")


@pytest.mark.parametrize("name", [*SKILL_STAGES, "deliver"])
def test_a_page_says_what_its_stage_is_for_and_which_rules_it_has(name: str) -> None:
    page = pages("implement")[name]
    assert re.findall(r"(?m)^- \*\*(.+?):\*\*", page) == [*PARTS, "In other workflows"], name
    if cells := stage_rows("implement").get(name):
        assert set(in_code(cells[3:])) <= {*in_code([page]), *in_code([cells[3]] * cells[3].startswith("as "))}
        ruled = {table for table, source in SOURCES.items() if source.skill_stage == name}
        assert ruled <= set(in_code(cells[2:3])), name


def test_each_number_of_other_workflows_stands_on_one_page() -> None:
    lines = re.findall(r"(?m)^- \*\*In other workflows:\*\* (.+)\.$", "\n".join(pages("implement").values()))
    outside = [one for line in lines for one in re.findall(r"\d+[ab]?", re.sub(r"PASS [^;.]*", "", line))]
    after_pass = [one for line in lines for part in re.findall(r"PASS ([^;.]*)", line) for one in part.split(", ")]
    assert sorted(outside, key=order) == ["1", "2", "3", "4", "5", "5a", "6", "6a", "7", "8", "9", "10", "11"]
    assert sorted(after_pass, key=order) == ["1", "2", "3", "3b", "4", "5", "6", "7", "8", "9", "9b", "10"]


def order(number: str) -> tuple[int, str]:
    return int(number.rstrip("ab")), number


def test_the_tables_are_named_where_they_are_explained() -> None:
    text = (ROOT / "skills" / "coordinate-handoffs" / "SKILL.md").read_text(encoding="utf-8")
    line = next(line for line in text.split("\n\n") if line.startswith("`KIND`"))
    assert {table.phase for table in story_tables()} <= set(re.findall(r"`([^`]+)`", line))


@pytest.mark.parametrize("name", sorted({path.name for path in (ROOT / "bin").iterdir()} - {"baton"}))
def test_a_small_script_is_a_step_of_a_skill(name: str) -> None:
    rows = [line for path in SKILLS for line in path.read_text(encoding="utf-8").split("\n") if line[:2] == "| "]
    assert [row for row in rows if f"| `{name} " in row and "show" in row.lower()]
    assert (ROOT / "scripts" / name).exists()


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
