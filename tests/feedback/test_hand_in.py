"""A resolver hands in for its unit: what is not so of unit or tree is refused, the rest replaces what was."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from baton.feedback.plan.resolver_brief import brief_path
from baton.feedback.plan.round import Round, Unit, save_round
from baton.feedback.plan.unit_work import load_unit_work
from baton.feedback.record.record import save_record
from baton.feedback.store.kept_files import RECORD_FILE, folder_of
from baton.git.command import find_project
from bench import Bench, CallResult, call
from feedback.said import record_of
from feedback.scene import GITHUB, begun

pytestmark = pytest.mark.sampled(35)

UNIT, CLUSTER, RETURNING = (f"pr7-r1a2b3c4-u{number}" for number in (1, 2, 3))
UNITS = (
    Unit(UNIT, ("PRRT_1",), ("calc.py",)),
    Unit(CLUSTER, ("PRRT_2", "PRRT_3"), ("calc.py",), "tools/", "validation"),
    Unit(RETURNING, ("PRRT_4", "IC_5"), ("calc.py",), "tools/", "validation", ("PRRT_9",)),
)


@dataclass
class ResolverDesk:
    """The current round, and where resolvers hand in."""

    bench: Bench
    folder: Path
    round: Round
    tree: Bench

    def hand_in(self, data: Any, unit: str = UNIT, pull: str = "pr-7") -> CallResult:
        """Hand a result in."""
        text = data if isinstance(data, str) else json.dumps(data)
        words = ("hand-in", pull, "resolver-result", "--run", unit, "--json")
        return call("--project", str(self.tree.root), *words, stdin=text)

    def begin(self, unit: str) -> None:
        """Have a unit begin, in a tree of its own."""
        self.tree = begun(self.bench, unit)

    def change(self, data: Any) -> None:
        """Change the tracked files that a result says were changed, and no other."""
        self.tree.git("checkout", "--quiet", "--", ".")
        told = {name for one in data["results"] for name in one["files_changed"]} if isinstance(data, dict) else {}
        for name in {"calc.py", "tools/test.sh"}.intersection(told):
            self.tree.write({name: "changed\n"})

    def rules(self, data: Any, unit: str = UNIT) -> list[str]:
        """Do a unit's work and hand its result in; returns the rules of what was found."""
        self.begin(unit)
        self.change(data)
        return [one["rule"].removeprefix("resolver-result/") for one in self.hand_in(data, unit).json["findings"]]

    def kept(self, unit: str = UNIT) -> Any:
        """Give what is kept of a unit."""
        taken = load_unit_work(find_project(self.bench.root), self.folder, self.round).get(unit)
        return taken.result if taken else None


@pytest.fixture
def desk(bench: Bench) -> ResolverDesk:
    project = find_project(bench.root)
    folder = folder_of(project, "github.com", "octo/app", 7)
    folder.mkdir(parents=True)
    (folder / "brief.md").write_text("Do it.\n")
    head = bench.git("rev-parse", "HEAD")
    units = tuple(unit._replace(brief=str(folder / "brief.md"), base=head) for unit in UNITS)
    made = Round("r1a2b3c4", 7, 1, head, False, units)
    save_round(project, folder, made)
    save_record(project, record_of(file=folder / RECORD_FILE))
    desk = ResolverDesk(bench, folder, made, bench)
    desk.begin(UNIT)
    desk.change(TAKEN)
    return desk


TAKEN = {"results": [{"files_changed": ["calc.py"]}]}


def one(item: str = "PRRT_1", verdict: str = "fixed", *files: str, **more: Any) -> dict[str, Any]:
    words = {"reply_text": "Refused now.", "reason": "calc.py:1"}
    files = files or (("calc.py",) if verdict.startswith("fixed") else ())
    known = {"verdict": verdict, "feedback_id": item, "feedback_type": "review_thread", "files_changed": [*files]}
    change = {"change": "refuse an empty name"} if verdict.lower().startswith("fixed") else {}
    return {**known, **words, **change, **more}


def made(*results: dict[str, Any], unit: str = UNIT, **more: Any) -> dict[str, Any]:
    return {"unit": unit, "results": [*results], **more}


def clustered(mode: str, *results: dict[str, Any], unit: str = CLUSTER, **more: Any) -> dict[str, Any]:
    return made(*results, unit=unit, cluster_assessment={"mode": mode, "summary": "One cause.", **more})


def test_a_result_is_kept_in_its_one_form_and_what_was_read_otherwise_is_told(desk: ResolverDesk) -> None:
    said = desk.hand_in(made(one(verdict="Fixed_Differently", files_changed=["./calc.py"])))
    assert (said.code, said.json["accepted"], said.json["findings"]) == (0, True, [])
    assert len(said.json["normalized"]) == 2
    assert desk.kept() == made(one(verdict="fixed-differently"))


def test_yaml_is_taken_and_kept_as_json(desk: ResolverDesk) -> None:
    assert desk.hand_in(f"unit: {UNIT}\nresults:\n  - {json.dumps(one())}\n").code == 0
    assert desk.kept() == made(one())


def test_a_second_hand_in_replaces_the_first(desk: ResolverDesk) -> None:
    assert desk.hand_in(made(one())).code == 0
    assert desk.rules(made(one(verdict="replied"))) == []
    assert desk.kept()["results"][0]["verdict"] == "replied"


def test_a_rejected_hand_in_leaves_the_earlier_one(desk: ResolverDesk) -> None:
    assert desk.hand_in(made(one(verdict="fixed", files_changed=[]))).code == 1
    assert desk.kept() is None
    desk.hand_in(made(one()))
    assert desk.hand_in(made(one("PRRT_2"))).code == 1
    assert desk.kept() == made(one())


def test_a_rejection_prints_the_form_of_the_units_brief(desk: ResolverDesk) -> None:
    form = f"unit: {UNIT}\nresults:\n  - feedback_id: PRRT_1"
    brief = brief_path(desk.folder, UNIT)
    brief.parent.mkdir(parents=True, exist_ok=True)
    brief.write_text(f"baton hand-in pr-7 <<'END-OF-ARTIFACT'\n{form}\nEND-OF-ARTIFACT\n", encoding="utf-8")
    desk.begin(UNIT)
    assert [desk.hand_in(text).json["form"] for text in ("no: [", made())] == [form, form]


def test_a_rejection_says_what_to_fix(desk: ResolverDesk) -> None:
    words = ("hand-in", "pr-7", "resolver-result", "--run", UNIT)
    said = desk.tree.baton(*words, stdin=json.dumps(made(one(verdict="replied", files_changed=["calc.py"]))))
    assert said.out.splitlines()[0] == "rejected: nothing was written; fix 1 and hand in again"
    assert "say `fixed`" in said.out


@pytest.mark.parametrize(("unit", "pull"), [
    ("pr7-r1a2b3c4-u9", "pr-7"), ("pr7-r0000000-u1", "pr-7"), (UNIT, "pr-8"), ("../../x", "pr-7"), ("", "pr-7"),
])  # fmt: skip
def test_a_unit_that_is_not_out_hands_nothing_in(unit: str, pull: str, desk: ResolverDesk) -> None:
    said = desk.hand_in(made(one()), unit, pull)
    assert (said.code, said.out) == (2, "")
    assert "is not at work" in said.err
    assert desk.kept() is None


def test_a_round_that_has_landed_takes_nothing_more(desk: ResolverDesk) -> None:
    save_round(find_project(desk.bench.root), desk.folder, desk.round._replace(landed="verify/clean"))
    assert "this round has landed" in desk.hand_in(made(one())).refused


def test_a_unit_that_waits_for_others_is_not_out(desk: ResolverDesk) -> None:
    units = (desk.round.units[0]._replace(base=""), *desk.round.units[1:])
    save_round(find_project(desk.bench.root), desk.folder, desk.round._replace(units=units))
    assert "it waits for others" in desk.hand_in(made(one())).refused


@pytest.mark.parametrize(("started", "code"), [(1, 2), (2, 0)])
def test_a_round_that_an_older_version_kept_is_read(started: int, code: int, desk: ResolverDesk) -> None:
    path = desk.folder / "round.json"
    kept = json.loads(path.read_text())
    kept["started_waves"] = started
    kept.pop("parallel", None)
    for unit in kept["units"]:
        unit.update(wave=2, base="")
        unit.pop("after", None)
    path.write_text(json.dumps(kept))
    assert desk.hand_in(made(one())).code == code


def test_the_unit_is_found_among_the_rounds_of_pull_requests_of_one_number(desk: ResolverDesk) -> None:
    project = find_project(desk.bench.root)
    for repository in ("aaa/app", "zzz/app"):
        other = Round("r9", 7, 1, "b" * 40, False, (Unit("pr7-r9-u1", ("PRRT_1",), ()),))
        save_round(project, folder_of(project, "github.com", repository, 7), other)
    assert desk.hand_in(made(one())).code == 0
    assert desk.kept()


@pytest.mark.parametrize("pull", ["pr-0", "pr-07", "pr-x", "pr-7x", "pr-", "pr-99999999999", "42"])
def test_another_name_is_that_of_a_story(pull: str, desk: ResolverDesk) -> None:
    said = desk.hand_in(made(one()), pull=pull)
    told = ("no story", "not a story id", "a name that baton itself uses")
    assert (said.code, any(one in said.err for one in told)) == (2, True)


def test_a_run_of_a_story_hands_in_no_resolver_result(planning: Bench) -> None:
    said = planning.hand_in("resolver-result", json.dumps(made(one())))
    assert (said.code, "a planner does not hand in `resolver-result`" in said.err) == (2, True)


ASKED = {"question": "Is a FIXME fine?", "options": ["yes", "no"]}
NEW_MODES, OLD_MODES = (
    ("systemic", "coincidental"),
    ("band-aid", "correct-but-incomplete", "sound-and-independent"),
)


def new(mode: str) -> dict[str, Any]:
    return clustered(mode, one("PRRT_2"), one("PRRT_3"), files_investigated=["calc.py"])


def returning(mode: str, *files: str) -> dict[str, Any]:
    return clustered(mode, one("PRRT_4"), one("IC_5"), unit=RETURNING, files_investigated=[*files])


RESULTS: dict[str, tuple[str, dict[str, Any], list[str]]] = {
    "a verdict on its item": (UNIT, made(one()), []),
    "the name of another unit": (UNIT, made(one(), unit=CLUSTER), ["other-unit"]),
    "a verdict on another item": (UNIT, made(one("PRRT_8")), ["foreign-id", "missing-id"]),
    "a verdict on one more": (UNIT, made(one(), one("PRRT_2")), ["foreign-id"]),
    "a cluster without an assessment": (
        CLUSTER, made(one("PRRT_2"), one("PRRT_3"), unit=CLUSTER), ["no-assessment"],
    ),
    "an assessment without a cluster": (UNIT, clustered("systemic", one(), unit=UNIT), ["no-cluster"]),
    **{f"{mode}, of what is new": (CLUSTER, new(mode), []) for mode in NEW_MODES},
    **{f"{mode}, of what is new": (CLUSTER, new(mode), ["mode"]) for mode in OLD_MODES},
    **{f"{mode}, of what came back": (RETURNING, returning(mode, "calc.py"), ["mode"]) for mode in NEW_MODES},
    **{f"{mode}, of what came back": (RETURNING, returning(mode, "calc.py"), []) for mode in OLD_MODES},
    "incomplete, with files": (RETURNING, returning("correct-but-incomplete", "calc.py", "tools/test.sh"), []),
    "incomplete, without": (RETURNING, returning("correct-but-incomplete"), ["not-investigated"]),
    "incomplete, with a file that is not there": (
        RETURNING, returning("correct-but-incomplete", "tools/never.sh"), ["file"],
    ),
    **{f"a name that leads out of the tree: {name!r}": (UNIT, made(one(files_changed=[name])), ["path"])
       for name in ("../x", ".GIT/hooks/x", "a\0b")},
    "a protected file that is left to a person": (
        UNIT, made(one(verdict="needs-human", decision_context=ASKED)), [],
    ),
    "a secret in a reply": (UNIT, made(one(reply_text=f"It is {GITHUB} now.")), ["secret"]),
    "a secret in a reason": (UNIT, made(one(reason=f"It was {GITHUB}.")), ["secret"]),
    "a secret in a change": (UNIT, made(one(change=f"use {GITHUB}")), ["secret"]),
    "a change that is a reply": (UNIT, made(one(change="Done, as asked. Anything else?")), ["change"]),
    "a reply that says nothing": (UNIT, made(one(reply_text="…")), ["says-nothing"]),
    "a mention": (UNIT, made(one(reply_text="Done, @alice.")), ["mention"]),
}  # fmt: skip


@pytest.mark.parametrize(("unit", "data", "found"), RESULTS.values(), ids=RESULTS)
def test_a_result_that_contradicts_its_unit_or_may_not_be_posted_is_refused(
    unit: str, data: Any, found: list[str], desk: ResolverDesk
) -> None:
    assert desk.rules(data, unit) == found


def test_a_thread_that_was_resolved_before_is_not_answered(desk: ResolverDesk) -> None:
    data = clustered("band-aid", one("PRRT_4"), one("IC_5"), one("PRRT_9"), unit=RETURNING)
    desk.begin(RETURNING)
    desk.change(data)
    [finding] = desk.hand_in(data, RETURNING).json["findings"]
    assert "was resolved before and is not answered; this unit has PRRT_4, IC_5" in finding["message"]


@pytest.mark.parametrize(("name", "investigated", "found"), [
    ("tools/new.sh", [], []), ("calc.py", [], []), ("test_calc.py", [], []), ("lib/new.py", [], ["area"]),
    ("lib/new.py", ["lib/new.py"], []), ("toolshed/new.py", [], ["area"]),
])  # fmt: skip
def test_a_cluster_changes_what_is_in_its_area_or_named(
    name: str, investigated: list[str], found: list[str], desk: ResolverDesk
) -> None:
    fixed = one("PRRT_2", verdict="fixed", files_changed=[name])
    data = clustered("systemic", fixed, one("PRRT_3", verdict="replied"), files_investigated=investigated)
    desk.begin(CLUSTER)
    desk.tree.write({name: "changed\n"})
    rules = [one["rule"].removeprefix("resolver-result/") for one in desk.hand_in(data, CLUSTER).json["findings"]]
    assert rules == found


@pytest.mark.parametrize("name", [".github/workflows/ci.yml", "uv.lock", "CLAUDE.md", ".baton.yaml"])
def test_a_protected_file_is_refused_with_its_remedy(name: str, desk: ResolverDesk) -> None:
    [finding] = desk.hand_in(made(one(files_changed=["calc.py", name]))).json["findings"]
    assert finding["rule"] == "resolver-result/protected"
    assert finding["where"] == "$.results[0].files_changed[1]"
    assert "leave it as it is, and hand in needs-human" in finding["message"]


# The work itself


def link(desk: ResolverDesk) -> None:
    (desk.tree.root / "calc.py").unlink()
    (desk.tree.root / "calc.py").symlink_to("tools/test.sh")


def other_repository(desk: ResolverDesk) -> None:
    desk.bench.git("init", "--quiet", str(desk.tree.root / "lib"))
    Bench(desk.tree.root / "lib").git("commit", "--quiet", "--allow-empty", "--message", "x")
    desk.tree.git("add", "lib")
    desk.tree.git("commit", "--quiet", "--message", "x")


def write(path: str, text: str) -> Callable[[ResolverDesk], None]:
    return lambda desk: desk.tree.write({path: text})


WORK: dict[str, tuple[Callable[[ResolverDesk], None], set[str]]] = {
    "as it was declared": (write("calc.py", "other\n"), set()),
    "a file that was made and not declared": (write("new.py", "x\n"), {"undeclared"}),
    "a file that was changed and not declared": (write("tools/test.sh", "x\n"), {"undeclared"}),
    "a cache beside it": (write("__pycache__/x.txt", "x\n"), set()),
    "a file that git ignores": (write("out.log", "x\n"), set()),
    "a declared file that is as it was": (lambda desk: desk.change({"results": []}), {"unchanged"}),
    "a file of another's name but for its case": (write("Calc.py", "x\n"), {"undeclared", "twin"}),
    "a protected file": (write(".github/workflows/ci.yml", "on: push\n"), {"protected"}),
    "a secret": (write("calc.py", f"token = '{GITHUB}'\n"), {"secret"}),
    "a link": (link, {"file"}),
    "another repository, committed": (other_repository, {"undeclared", "file"}),
}


@pytest.mark.parametrize("what", WORK)
def test_a_hand_in_declares_exactly_the_changed_files_to_be_pushed(what: str, desk: ResolverDesk) -> None:
    act, rules = WORK[what]
    act(desk)
    said = desk.hand_in(made(one()))
    found = {finding["rule"].removeprefix("resolver-result/") for finding in said.json["findings"]}
    assert (found, bool(desk.kept())) == (rules, not rules)


# The user's commit hooks


def test_a_commit_hook_that_refuses_is_heard_in_its_own_words_and_to_ask_is_taken(desk: ResolverDesk) -> None:
    desk.bench.hook("pre-commit", "echo 'no \u200bFIXME'; cat calc.py; exit 1")
    [finding] = desk.hand_in(made(one())).json["findings"]
    assert finding["rule"] == "resolver-result/commit-hook"
    assert "hand in needs-human:\nno [U+200B]FIXME\nchanged" in finding["message"]
    assert desk.kept() is None
    assert desk.rules(made(one(verdict="needs-human", decision_context=ASKED))) == []


def test_work_that_hooks_refused_twice_is_taken_the_third_time(desk: ResolverDesk) -> None:
    desk.bench.hook("pre-commit", "exit 1")
    assert [desk.hand_in(made(one())).code for _ in range(3)] == [1, 1, 0]
    assert desk.kept() == made(one())


@pytest.mark.parametrize(("name", "lines"), [
    ("pre-commit", "grep -q formatted calc.py && exit 0; echo formatted >calc.py; exit 1"),
    ("commit-msg", "exit 1"), ("pre-commit", "a-program-that-nobody-has"),
], ids=["rewrites", "judges the message", "cannot run"])  # fmt: skip
def test_a_hook_that_rewrites_judges_or_fails_refuses_no_unit(name: str, lines: str, desk: ResolverDesk) -> None:
    desk.bench.hook(name, lines)
    assert desk.hand_in(made(one())).code == 0
    assert (desk.tree.root / "calc.py").read_text() == "changed\n"


def test_files_from_before_the_unit_began_are_not_its_work(desk: ResolverDesk) -> None:
    desk.bench.git("worktree", "remove", str(desk.tree.root), "--force")
    path = desk.bench.root / ".claude/worktrees/agent-a1"
    desk.bench.git("worktree", "add", "--quiet", "--detach", str(path))
    desk.tree = Bench(path)
    desk.tree.write({"copied.env": "KEY=1\n"})
    assert desk.tree.baton("begin", UNIT).code == 0
    desk.change(TAKEN)
    assert desk.hand_in(made(one())).code == 0
    desk.tree.write({"copied.env": "KEY=2\n"})
    assert [one["rule"] for one in desk.hand_in(made(one())).json["findings"]] == ["resolver-result/undeclared"]


@pytest.mark.parametrize("words", [
    ("next", "42"), ("hand-in", "42", "plan", "--run", "x"), ("status",),
    ("hand-in", "42", "resolver-result", "--run", "x"),
], ids=" ".join)  # fmt: skip
def test_a_hand_in_of_a_story_loads_no_feedback_module(words: tuple[str, ...], planning: Bench) -> None:
    loaded = modules(planning, *words)
    assert "baton.commands" in loaded
    assert not {"baton.feedback", "baton.artifacts.resolver_result"} & loaded


def test_a_resolver_result_loads_what_takes_it(desk: ResolverDesk) -> None:
    loaded = modules(desk.bench, "hand-in", "pr-7", "resolver-result", "--run", "x")
    assert "baton.feedback.land.hand_in_unit" in loaded


def modules(bench: Bench, *words: str) -> set[str]:
    """Call baton in a process of its own; gives the modules that it loaded."""
    program = "import sys; from baton.cli import main; main(); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        (sys.executable, "-B", "-c", program, *words), cwd=bench.root, env=environment, input="",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {*done.stdout.splitlines()[-1].split()}
