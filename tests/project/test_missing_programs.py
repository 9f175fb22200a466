"""A program that a command needs and that cannot be started here is named; what the shell does itself is not."""

from pathlib import Path

import pytest

from baton.project.missing_programs import find_missing

GONE = "`no-such` is not on this machine"


@pytest.mark.parametrize("line", [
    "no-such -q", "true && no-such", "CI=1 A='b c' no-such run", "sh a.sh; no-such", "true | no-such",
    "true\nno-such", "echo a > b; no-such", "(no-such)",
])  # fmt: skip
def test_a_program_that_is_not_here_is_named(line: str, tmp_path: Path) -> None:
    assert find_missing(line, tmp_path) == GONE


@pytest.mark.parametrize("line", [
    "sh -c 'true; no-such'", "cd no-such", ". .venv/bin/activate", ".venv/bin/pip install x", "$NO_SUCH a",
    "~/no-such", "export no-such=1", "if true; then no-such; fi", "echo no-such && true", "true > no-such",
    "echo 'a", "", "A=no-such", "# no-such", "/bin/sh -c true",
])  # fmt: skip
def test_builtins_and_programs_of_the_setup_are_not_missing(line: str, tmp_path: Path) -> None:
    assert find_missing(line, tmp_path) == ""


def test_a_script_must_be_executable_in_the_folder_it_runs_in(tmp_path: Path) -> None:
    (tmp_path / "gradlew").write_text("true\n")
    assert find_missing("./gradlew check", tmp_path) == "`./gradlew` is not executable"
    (tmp_path / "gradlew").chmod(0o755)
    assert find_missing("./gradlew check", tmp_path) == ""
