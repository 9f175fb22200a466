"""What review bots write is read as the examples say: findings, what is left, and what says nothing."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from baton.feedback.bots import BOTS, Finding, Reading, read_bot

EXAMPLES = Path(__file__).parents[1] / "examples/feedback"
BODIES = sorted((EXAMPLES / "bots").glob("*/*.md"))
SEED = sorted((EXAMPLES / "seed").glob("*.md"))
SURFACES = ("review_thread", "pr_comment", "review_body")
SCALARS = ("boilerplate", "not_reviewed", "title", "severity", "label", "key", "addressed")
ONLY_WHEN_TOLD = ("title", "severity", "label", "key")
LONG = "BATON_EXAMPLES" in os.environ
QUICKLY = settings(max_examples=int(os.environ.get("BATON_EXAMPLES", "250")), derandomize=not LONG, deadline=None)
MANGLED = ("cp437", "cp850", "cp1252", "latin-1")


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def expected_of(path: Path) -> dict[str, Any]:
    expected: dict[str, Any] = yaml.safe_load(path.with_suffix(".yaml").read_text("utf-8"))
    return expected


def login_of(path: Path) -> str:
    return "coderabbitai" if path.parent.name == "seed" else path.parent.name


def read(path: Path, body: str | None = None) -> Reading:
    body = path.read_text("utf-8") if body is None else body
    return read_bot(login_of(path), expected_of(path)["surface"], body)


def flat(text: str) -> str:
    return " ".join(text.split())


def found(finding: Finding, expected: dict[str, Any]) -> dict[str, Any]:
    """Give a finding in the words of an example: what that does not tell of must be empty, save label and key."""
    told = finding._asdict() | {"start": finding.start_line, "says": expected.get("says", [])}
    asked = {"title", "path", "line", "start", "severity", "section", "repeated", "says", *expected}
    return {key: value for key, value in told.items() if key in asked and value not in (None, "", False)}


def sentences(expected: dict[str, Any]) -> list[str]:
    """Give what must be found again in what was read."""
    said = [sentence for finding in expected.get("findings", []) for sentence in finding.get("says", [])]
    return [*said, *expected.get("has", [])]


def everything(reading: Reading) -> str:
    return flat("\n".join([reading.text, *(f"{one.title}\n{one.body}" for one in reading.findings)]))


def mangled(text: str, encoding: str) -> str:
    """Give a text in UTF-8 as a program shows it that takes it for another encoding, byte by byte."""
    return "".join(bytes([byte]).decode(encoding, "ignore") or chr(byte) for byte in text.encode("utf-8"))


@pytest.mark.parametrize("path", BODIES + SEED, ids=name_of)
def test_the_findings_of_a_body_are_those_of_its_example(path: Path) -> None:
    expected, reading = expected_of(path).get("findings", []), read(path)
    assert [one.title for one in reading.findings] == [one["title"] for one in expected]
    for one, told in zip(reading.findings, expected, strict=True):
        assert found(one, told) == {key: value for key, value in told.items() if value not in (None, "", False)}
        assert not [sentence for sentence in told.get("says", []) if flat(sentence) not in flat(one.body)]


@pytest.mark.parametrize("path", BODIES + SEED, ids=name_of)
def test_what_is_left_of_a_body_is_what_its_example_says(path: Path) -> None:
    expected, reading = expected_of(path), read(path)
    assert [part for part in expected.get("has", []) if flat(part) not in flat(reading.text)] == []
    assert [part for part in expected.get("lacks", []) if part in everything(reading)] == []
    assert bool(reading.text) == bool(expected.get("has"))
    assert list(reading.problems) == expected.get("problems", [])


@pytest.mark.parametrize("path", BODIES + SEED, ids=name_of)
def test_what_a_body_as_a_whole_is_is_what_its_example_says(path: Path) -> None:
    expected, reading = expected_of(path), read(path)._asdict()
    asked = [key for key in SCALARS if key in expected or key not in ONLY_WHEN_TOLD]
    assert {key: reading[key] or "" for key in asked} == {key: expected.get(key) or "" for key in asked}


@pytest.mark.parametrize("path", [one for one in BODIES + SEED if login_of(one) in BOTS], ids=name_of)
def test_windows_line_ends_change_nothing(path: Path) -> None:
    assert read(path, path.read_text("utf-8").replace("\n", "\r\n")) == read(path)


@pytest.mark.parametrize("encoding", MANGLED)
@pytest.mark.parametrize("path", BODIES + SEED, ids=name_of)
def test_a_broken_encoding_hides_no_finding(path: Path, encoding: str) -> None:
    whole, broken = read(path), read(path, mangled(path.read_text("utf-8"), encoding))
    assert [one[2:5] for one in broken.findings] == [one[2:5] for one in whole.findings]
    assert (broken.not_reviewed, broken.boilerplate) == (whole.not_reviewed, whole.boilerplate)
    lost = [one for one in sentences(expected_of(path)) if one.isascii() and flat(one) not in everything(broken)]
    assert lost == []


@QUICKLY
@given(path=st.sampled_from(BODIES + SEED), at=st.floats(0, 1))
def test_what_stands_before_a_cut_is_never_lost(path: Path, at: float) -> None:
    body = path.read_text("utf-8")
    body = body[: int(len(body) * at)]
    told = [flat(one) for one in sentences(expected_of(path)) if flat(one) in flat(body)]
    assert [one for one in told if one not in everything(read(path, body))] == []


BITS = st.sampled_from([
    "<details>", "</details>", "<summary>", "</summary>", "<blockquote>", "> ", "```", "~~~", "<!--", "-->",
    "`7`: ",
    "(2)", "**", "_🟠 Major_", "![P1 Badge](x)", "### ", "\r\n", "\n\n", "\x00", "\ud800", "\u202e",
    "🤖 Prompt for AI Agents", "**a.py:3**", "- Draft comment:", "1. `a.py`, line 3",
])  # fmt: skip


@QUICKLY
@given(
    path=st.sampled_from(BODIES + SEED),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.floats(0, 0.2), BITS), max_size=6),
    surface=st.sampled_from(SURFACES),
)
def test_no_body_is_too_broken_to_be_read(path: Path, cuts: list[tuple[float, float, str]], surface: str) -> None:
    body = path.read_text("utf-8")
    for at, length, bit in cuts:
        begin = int(len(body) * at)
        body = body[:begin] + bit + body[begin + int(len(body) * length) :]
    assert_read(login_of(path), surface, body)


@QUICKLY
@given(
    login=st.sampled_from(sorted(BOTS)),
    surface=st.sampled_from(SURFACES),
    body=st.one_of(st.text(), st.lists(st.one_of(BITS, st.text(max_size=5))).map("".join)),
)
def test_any_text_is_read(login: str, surface: str, body: str) -> None:
    assert_read(login, surface, body)


def assert_read(login: str, surface: str, body: str) -> None:
    """Nothing is empty without a word of why, and what is given is what it is said to be."""
    reading = read_bot(login, surface, body)
    assert reading.text or reading.findings or reading.boilerplate or reading.not_reviewed or not body.strip()
    assert {one.severity for one in reading.findings} <= {None, "critical", "high", "medium", "low"}
    assert all(one.line is None or one.line > 0 for one in reading.findings)


def test_what_someone_else_writes_comes_back_as_it_is() -> None:
    body = "**Actionable comments posted: 3**\r\n<details>"
    assert read_bot("coderabbitai-fan", "review_body", body) == Reading(text=body)


@pytest.mark.parametrize("login", sorted(BOTS))
def test_every_bot_has_examples_and_a_login_as_graphql_gives_it(login: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]+", login)
    assert [path for path in BODIES if path.parent.name == login or BOTS.get(path.parent.name) is BOTS[login]]
