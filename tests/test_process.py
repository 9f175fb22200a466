"""Programs are run without a shell and without stdin, and what they said is told in one line."""

import sys
from pathlib import Path

import pytest

from baton.errors import BatonError
from baton.process import Result, run


def python(folder: Path, code: str, seconds: float = 60) -> Result:
    return run((sys.executable, "-c", code), folder, seconds=seconds)


def test_code_and_both_streams_are_given(tmp_path: Path) -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert python(tmp_path, code) == (3, "out\n", "err\n")


def test_stdin_is_empty(tmp_path: Path) -> None:
    assert python(tmp_path, "import sys; print(repr(sys.stdin.read()))").out == "''\n"


def test_bytes_that_are_no_text_are_kept(tmp_path: Path) -> None:
    out = python(tmp_path, "import sys; sys.stdout.buffer.write(b'caf\\xe9')").out
    assert out.encode(errors="surrogateescape") == b"caf\xe9"


def test_nothing_is_read_as_a_shell_would(tmp_path: Path) -> None:
    words = ("$(touch made)", "; touch made", "*")
    said = run((sys.executable, "-c", "import sys; print(sys.argv[1:])", *words), tmp_path)
    assert (said.out, list(tmp_path.iterdir())) == (f"{list(words)}\n", [])


@pytest.mark.parametrize(("name", "folder"), [("no-such-program", "."), (sys.executable, "no-such-folder")])
def test_what_cannot_be_started_is_one_line(name: str, folder: str, tmp_path: Path) -> None:
    with pytest.raises(BatonError, match=r"^`.*` cannot be started at "):
        run((name,), tmp_path / folder)


def test_what_does_not_end_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(BatonError, match=r"did not end in 0 s at "):
        python(tmp_path, "import time; time.sleep(60)", seconds=0.2)


@pytest.mark.parametrize(
    ("err", "said"),
    [
        ("fatal: no such branch\nConsider another\n", "fatal: no such branch"),
        ("warning: x\nerror: pathspec\nhint: look\n", "error: pathspec"),
        ("ruff: E501\nfix it\nhint: be bold\n", "ruff: E501; fix it"),
        ("one\ntwo\nthree\nfour\n", "two; three; four"),
        ("\n \n", "exit code 1, without a word"),
        ("x" * 5000, "x" * 400),
    ],
)
def test_what_went_wrong_is_the_line_that_says_so(err: str, said: str) -> None:
    assert Result(1, "", err).said == said


def test_a_long_text_reaches_a_program_that_begins_to_read_late(tmp_path: Path) -> None:
    assert run(["sh", "-c", "sleep 1.2; wc -c"], tmp_path, stdin=b"x" * 300_000).out.strip() == "300000"


def test_a_program_has_ended_though_what_it_started_holds_its_output(tmp_path: Path) -> None:
    assert run(["sh", "-c", "sleep 60 & echo done"], tmp_path, seconds=30).out == "done\n"
