"""A new finding on the lines of a settled one, or on lines its fix wrote, comes with it, whatever it is about."""

from typing import NamedTuple

import pytest

from baton.artifacts.config import Config
from baton.feedback.plan.build_round import draft_round
from feedback.said import asks, by, fetched, read, talk, thread

CHECK = "Validate the key: it is taken as it comes."


class Case(NamedTuple):
    """A thread that is settled and what it was read to be about, and a new finding about security."""

    joins: bool
    settled: str  # who spoke in it
    line: int = 12  # of the new one
    about: str = "naming"
    is_ours: bool = False  # whether the new one is on lines that we wrote
    path: str = "src/a.py"
    start_line: int | None = None


CASES = {
    "on its line": Case(True, "alice resolved"),
    "on lines that end in it": Case(True, "alice resolved", 9, start_line=5),
    "further on": Case(False, "alice resolved", 40),
    "in another file": Case(False, "alice resolved", path="src/b.py"),
    "on lines our fix of it wrote": Case(True, "alice me:fixed resolved", 40, is_ours=True),
    "on lines somebody else wrote": Case(False, "alice me:fixed resolved", 40),
    "on lines of ours, but it was only replied to": Case(False, "alice me:replied resolved", 40, is_ours=True),
    "on lines of ours, but we did not answer it": Case(False, "alice resolved", 40, is_ours=True),
    "about the same as it was read to be": Case(True, "alice resolved", 40, about="security"),
    "on the line of a stranger's": Case(True, "stranger resolved"),
    "further on than a stranger's, about the same": Case(False, "stranger resolved", 40),
    "on the line of one we fixed and left open": Case(True, "alice me:fixed"),
    "on the line of one that needs a person": Case(False, "alice me:needs-human"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_finding_joins_what_was_settled_there(case: Case) -> None:
    new = thread(by("coderabbitai", CHECK), line=case.line, path=case.path, start_line=case.start_line)
    record = fetched(talk(case.settled, start_line=8), new)
    said = read(record, asks("Validate the key", category="security"), T_1=case.about)
    made = draft_round(said, Config(), None, [new.id] if case.is_ours else ()).round
    assert made
    assert (list(made.units[0].prior) == ["T_1"]) == case.joins


@pytest.mark.parametrize(("path", "joins"), [("tests/test_a.py", True), ("src/a.py", False)])
def test_the_file_of_a_settled_unread_thread_tells_its_category(path: str, joins: bool) -> None:
    done, new = (thread(by("alice", CHECK), line=line, path=path, resolved=line == 12) for line in (12, 40))
    made = draft_round(read(fetched(done, new), asks(CHECK, category="testing")), Config(), None).round
    assert made
    assert (made.units[0].prior == (done.id,)) == joins
