"""The guide to sub-agents says what the probes say: each claim names its probe or its source, word for word."""

import json
import re
from pathlib import Path

import pytest

from baton_lab.probes.all_probes import PROBES, TOPICS, probes_of

GUIDE = Path(__file__).parents[1] / "docs" / "sub-agents.md"
TEXT = GUIDE.read_text(encoding="utf-8")
ITEM = re.compile(r"^- (.+(?:\n  .+)*)", re.MULTILINE)
PROVED = re.compile(r"(?s)(.+?)\s+\[probe: ([a-z0-9-]+)\]\((\S+)\)")
SOURCED = re.compile(r"(?s).+\s\[source: [^\]]+\]\(https://\S+\)")
# What an item that claims nothing about the client begins with, such as a step to take.
ADVICE = re.compile(r"\*\*|\d+\. ")


def items(text: str) -> list[str]:
    """Return the items of all lists."""
    return [match[1] for match in ITEM.finditer(text)]


def claims(text: str) -> dict[str, tuple[str, str]]:
    """Return each claim that names a probe, and the link, by the probe's name."""
    found = [match for one in items(text) if (match := PROVED.fullmatch(one))]
    return {match[2]: (" ".join(match[1].split()), match[3]) for match in found}


def unproved(text: str) -> list[str]:
    """Return the items that are neither probed, nor sourced, nor advice."""
    return [
        one for one in items(text) if not (PROVED.fullmatch(one) or SOURCED.fullmatch(one) or ADVICE.match(one))
    ]


def test_each_probe_has_its_claim_in_the_guide_word_for_word() -> None:
    assert {name: claim for name, (claim, _) in claims(TEXT).items()} == {
        name: one.claim for name, one in PROBES.items()
    }


def test_each_link_leads_to_the_probe() -> None:
    where = {probe.name: Path(str(topic.__file__)).resolve() for topic in TOPICS for probe in probes_of(topic)}
    assert {name: (GUIDE.parent / link).resolve() for name, (_, link) in claims(TEXT).items()} == where


def test_each_claim_names_its_probe_or_its_source() -> None:
    assert unproved(TEXT) == []


@pytest.mark.parametrize(("item", "proved"), [
    ("- It is.\n  [probe: a-b](x.py)", True), ("- It is. [source: the docs](https://example.com/a)", True),
    ("- **Look first**: at the list.", True), ("- It is.", False), ("- It is. [probe: a] and more", False),
])  # fmt: skip
def test_a_claim_without_is_noticed(item: str, proved: bool) -> None:
    assert (unproved(item) == []) is proved


def test_no_two_probes_have_one_name_and_each_says_what_it_asks() -> None:
    names = [probe.name for topic in TOPICS for probe in probes_of(topic)]
    assert len(names) == len(set(names))
    assert [
        probe.name for probe in PROBES.values() if not (probe.question.endswith("?") and probe.claim.endswith("."))
    ] == []


TABLED = re.compile(r"^\|.*\| `([a-z0-9-]+)` \|$", re.MULTILINE)
CALL = re.compile(r"^(?:\| `)?(\{\"(?:subagent_type|description|to)\".*?\})(?:`|$)", re.MULTILINE)
OFFERED = {"description", "prompt", "subagent_type", "isolation", "model", "effort", "run_in_background"}
MESSAGE = {"to", "summary", "message"}


def test_each_probe_that_a_table_names_is_there() -> None:
    named = set(TABLED.findall(TEXT))
    assert len(named) > 10
    assert named <= set(PROBES)


def test_each_call_in_the_guide_has_parameters_that_are_offered() -> None:
    calls = [json.loads(text) for text in CALL.findall(TEXT)]
    assert len(calls) > 4
    assert [call for call in calls if not (set(call) <= OFFERED or set(call) == MESSAGE)] == []
    assert all(name in PROBES["agent-parameters"].expected for name in OFFERED)
