"""What the documents say is what the program has: links, names, settings, commands, defenses, and the workflow."""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from baton.artifacts.load_config import fill_defaults
from baton.artifacts.strict_yaml import load_yaml
from baton.cli import SECTIONS

ROOT = Path(__file__).parents[1]
BATON = ROOT / "scripts" / "lib" / "baton"
TESTS = ROOT / "tests"
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/*.md")), *TESTS.glob("README.md")]
LAID_OUT = [path for path in DOCUMENTS if path.name != "CHANGELOG.md"]
LINK = re.compile(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)")
PLACE = re.compile(r"`([\w/-]+(?:/|\.(?:py|md|json|j2))[\w./-]*)`")
MANIFEST = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text(encoding="utf-8"))
SCHEMA = json.loads(next(ROOT.glob("scripts/lib/baton/*/schemas/config.json")).read_text(encoding="utf-8"))
CONFIGURATION = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
SETTINGS = re.findall(r"(?m)^\| `([a-z][\w.<>\[\]]*)` \| (.*?) \|", CONFIGURATION)
NUMBERS = [(key, int(default)) for key, default in SETTINGS if default.isdigit()]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
WORKFLOW = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
THREATS = [
    row.rstrip(" |").rpartition("|")[2]
    for row in (ROOT / "SECURITY.md").read_text(encoding="utf-8").splitlines()
    if row.startswith("| ") and not row.startswith("| Threat")
]
NAMED = {"agents": "role", "languages": "name"}
QUESTIONS = [
    part.partition("\n## ")[0].split("\n\n", 1)
    for part in (ROOT / "docs" / "questions.md").read_text(encoding="utf-8").split("\n### ")[1:]
]


def named(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def keys(schema: dict[str, Any], place: str = "") -> Iterator[str]:
    """The settings a schema allows, each with its place: `a.b`, `a.<name>.b`, `a[].b`."""
    if "$ref" in schema:
        schema = SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]]
    inner = {f"{place}.{name}".lstrip("."): part for name, part in schema.get("properties", {}).items()}
    if isinstance(schema.get("additionalProperties"), dict):
        inner[f"{place}.<{NAMED[place]}>"] = schema["additionalProperties"]
    if schema.get("items", {}).get("properties"):
        inner[f"{place}[]"] = schema["items"]
    yield from (key for name, part in inner.items() for key in keys(part, name)) if inner else [place]


@pytest.mark.parametrize("path", DOCUMENTS, ids=named)
def test_every_link_leads_to_a_file_and_a_heading(path: Path) -> None:
    for target, anchor in LINK.findall(path.read_text(encoding="utf-8")):
        file = path.parent / target if target else path
        assert file.exists(), f"{target} in {path.name}"
        headings = re.findall(r"(?m)^#+ (.*)", file.read_text(encoding="utf-8")) if anchor else []
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, f"{target}#{anchor} in {path.name}"


def too_long(text: str) -> list[str]:
    """Return the lines of prose that are over 115 columns, where they could have been broken."""
    prose = re.sub(r"(?ms)^ *```.*?^ *```$", "", text).splitlines()
    return [line for line in prose if len(line) > 115 and " " in line and not line.startswith(("|", "[!"))]


@pytest.mark.parametrize("path", LAID_OUT, ids=named)
def test_no_line_is_too_long_to_read(path: Path) -> None:
    assert too_long(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(("text", "noticed"), [
    ("word " * 24, True), ("word " * 20, False), ("| cell " * 24, False), (f"```\n{'word ' * 24}\n```", False),
])  # fmt: skip
def test_a_line_that_is_too_long_is_noticed(text: str, noticed: bool) -> None:
    assert bool(too_long(text)) is noticed


@pytest.mark.parametrize(("question", "answer"), QUESTIONS, ids=[question for question, _ in QUESTIONS])
def test_a_question_is_answered_in_three_lines_with_a_link(question: str, answer: str) -> None:
    assert question.endswith("?")
    assert 1 <= len(answer.strip().splitlines()) <= 3
    assert LINK.search(answer)


def test_the_readme_leads_to_the_questions() -> None:
    assert len(QUESTIONS) >= 28
    assert "](docs/questions.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_repository_has_one_name_everywhere() -> None:
    name = MANIFEST["repository"].removeprefix("https://github.com/")
    text = "\n".join(path.read_text(encoding="utf-8") for path in DOCUMENTS) + MANIFEST["homepage"]
    used = re.findall(r"marketplace add (\S+)|github\.com/([\w-]+/baton)\b", text)
    assert len(used) > 4
    assert {one or other for one, other in used} == {name}


def test_what_is_installed_is_named_as_the_marketplace_names_it() -> None:
    market = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text(encoding="utf-8"))
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"/plugin install {MANIFEST['name']}@{market['name']}\n" in readme


def test_every_setting_is_explained_and_no_other() -> None:
    explained = [key for key, _ in SETTINGS]
    assert sorted(explained) == sorted(keys(SCHEMA))


@pytest.mark.parametrize(("key", "default"), NUMBERS)
def test_a_setting_has_the_default_that_is_named(key: str, default: int) -> None:
    config = fill_defaults({})
    budgets = {"budget": config.budget._asdict(), "budget.per_day": config.budget_per_day._asdict()}
    place, _, name = key.rpartition(".")
    assert budgets.get(place, {**config._asdict(), **config.retries})[name] == default


def test_every_command_is_listed_in_its_section() -> None:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"`baton ([a-z-]+)", text))
    assert {verb for section, verbs in SECTIONS.items() if section for verb in verbs} <= listed


def test_completion_works_as_the_documents_say() -> None:
    assert '"$(_BATON_COMPLETE=bash_source baton)"' in CONFIGURATION
    words = {"_BATON_COMPLETE": "bash_complete", "COMP_WORDS": "baton st", "COMP_CWORD": "1"}
    baton = [str(ROOT / "bin" / "baton")]
    done = subprocess.run(baton, env={**os.environ, **words}, capture_output=True, text=True, check=False)
    assert {"plain,story", "plain,status"} <= set(done.stdout.splitlines())


def test_the_issue_form_asks_for_what_a_bug_needs() -> None:
    form = load_yaml((ROOT / ".github" / "ISSUE_TEMPLATE" / "bug.yml").read_text(encoding="utf-8"))
    assert isinstance(form, dict)
    asked = {part["id"]: part for part in form["body"] if "id" in part}
    assert [name for name, part in asked.items() if part.get("validations") == {"required": True}] == [
        "did", "happened", "doctor", "versions",
    ]  # fmt: skip
    named = set(re.findall(r"`(?:! )?baton ([a-z]+)", str(form)))
    assert {"doctor", "timeline"} <= named <= {verb for verbs in SECTIONS.values() for verb in verbs}


def test_the_workflow_runs_what_it_pins_and_may_only_read() -> None:
    workflow = load_yaml(WORKFLOW)
    assert isinstance(workflow, dict)
    assert workflow["permissions"] == {"contents": "read"}
    assert "secrets" not in WORKFLOW
    uses = re.findall(r"uses: (\S+)", WORKFLOW)
    assert uses
    assert all(re.fullmatch(r"actions/[\w-]+@[0-9a-f]{40}", use) for use in uses)
    assert "run: .ci/run" in WORKFLOW


@pytest.mark.parametrize("path", sorted(set(PLACE.findall(CONTRIBUTING + DOCUMENTS[-1].read_text("utf-8")))))
def test_a_place_that_is_named_to_contributors_is_there(path: str) -> None:
    assert any((top / path.replace("ROLE", "planner")).exists() for top in (ROOT, BATON, TESTS))


def test_every_folder_of_the_program_is_drawn_for_contributors() -> None:
    drawing = CONTRIBUTING.partition("## Where things are")[2].split("```")[1]
    folders = {path.parent.name for path in BATON.glob("*/__init__.py")}
    assert folders - set(re.findall(r"(\w+)/", drawing)) == set()


def test_every_threat_has_a_place() -> None:
    assert len(THREATS) > 10
    assert all("`" in places for places in THREATS)


@pytest.mark.parametrize("place", sorted({one for places in THREATS for one in re.findall(r"`([^`]+)`", places)}))
def test_the_place_of_a_defense_is_there(place: str) -> None:
    assert (ROOT / "scripts/lib/baton" / place).exists() or (ROOT / place).exists()
