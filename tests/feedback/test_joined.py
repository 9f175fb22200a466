"""A new finding on the lines of a settled one, or on lines its fix wrote, comes with it, whatever it is about."""

from typing import Any

import pytest

from baton.artifacts.config import Config
from baton.feedback.plan.build_round import draft_round
from baton.feedback.text.comment_marks import make_mark
from feedback.said import asks, by, fetched, read, thread

CHECK = "Validate the key: it is taken as it comes."
NAMING = "Rename this variable, its name is misleading."


def priors(settled: Any, new: Any, *ours: str, about: str = "naming") -> list[str]:
    """Plan a round; returns the settled threads that the unit of what is new is told of.

    `about` is what the settled one was read to be about; the new one is about security.
    """
    record = read(fetched(settled, new), asks("Validate the key", category="security"), **{settled.id: about})
    made = draft_round(record, Config(), None, ours).round
    assert made is not None
    return list(made.units[0].prior)


@pytest.mark.parametrize(("where", "joins"), [
    ({"line": 12}, True), ({"line": 9, "start_line": 5}, True), ({"line": 40}, False),
    ({"line": 12, "path": "src/b.py"}, False),
])  # fmt: skip
def test_a_finding_on_any_line_of_a_settled_one_joins_it(where: dict[str, Any], joins: bool) -> None:
    done = thread(by("alice", NAMING), line=12, start_line=8, resolved=True)
    new = thread(by("coderabbitai", CHECK), **{"path": "src/a.py", **where})
    assert (priors(done, new) == [done.id]) == joins


@pytest.mark.parametrize(("verdict", "joins"), [("fixed", True), ("replied", False), ("", False)])
def test_a_finding_on_lines_we_wrote_joins_what_we_fixed_in_its_file(verdict: str, joins: bool) -> None:
    asked = by("alice", NAMING)
    answer = [by("me", make_mark("T_done", verdict, "r1a2b3c4"))] if verdict else []
    done = thread(asked, *answer, id="T_done", resolved=True)
    new = thread(by("coderabbitai", CHECK), line=40)
    assert priors(done, new) == []
    assert (priors(done, new, new.id) == ["T_done"]) == joins


@pytest.mark.parametrize(("about", "joins"), [("security", True), ("naming", False)])
def test_a_settled_thread_is_about_what_it_was_read_to_be_about(about: str, joins: bool) -> None:
    done = thread(by("alice", CHECK), resolved=True)
    assert (priors(done, thread(by("alice", CHECK), line=40), about=about) == [done.id]) == joins


@pytest.mark.parametrize(("path", "joins"), [("tests/test_a.py", True), ("src/a.py", False)])
def test_of_a_settled_thread_that_nobody_read_its_file_tells_what_it_is_about(path: str, joins: bool) -> None:
    done, new = (thread(by("alice", CHECK), line=line, path=path, resolved=line == 12) for line in (12, 40))
    made = draft_round(read(fetched(done, new), asks(CHECK, category="testing")), Config(), None).round
    assert made
    assert (made.units[0].prior == (done.id,)) == joins


def test_a_thread_of_a_stranger_takes_part_by_its_lines_alone() -> None:
    done = thread(by("stranger", CHECK), resolved=True)
    assert priors(done, thread(by("coderabbitai", CHECK))) == [done.id]
    assert priors(done, thread(by("coderabbitai", CHECK), line=40)) == []


@pytest.mark.parametrize(("verdict", "joins"), [("fixed", True), ("needs-human", False)])
def test_what_we_answered_and_left_open_counts_as_settled(verdict: str, joins: bool) -> None:
    done = thread(by("alice", NAMING), by("me", make_mark("T_left", verdict, "r1a2b3c4")), id="T_left")
    assert (priors(done, thread(by("coderabbitai", CHECK))) == ["T_left"]) == joins
