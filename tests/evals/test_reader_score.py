"""The scorer of evals/reader tells a good reading from one that loses work, makes words up or is often wrong."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import scoring
from feedback.reader_double import actionable, finding

BODIES = {
    "alice/asks": """
        {author: alice, bot: false, surface: comment, says: actionable, findings: [
          {has: Close the file}, {has: Name the unit, path: a.py, line: 9, start_line: 7, severity: low}]}
        Close the file when it is empty.\n\n\n\n\n\nnit: Name the unit in `a.py:7-9`.""",
    "bob/thanks": """
        {author: bob, bot: false, surface: comment, says: ignore}
        Thanks, reads well.""",
    "critic/limit": """
        {author: critic, bot: true, surface: comment, says: not-reviewed}
        Rate limit exceeded.""",
    "critic/line": """
        {author: critic, bot: true, surface: inline, path: a.py, line: 3, says: actionable,
         findings: [{has: The lock is taken too late}]}
        The lock is taken too late. Take it first.""",
    "critic/list": """
        {author: critic, bot: true, surface: review, says: actionable, findings: [
          {has: Sort first, path: b.py}, {has: Drop the import, path: c.py}]}
        - Sort first (`b.py`)\n- Drop the import (`c.py`)""",
    "critic/walk": """
        {author: critic, bot: true, surface: comment, says: ignore, either: [not-reviewed]}
        Walkthrough: the lock moves. I am still reading.""",
}
Said = Mapping[str, Mapping[str, Any]]


CLOSE, UNIT = (
    finding("Close the file"),
    finding("nit: Name the unit", path="a.py", line=9, start_line=7, severity="low"),
)
SORT, DROP = finding("Sort first", path="b.py"), finding("Drop the import", path="c.py")
GOOD: Said = {
    "alice/asks": actionable(CLOSE, UNIT),
    "bob/thanks": {"says": "ignore"},
    "critic/limit": {"says": "not-reviewed", "quote": "Rate limit exceeded"},
    "critic/line": actionable(finding("The lock is taken too late")),
    "critic/list": actionable(SORT, DROP),
    "critic/walk": {"says": "ignore"},
}


def write_body(folder: Path, name: str, text: str) -> None:
    label, body = re.fullmatch(r"\s*(\{.*?\})\n\s*([^\s{].*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    path = folder / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"---\n{label}\n---\n{body}\n", encoding="utf-8")


def scored(tmp_path: Path, said: Said, copies: int = 0) -> Result:
    """Score a reading of the bodies, and of some more that are as the walkthrough and are read well."""
    bodies, folder = tmp_path / "bodies", tmp_path / "read"
    folder.mkdir()
    more = {f"critic/walk{number}": BODIES["critic/walk"] for number in range(copies)}
    for name, text in {**BODIES, **more}.items():
        write_body(bodies, name, text)
    for name, share in scoring.readings_of(scoring.read_bodies(bodies)).shares.items():
        entries = [
            {"id": key, **said.get(text.item.removesuffix(".md"), {"says": "ignore"})}
            for key, text in share.by_id.items()
        ]
        text = json.dumps({"reading": name, "texts": entries})
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return CliRunner().invoke(scoring.main, ["readings", str(folder), "--bodies", str(bodies)])


def test_a_good_reading_passes(tmp_path: Path) -> None:
    result = scored(tmp_path, GOOD)
    assert (result.exit_code, "LOST" in result.output) == (0, False)
    assert "people: 2 of 2 right, work lost 0\nbots: 4 of 4 right, work lost 0" in result.output
    assert "places: 3 of 3 as labelled\nseverities: 1 of 1 as labelled" in result.output
    assert "all: 100.0% of 6 right, 0 faults: passed" in result.output


@pytest.mark.parametrize(("name", "says", "code", "told"), [
    ("alice/asks", {"says": "ignore"}, 1, "LOST alice/asks.md: ignore, not actionable"),
    ("alice/asks", actionable(UNIT), 1, "LOST alice/asks.md: nothing on 'Close the file'"),
    ("critic/line", {"says": "ignore"}, 0, "LOST critic/line.md"),
    ("critic/line", actionable(finding("The lock is never released")), 1, "does not stand there"),
], ids=["a person's work", "one of a person's two wishes", "a bot's work", "a quote is made up"])  # fmt: skip
def test_however_much_is_right_no_persons_work_is_lost_and_nothing_made_up(
    name: str, says: dict[str, Any], code: int, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "GATE", 0.5)
    result = scored(tmp_path, {**GOOD, name: says})
    assert (result.exit_code, told in result.output) == (code, True)


@pytest.mark.parametrize(("copies", "share", "code"), [(4, "90.0%", 1), (19, "96.0%", 0)])
def test_nine_of_ten_are_not_enough_24_of_25_are(copies: int, share: str, code: int, tmp_path: Path) -> None:
    result = scored(tmp_path, {**GOOD, "bob/thanks": actionable(finding("Thanks"))}, copies)
    assert (result.exit_code, f"all: {share}" in result.output) == (code, True)


@pytest.mark.parametrize(("name", "says", "told"), [
    ("critic/list", actionable(SORT), "nothing on 'Drop the import'"),
    ("critic/list", actionable(finding("Sort first")), "1 findings, not 2"),
    ("critic/list", actionable(SORT, DROP, finding("c.py")), "3 findings, not 2"),
    ("critic/list", actionable(SORT, {**DROP, "path": "b.py"}), "nothing on 'Drop the import'"),
    ("critic/walk", {"says": "not-reviewed", "quote": "I am still reading"}, ""),
    ("critic/walk", actionable(finding("the lock moves")), "actionable, not ignore or not-reviewed"),
    ("critic/line", actionable(finding("The lock is taken too late"), finding("Take it first")), ""),
])  # fmt: skip
def test_findings_are_those_of_the_label_one_for_one_but_a_thread_is_one_item(
    name: str, says: dict[str, Any], told: str, tmp_path: Path
) -> None:
    result = scored(tmp_path, {**GOOD, name: says})
    assert (result.exit_code, f"{name}.md: {told}" in result.output) == ((1, True) if told else (0, False))


def test_a_severity_nobody_said_is_counted_and_misses_no_gate(tmp_path: Path) -> None:
    result = scored(tmp_path, {**GOOD, "alice/asks": actionable(CLOSE, {**UNIT, "severity": "high"})})
    assert (result.exit_code, "severities: 0 of 1 as labelled" in result.output) == (0, True)


def test_briefs_are_written_for_each_share(tmp_path: Path) -> None:
    for name, text in BODIES.items():
        write_body(tmp_path / "bodies", name, text)
    told = CliRunner().invoke(
        scoring.main, ["briefs", str(tmp_path / "out"), "--bodies", str(tmp_path / "bodies")]
    )
    assert told.output == f"1 briefs in {tmp_path / 'out'}\n"
    assert "│ Rate limit exceeded." in (tmp_path / "out/pr1-r0-t1.md").read_text("utf-8")


@pytest.mark.parametrize("text", ["no label", "---\n{author: x}\n---\nwords", "---\n- a: [\n---\nwords"])
def test_a_body_without_a_sound_label_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "one.md").write_text(text, encoding="utf-8")
    told = CliRunner().invoke(scoring.main, ["briefs", str(tmp_path / "out"), "--bodies", str(tmp_path)])
    assert (told.exit_code, "one.md: " in told.output) == (1, True)


def test_a_folder_without_bodies_is_named(tmp_path: Path) -> None:
    told = CliRunner().invoke(scoring.main, ["readings", str(tmp_path), "--bodies", str(tmp_path)])
    assert (told.exit_code, f"{tmp_path}: no bodies there" in told.output) == (1, True)
