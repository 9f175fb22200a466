"""The repository's commit hook takes subjects that say what a commit does, and no others."""

import subprocess
import sys
from pathlib import Path

import pytest

HOOK = Path(__file__).parents[1] / ".githooks" / "commit-msg"


def judged(message: str, folder: Path) -> tuple[int, str]:
    """Return what the hook says of a message: its exit code, and its line."""
    file = folder / "message"
    file.write_text(message, encoding="utf-8")
    ran = subprocess.run([sys.executable, HOOK, file], capture_output=True, text=True, check=False)
    return ran.returncode, ran.stderr.strip()


@pytest.mark.parametrize("message", [
    "journal: refuse a truncated file\n\nIt was read as whole.\n", "feedback/fetch, plan: name what is read",
    "tests: run memory at sixty places", "Merge branch 'x' into y", "# a remark\n\nbench: limit what grows",
])  # fmt: skip
def test_a_subject_that_says_what_the_commit_does_is_taken(message: str, tmp_path: Path) -> None:
    assert judged(message, tmp_path) == (0, "")


@pytest.mark.parametrize(("message", "why"), [
    ("journal: a truncated file is refused", "`a` is no verb"),
    ("memory: what a story taught", "`what` is no verb"),
    ("refuse a truncated file", "not `scope: verb …`"),
    ("journal: refuse a truncated file.", "not `scope: verb …`"),
    (f"journal: refuse {'x' * 60}", "76 characters, at most 60"),
    ("", "not `scope: verb …`"),
])  # fmt: skip
def test_any_other_is_refused_with_why(message: str, why: str, tmp_path: Path) -> None:
    code, said = judged(message, tmp_path)
    assert (code, why in said) == (1, True)
