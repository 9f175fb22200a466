"""The draft by the real client: it edits memory in its own tree alone, and its diff is shown after the story."""

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
from memory.imports import EXAMPLES, READ, examples

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


def test_a_run_edits_memory_in_its_tree_alone(new_desk: NewDesk, shared_environment: None, project: Path) -> None:
    (project / "CLAUDE.md").write_text("# Rules\n")
    begin_story(project, config=f"{CONFIG}memory: {{triage: draft}}\n")
    heard = list[str]()

    def drafts(talk: Talk) -> Iterator[Step]:
        yield call("Bash", command="touch written")
        heard.append(talk.result)
        yield call("Write", file_path=str(project / "written"), content="x")
        heard.append(talk.result)
        tree = git(project, "worktree", "list").splitlines()[-1].split()[0]
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


def test_the_client_imports_what_the_examples_say(new_desk: NewDesk, project: Path) -> None:
    changes = [(kind, both) for kind in EXAMPLES for both in examples(kind)]
    for number, text in enumerate(text for _, both in changes for text in both):
        (project / f"{number}").mkdir()
        (project / f"{number}/case.md").write_bytes(text.replace("{here}", f"{number}").encode())
        (project / f"{number}/x.md").write_text(f"MARK {number}.")
    (project / "CLAUDE.md").write_text("\n".join(f"@{number}/case.md" for number in range(2 * len(changes))))
    desk = new_desk({MAIN: lambda _: iter([say("done")])})
    assert desk.headless("go").code == 0
    told = json.dumps(desk.model.of(MAIN)[0].request)
    is_read = [f"MARK {number}." in told for number in range(2 * len(changes))]
    is_new = [after and not before for before, after in zip(is_read[::2], is_read[1::2], strict=True)]
    assert [one for one, new in zip(changes, is_new, strict=True) if new != (one[0] in READ)] == []


def test_it_follows_imports_four_files_deep(new_desk: NewDesk, project: Path) -> None:
    for number in range(1, 7):
        (project / f"{number}.md").write_text(f"MARK {number}.\n@{number + 1}.md\n")
    (project / "CLAUDE.md").write_text("@1.md\n")
    desk = new_desk({MAIN: lambda _: iter([say("done")])})
    assert desk.headless("go").code == 0
    told = json.dumps(desk.model.of(MAIN)[0].request)
    assert [number for number in range(1, 7) if f"MARK {number}." in told] == [1, 2, 3, 4]
