"""What a hand-in takes, refuses and rejects; what was rejected has changed nothing."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import (
    DELTA,
    FOLDER,
    HANDOFF,
    PLAN,
    REPORT,
    ROW,
    SECOND,
    VERDICT,
    Bench,
    CallResult,
    Reach,
    report_on,
)
from scenes import begin_where_base_fails

pytestmark = pytest.mark.sampled(20)

# Of each kind: who hands it in, a text that is taken, and one that is not.
KINDS: dict[str, tuple[tuple[str, ...], str, str]] = {
    "plan": (("planner",), f"{PLAN}\nas handed in\n", "# Plan\n"),
    "plan-blocked": (("planner",), "## Reason\n\nno database\n", "# Blocked\n"),
    "impl-report": (("implementer",), REPORT, "# Report\n"),
    "handoff": (("implementer",), HANDOFF, "# Note\n"),
    "qa-report": (("qa",), VERDICT.format("PASS", "seen"), "all is well\n"),
    "return-meta": (("planner", "implementer", "qa"), '{"status": "partial"}', '{"status": "done"}'),
}
STAGES = {"planner": "planning", "implementer": "implementing", "qa": "judging"}


def rejected(said: CallResult) -> list[str]:
    """The rules a rejected hand-in broke."""
    assert said.code == 1, said.out + said.err
    return said.rules


@pytest.mark.sampled(6)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", STAGES)
def test_a_role_hands_in_its_own_kinds_and_no_other(role: str, kind: str, reach: Reach) -> None:
    bench = reach(STAGES[role])
    if role == "implementer":
        bench.edit({"test_calc.py": "TEST = 1\n"})
        bench.mark(1, 2)
    roles, text, _ = KINDS[kind]
    said = bench.hand_in(kind, text)
    assert said.code == (0 if role in roles else 2)
    assert (kind in bench.run.handed_in) == (said.code == 0)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_empty", [False, True], ids=["spoilt", "empty"])
def test_a_rejected_hand_in_writes_nothing(kind: str, is_empty: bool, reach: Reach) -> None:
    roles, _, spoilt = KINDS[kind]
    bench = reach(STAGES[roles[0]])
    before = bench.bytes()
    said = bench.hand_in(kind, " \n" if is_empty else spoilt)
    assert (said.code, said.json["accepted"], said.json["path"]) == (1, False, "")
    assert said.json["findings"]
    assert bench.bytes() == before


def test_a_plan_closes_no_phase_that_no_implementer_closed(planning: Bench) -> None:
    early = PLAN.replace("subtract [NOT STARTED]", "subtract [COMPLETED]")
    assert rejected(planning.hand_in("plan", early)) == ["plan/closed"]
    planning.plan()
    planning.work(1, status="blocked")
    planning.answer("replan", "in another way")
    assert planning.hand_in("plan", early).code == 0
    again = PLAN.replace("test it [NOT STARTED]", "test it [COMPLETED]")
    assert rejected(planning.hand_in("plan", again)) == ["plan/closed"]


@pytest.mark.parametrize("fence", ["```", "```markdown", "~~~~md"])
def test_a_plan_in_a_code_fence_is_told_so(fence: str, planning: Bench) -> None:
    end = fence.rstrip("markdown")
    assert rejected(planning.hand_in("plan", f"{fence}\n{PLAN}\n{end}\n")) == ["plan/fenced"]
    assert rejected(planning.hand_in("plan", f"See:\n{fence}\n{PLAN}\n{end}\n")) == ["plan/fenced"]
    some = PLAN.replace("## Risk Register", "## More")
    assert rejected(planning.hand_in("plan", f"{fence}\n{some}\n{end}")) == ["plan/fenced", "plan/section-missing"]
    assert rejected(planning.hand_in("plan", f"{some}\n{fence}\ncode\n{end}")) == ["plan/section-missing"]


@pytest.mark.parametrize(("text", "rule"), [
    ("I did it.\n\nAll is well: see the tests.\n", "impl-report/yaml"),
    ("# Report\n\n- done\n", "impl-report/yaml"),
    ('{"changes_made": []', "impl-report/json"),
    (f"Done:\n```yaml\n{REPORT.replace('rules_applied', 'rules')}```\n", "impl-report/fenced"),
])  # fmt: skip
def test_what_cannot_be_read_is_called_what_it_is_meant_for(text: str, rule: str, implementing: Bench) -> None:
    said = implementing.hand_in("impl-report", text)
    assert (rejected(said)[0], "changes_made:" in said.json["form"]) == (rule, True)


def test_what_is_refused_for_what_it_says_is_shown_no_form(implementing: Bench) -> None:
    assert implementing.hand_in("impl-report", REPORT).json["form"] == ""
    assert implementing.hand_in("impl-report", f"See:\n```\n{REPORT}\n```\n").json["form"] == ""


def test_a_rejected_hand_in_leaves_an_accepted_one_as_it_was(planning: Bench) -> None:
    planning.hand_in("plan", PLAN)
    assert planning.hand_in("plan", "# Plan\n").code == 1
    assert planning.place("plan").read_text(encoding="utf-8") == PLAN


def test_a_rejection_names_every_fault_with_its_rule(planning: Bench) -> None:
    said = planning.in_tree(
        "hand-in", "42", "plan", "--run", planning.run.id, stdin="# Plan\n## Edge Cases\nnone\n"
    )
    lines = said.out.splitlines()
    assert lines[0] == "rejected: nothing was written; fix 4 and hand in again"
    assert lines[1] == "stdin:end: section missing: add `## Implementation Sequence` [plan/section-missing]"
    assert (said.code, said.err, len(lines)) == (1, "", 5)


@pytest.mark.parametrize("kind", ["story", "summary", "nonsense", "", "../plan"])
def test_a_kind_that_is_not_handed_in_is_refused(kind: str, planning: Bench) -> None:
    assert planning.tree
    before = planning.journal.read_bytes()
    assert planning.hand_in(kind, PLAN).refused
    assert planning.journal.read_bytes() == before


def test_a_run_that_is_not_out_hands_nothing_in(implementing: Bench) -> None:
    assert implementing.tree
    before = implementing.journal.read_bytes(), implementing.bytes()
    planner = implementing.state.runs[0].id
    for run in (planner, "sess_0_0_iter1", "x"):
        assert implementing.hand_in("handoff", HANDOFF, run).refused
    assert (implementing.journal.read_bytes(), implementing.bytes()) == before


def test_nothing_is_handed_in_while_a_question_is_open(implementing: Bench) -> None:
    implementing.work(status="blocked")
    assert implementing.hand_in("handoff", HANDOFF).refused


def test_only_the_runs_own_tree_hands_in_for_it(implementing: Bench, tmp_path: Path) -> None:
    words = ("hand-in", "42", "handoff", "--run", implementing.run.id)
    said = implementing.baton(*words, stdin=HANDOFF)
    assert f"run `baton begin {implementing.run.id}` first" in said.refused
    assert implementing.tree
    implementing.git("worktree", "add", "--quiet", "--detach", str(tmp_path / "mine"))
    for place in (implementing.root, tmp_path / "mine"):
        said = Bench(place).baton(*words, stdin=HANDOFF)
        assert f"hand in from {implementing.tree}" in said.refused
    assert implementing.in_tree(*words, stdin=HANDOFF).code == 0


# What stdin may hold


@pytest.mark.parametrize("form", ["\ufeff{}", "{}\n\n"], ids=["a byte order mark", "empty lines"])
def test_how_the_text_was_saved_does_not_matter(form: str, planning: Bench) -> None:
    assert planning.hand_in("plan", form.format(PLAN).replace("\n", "\r\n")).code == 0
    assert planning.place("plan").read_bytes().startswith(b"# Plan\n\n## Implementation")


@pytest.mark.parametrize(("data", "what"), [
    (b"\x89PNG\r\n", "not UTF-8 (byte 0)"), (b"# Plan\0", "a NUL byte"), (b"x" * 1_000_001, "larger than 1 MB"),
], ids=["binary", "a NUL", "too much"])  # fmt: skip
def test_what_is_no_text_is_refused_in_one_line(data: bytes, what: str, planning: Bench) -> None:
    assert planning.hand_in("plan", data).refused.startswith(f"baton: {what} at stdin: ")


def test_a_file_is_handed_in_by_its_path(planning: Bench) -> None:
    planning.edit({"draft.log": PLAN})
    words = ("hand-in", "42", "plan", "--run", planning.run.id, "--file")
    assert planning.in_tree(*words, "draft.log").out == f"accepted: {FOLDER}/42.execution-plan.md\n"
    for name, why in (("missing.md", "no such file or directory"), (".", "not a plain file")):
        assert planning.in_tree(*words, name).refused.startswith(f"baton: cannot read ({why}) at ")


# Metadata


@pytest.mark.parametrize("text", ["status: partial\n", '{"status": "partial"}'], ids=["YAML", "JSON"])
def test_metadata_is_stamped_with_its_run(text: str, implementing: Bench) -> None:
    assert implementing.hand_in("return-meta", text).code == 0
    filed = json.loads(implementing.place("return-meta").read_text(encoding="utf-8"))
    assert filed == {"status": "partial", "metadata": {"session_id": implementing.run.id}}


def test_metadata_that_names_another_run_is_rejected(implementing: Bench) -> None:
    planner = implementing.state.runs[0].id
    said = implementing.meta("partial", metadata={"session_id": planner})
    assert rejected(said)[0] == "return-meta/other-run"
    assert implementing.meta("partial", metadata={"session_id": "whatever the client calls it"}).code == 0


@pytest.mark.parametrize("path", [
    "no/such.md", "link.log", "a\0b", "x" * 5000, ".",
], ids=["missing", "a link out", "a NUL", "too long", "a folder"])  # fmt: skip
def test_a_handoff_that_is_no_file_of_the_project_is_rejected(path: str, implementing: Bench) -> None:
    (implementing.tree / "link.log").symlink_to("/etc/hostname")
    said = implementing.meta("partial", partial_progress={"handoff_path": path})
    assert rejected(said)[0] == "return-meta/no-file"
    assert implementing.meta("partial", partial_progress={"handoff_path": "calc.py"}).code == 0


# What a hand-in shows


def test_without_hooks_the_first_hand_in_shows_that_the_run_was_started(planning: Bench) -> None:
    assert not planning.next()["start_seen"]
    planning.hand_in("plan", "# Plan\n")
    planning.hand_in("plan", PLAN)
    assert planning.next()["start_seen"]
    assert len(planning.run.starts) == 1


# What is claimed, held against what is there


CLAIMS: dict[str, tuple[str, str, str, Callable[[Bench], object]]] = {
    "planned": ("planning", "planned", "planning/missing", lambda bench: bench.hand_in("plan", PLAN)),
    "a block": ("planning", "blocked", "return-meta/no-reason",
                lambda b: b.hand_in("plan-blocked", KINDS["plan-blocked"][1])),
    "judged": ("judging", "implemented", "qa/no-verdict",
               lambda b: b.hand_in("qa-report", KINDS["qa-report"][1])),
}  # fmt: skip


@pytest.mark.parametrize(("stage", "status", "rule", "make"), CLAIMS.values(), ids=CLAIMS)
def test_a_status_is_taken_once_what_it_claims_is_there(
    stage: str, status: str, rule: str, make: Callable[[Bench], object], reach: Reach
) -> None:
    bench = reach(stage)
    assert rejected(bench.meta(status)) == [rule]
    make(bench)
    assert bench.meta(status).code == 0


@pytest.mark.parametrize(("stage", "status", "reason"), [
    ("implementing", "blocked", {"partial_progress": {"details": "no key"}}),
    ("implementing", "failed", {"partial_progress": {"details": "no key"}}),
    ("judging", "blocked", {"errors": [{"message": "no browser"}]}),
])  # fmt: skip
def test_what_stops_a_run_is_said(stage: str, status: str, reason: dict[str, Any], reach: Reach) -> None:
    bench = reach(stage)
    assert rejected(bench.meta(status)) == ["return-meta/no-reason"]
    assert bench.meta(status, **reason).code == 0


def test_qa_is_not_done_beside_a_memory_delta_that_is_not_valid(judging: Bench) -> None:
    judging.hand_in("qa-report", VERDICT.format("PASS", "seen"))
    judging.place("memory-delta").write_text("# Notes\n", encoding="utf-8")
    assert rejected(judging.meta("implemented")) == ["qa/delta-invalid"]
    judging.hand_in("memory-delta", DELTA)
    assert judging.meta("implemented").code == 0


KNOWN = VERDICT.format("FAIL", "test_of_old is red")


@pytest.mark.parametrize(("report", "codes"), [
    (KNOWN, [1, 1, 0]), (VERDICT.format("FAIL", "sub is never called"), [0]),
    (KNOWN.replace(SECOND, ROW.format(2, "FAIL")), [0]),
], ids=["for that alone", "another reason", "a criterion fails"])  # fmt: skip
def test_a_fail_for_what_base_fails_alone_is_refused_twice(report: str, codes: list[int], bench: Bench) -> None:
    begin_where_base_fails(bench, "echo FAIL test_of_old; exit 1")
    bench.plan()
    bench.implement()
    said = [bench.hand_in("qa-report", report) for _ in codes]
    assert [one.code for one in said] == codes
    for refusal in said[:-1]:
        assert rejected(refusal) == ["qa-report/known"]
        assert "put that under `known_failures` and say PASS" in refusal.out


OLD, NAMED = "echo FAIL old; exit 1", "echo FAILED tests/test_a.py::test_old - boom; exit 1"


@pytest.mark.parametrize(("test", "said", "rules"), [
    (OLD, "blocking_failures: [FAIL old crashes]", ["impl-report/known"]),
    (OLD, "known_failures: [FAIL old]", []),
    ("true", "known_failures: [FAIL new]", ["impl-report/unknown"]),
    (NAMED, "blocking_failures: [test_old crashes as ever]", ["impl-report/known"]),
    (NAMED, "blocking_failures: [test_older crashes]", ["report/blocking"]),
], ids=["of base", "of base, and said so", "not of base", "in other words", "another one"])  # fmt: skip
def test_what_fails_is_held_against_base(test: str, said: str, rules: list[str], bench: Bench) -> None:
    begin_where_base_fails(bench, test)
    bench.plan()
    bench.edit({"test_calc.py": "TEST = 1\n"})
    bench.mark(1, 2)
    key = said.partition(":")[0]
    text = "".join(line for line in REPORT.splitlines(True) if not line.startswith(key))
    done = bench.hand_in("impl-report", f"{text}{said}\n")
    assert (done.rules, done.code) == (rules, len(rules))


def test_files_nobody_named_are_told_and_return_metadata_is_none(implementing: Bench) -> None:
    implementing.edit(dict.fromkeys(("test_calc.py", "calc.py", "stray.txt", "a/b.py"), "x = 1\n"))
    implementing.edit({".return-meta.json": "{}\n"})
    implementing.mark(1, 2)
    said = implementing.hand_in("impl-report", report_on("test_calc.py", "a"))
    told = [(one["path"].partition(" ")[0], one["rule"]) for one in said.json["findings"]]
    unnamed = [(name, "unnamed-file") for name in ("calc.py", "stray.txt")]
    assert (told, said.code) == ([(".return-meta.json", "left-out"), *unnamed], 0)


def test_a_pass_is_not_taken_without_a_passing_row_for_each_criterion(judging: Bench) -> None:
    report = VERDICT.format("PASS", "seen")
    lacking = judging.hand_in("qa-report", report.replace(SECOND, ""))
    assert rejected(lacking) == ["qa-report/criteria"]
    assert "criteria:\n  # sub(3, 2) is 1\n  - id: AC1\n" in lacking.json["form"]
    assert rejected(judging.hand_in("qa-report", report + ROW.format(3, "PASS"))) == ["qa-report/criteria"]
    failed = judging.hand_in("qa-report", report.replace(SECOND, ROW.format(2, "FAIL"))).json
    assert ([one["rule"] for one in failed["findings"]], failed["form"]) == (["qa-report/open-row"], "")
    assert judging.hand_in("qa-report", report).code == 0


def test_metadata_rejected_after_some_was_accepted_says_that_it_counts_no_more(implementing: Bench) -> None:
    assert rejected(implementing.meta("almost")) == ["return-meta/enum"]
    implementing.meta("in_progress")
    assert "return-meta/earlier" in rejected(implementing.meta("almost"))


# All faults are told at once


def test_a_report_hears_all_that_is_wrong_at_once(implementing: Bench) -> None:
    implementing.hook("pre-commit", "echo 'E501 too long'; exit 1")
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    (implementing.tree / "tools/test.sh").unlink()
    text = report_on("test_calc.py", "calc.py").replace("rules_applied: []\n", "")
    said = implementing.hand_in("impl-report", text.replace("AC2", "AC3"))
    told = ["impl-report/required", "impl-report/criteria", "commit-hook", "changes", "changes"]
    assert rejected(said) == [*told, "implementation/open-phases"]


@pytest.mark.parametrize(("before", "after", "rules"), [
    ("AC1\n    where: here", "AC1", ["impl-report/required"]),
    ("file: calc.py\n    what", "what", ["impl-report/required"]),
], ids=["a row", "a file"])  # fmt: skip
def test_what_cannot_be_read_of_a_report_is_told_once(
    before: str, after: str, rules: list[str], implementing: Bench
) -> None:
    said = implementing.report(report_on("calc.py", "test_calc.py").replace(before, after))
    assert rejected(said) == rules


def test_metadata_hears_all_that_is_wrong_at_once(implementing: Bench) -> None:
    implementing.hook("pre-commit", "echo 'E501 too long'; exit 1")
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    artifacts, metadata = [{"type": "plan", "path": "gone.md"}], {"phases_completed": "most"}
    said = implementing.meta("implemented", artifacts=artifacts, metadata=metadata)
    told = ["return-meta/type", "return-meta/no-file", "commit-hook", "implementation/open-phases"]
    assert rejected(said) == told


@pytest.mark.parametrize(("name", "message"), [
    ("{tree}/calc.py", "is an absolute path: name files of your work tree from its root, as `calc.py`"),
    ("{root}/calc.py", "lies outside your work tree, {tree}: make the change there, and name it from that root"),
    ("tools/build.sh", "is as it is on base, for git: leave it out, or change it"),
])  # fmt: skip
def test_a_file_that_is_no_change_is_named_as_it_is(name: str, message: str, implementing: Bench) -> None:
    places = {"tree": implementing.tree, "root": implementing.root}
    said = implementing.report(report_on("test_calc.py", "calc.py", name.format(**places)))
    [fault] = [one["message"] for one in said.json["findings"] if one["rule"] == "changes"]
    assert fault == f"{name} {message}".format(**places)


# The hand-in that ends a run hears the gate


LOST = "main has tools/test.sh, and your tree has it no more: name it in `changes_made`, or put it back"


@pytest.mark.parametrize(("named", "messages"), [
    (["tools"], [LOST]), (["tools/test.sh", "test_calc.py"], []), (["./test_calc.py", "./tools/test.sh"], []),
    (["test_calc.py"], [LOST]), (["tools/test.sh", "calc.py"], ["calc.py is as it is on base"]),
    (["tools/test.sh", "gone.py"], ["gone.py is as it is on base"]),
    ([], ["nothing is named, but changed are test_calc.py, tools/test.sh", LOST]),
])  # fmt: skip
def test_a_report_names_what_changed_or_went(named: list[str], messages: list[str], implementing: Bench) -> None:
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    (implementing.tree / "tools/test.sh").unlink()
    implementing.mark(1, 2)
    said = implementing.hand_in("impl-report", report_on(*named))
    faults = [one["message"] for one in said.json["findings"] if one["severity"] == "error"]
    assert [one[: len(message)] for one, message in zip(faults, messages, strict=True)] == messages
    assert said.code == bool(messages)


def test_what_an_earlier_run_changed_may_be_named(implementing: Bench) -> None:
    implementing.edit({"calc.py": "SUB = 1\n"})
    implementing.work(1)
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    implementing.mark(2)
    assert implementing.hand_in("impl-report", report_on("calc.py", "test_calc.py")).code == 0


@pytest.mark.parametrize("gone", [(), ("tools",)], ids=["no change at all", "a folder, for all that was in it"])
def test_a_report_may_name(gone: tuple[str, ...], implementing: Bench) -> None:
    for name in gone:
        shutil.rmtree(implementing.tree / name)
    implementing.mark(1, 2)
    assert implementing.hand_in("impl-report", report_on(*gone)).code == 0


def test_what_the_gate_would_throw_back_is_refused_twice_and_then_taken(implementing: Bench) -> None:
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    said = [implementing.hand_in("impl-report", REPORT) for _ in range(3)]
    assert [one.code for one in said] == [1, 1, 0]
    [finding] = said[0].json["findings"]
    assert finding["rule"] == "implementation/open-phases"
    assert "has phase 1 as [NOT STARTED]; 0 of 2 phases are closed" in finding["message"]
    assert "`status: partial` where work is left" in finding["message"]
    assert implementing.end()["rule"] == finding["rule"]


def test_a_mark_without_its_brackets_is_named(implementing: Bench) -> None:
    plan = implementing.tree / implementing.folder.relative_to_root(implementing.place("plan"))
    plan.write_text(PLAN.replace("subtract [NOT STARTED]", "subtract \u2705 COMPLETED"), encoding="utf-8")
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    [finding] = implementing.hand_in("impl-report", REPORT).json["findings"]
    assert "`\u2705` is no mark: read as [NOT STARTED]; a mark stands in brackets" in finding["message"]


@pytest.mark.parametrize("status", ["partial", "blocked", "failed"])
def test_honest_bad_news_is_taken_at_once(status: str, implementing: Bench) -> None:
    assert implementing.meta(status, errors=[{"message": "no network"}]).code == 0


BLOCKING = ("impl-report", REPORT.replace("failures: []", "failures: it crashes"))
BARE = ("return-meta", "status: implemented")


def test_an_honest_report_is_taken_at_once(implementing: Bench) -> None:
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    implementing.mark(1, 2)
    assert rejected(implementing.hand_in(*BLOCKING)) == ["report/blocking"]
    why = "status: blocked\nerrors:\n  - message: it crashes: nobody knows why\n"
    assert implementing.hand_in("impl-report", BLOCKING[1] + why).code == 0
    step = implementing.end()
    assert (step["rule"], "it crashes: nobody knows why" in step["reason"]) == ("run/blocked", True)


def test_what_cannot_be_read_counts_for_nothing(implementing: Bench) -> None:
    for _ in range(4):
        assert implementing.hand_in("impl-report", "# Report\n").code == 1
    implementing.edit({"test_calc.py": "TEST = 1\n"})
    assert rejected(implementing.hand_in("impl-report", REPORT)) == ["implementation/open-phases"]


ENDS = {
    "what lacks its report": ([BARE] * 3, [1, 1, 0]),
    "a report after it was missing, as often as any": ([BARE, BARE, *[BLOCKING] * 3], [1, 1, 1, 1, 0]),
    "a refusal that quotes another, as itself alone": ([BLOCKING, BARE, BLOCKING, BLOCKING], [1, 1, 1, 0]),
}


@pytest.mark.parametrize(("ends", "codes"), ENDS.values(), ids=ENDS)
def test_it_is_refused_twice_and_taken(ends: list[tuple[str, str]], codes: list[int], implementing: Bench) -> None:
    implementing.mark(1, 2)
    said = [implementing.hand_in(*end) for end in ends]
    assert [one.code for one in said] == codes
    assert rejected(said[0])[-1] == ("report/blocking" if ends[0] == BLOCKING else "report/missing")
    assert ("[report/blocking]" in said[1].json["findings"][0]["message"]) == (ends[0] == BLOCKING)


def test_after_five_unreadable_hand_ins_a_run_is_told_to_end(implementing: Bench) -> None:
    said = [rejected(implementing.hand_in("impl-report", "a: [")) for _ in range(5)]
    assert said[3:] == [["impl-report/yaml"], ["impl-report/yaml", "unreadable"]]
    assert implementing.end()["rule"] == "implementation/no-return"


def test_a_report_ends_a_run_without_metadata(judging: Bench) -> None:
    assert judging.hand_in("qa-report", VERDICT.format("PASS", "seen")).code == 0
    assert judging.next()["action"] == "complete"


def test_a_verdict_of_a_run_that_says_blocked_counts(judging: Bench) -> None:
    judging.hand_in("qa-report", VERDICT.format("FAIL", "no docstring"))
    assert judging.meta("blocked", errors=[{"message": "no browser"}]).code == 0
    assert judging.end()["rule"] == "qa/fail"
