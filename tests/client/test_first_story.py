"""`docs/first-story.md` and the README's picture of the client show what the real client shows today.

With `BATON_RECORD` in the environment, as `scripts/record client` sets it, both are written anew.
"""

from __future__ import annotations

import os
import re
import runpy
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from baton_lab.scripted_client import terminal as size
from baton_lab.scripted_client.terminal import Terminal
from client.actors import Worker, in_turn, judge
from client.papers import FAIL, PASS
from client.person import NewDesk, choose, desk_of, driven, git, tell
from client.test_intake import SOURCES, TEXT, read_and_plan

pytestmark = pytest.mark.long

ROOT = Path(__file__).parents[2]
PAGE, PICTURE = ROOT / "docs" / "first-story.md", ROOT / "docs" / "client.svg"
RECORD = runpy.run_path(str(ROOT / "scripts" / "record"))
SCREEN = re.compile(r"(?s)(?<=```text\n).*?(?=\n```)")
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n# more\n",
    ".gitignore": "__pycache__/\n.claude/\n",
    ".baton.yaml": "base: main\ncommands:\n  test: python3 -m unittest -q\n",
}
# As long as the temporary folder's name, so that lines break where they do.
SHOWN_AS = "/home/you/app"
CHANGING = re.compile(
    r"\d{4}-\d\d-\d\d|\b[0-9a-f]{7,40}\b|(\d+ min )?\d+ s\b|\d+ min\b|\d+(\.\d+)?k?( to \$[\d.]+)?"
)
# What this machine lacks for GitHub.
HERE = re.compile("(?<=cannot be chosen here: ).*?(?=To read: )")
# Of the dialog, the way and the report: what the README's picture shows.
PICTURED = re.compile(
    r"[ ☐│]+(baton$|AC1|Are these)|[ ❯]+[1-4]\. |● baton: 1 Subtract|\W*(Merged|Files|Spent|Undo)\b"
)
GOES_ON = re.compile(r"  [^\d]")


@pytest.fixture
def project() -> Iterator[Path]:
    """A project as a reader has one after `baton init`, at a place with a short name."""
    with TemporaryDirectory(dir="/tmp", prefix="") as folder:
        project = Path(folder)
        git(project, "init", "--quiet", "--initial-branch", "main")
        for name, text in FILES.items():
            (project / name).write_text(text)
        git(project, "add", "--all")
        git(project, "-c", "user.name=You", "-c", "user.email=you@example.com", "commit", "--quiet", "-m", "first")
        yield project


def part(terminal: Terminal, first: str, last: str) -> str:
    """Return the screen from the line with one text to the next with another, once it shows both."""
    pattern = re.compile(rf"(?m)^.*{re.escape(first)}(?s:.*?){re.escape(last)}.*$")
    terminal.wait_for(lambda: pattern.search(terminal.screen()), 120)
    found = pattern.search(terminal.screen())
    assert found
    return re.sub(r"\n{3,}", "\n\n", found[0])


def screens_of(terminal: Terminal) -> Iterator[str]:
    """Live the story; yield what is shown of it, screen by screen."""
    question = ("☐ baton", "Enter to select")
    tell(terminal, f"/implement {TEXT}", "May baton run these commands", "1. accept")
    yield part(terminal, *question)
    choose(terminal, "accept", "How should finished stories", "Type something")
    yield part(terminal, *question)
    choose(terminal, "local", "Are these the right criteria?", "Type something")
    yield part(terminal, *question)
    choose(terminal, "accept")
    yield part(terminal, "◯ 1-iter1", "tokens")
    yield part(terminal, "/baton:implement", "merged into main")
    yield part(terminal, "Story 1: Subtract", "baton undo")


@pytest.fixture
def screens(
    new_desk: NewDesk, shared_environment: None, project: Path, monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """What the client shows of the story from the words to the merge."""
    monkeypatch.setattr(size, "COLUMNS", 100)
    monkeypatch.setattr(size, "ROWS", 110)
    worker = Worker()
    desk = driven(desk_of(
        new_desk, project,
        planner=read_and_plan(f"title: Subtract\n{SOURCES['text'].criteria}"),
        implementer=in_turn(worker.first, worker.second, worker.remedy),
        qa=in_turn(judge(FAIL), judge(PASS)),
    ))  # fmt: skip
    with desk.terminal() as terminal:
        return [text.replace(str(project), SHOWN_AS) for text in screens_of(terminal)]


def compared(text: str) -> str:
    """Return a text without what changes from run to run, or with the machine: line breaks, numbers, ids."""
    line = " ".join(text.replace("│", " ").split())
    return CHANGING.sub("#", HERE.sub("", line)).replace(" ", "")


def of_picture(screens: list[str]) -> list[str]:
    """Return what the README shows of them: the criteria, then how each run ended, then what came of it."""
    lines = [f"❯ /implement {TEXT}", ""]
    for screen in (screens[2], *screens[4:]):
        shown = False
        for line in filter(None, screen.splitlines()):
            shown = bool(PICTURED.match(line) or (shown and GOES_ON.match(line)))
            lines += [line] if shown else []
        lines += [""]
    return lines[:-1]


def test_the_page_and_the_picture_show_what_the_client_shows(screens: list[str]) -> None:
    if os.environ.get("BATON_RECORD"):
        new = iter(screens)
        PAGE.write_text(SCREEN.sub(lambda _: next(new), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        PICTURE.write_text(RECORD["draw"](of_picture(screens)), encoding="utf-8")
    shown = SCREEN.findall(PAGE.read_text(encoding="utf-8"))
    assert list(map(compared, shown)) == list(map(compared, screens)), "out of date: run scripts/record client"
    lines = RECORD["lines_of"](PICTURE.read_text(encoding="utf-8"))
    assert compared("".join(lines)) == compared("".join(of_picture(screens))), "run scripts/record client"


@pytest.mark.quick
@pytest.mark.parametrize(("other", "same"), [
    ("ended in 12 s at 0a1b2c3\n  next: QA", True),
    ("ended in 12 s at 0a1b2c3, next: fix", False),
])  # fmt: skip
def test_another_text_is_noticed_and_another_time_is_not(other: str, same: bool) -> None:
    assert (compared(other) == compared("ended in 8 s at e117163 next: QA")) is same
