"""What the parser accepts runs the launcher once with the words it read, and nothing else: shells judge."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from baton.hooks.calls import parse_call, path_spellings
from hooks.run_trees import commands_in
from scale import tries

EXAMPLES = sorted((Path(__file__).parent / "commands" / "allowed").glob("*.txt"))
SHELLS = [shell for shell in ("bash", "dash", "zsh") if shutil.which(shell)]
QUICKLY = tries(250)

# Every name the generated commands could run but the launcher itself would betray a second command.
NAMES = ["baton", "touch", "sh", "id", "cat", "EOF", "status", "x", "a", "42", "sudo", "env", "rm"]
RECORDER = '#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$#" "$@" >>"$RECORD"\n'
PIECES = st.sampled_from([
    " ", " ", "\n", "\n", "'", '"', "''", '""', "\\", "\\\n", "$'", '$"', "EOF", "EOF\n", "\nEOF", "\nEOF\n",
    "<<'EOF'\n", " <<'EOF'\n", '<<"EOF"\n', "<<EOF\n", "<<", "<<-'EOF'\n", "<", ">", "> x", "2>&1", "$x",
    "$(id)", "`id`", "!", "!!", "~", "*", "?", "[a]", "{a,b}", "(", ")", "#", " # ", ";", ";id", "\nid\n", "&",
    "&& id", "|", "| sh", "||", "=", "A=1", "--a=b", "-", "--", "%", "^", "@", ",", ":", "a", "42", "x y", "baton",
    "touch x", "\t", "\r", "\0", "é", "Á", "\x81", "€", "\u00a0", "\u2028", "\u200b",
])  # fmt: skip
JUNK = st.lists(PIECES, max_size=8).map("".join)
WORD = st.one_of(
    JUNK.map("'{}'".format), JUNK.map('"{}"'.format), JUNK, PIECES, st.sampled_from(["42", "--run=r"])
)
DOCUMENT = st.builds(
    " <<{0}EOF{0}{1}\n{2}\nEOF{3}".format, st.sampled_from("'\""), st.sampled_from(["", "", " "]) | JUNK, JUNK,
    st.sampled_from(["", "\n", "\n \n"]) | JUNK,
)  # fmt: skip
COMMANDS = st.builds(
    "baton{}{}".format, st.lists(WORD.map(" {}".format), max_size=3).map("".join), DOCUMENT | JUNK
)


class ShellBench(NamedTuple):
    """A PATH of recorders, a folder to run in with a file for globs to find, and the record they write."""

    path: Path
    folder: Path
    record: Path

    def run(self, shell: str, command: str) -> tuple[str, list[str], int]:
        """Take a command; give what it printed, what the recorders saw, and how many commands the shell traced."""
        self.record.write_bytes(b"")
        env = {"PATH": str(self.path), "RECORD": str(self.record), "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}
        line = [shutil.which(shell) or shell, *(["-f"] if shell == "zsh" else []), "-x", "-c", command]
        done = subprocess.run(
            line, cwd=self.folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        trace = [line for line in done.stderr.split(b"\n") if line.startswith(b"+")]
        traced = sum(not line.startswith(b"+/etc/") for line in trace)  # zsh cannot be kept from its zshenv
        return done.stdout.decode(), self.record.read_bytes().decode().split("\0")[:-1], traced


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> ShellBench:
    path, folder = tmp_path_factory.mktemp("path"), tmp_path_factory.mktemp("folder")
    (folder / "x").write_text("x")
    for name in NAMES:
        (path / name).write_text(RECORDER)
        (path / name).chmod(0o755)
    return ShellBench(path, folder, tmp_path_factory.mktemp("record") / "record")


def assert_runs_as_read(bench: ShellBench, shell: str, command: str, words: list[str]) -> None:
    assert bench.run(shell, command) == ("", ["baton", str(len(words)), *words], 1)
    assert {file.name: file.read_text() for file in bench.folder.iterdir()} == {"x": "x"}


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_every_allowed_example_runs_the_launcher_once_as_read(bench: ShellBench, shell: str, file: Path) -> None:
    for written in commands_in(file.read_text("utf-8")):
        command = re.sub("/opt/baton/(?:scripts|bin)", str(bench.path), written)
        words = parse_call(command, ("baton", *path_spellings(f"{bench.path}/baton")))
        assert words is not None
        assert_runs_as_read(bench, shell, command, words)


@pytest.mark.parametrize("shell", SHELLS)
@QUICKLY
@given(command=COMMANDS)
@example(command="baton status 'Á\u0081' \"€\"")
def test_every_accepted_command_runs_the_launcher_once_as_read(
    bench: ShellBench, shell: str, command: str
) -> None:
    words = parse_call(command, ("baton",))
    if words is not None:
        assert_runs_as_read(bench, shell, command, words)


@QUICKLY
@given(st.text() | JUNK | st.text(alphabet="baton '\"\\\n<EOF$`-=/;"))
def test_no_text_makes_it_fail(tail: str) -> None:
    assert parse_call(tail, ()) is None
    parse_call("baton " + tail, ("baton",))


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param("baton a; id", ["a"], id="a sequence"),
        pytest.param("baton a; :", ["a"], id="a built-in"),
        pytest.param("baton a | id", ["a"], id="a pipe"),
        pytest.param('baton "$(id)"', [""], id="a substitution"),
        pytest.param("x=1; baton a", ["a"], id="an assignment"),
        pytest.param("baton a > x", ["a"], id="a redirection"),
        pytest.param("baton a <<'EOF'\nEOF\nid", ["a"], id="a command after the document"),
        pytest.param("baton a\tb", ["a\tb"], id="words split in another way"),
    ],
)
def test_the_bench_sees_what_is_not_one_call(
    bench: ShellBench, shell: str, command: str, words: list[str]
) -> None:
    with pytest.raises(AssertionError):
        assert_runs_as_read(bench, shell, command, words)
    (bench.folder / "x").write_text("x")
