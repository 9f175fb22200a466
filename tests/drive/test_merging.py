"""A base that conflicts: the program begins the merge, a run resolves it, the program concludes it."""

import re

import pytest

from bench import DELIVERED, REPORT, WITH_COMMANDS, Bench, PlayScene

ONE_FIX = f"{WITH_COMMANDS}retries: {{integration_fixes: 1}}\n"


@pytest.fixture
def conflict(play: PlayScene) -> Bench:
    """A story whose merge with base is begun, with a run out that is to resolve it."""
    return play("sync/conflict")[0]


def unmerged(bench: Bench) -> str:
    return bench.git("diff", "--name-only", "--diff-filter=U")


def test_the_merge_is_begun_and_its_conflict_given_to_the_implementer(conflict: Bench) -> None:
    assert (conflict.run.role, unmerged(conflict)) == ("implementer", "calc.py")
    assert conflict.git("rev-parse", "MERGE_HEAD") == conflict.git("rev-parse", "main")
    assert "conflicts with this branch; the merge is begun in the work tree: `calc.py`" in conflict.brief


def test_what_was_resolved_is_concluded_by_one_merge_commit_then_judged_and_merged(conflict: Bench) -> None:
    base, before = conflict.git("rev-parse", "main"), conflict.git("rev-parse", "HEAD")
    assert conflict.implement({"calc.py": "SUB = 3\n"})["agent"] == "baton:qa"
    assert conflict.git("rev-parse", "HEAD^1", "HEAD^2").split() == [before, base]
    assert conflict.judge()["action"] == "complete"
    assert conflict.git("show", "main:calc.py") == "SUB = 3"


def test_a_merge_that_is_resolved_to_what_the_story_had_is_concluded_too(conflict: Bench) -> None:
    conflict.implement({"calc.py": "SUB = 1\n"})
    assert not (conflict.root / ".git/MERGE_HEAD").exists()
    assert conflict.judge()["action"] == "complete"


def test_a_report_is_rejected_while_a_marker_is_left(conflict: Bench) -> None:
    said = conflict.hand_in("impl-report", REPORT).json
    assert [(one["path"], one["where"], one["rule"]) for one in said["findings"]] == [
        ("calc.py", "line 1", "conflict-marker")
    ]
    assert conflict.meta("implemented").code == 1


def test_a_run_that_cannot_resolve_it_yet_may_say_so_and_nothing_is_committed(conflict: Bench) -> None:
    before = conflict.git("rev-parse", "HEAD")
    step = conflict.work(1, status="partial")
    assert (step["rule"], step["agent"]) == ("loop/continue", "baton:implementer")
    assert (conflict.git("rev-parse", "HEAD"), unmerged(conflict)) == (before, "calc.py")
    assert "the merge is begun in the work tree: `calc.py`" in conflict.brief


def test_a_marker_that_comes_back_after_the_hand_in_is_a_finding_at_the_gate(conflict: Bench) -> None:
    markers = (conflict.root / "calc.py").read_text()
    conflict.write({"calc.py": "SUB = 3\n"})
    assert conflict.hand_in("impl-report", REPORT).code == 0
    conflict.meta("implemented")
    conflict.write({"calc.py": markers})
    assert conflict.end()["rule"] == "report/invalid"
    assert "a conflict marker is left" in conflict.brief


def test_lines_that_look_like_markers_and_were_there_before_are_none(judging: Bench) -> None:
    judging.commit({"calc.py": "<<<<<<< a lesson on merging\nSUB = 2\n"})
    judging.judge()
    judging.write({"calc.py": "<<<<<<< a lesson on merging\nSUB = 3\n"})
    assert judging.hand_in("impl-report", REPORT).code == 0


def test_files_that_base_added_are_neither_undeclared_nor_lost(judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n", "new from base.py": "NEW = 1\n"})
    judging.judge()
    judging.implement({"calc.py": "SUB = 3\n"})
    assert judging.git("show", "HEAD:new from base.py") == "NEW = 1"
    assert judging.judge()["action"] == "complete"


def delete_on_base(bench: Bench) -> None:
    bench.git("fast-import", "--quiet", "--force", stdin=(
        "commit refs/heads/main\ncommitter B <b@example.com> 1700000000 +0000\ndata 4\ngone\n"
        "from refs/heads/main^0\nD calc.py\n"
    ))  # fmt: skip


def test_a_file_one_side_deleted_must_be_decided_by_name(judging: Bench) -> None:
    delete_on_base(judging)
    assert judging.judge()["rule"] == "fix/run"
    said = judging.hand_in("impl-report", REPORT).json
    assert [(one["path"], one["rule"]) for one in said["findings"]] == [("calc.py", "conflict-undecided")]
    named = REPORT.replace("## Criteria", "- `calc.py`: stays\n## Criteria")
    assert judging.hand_in("impl-report", named).code == 0


def test_a_merge_a_person_resolved_meanwhile_is_taken_as_it_is(conflict: Bench) -> None:
    conflict.write({"calc.py": "SUB = 3\n"})
    conflict.git("commit", "--quiet", "--all", "--message", "resolved")
    conflict.implement({"calc.py": "SUB = 3\n"})
    assert conflict.judge()["action"] == "complete"
    assert conflict.git("rev-list", "--count", "--merges", "main") == "2"


def test_a_merge_a_person_gave_up_is_begun_again_at_the_next_sync(conflict: Bench) -> None:
    conflict.git("merge", "--abort")
    conflict.implement()
    step = conflict.judge()
    assert (step["rule"], unmerged(conflict)) == ("fix/run", "calc.py")


def test_a_small_story_resolves_its_conflict_in_a_run_of_its_own_kind(micro: Bench) -> None:
    micro.commit({"calc.py": "SUB = 2\n"})
    assert micro.deliver()["agent"] == "baton:micro-delivery"
    micro.next()
    assert micro.deliver(files={"calc.py": "SUB = 3\n"})["action"] == "complete"


def test_when_no_fix_is_left_no_merge_is_begun(judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n", ".baton.yaml": ONE_FIX})
    judging.judge()
    judging.implement({"calc.py": "SUB = 3\n"})
    judging.commit({"calc.py": "SUB = 4\n"})
    step = judging.judge()
    assert (step["rule"], step["escalation"]["findings"]) == ("fix/exhausted", ["in conflict: calc.py"])
    assert not (judging.root / ".git/MERGE_HEAD").exists()


def test_a_retry_allows_as_many_fixes_again(judging: Bench) -> None:
    test_when_no_fix_is_left_no_merge_is_begun(judging)
    assert judging.answer("retry")["rule"] == "fix/run"
    assert re.search("iter[0-9]+$", judging.run.id)


def test_another_story_is_told_whose_merge_it_is_and_not_to_give_it_up(conflict: Bench) -> None:
    other = Bench(conflict.root, "43")
    other.new("Another")
    said = other.baton("next", "43")
    assert "story 42 is being merged with its base here" in said.err
    assert said.err.endswith("let a run of it resolve that: `baton next 42`\n")
    assert conflict.baton("doctor").out.count("story 42 is being merged") == 1


def test_a_file_git_writes_no_markers_into_must_be_decided_by_name(judging: Bench) -> None:
    judging.commit({"calc.py": "SUB = 2\n", ".gitattributes": "calc.py -merge\n"})
    judging.git("switch", "--quiet", "main")
    judging.git("reset", "--quiet", "--hard")
    judging.git("switch", "--quiet", "story/42-subtract-numbers")
    judging.write({".git/info/attributes": "calc.py -merge\n"})
    judging.judge()
    assert [one["rule"] for one in judging.hand_in("impl-report", REPORT).json["findings"]] == [
        "conflict-undecided"
    ]


def test_markers_of_another_length_are_seen(judging: Bench) -> None:
    judging.write({".git/info/attributes": "*.py conflict-marker-size=5\n"})
    judging.commit({"calc.py": "SUB = 2\n"})
    judging.judge()
    assert (judging.root / "calc.py").read_text().startswith("<<<<< ")
    assert judging.meta("implemented").code == 1


def test_markers_a_run_has_committed_itself_are_seen(conflict: Bench) -> None:
    conflict.git("add", "calc.py")
    conflict.git("commit", "--quiet", "--no-edit")
    found = conflict.hand_in("impl-report", REPORT).json["findings"]
    assert [(one["path"], one["rule"]) for one in found] == [("calc.py", "conflict-marker")]


def test_a_small_story_may_say_that_it_cannot_resolve_it(micro: Bench) -> None:
    micro.commit({"calc.py": "SUB = 2\n"})
    micro.deliver()
    said = micro.hand_in("micro-delivery-report", DELIVERED.format("ESCALATE", "both sides mean it"))
    assert said.code == 0


def test_of_a_story_that_was_abandoned_nobody_waits_for_the_merge(conflict: Bench) -> None:
    conflict.work(status="blocked")
    conflict.baton("answer", "42", "abandon")
    other = Bench(conflict.root, "43")
    other.new("Another")
    assert "`git merge --abort`" in other.baton("next", "43").err
