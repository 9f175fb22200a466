"""A base that conflicts: `begin` begins the merge in a run's tree, the run resolves it, the program makes it."""

import json
from pathlib import Path

import pytest

from bench import DELIVERED, REPORT, STORY, WITH_COMMANDS, Bench, PlayScene, report_on
from scenes import Play

pytestmark = pytest.mark.sampled(2)

ONE_FIX = f"{WITH_COMMANDS}retries: {{integration_fixes: 1}}\n"


BASES = {"new from base.py": "NEW = 1\n", "tools/new.sh": "true\n"}


@pytest.mark.parametrize("lost", [*BASES, "tools/test.sh"])
def test_a_file_of_base_that_a_merge_loses_is_named_or_put_back(lost: str, judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n", **BASES})
    judging.judge()
    judging.edit({"calc.py": "SUB = 3\n"})
    (judging.tree / lost).unlink()
    (one,) = judging.hand_in("impl-report", report_on("calc.py", "test_calc.py")).json["findings"]
    assert one["message"].startswith(f"main has {lost}, and your tree has it no more")
    assert judging.hand_in("impl-report", report_on("calc.py", "test_calc.py", lost)).code == 0


@pytest.fixture
def conflict(play: PlayScene) -> Bench:
    """A story that conflicts with base, with a run out that is to resolve it, where the merge is begun."""
    return play("sync/conflict")[0]


def unmerged(bench: Bench) -> str:
    return Bench(bench.tree).git("diff", "--name-only", "--diff-filter=U")


def test_the_merge_is_begun_and_its_conflict_given_to_the_implementer(conflict: Bench) -> None:
    assert (conflict.run.role, unmerged(conflict)) == ("implementer", "calc.py")
    assert Bench(conflict.tree).git("rev-parse", "MERGE_HEAD") == conflict.git("rev-parse", "main")
    assert "conflicts with this story in `calc.py`" in conflict.brief
    assert not (conflict.root / ".git/MERGE_HEAD").exists()


def test_what_was_resolved_is_concluded_by_one_merge_commit_then_judged_and_merged(conflict: Bench) -> None:
    base, before = conflict.git("rev-parse", "main"), conflict.git("rev-parse", STORY)
    assert conflict.implement({"calc.py": "SUB = 3\n"})["agent"] == "baton:qa"
    assert conflict.git("rev-parse", f"{STORY}^@").split() == [before, base]
    assert conflict.judge()["action"] == "complete"
    assert conflict.git("show", "main:calc.py") == "SUB = 3"


def test_a_merge_that_is_resolved_to_what_the_story_had_is_concluded_too(conflict: Bench) -> None:
    conflict.implement({"calc.py": "SUB = 1\n"})
    assert conflict.judge()["action"] == "complete"


def test_a_report_is_rejected_while_a_marker_is_left(conflict: Bench) -> None:
    [finding, warning] = conflict.hand_in("impl-report", REPORT).json["findings"]
    assert (finding["path"], finding["where"], finding["rule"]) == ("calc.py", "line 1", "conflict-marker")
    assert (warning["rule"], warning["severity"]) == ("unnamed-file", "warning")
    assert conflict.meta("implemented").code == 1


@pytest.mark.parametrize(("ends", "rule"), [
    (lambda bench: bench.work(1), "implementation/continue"), (Bench.end, "implementation/no-return"),
], ids=["says that it cannot resolve it yet", "died over it"])  # fmt: skip
def test_the_markers_of_a_run_are_not_committed_that(ends: Play, rule: str, conflict: Bench) -> None:
    before = conflict.git("rev-parse", f"{STORY}:calc.py")
    assert unmerged(conflict) == "calc.py"
    step = ends(conflict)
    assert (step["rule"], step["agent"]) == (rule, "baton:implementer")
    assert (conflict.git("rev-parse", f"{STORY}:calc.py"), unmerged(conflict)) == (before, "calc.py")


def test_lines_that_look_like_markers_and_were_there_before_are_none(judging: Bench) -> None:
    judging.commit({"calc.py": "<<<<<<< a lesson on merging\nSUB = 2\n"})
    judging.judge()
    judging.edit({"calc.py": "<<<<<<< a lesson on merging\nSUB = 3\n"})
    assert judging.hand_in("impl-report", REPORT).code == 0


def test_files_that_base_added_are_neither_undeclared_nor_lost(judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n", "new from base.py": "NEW = 1\n"})
    judging.judge()
    judging.edit({"calc.py": "SUB = 3\n"})
    assert judging.hand_in("impl-report", report_on("test_calc.py", "calc.py")).json["findings"] == []
    judging.end()
    assert judging.git("show", f"{STORY}:new from base.py") == "NEW = 1"
    assert judging.judge()["action"] == "complete"


def test_a_file_one_side_deleted_must_be_decided_by_name(judging: Bench) -> None:
    judging.delete("calc.py")
    assert judging.judge()["rule"] == "fix/run"
    [finding] = judging.hand_in("impl-report", REPORT).json["findings"]
    assert (finding["path"], finding["rule"]) == ("calc.py", "conflict-undecided")
    assert judging.hand_in("impl-report", report_on("test_calc.py", "calc.py")).code == 0


def test_a_merge_a_person_resolved_meanwhile_is_taken_as_it_is(conflict: Bench) -> None:
    conflict.git("switch", "--quiet", STORY)
    conflict.git("merge", "main", code=1)
    conflict.write({"calc.py": "SUB = 3\n"})
    conflict.git("commit", "--quiet", "--all", "--message", "resolved")
    conflict.implement({"calc.py": "SUB = 3\n"})
    assert conflict.judge()["action"] == "complete"
    assert conflict.git("show", "main:calc.py") == "SUB = 3"


def test_a_small_story_resolves_its_conflict_in_a_run_of_its_own_kind(micro: Bench) -> None:
    micro.commit({"calc.py": "SUB = 2\n"})
    assert micro.deliver()["agent"] == "baton:micro-delivery"
    micro.next()
    assert micro.deliver(files={"calc.py": "SUB = 3\n"})["action"] == "complete"


def test_when_no_fix_is_left_a_person_is_asked(judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n", ".baton.yaml": ONE_FIX})
    judging.judge()
    judging.implement({"calc.py": "SUB = 3\n"})
    judging.commit({"calc.py": "SUB = 4\n"})
    step = judging.judge()
    assert (step["rule"], "calc.py" in step["question"]["findings"][0]) == ("fix/exhausted", True)
    assert shown(judging) == ["SUB = 3", "SUB = 4"]


def shown(bench: Bench) -> list[str]:
    """Return the lines of both sides that the open question shows of a conflict, as the file it names does."""
    screen, asked = bench.baton("question", "42").out, bench.baton("question", "42", "--json").json
    kept = Path(asked["artifact"]).read_text(encoding="utf-8")
    assert asked["quote"] in kept
    assert kept.startswith(
        f"what conflicts as main ({bench.git('rev-parse', '--short=12', 'main')}) is merged into"
    )
    lines = [line.removeprefix("│ ") for line in kept.splitlines()]
    assert all(line in screen for line in lines)
    assert (kept.splitlines()[1].split()[-1], lines[2]) == ("calc.py", "line 1:")
    return [line for line in lines if line.startswith("SUB")]


@pytest.mark.parametrize(("status", "rule"), [("blocked", "run/blocked"), ("failed", "run/failed")])
def test_a_run_that_cannot_resolve_it_ends_in_a_question_that_shows_it(
    status: str, rule: str, conflict: Bench
) -> None:
    assert conflict.work(status=status)["rule"] == rule
    assert shown(conflict) == ["SUB = 1", "SUB = 2"]


def test_a_question_of_a_run_that_resolved_it_shows_no_conflict(conflict: Bench) -> None:
    conflict.edit({"calc.py": "SUB = 3\n"})
    conflict.hand_in("impl-report", REPORT)
    conflict.insist("return-meta", json.dumps({"status": "implemented", "requires_user_review": True}))
    assert "quote" not in conflict.end()["question"]


def test_of_a_file_that_conflicts_as_a_whole_it_says_so(judging: Bench) -> None:
    judging.commit_lines("main", "D calc.py")
    judging.judge()
    assert "as a whole" in judging.work(status="blocked")["question"]["quote"]


def test_of_a_long_conflict_the_first_lines_are_shown(judging: Bench) -> None:
    judging.commit({"calc.py": "LINE = 1\n" * 9000})
    judging.judge()
    assert len(judging.work(status="blocked")["question"]["quote"]) < 2000


def test_a_file_git_writes_no_markers_into_must_be_decided_by_name(judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n"})
    judging.write({".git/info/attributes": "calc.py -merge\n"})
    judging.judge()
    assert judging.hand_in("impl-report", REPORT).rules == ["conflict-undecided"]


def test_markers_of_another_length_are_seen(judging: Bench) -> None:
    judging.write({".git/info/attributes": "*.py conflict-marker-size=5\n"})
    judging.commit({"calc.py": "SUB = 2\n"})
    judging.judge()
    assert (judging.tree / "calc.py").read_text().startswith("<<<<< ")
    assert judging.meta("implemented").code == 1


def test_markers_a_run_has_committed_itself_are_seen(conflict: Bench) -> None:
    tree = Bench(conflict.tree)
    tree.git("add", "calc.py")
    tree.git("commit", "--quiet", "--no-edit")
    [finding, *_] = conflict.hand_in("impl-report", REPORT).json["findings"]
    assert (finding["path"], finding["rule"]) == ("calc.py", "conflict-marker")


def test_a_small_story_may_say_that_it_cannot_resolve_it(micro: Bench) -> None:
    micro.commit({"calc.py": "SUB = 2\n"})
    micro.deliver()
    text = DELIVERED.format("ESCALATE", "both sides mean it")
    assert micro.hand_in("micro-delivery-report", text).code == 0
