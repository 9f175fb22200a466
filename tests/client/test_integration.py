"""What comes between a verdict and the merge in the real client: a conflict, a red test, one that fails once."""

from dataclasses import replace
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script
from bench import Bench, plant
from client.actors import Worker, in_turn, judge, meanwhile, plan
from client.papers import ADD_TEST, CHECK, FOREIGN, PASS, PLAN, SUB, UNCLEAN
from client.person import (
    MERGED,
    NewDesk,
    agents_sent,
    begin_story,
    desk_of,
    lost,
    merges,
    rules_after,
    tell,
    unasked,
)
from inventory import take

pytestmark = pytest.mark.long

CONFIG = "base: main\nintegrate: {mode: local}\ncommands: {test: sh check.sh}\n"
# The rules by which a story that QA has passed gets where it is held up, and from there to its base.
CONFLICT = ["integrate/base", "sync/conflict", "fix/run"]
BUILT = ["integrate/base", "sync/clean", "build/unset"]
RED = [*BUILT, "test/introduced", "fix/run"]
MERGING = ["prepush/unset", "close/written", "merge/made", "merge/done", "close/done"]
JUDGED_AGAIN = ["report/valid", "qa/pass", *BUILT, "test/pass", *MERGING]
FLAKY = "flaky: FAIL: no answer from the test server failed once and passed twice on the same commit"
TWICE = ["planner", "implementer", "qa", "implementer", "qa"]


@pytest.fixture
def lived_in(shared_environment: None, project: Path) -> Path:
    """Return a repository with a story, a test that base passes, and what the user has of their own beside it."""
    bench = Bench(project)
    bench.write({"check.sh": CHECK, "test_add.py": ADD_TEST})
    begin_story(project, config=CONFIG)
    plant(bench)
    return project


def desk_with(new_desk: NewDesk, project: Path, implementer: Script, qa: Script) -> Desk:
    """Give a desk whose agents leave nothing in the work tree but what they write."""
    desk = desk_of(new_desk, project, planner=plan(PLAN), implementer=implementer, qa=qa)
    return replace(desk, extra={**desk.extra, "PYTHONDONTWRITEBYTECODE": "1"})


def test_the_implementer_resolves_a_conflict_the_program_concludes_it(new_desk: NewDesk, lived_in: Path) -> None:
    bench, worker = Bench(lived_in), Worker()

    def commit_on_main() -> None:
        bench.write({"calc.py": (lived_in / "calc.py").read_text().replace("# more", FOREIGN)})
        bench.git("commit", "--quiet", "--message", "more", "--", "calc.py")

    judging = in_turn(meanwhile(commit_on_main, judge(PASS)), judge(PASS))
    desk = desk_with(new_desk, lived_in, in_turn(worker.whole(), worker.resolve), judging)
    before = take(lived_in)
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert rules_after(lived_in, "qa/pass") == [*CONFLICT, *JUDGED_AGAIN]
    see_both_sides_merged(bench)
    assert lost(lived_in, before, main=bench.git("rev-parse", "main^1")) == []


def see_both_sides_merged(bench: Bench) -> None:
    """See that base moved, was merged into the story branch as QA had passed it, and got the story by a merge."""
    assert agents_sent(bench.root) == TWICE
    assert bench.git("log", "--format=%s", "main^1").splitlines() == ["more", "first"]
    inner, theirs = bench.git("log", "--merges", "--format=%P", "main^2").split()
    assert theirs == bench.git("rev-parse", "main^1")
    assert bench.git("log", "-1", "--format=%s", inner) == "story 42: QA says PASS"
    assert merges(bench.root)[0] == MERGED
    assert bench.git("show", "main:calc.py").endswith(f"return a + b\n{FOREIGN}{SUB}".rstrip())


def test_a_failure_in_a_clean_tree_alone_is_fixed_and_judged_again(new_desk: NewDesk, lived_in: Path) -> None:
    worker = Worker()
    desk = desk_with(new_desk, lived_in, in_turn(worker.whole(UNCLEAN), worker.fix), judge(PASS))
    before = take(lived_in)
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert rules_after(lived_in, "qa/pass") == [*RED, *JUDGED_AGAIN]
    assert (agents_sent(lived_in), merges(lived_in)) == (TWICE, [MERGED])
    assert "my.env" not in Bench(lived_in).git("show", "main:test_calc.py")
    assert lost(lived_in, before) == []


def test_a_flaky_failure_stops_nothing_and_is_reported(new_desk: NewDesk, lived_in: Path) -> None:
    desk = desk_with(new_desk, lived_in, Worker().whole(), judge(PASS))
    (desk.home / "down").touch()
    before = take(lived_in)
    with unasked(desk) as terminal:
        tell(terminal, "/implement 42", "the story is at complete")
    assert rules_after(lived_in, "qa/pass") == [*BUILT, "test/flaky", *MERGING]
    assert (agents_sent(lived_in), merges(lived_in)) == (TWICE[:3], [MERGED])
    assert FLAKY in Bench(lived_in).git("log", "-1", "--format=%B", "main")
    assert lost(lived_in, before) == []
