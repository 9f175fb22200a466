"""A new finding on the lines of a settled one, or on lines its fix wrote, comes with it, whatever it is about."""

from pathlib import Path
from typing import Any

import pytest

from baton.artifacts.config import Config
from baton.feedback.land.reply_marker import mark
from baton.feedback.plan.build_round import UserVerdicts, plan
from baton.feedback.read.record import make_record
from feedback.said import by, classified, thread

LABELED = "_🔒 Security & Privacy_ | _🟠 Major_\n\n**Validate the key.**\n\nIt is taken as it comes."
NAMING = "Rename this variable, its name is misleading."


def priors(settled: Any, new: Any, *ours: str) -> list[str]:
    """Plan a round; returns the settled threads that the unit of what is new is told of."""
    feedback, triaged = classified(settled, new)
    record = make_record(feedback, triaged, 10, None, Path("/x/feedback.json"))
    made = plan(record, UserVerdicts({}, {}), Config(), None, ours).round
    assert made is not None
    return list(made.units[0].prior)


@pytest.mark.parametrize(("where", "joins"), [
    ({"line": 12}, True), ({"line": 9, "start_line": 5}, True), ({"line": 40}, False),
    ({"line": 12, "path": "src/b.py"}, False),
])  # fmt: skip
def test_a_finding_on_any_line_of_a_settled_one_joins_it(where: dict[str, Any], joins: bool) -> None:
    done = thread(by("alice", NAMING), line=12, start_line=8, resolved=True)
    new = thread(by("coderabbitai", LABELED), **{"path": "src/a.py", **where})
    assert (priors(done, new) == [done.id]) == joins


@pytest.mark.parametrize(("verdict", "joins"), [("fixed", True), ("replied", False), ("", False)])
def test_a_finding_on_lines_we_wrote_joins_what_we_fixed_in_its_file(verdict: str, joins: bool) -> None:
    answer = [by("me", mark("T_done", verdict, "r1a2b3c4"))] if verdict else []
    done = thread(by("alice", NAMING), *answer, id="T_done", resolved=True)
    new = thread(by("coderabbitai", LABELED), line=40)
    assert priors(done, new) == []
    assert (priors(done, new, new.id) == ["T_done"]) == joins


def test_a_settled_thread_keeps_the_label_its_bot_gave_it() -> None:
    done, new = (thread(by("coderabbitai", LABELED), line=line, resolved=line == 12) for line in (12, 40))
    assert priors(done, new) == [done.id]


def test_a_thread_of_a_stranger_takes_part_by_its_lines_alone() -> None:
    done = thread(by("stranger", LABELED), resolved=True)
    assert priors(done, thread(by("coderabbitai", LABELED))) == [done.id]
    assert priors(done, thread(by("coderabbitai", LABELED), line=40)) == []


@pytest.mark.parametrize(("verdict", "joins"), [("fixed", True), ("needs-human", False)])
def test_what_we_answered_and_left_open_counts_as_settled(verdict: str, joins: bool) -> None:
    done = thread(by("alice", NAMING), by("me", mark("T_left", verdict, "r1a2b3c4")), id="T_left")
    assert (priors(done, thread(by("coderabbitai", LABELED))) == ["T_left"]) == joins
