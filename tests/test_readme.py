"""What the README says is so: its commands run, its pictures show today's program."""

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest

from baton.commands.init_verb import SOURCE
from baton.github.client import OLDEST as OLDEST_GH
from baton.project.permissions import ASKS
from baton.story.begin.preflight import OLDEST_GIT
from client.fetch_client import VERSION

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHELL = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
CONSOLE = re.findall(r"```console\n(.*?)```", README, re.DOTALL)
RECORD = runpy.run_path(str(ROOT / "scripts" / "record"))
IDENTITY = {f"GIT_{role}_{key}": "t@example.com" for role in ("AUTHOR", "COMMITTER") for key in ("NAME", "EMAIL")}


def run(lines: str, folder: Path, extra: Mapping[str, str], stdin: int | None = None) -> str:
    inherited = {name: value for name, value in os.environ.items() if name not in ("CLAUDECODE", "BATON_HOOKS")}
    environment = {**inherited, **IDENTITY, **extra}
    done = subprocess.run(
        ["sh", "-euc", lines], cwd=folder, env=environment, stdin=stdin, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{lines}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def demo() -> str:
    """What the README's first command prints."""
    return run(SHELL[0], ROOT, {})


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a commit, as a reader has one."""
    run("git init -q -b main\necho hello >README\ngit add README\ngit commit -qm first", tmp_path, {})
    return tmp_path


def test_the_readme_is_short() -> None:
    assert len(README.split()) <= 900


def test_the_readme_has_the_commands_it_promises() -> None:
    assert SHELL == ["scripts/baton demo\n"]
    assert [block.split()[1] for block in CONSOLE] == ["marketplace", "git", "baton", "marketplace"]


def test_the_client_is_shown_first_then_the_install_then_the_demo() -> None:
    places = [README.index(text) for text in ("](docs/client.svg)", "\n## Install\n", "](docs/demo.svg)")]
    assert places == sorted(places)


def test_the_first_command_ends_in_merged(demo: str) -> None:
    assert any("merged" in line for line in demo.splitlines()[-8:])


def test_the_picture_of_the_demo_shows_what_the_demo_prints(demo: str) -> None:
    printed = set(RECORD["normalize"](["$ scripts/baton demo", RECORD["GAP"], *demo.splitlines()]))
    shown = RECORD["normalize"](RECORD["lines_of"]((ROOT / "docs/demo.svg").read_text(encoding="utf-8")))
    assert len(shown) > 30
    assert set(shown) <= printed, "the picture is out of date: run scripts/record"


def test_the_picture_of_a_question_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "record"), "--check", "question"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}{done.stderr}: run scripts/record"


def test_a_clone_is_pasted_in_and_says_whether_it_works(repository: Path, tmp_path: Path) -> None:
    typed = "\n".join(line.removeprefix("$ ") for line in CONSOLE[1].splitlines())
    home = tmp_path / "home"
    data = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    published = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{ROOT}.insteadOf",
        "GIT_CONFIG_VALUE_0": SOURCE,
    }
    out = run(typed, repository, {"HOME": str(home), "XDG_DATA_HOME": data, **published})
    assert "python" in out


def test_the_commands_of_the_first_story_work_in_order(repository: Path) -> None:
    typed = [line.removeprefix("$ ") for line in CONSOLE[2].splitlines()]
    path = f"{ROOT / 'bin'}{os.pathsep}{os.environ['PATH']}"
    own, terminal = os.openpty()
    out = run("\n".join(typed), repository, {"PATH": path}, terminal)
    os.close(own)
    os.close(terminal)
    assert len(typed) == 3
    assert "wrote .baton.yaml" in out
    assert "allowed in .claude/settings.local.json: Edit(" in out


def test_every_permission_mode_is_explained() -> None:
    section = README.partition("## Permission modes")[2].partition("\n## ")[0]
    assert set(re.findall(r"`(\w+)`", section)) >= set(ASKS)


def test_the_least_versions_are_those_the_program_checks() -> None:
    launcher = (ROOT / "scripts" / "baton").read_text(encoding="utf-8")
    python = re.search(r"no Python ([\d.]+) to ([\d.]+)", launcher)
    assert python
    needs = README.partition("\nNeeds ")[2].partition("\n\n")[0]
    git, gh = (".".join(map(str, oldest)) for oldest in (OLDEST_GIT, OLDEST_GH))
    assert all(word in needs for word in (f"git {git}+", f"`gh` {gh}+", f"Python {python[1]}–{python[2]}"))


def test_the_least_client_is_one_of_those_that_were_tried() -> None:
    text = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    tried = re.findall(r"\b2\.\d+\.\d+\b", text)
    assert re.findall(r"Claude Code (2[\d.]+)\+", README) == [tried[0]]
    assert (tried.count(tried[0]), tried[-1]) == (2, VERSION)


# Its pictures


PICTURES = sorted((ROOT / "docs").glob("*.svg"))
TYPED = "import os, sys; print(os.get_terminal_size().columns, sys.stdout.isatty()); print('\\x1b[1mbold\\x1b[0m')"


def test_a_command_runs_at_a_terminal_and_loses_its_colors(tmp_path: Path) -> None:
    assert RECORD["run_in_terminal"]([sys.executable, "-c", TYPED], tmp_path) == ["100 True", "bold"]


def test_a_command_that_fails_is_not_recorded(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="exit code 1"):
        RECORD["run_in_terminal"](["false"], tmp_path)


def test_a_picture_holds_its_lines() -> None:
    lines = ["$ a", "", "  <b> & \"c\" 'd'", "QUESTION é ⋮"]
    assert RECORD["lines_of"](RECORD["draw"](lines)) == lines


def test_what_changes_at_every_run_makes_no_difference() -> None:
    assert RECORD["normalize"](["  commit 1498f49 in 5 s "]) == RECORD["normalize"](["  commit e7342a7 in 12 s"])
    assert RECORD["normalize"](["plan: accepted"]) != RECORD["normalize"](["plan: rejected"])


def test_paragraphs_are_chosen_and_gaps_marked() -> None:
    starts = RECORD["PARAGRAPHS"]
    lines = "\n\n".join([starts[0], "left out", *starts[1:]]).split("\n")
    assert RECORD["choose"](lines)[:5] == [starts[0], "", RECORD["GAP"], "", starts[1]]


def test_a_paragraph_that_is_missing_is_named() -> None:
    with pytest.raises(SystemExit, match="qa/pass"):
        RECORD["choose"](["baton demo: nothing else"])


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_small_and_needs_no_other_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) <= 60_000
    assert ElementTree.fromstring(text).tag.endswith("}svg")
    assert all(word not in text for word in ("href", "url(", "@import", "<script"))
    assert "prefers-color-scheme: dark" in text
