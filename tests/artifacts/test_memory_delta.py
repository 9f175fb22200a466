"""A memory delta says what it is and has one of three sections; the schema file is what is checked."""

import json

import pytest

from baton.artifacts.memory_delta import SECTIONS, check_memory_delta
from baton.artifacts.schema import check_schema, schema_path

HEAD = "---\nartefact_type: memory-delta\n---\n"


def rules(text: str) -> list[str]:
    return [one.rule.partition("/")[2] for one in check_memory_delta(text, "delta.md")]


@pytest.mark.parametrize("name", SECTIONS)
@pytest.mark.parametrize("heading", ["## {}", "# {}", "#### 2. **{}** (3):", "### ✅ {}", "## `{}` ##"])
def test_one_of_the_three_sections_is_enough(name: str, heading: str) -> None:
    assert rules(f"{HEAD}\n{heading.format(name)}\n\n- x\n") == []
    assert rules(f"{HEAD}\n{heading.format(name.upper())}\n\n- x\n") == []


@pytest.mark.parametrize("title", ["Confirmed", "New Knowledge", "Confirmed Entries and more", "Entries"])
def test_another_title_is_none_of_them_and_the_finding_names_all_three(title: str) -> None:
    (finding,) = check_memory_delta(f"{HEAD}\n## {title}\n\n- x\n", "delta.md")
    assert (finding.rule, finding.where) == ("memory-delta/sections", "end")
    assert all(f"`## {name}`" in finding.message for name in SECTIONS)


@pytest.mark.parametrize("head", [
    "", "---\n---\n", "---\nartefact_type: other\n---\n", "---\nartefact_type: [memory-delta]\n---\n",
    "---\ntype: memory-delta\n---\n", "---\n- memory-delta\n---\n", "---\nmemory-delta\n---\n",
])  # fmt: skip
def test_the_front_matter_must_name_the_type(head: str) -> None:
    assert rules(f"{head}## Confirmed Entries\n\n- x\n") == ["artifact-type"]


def test_each_failed_check_is_a_finding() -> None:
    assert rules("nothing") == ["artifact-type", "sections"]


@pytest.mark.parametrize(
    "head", ["---\na: 1\n", "---\na: b: c\n---\n", "---\na: &x 1\nb: *x\n---\n", "---\na: !!str b\n---\n"]
)
def test_front_matter_that_cannot_be_read_is_one_finding(head: str) -> None:
    assert rules(f"{head}## Confirmed Entries\n\n- x\n") == ["front-matter"]


def test_a_section_that_is_there_and_empty_is_a_warning_with_its_line() -> None:
    findings = check_memory_delta(
        f"{HEAD}\n## Confirmed Entries\n\n<!-- x -->\n\n## Contradicted Entries\n\nNone\n", "d"
    )
    assert [(finding.rule, finding.severity, finding.where) for finding in findings] == [
        ("memory-delta/section-empty", "warning", "line 5"),
    ]


def test_the_schema_file_is_the_authority() -> None:
    text = schema_path("memory-delta").read_text(encoding="utf-8")
    assert [load["required"] for load in json.loads(text)["properties"]["sections"]["anyOf"]] == [
        [name] for name in SECTIONS
    ]
    good = {"front_matter": {"artefact_type": "memory-delta"}, "sections": {"Confirmed Entries": "x"}}
    assert check_schema(good, "memory-delta", "d") == []
    assert len(check_schema({"front_matter": {}, "sections": {}}, "memory-delta", "d")) == 2
