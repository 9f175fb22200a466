"""The guide to sub-agents says what the probes say: each claim names its probe or its source, word for word."""

import json
import re
from pathlib import Path

import pytest

from baton_lab.probes.all_probes import PROBES, TOPICS, probes_of
from call_lab import call_lab

GUIDE = Path(__file__).parents[1] / "docs" / "sub-agents.md"
TEXT = GUIDE.read_text(encoding="utf-8")
TABLE = re.compile(r"^\| Claim \| Proof \|\n\|---\|---\|\n((?:\|.*\n)*)", re.MULTILINE)
ROW = re.compile(r"\| (.+) \| (.*?) ?\|")
ITEM = re.compile(r"^- (.+)", re.MULTILINE)
PROBE = re.compile(r"\[([a-z0-9-]+)\]\((\.\.\S+)\)")
SOURCE = re.compile(r"\[[^\]]+\]\(https://\S+\)")
# What an item that claims nothing about the client begins with, such as a step to take.
ADVICE = re.compile(r"\*\*|\d+\. ")


def rows(text: str) -> list[tuple[str, str]]:
    """Return the claims of all tables of claims, each with its proof."""
    lines = "".join(TABLE.findall(text)).splitlines()
    return [(match[1].replace("\\|", "|"), match[2]) for line in lines if (match := ROW.fullmatch(line))]


def claims(text: str) -> dict[str, tuple[str, str]]:
    """Return each claim that names a probe, and the link, by the probe's name."""
    return {match[1]: (claim, match[2]) for claim, proof in rows(text) if (match := PROBE.fullmatch(proof))}


def unproved(text: str) -> list[str]:
    """Return the claims that are neither probed nor sourced, and the items of lists that are no advice."""
    bare = [claim for claim, proof in rows(text) if not (PROBE.fullmatch(proof) or SOURCE.fullmatch(proof))]
    return bare + [item for item in ITEM.findall(text) if not ADVICE.match(item)]


def test_each_probe_has_its_claim_in_the_guide_word_for_word() -> None:
    assert {name: claim for name, (claim, _) in claims(TEXT).items()} == {
        name: one.claim for name, one in PROBES.items()
    }


def test_each_link_leads_to_the_probe() -> None:
    where = {probe.name: Path(str(topic.__file__)).resolve() for topic in TOPICS for probe in probes_of(topic)}
    assert {name: (GUIDE.parent / link).resolve() for name, (_, link) in claims(TEXT).items()} == where


def test_each_claim_names_its_probe_or_its_source() -> None:
    assert unproved(TEXT) == []


@pytest.mark.parametrize(("line", "proved"), [
    ("| It is. | [a-b](../x.py) |", True), ("| It is. | [the docs](https://example.com/a) |", True),
    ("| It is. | |", False), ("| It is. | [a-b] |", False),
])  # fmt: skip
def test_a_claim_without_is_noticed(line: str, proved: bool) -> None:
    assert (unproved(f"| Claim | Proof |\n|---|---|\n{line}\n") == []) is proved


@pytest.mark.parametrize(("item", "is_advice"), [("- **Look first**: at the list.", True), ("- It is.", False)])
def test_a_claim_in_a_list_is_noticed(item: str, is_advice: bool) -> None:
    assert (unproved(item) == []) is is_advice


def test_no_two_probes_have_one_name_and_each_says_what_it_asks() -> None:
    names = [probe.name for topic in TOPICS for probe in probes_of(topic)]
    assert len(names) == len(set(names))
    assert [
        probe.name for probe in PROBES.values() if not (probe.question.endswith("?") and probe.claim.endswith("."))
    ] == []


TABLED = re.compile(r"^\|.*\| `([a-z0-9-]+)` \|$", re.MULTILINE)
CALL = re.compile(r"^(?:\| `)?(\{\"(?:subagent_type|description|to)\".*?\})(?:`|$)", re.MULTILINE)
OFFERED = {"description", "prompt", "subagent_type", "isolation", "model", "effort", "run_in_background"}
TAKEN = {"name"}  # although the model is not offered it, as `newest-name` says
MESSAGE = {"to", "summary", "message"}


def test_each_probe_that_a_table_names_is_there() -> None:
    named = set(TABLED.findall(TEXT))
    assert len(named) > 10
    assert named <= set(PROBES)


def test_each_call_in_the_guide_has_parameters_that_are_offered() -> None:
    calls = [json.loads(text) for text in CALL.findall(TEXT)]
    assert len(calls) > 4
    assert [call for call in calls if not (set(call) <= OFFERED | TAKEN or set(call) == MESSAGE)] == []
    assert all(name in PROBES["agent-parameters"].expected for name in OFFERED)


def test_what_the_guide_shows_in_full_has_no_fault(tmp_path: Path) -> None:
    blocks = re.findall(r"(?s)`\.claude/(\S+?\.md)`.*?```markdown\n(.*?)```", TEXT)
    for place, text in blocks:
        (tmp_path / ".claude" / place).parent.mkdir(parents=True)
        (tmp_path / ".claude" / place).write_text(text, encoding="utf-8")
    done = call_lab("lint", str(tmp_path))
    assert ([place for place, _ in blocks], done.code) == (
        ["agents/reviewer.md", "skills/review-file/SKILL.md"], 0,
    ), done.out  # fmt: skip
    assert ": warning:" not in done.out
