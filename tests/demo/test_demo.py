"""The demo as a user runs it, and what it leaves behind."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from baton.demo import play as demo
from baton.demo import play_pr
from baton.demo.play import STAND_INS, RunDesk
from baton.errors import BatonError
from baton.hooks import pre_tool_use
from baton.hooks.calls import deny
from baton.journal.events import Dispatched, HandedIn, IntegrationStepDone, Judged, Rejected
from baton.journal.journal import Journal
from programs import write_program

ROOT = Path(__file__).parents[2]
LONGEST = 8_500  # bytes a demo prints
# Started in the background of a shell, a process would ignore the interrupt one test sends. Nothing waits between
# two requests to the stand-in for GitHub.
START = """
import signal, sys
import baton.github.client
baton.github.client.sleep = lambda seconds: None
signal.signal(signal.SIGINT, signal.default_int_handler)
from baton.cli import main
sys.exit(main())
"""


class Shown(NamedTuple):
    """What a run of the demo came to, and the folder it ran in: its home and its temporary files."""

    code: int
    out: str
    error: str
    place: Path


def start(place: Path, *arguments: str, **more: str) -> "subprocess.Popen[str]":
    """Start baton in `place`, with a home and a temporary folder in it."""
    for name in ("home", "tmp"):
        (place / name).mkdir(exist_ok=True)
    own = {"HOME": str(place / "home"), "TMPDIR": str(place / "tmp"), "PYTHONPATH": str(ROOT / "scripts/lib")}
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "XDG_"))}
    command = [sys.executable, "-c", START, *arguments]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, cwd=place, env={**kept, **own, **more}, stdout=pipe, stderr=pipe, text=True)


def show(place: Path, *arguments: str, **more: str) -> Shown:
    """Run baton to its end."""
    process = start(place, *arguments, **more)
    out, error = process.communicate()
    return Shown(process.returncode, out, error, place)


def git(repository: Path, *arguments: str) -> str:
    """Ask git something that must succeed."""
    return subprocess.run(
        ("git", "-C", repository, *arguments), capture_output=True, check=True, text=True
    ).stdout.strip()


def python(folder: Path, *arguments: str) -> int:
    """Run Python in `folder`; gives its exit code."""
    return subprocess.run((sys.executable, "-B", *arguments), cwd=folder, capture_output=True).returncode


def journal(repository: Path) -> Journal:
    """Read the journal of the demo's story."""
    return Journal(repository / ".git/baton/1/journal.jsonl")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo as it is run first."""
    return show(tmp_path_factory.mktemp("shown"), "demo")


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Shown:
    """The demo kept in `a folder`, by a user whose git settings would stop every commit."""
    place = tmp_path_factory.mktemp("kept")
    hook = write_program(place / "hooks/pre-commit", "exit 1")
    settings = place / "settings"
    settings.write_text(f"[core]\nhooksPath = {hook.parent}\n[commit]\ngpgsign = true\n[gpg]\nprogram = false\n")
    return show(place, "demo", "--keep", "a folder", GIT_CONFIG_GLOBAL=str(settings), MAX_ITERATIONS="1")


@pytest.fixture
def repository(kept: Shown) -> Path:
    """The repository that was kept."""
    assert kept.code == 0, kept.error
    return kept.place / "a folder" / "played"


@pytest.fixture
def failed_tree(repository: Path, tmp_path: Path) -> Iterator[Path]:
    """The commit QA failed, checked out."""
    sent = (record.event for record in journal(repository).records if isinstance(record.event, Dispatched))
    commit = next(one.head for one in sent if one.role == "qa")
    git(repository, "worktree", "add", "--detach", str(tmp_path / "failed"), commit)
    yield tmp_path / "failed"
    git(repository, "worktree", "remove", "--force", str(tmp_path / "failed"))


def assert_tidy(shown: Shown) -> None:
    """Check that a demo says what is scripted, fits a terminal but for paths, and leaves nothing behind."""
    assert (shown.code, shown.error) == (0, "")
    assert "scripted stand-ins" in "".join(shown.out.splitlines()[:2])
    assert len(shown.out.replace(str(ROOT), "").encode()) <= LONGEST
    assert [line for line in shown.out.splitlines() if len(line) > 100 and not re.search(r" /|://", line)] == []
    assert list(shown.place.glob("tmp/*")) + list(shown.place.glob("home/*")) == []


def test_the_demo_ends_merged(shown: Shown) -> None:
    assert_tidy(shown)
    assert "Story 1 is merged into main" in shown.out


def test_a_kept_demo_leaves_its_repository_alone(kept: Shown, repository: Path) -> None:
    assert list(kept.place.glob("tmp/*")) + list(kept.place.glob("home/*")) == []
    assert git(repository, "worktree", "list").count("\n") == 0


@pytest.mark.long
def test_it_ends_merged_from_a_plugin_without_the_lab_and_the_tests(tmp_path: Path) -> None:
    without = shutil.ignore_patterns("lab", "tests", "evals", ".git", ".*_cache", ".hypothesis", "__pycache__")
    shutil.copytree(ROOT, tmp_path / "plugin", ignore=without, symlinks=True)
    said = show(tmp_path, "demo", PYTHONPATH=str(tmp_path / "plugin/scripts/lib"))
    assert (said.code, said.error) == (0, "")
    assert "merged" in said.out


def test_an_interrupt_removes_the_repository(tmp_path: Path) -> None:
    process = start(tmp_path, "demo")
    assert process.stdout
    assert process.stdout.readline().startswith("baton demo")
    process.send_signal(signal.SIGINT)
    _, error = process.communicate()
    assert process.returncode == 130, error
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_story_takes_its_whole_way(repository: Path) -> None:
    events = [record.event for record in journal(repository).records]
    rules = [event.rule for event in events if isinstance(event, Judged | IntegrationStepDone)]
    iterations = [
        "planning/valid",
        "implementation/continue",
        "implementation/continue",
        "report/valid",
        "qa/fail",
        "report/valid",
    ]
    assert rules[:8] == ["start/planning", *iterations, "qa/pass"]
    assert rules[-5:] == ["test/pass", "prepush/unset", "close/written", "merge/made", "merge/done"]


def test_a_rejected_hand_in_is_fixed_by_the_same_run(repository: Path) -> None:
    plans = [
        record.event
        for record in journal(repository).records
        if isinstance(record.event, HandedIn | Rejected) and record.event.artifact == "plan"
    ]
    assert [type(plan) for plan in plans[:2]] == [Rejected, HandedIn]
    assert plans[0].run == plans[1].run


def test_each_decision_is_shown_in_the_journals_words(kept: Shown, repository: Path) -> None:
    words = " ".join(kept.out.split())
    judged = [record.event for record in journal(repository).records if isinstance(record.event, Judged)]
    assert [event.rule for event in judged if f"{event.rule}: {event.reason}" not in words] == []


def test_the_merged_work_passes_its_tests(repository: Path) -> None:
    assert git(repository, "branch", "--show-current") == "main"
    assert python(repository, "-m", "unittest") == 0
    assert python(repository, "-m", "teatime", "1h 30m") == 0


def test_the_work_that_qa_failed_is_really_wrong(repository: Path, failed_tree: Path) -> None:
    assert python(failed_tree, "-m", "teatime", "1h 30m") == 1
    shutil.copy(repository / "teatime/test_spoken.py", failed_tree / "teatime")
    assert python(failed_tree, "-m", "unittest") == 1


def test_the_users_git_settings_do_not_disturb_it(repository: Path) -> None:
    assert set(git(repository, "log", "--format=%an %G?").splitlines()) == {"baton demo N"}


def test_the_same_story_waits_beside_it_to_be_begun(repository: Path, tmp_path: Path) -> None:
    shutil.copytree(repository.parent / "fresh", tmp_path / "copy")
    status = show(tmp_path, "--project", "copy", "status", "1", "--json")
    assert json.loads(status.out)["stories"][0]["status"] == "new"
    step = json.loads(show(tmp_path, "--project", "copy", "next", "1", "--json").out)
    assert (step["action"], step["rule"]) == ("ask", "start/commands")


def test_the_commands_it_ends_with_can_be_copied(kept: Shown, repository: Path) -> None:
    cd, claude, implement = map(shlex.split, kept.out.splitlines()[-3:])
    assert cd == ["cd", str(repository.parent / "fresh")]
    assert claude == ["claude", "--plugin-dir", str(ROOT)]
    assert implement == ["/implement", "1"]


def test_without_a_kept_repository_it_names_the_command_that_keeps_one(shown: Shown) -> None:
    again = shlex.split(shown.out.splitlines()[-3])
    assert again[1:] == ["demo", "--keep", "teatime", "&&", "cd", "teatime/fresh"]
    assert os.access(again[0], os.X_OK)


@pytest.mark.parametrize("words", ["demo", "demo --pr"])
@pytest.mark.parametrize("name", ["", "file"], ids=["a folder with a file in it", "a file"])
def test_an_existing_folder_is_not_overwritten(words: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken/file").write_text("mine")
    refused = show(tmp_path, *words.split(), "--keep", str(tmp_path / "taken" / name))
    assert (refused.code, refused.out, refused.error.count("\n")) == (2, "", 1)
    assert refused.error.startswith("baton: not an empty folder at ")


def test_an_empty_folder_may_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "ANSWERS", {})
    with pytest.raises(BatonError, match="no answer"):
        demo.play(tmp_path)
    assert (tmp_path / "played/teatime/clock.py").is_file()


@pytest.mark.parametrize("words", ["demo", "demo --pr"])
def test_without_git_it_says_so_in_one_line(words: str, tmp_path: Path) -> None:
    refused = show(tmp_path, *words.split(), PATH=str(tmp_path / "tmp"))
    assert (refused.code, refused.error.count("\n")) == (2, 1)
    assert refused.error.startswith("baton: `git` cannot be started at ")
    assert list((tmp_path / "tmp").iterdir()) == []


@pytest.mark.parametrize(("module", "rule"), [(demo, "start/commands"), (play_pr, "land/commands")])
def test_a_question_it_has_no_answer_to_stops_it(
    module: Any, rule: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "ANSWERS", {})
    with pytest.raises(BatonError, match=f"no answer to {rule}"):
        module.play(None)
    assert "May baton run these commands" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("stopped", ["baton next 1", "baton begin sess_", "baton hand-in 1 plan "])
def test_a_call_that_the_hook_does_not_let_through_stops_it(stopped: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def decide(raw: bytes) -> str:
        return deny("no plain call") if stopped.encode() in raw else pre_tool_use.decide(raw)

    monkeypatch.setattr("baton.demo.program.decide", decide)
    with pytest.raises(BatonError, match=rf"does not let `{stopped}.*through \(baton: no plain call\)"):
        demo.play(None)


def test_it_follows_what_is_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def idle(desk: RunDesk) -> None:
        seen.append(desk.step["rule"])

    monkeypatch.setitem(STAND_INS, "baton:planner", idle)
    with pytest.raises(BatonError, match="no answer to planning/exhausted"):
        demo.play(None)
    assert seen == ["start/planning", "planning/missing"]


def test_it_leaves_the_environment_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "ANSWERS", {})
    monkeypatch.setenv("GIT_AUTHOR_NAME", "me")
    before = dict(os.environ)
    with pytest.raises(BatonError):
        demo.play(None)
    assert dict(os.environ) == before
