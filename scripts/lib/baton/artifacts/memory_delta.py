"""A QA run's findings about the project's memory; the schema file says what a delta must have."""

from typing import Any, NamedTuple

from baton.artifacts.findings import Finding
from baton.artifacts.outline import Section, plain_title, read_sections
from baton.artifacts.schema import check_schema
from baton.artifacts.strict_yaml import YamlFault, load_yaml, split_front_matter

SECTIONS = ("Confirmed Entries", "Contradicted Entries", "New Knowledge Candidates")


class Check(NamedTuple):
    """One of the checks: the part of the schema it stands for, where it is told, and what would be right."""

    part: str
    where: str
    rule: str
    message: str


CHECKS = (
    Check(
        "$.front_matter", "front matter", "memory-delta/artifact-type",
        "no front matter that says `artefact_type: memory-delta`: begin the file so, between two lines `---`",
    ),
    Check(
        "$.sections", "end", "memory-delta/sections",
        f"none of the three sections: add one of {', '.join(f'`## {name}`' for name in SECTIONS)}",
    ),
)  # fmt: skip


def check_memory_delta(text: str, path: str) -> list[Finding]:
    """Find each check a memory delta fails: its front matter, its sections; an empty section is a warning."""
    try:
        head, body = split_front_matter(text)
        fields = load_yaml(head)
    except YamlFault as fault:
        message = f"not readable as YAML: {fault}"
        return [Finding(path, "front matter", "memory-delta/front-matter", message)]
    sections = delta_sections(body)
    value: dict[str, Any] = {
        "front_matter": fields if isinstance(fields, dict) else {},
        "sections": {name: section.text for name, section in sections.items()},
    }
    places = [finding.where for finding in check_schema(value, "memory-delta", path)]
    failed = [check for check in CHECKS if any(where.startswith(check.part) for where in places)]
    # The body begins some lines below the top.
    above = text.count("\n") - body.count("\n")
    empty = [
        Finding(
            path, f"line {section.line + above}", "memory-delta/section-empty", f"`{name}` is empty", "warning"
        )
        for name, section in sections.items()
        if section.is_empty
    ]
    return [Finding(path, check.where, check.rule, check.message) for check in failed] + empty


def delta_sections(body: str) -> dict[str, Section]:
    """Return the three sections by their canonical names, the first of each."""
    titles = {plain_title(section.title): section for section in reversed(read_sections(body))}
    return {name: titles[name.lower()] for name in SECTIONS if name.lower() in titles}
