"""The draft by the real client: it edits memory in its own tree alone, and its diff is shown after the story."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton_lab.scripted_client.script import MAIN, Script, Step, Talk, call, say
from bench import DELTA
from client.actors import Worker, begin, end, hand_in, plan
from client.headless import finished, start, supervised
from client.papers import PASS, PLAN
from client.person import CONFIG, NewDesk, baton, begin_story, git

pytestmark = pytest.mark.long

DRAFT = {"entries": [{"what": "sub", "verdict": "drafted", "why": "calc.py shows it"}]}


def learns(talk: Talk) -> Iterator[Step]:
    """Pass the story, and leave what it taught."""
    yield begin(talk)
    yield hand_in(talk, "memory-delta", DELTA)
    yield hand_in(talk, "qa-report", PASS)
    yield from end(talk, "implemented")


def cast(_: str, role: str) -> Script:
    return {"planner": plan(PLAN), "implementer": Worker().whole(), "qa": learns}[role]


def test_one_run_edits_memory_in_its_own_tree_alone(
    new_desk: NewDesk, shared_environment: None, project: Path
) -> None:
    (project / "CLAUDE.md").write_text("# Rules\n")
    begin_story(project, config=f"{CONFIG}memory: {{triage: draft}}\n")
    heard = list[str]()

    def drafts(talk: Talk) -> Iterator[Step]:
        yield call("Bash", command="touch written")
        heard.append(talk.result)
        yield call("Write", file_path=str(project / "written"), content="x")
        heard.append(talk.result)
        tree = json.loads((project / ".git/baton/42/draft/1/job.json").read_text())["cwd"]
        yield call("Read", file_path=f"{tree}/CLAUDE.md")
        heard.append(talk.result)
        yield call("Write", file_path=f"{tree}/CLAUDE.md", content="# Rules\n\n- sub is not commutative\n")
        heard.append(talk.result)
        yield say(json.dumps(DRAFT))

    desk = supervised(new_desk, project, cast, **{MAIN: drafts})
    code, said = finished(start(desk, "42"))
    assert code == 0, said
    shown = baton(project, "memory", "triage", "42")
    assert "DRAFT drafted: sub: calc.py shows it\n" in shown, (shown, heard)
    assert "│ +- sub is not commutative\n" in shown, (shown, heard)
    assert "# Rules" in heard[2]
    assert not (project / "written").exists()
    report = (project / ".git" / "baton" / "42" / "report.md").read_text()
    assert "drafts_produced: 1\nescalated_in_draft: 0\ncircuit_breaker_tripped: false\n" in report
    assert git(project, "show", "main:CLAUDE.md") == "# Rules\n"
    baton(project, *shown.splitlines()[-1].split()[2:])
    assert git(project, "show", "main:CLAUDE.md").endswith("- sub is not commutative\n")
