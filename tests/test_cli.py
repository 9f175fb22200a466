"""The command line: one line for whatever goes wrong, and an exit code that says whose turn it is."""

import fcntl
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from baton import __version__
from baton.bootstrap import data_home
from baton.cli import SECTIONS, VERBS
from bench import FOLDER, LAUNCHER, PLAN, ROOT, Bench, call

DATA = data_home()  # this machine's, where the launcher finds its packages
PROGRAM = [sys.executable, "-X", "utf8", "-c", "import sys; from baton.cli import main; sys.exit(main())"]


def start(bench: Bench, *words: str) -> "subprocess.Popen[bytes]":
    """Start the program as a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts/lib")}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [*PROGRAM, *words], cwd=bench.root, env=environment, stdin=pipe, stdout=pipe, stderr=pipe
    )


def launched(line: str, folder: Path) -> tuple[int, str, str]:
    """Run a line of a shell, in which the launcher is `$BATON`; gives its exit code and both streams."""
    environment = {**os.environ, "XDG_DATA_HOME": str(Path(DATA).parent), "BATON": str(LAUNCHER)}
    shell = ["sh", "-c", line]
    done = subprocess.run(shell, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


# Help


@pytest.mark.parametrize(
    "verb",
    [*([verb] for verb in VERBS), ["story", "new"], ["story", "edit"], ["pr", "fetch"], ["pr", "show"]],
    ids=" ".join,
)
def test_every_command_has_help_with_one_example(verb: list[str]) -> None:
    said = call(*verb, "--help")
    assert (said.code, said.err, said.out.count("Example: baton ")) == (0, "", 1)


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]], ids=" ".join)
def test_the_program_lists_its_commands_in_sections(words: list[str]) -> None:
    said = call(*words)
    listed = re.findall(r"(?m)^  ([a-z-]+)  ", said.out.split("Stories:\n")[1])
    assert (said.code, sorted(listed)) == (0, sorted(VERBS.keys() - SECTIONS[""].keys()))
    assert "..." not in said.out.split("Stories:\n")[1]
    assert max(map(len, said.out.splitlines())) <= 80


@pytest.mark.parametrize("verb", ["story", "memory", "pr"])
def test_a_verb_lists_its_own_commands_without_cutting_their_help(verb: str) -> None:
    listed = call(verb, "--help").out.split("Commands:\n")[1]
    assert listed.strip()
    assert "..." not in listed


@pytest.mark.parametrize("flag", ["-V", "--version"])
def test_the_version_is_told(flag: str) -> None:
    assert call(flag) == (0, f"baton, version {__version__}\n", "")


def test_help_of_a_verb_is_asked_for_in_three_ways(bench: Bench) -> None:
    # In processes of their own: click keeps a command's options from the first call in a process.
    asked = (("next", "--help"), ("next", "-h"), ("help", "next"))
    first, *others = [start(bench, *words).communicate()[0] for words in asked]
    assert b"Usage: baton next" in first
    assert others == [first, first]


# A user's mistake

MISTAKES = {
    "a misspelled command": (["nxt"], "No such command 'nxt' (did you mean next?) at the"),
    "a command like none": (["version"], "No such command 'version' at the"),
    "no command of a group": (["story"], "Missing command"),
    "an unknown command": (["nonsense"], "No such command 'nonsense'"),
    "an option without its value": (["demo", "--keep"], "Option '--keep' requires an argument"),
    "an unknown option": (["next", "42", "--bogus"], "No such option '--bogus'"),
    "a missing argument": (["next"], "Missing argument 'ID'"),
    "a missing option": (["hand-in", "42", "plan"], "Missing option '--run'"),
    "an argument too many": (["status", "42", "43"], "Got unexpected extra argument (43)"),
    "a value that is none": (["next", "42", "--max-iterations", "0"], "Invalid value for '--max-iterations'"),
    "a line break in one": (["next", "42", "--max-iterations", "1\n2"], "Invalid value for '--max-iterations'"),
    "a number that never ends": (["run", "42", "--budget", "nan"], "Invalid value for '--budget': nan"),
    "a call that never ends": (["run", "42", "--wait", "inf"], "Invalid value for '--wait': inf"),
    "a time that never ends": (["wait", "42", "--seconds", "nan"], "Invalid value for '--seconds': nan"),
    "no story id": (["next", "../42"], "not a story id"),
    "no pull request": (["pr", "fetch", "--repo", "octo/app", "x"], "not a pull request"),
    "an option for a pull request": (["pr", "fetch", "-x"], "No such option '-x'"),
    "nothing to show": (["pr", "show"], "Missing argument 'ITEM…"),
    "a story that is not there": (["next", "42"], "no story 42"),
    "a story without a name": (["status", ""], "not a story id"),
    "one story in a line of all": (["status", "42", "--line"], "--line is of all stories"),
    "a run that was stopped, and which": (["next", "42", "--stopped"], "--stopped without --ended RUN"),
}


@pytest.mark.parametrize(("words", "what"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_one_line(words: list[str], what: str, bench: Bench) -> None:
    said = bench.baton(*words)
    assert said.refused.startswith(f"baton: {what}")
    assert " at " in said.err
    verb = words[0] if words[0] in VERBS else ""
    assert f"see `baton {verb}" in said.err or "command line" not in said.err
    assert not (bench.root / ".git/baton").exists()
    assert not (bench.root / ".claude").exists()


@pytest.mark.parametrize("words", [["status"], ["next", "42"], ["story", "new", "T"], ["init"]])
def test_outside_a_work_tree_there_is_nothing_to_do(words: list[str], tmp_path: Path, surrounded: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        assert Bench(folder).baton(*words).refused


def test_any_folder_of_the_work_tree_will_do(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(story.root / "tools")
    assert call("status").out == story.baton("status").out
    assert call("--project", "../scratch", "status").out == story.baton("status").out


# What stands in the way


def test_a_story_in_other_hands_is_named_with_its_owner(planning: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.journal.lock.WAIT_SECONDS", 0)
    path = planning.journal.parent / "lock"
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.write("process 7 (next)")
        file.flush()
        said = planning.baton("next", "42")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"baton: locked by process 7 (next) at {path}: wait for it to end")
    assert planning.next()["action"] == "wait"


def test_looking_needs_no_lock(planning: Bench) -> None:
    with (planning.journal.parent / "lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert planning.baton("status").code == 0
        assert planning.baton("timeline", "42").code == 0


def put_in_the_way(path: Path) -> None:
    """Put a folder where the program wants a file, and a file where it wants a folder."""
    if path.is_dir():
        shutil.rmtree(path)
        path.touch()
    else:
        path.unlink(missing_ok=True)
        path.mkdir()


IN_GIT = [f"/.git/baton/{path}" for path in ("", "42", "42/lock", "42/journal.jsonl")]
IN_A_COPY = ["", FOLDER, f"{FOLDER}/story.md"]


@pytest.mark.parametrize("place", [*IN_GIT, *IN_A_COPY])
def test_a_place_that_cannot_be_used_is_one_line(place: str, implementing: Bench) -> None:
    implementing.meta("partial")
    run = implementing.run.id
    put_in_the_way(Path(f"{implementing.root}{place}") if place in IN_GIT else implementing.folder.root / place)
    assert implementing.baton("next", "42", "--ended", run).refused


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_git_folder_is_one_line(planning: Bench) -> None:
    for path in (planning.journal, planning.journal.parent, planning.journal.parent.parent):
        path.chmod(0o500)
    assert planning.baton("next", "42", "--ended", planning.run.id).refused


def test_without_git_there_is_one_line(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    said = bench.baton("story", "new", "Subtract", "--criterion", "it is right")
    assert said.refused.startswith("baton: `git` cannot be started at ")


# A bug


def break_it(*_: object) -> None:
    raise RuntimeError("half of a thought")


def test_a_bug_is_shown_with_its_traceback(story: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.commands.next.run_next", break_it)
    said = story.baton("next", "42")
    assert (said.code, said.out) == (3, "")
    assert said.err.startswith("Traceback (most recent call last):\n")
    assert said.err.endswith(
        "RuntimeError: half of a thought\nbaton: this is a bug: please report it with the lines above\n"
    )


def test_a_bug_in_a_hook_is_no_exit_2_either(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.hooks.hook_events.find_project", break_it)
    assert call("hook", "session-start", stdin="{}").code == 3


def interrupt(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def test_an_interrupt_is_one_line_and_exit_130(planning: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("baton.commands.next.run_next", interrupt)
    said = planning.baton("next", "42")
    assert (said.code, said.out) == (130, "")
    assert said.err.strip() == "baton: interrupted; call again to go on where it stood"


@pytest.mark.parametrize(("verb", "callback"), [
    ("demo", "baton.demo.demo_command.demo.callback"), ("init", "baton.commands.init_verb.init.callback"),
    ("doctor", "baton.commands.doctor_verb.doctor.callback"),
])  # fmt: skip
def test_an_interrupt_of_what_keeps_no_state_says_that_it_begins_anew(
    verb: str, callback: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(callback, interrupt)
    assert call("--project", ".", verb).err.strip() == "baton: interrupted; call again, and it begins anew"


# As a process


def test_one_command_in_a_shell(story: Bench) -> None:
    process = start(story, "next", "42")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert out.startswith(b"DO spawn baton:planner\n")


def test_of_many_calls_at_once_one_sends_the_run_out(story: Bench) -> None:
    processes = [start(story, "next", "42") for _ in range(4)]
    actions = [process.communicate()[0].splitlines()[0] for process in processes]
    assert sorted(actions) == [b"DO spawn baton:planner", *[b"DO wait"] * 3]
    assert len(story.state.runs) == 1


def test_the_launcher_is_all_a_shell_needs(story: Bench) -> None:
    code, out, err = launched('"$BATON" next 42', story.root)
    assert (code, err) == (0, "")
    assert out.startswith("DO spawn baton:planner\n")


def test_an_artifact_comes_through_a_pipe(planning: Bench) -> None:
    process = start(Bench(planning.tree), "hand-in", "42", "plan", "--run", planning.run.id)
    out, err = process.communicate(PLAN.encode())
    accepted = f"accepted: {FOLDER}/42.execution-plan.md\n"
    assert (process.returncode, out.decode(), err) == (0, accepted, b"")


@pytest.mark.parametrize("reader", ["head -1", "true"])
def test_a_reader_that_goes_away_is_no_failure(reader: str, bench: Bench) -> None:
    process = start(bench, "explain", "--json")
    assert process.stdout is not None
    subprocess.run(["sh", "-c", reader], stdin=process.stdout, capture_output=True, check=True)
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait()) == (b"", 0)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", [["explain", "qa"], ["--help"], ["explain", "--json"]])
def test_a_disk_that_is_full_under_what_is_printed_is_one_line(words: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([LAUNCHER, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    line = "baton: No space left on device at standard output: fix that, then call again\n"
    assert (done.returncode, done.stderr) == (2, line)


def test_a_file_that_may_not_grow_under_what_is_printed_is_one_line(tmp_path: Path) -> None:
    line = "baton: File too large at standard output: fix that, then call again\n"
    assert launched('ulimit -f 0; exec "$BATON" explain >out', tmp_path) == (2, "", line)


@pytest.mark.parametrize("words", ["status", "doctor", "init", "next 42", "demo"])
def test_a_folder_that_was_removed_meanwhile_is_one_line(words: str, tmp_path: Path) -> None:
    code, _, err = launched(f'mkdir gone; cd gone; rmdir ../gone; "$BATON" {words}', tmp_path)
    line = "baton: the folder you are in is gone at this shell: `cd` to another, then call again\n"
    assert (code, err.removeprefix("sh: 0: getcwd() failed: No such file or directory\n")) == (2, line)


@pytest.mark.parametrize(("module", "words", "code"), [
    ("cli", "explain qa", 2), ("commands/explain", "explain qa", 2),
    ("hooks/pre_tool_use", "hook pre-tool-use", 1),
])  # fmt: skip
def test_files_of_python_that_a_full_disk_cut_short_are_removed(
    module: str, words: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "baton").mkdir()
    for name in ("environments", "python"):
        (tmp_path / "baton" / name).symlink_to(Path(DATA) / name)
    line = f'XDG_DATA_HOME="{tmp_path}" "$BATON" {words} </dev/null'
    assert launched(line, tmp_path)[0] == 0
    (compiled,) = (tmp_path / "baton" / "pycache").rglob(f"baton/{module}.*.pyc")
    compiled.write_bytes(compiled.read_bytes()[:100])
    ended, _, err = launched(line, tmp_path)
    assert (ended, err.strip().count("\n"), "they are gone, call again" in err) == (code, 0, True)
    assert launched(line, tmp_path)[0] == 0


@pytest.mark.parametrize(("closed", "words", "code"), [
    (">&-", "explain qa", 0), ("<&-", "start -", 0), ("2>&-", "next 99", 2),
])  # fmt: skip
def test_a_stream_that_is_closed_is_no_bug(closed: str, words: str, code: int, bench: Bench) -> None:
    ended, _, err = launched(f'"$BATON" {words} {closed}', bench.root)
    assert (ended, err) == (code, "")
