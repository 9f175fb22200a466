"""A resolver hands in for its unit: what is not so of unit or tree is refused, the rest replaces what was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from baton.feedback.round import Round, Unit, results_folder, save_round
from baton.feedback.store import folder_of
from baton.outside.git import find_project
from bench import Bench, Said

UNIT, CLUSTER, RETURNING = (f"pr7-r1a2b3c4-u{number}" for number in (1, 2, 3))
UNITS = (
    Unit(UNIT, ("PRRT_1",), ("calc.py",)),
    Unit(CLUSTER, ("PRRT_2", "PRRT_3"), ("calc.py",), "tools/", "validation"),
    Unit(RETURNING, ("PRRT_4", "IC_5"), ("calc.py",), "tools/", "validation", ("PRRT_9",)),
)


@dataclass(frozen=True)
class Desk:
    """A round in hand, and where resolvers hand in."""

    bench: Bench
    folder: Path
    round: Round

    def hand_in(self, data: Any, unit: str = UNIT, pull: str = "pr-7") -> Said:
        """Hand a result in."""
        text = data if isinstance(data, str) else json.dumps(data)
        return self.bench.baton("hand-in", pull, "resolver-result", "--run", unit, "--json", stdin=text)

    def rules(self, data: Any, unit: str = UNIT) -> list[str]:
        """Hand a result in; gives the rules of what was found."""
        return [one["rule"].removeprefix("resolver-result/") for one in self.hand_in(data, unit).json["findings"]]

    def kept(self, unit: str = UNIT) -> Any:
        """Give what is kept of a unit."""
        path = results_folder(self.folder, self.round) / f"{unit}.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


@pytest.fixture
def desk(bench: Bench) -> Desk:
    project = find_project(bench.root)
    folder = folder_of(project, "github.com", "octo/app", 7)
    made = Round("r1a2b3c4", 7, 1, "a" * 40, False, (), UNITS)
    save_round(project, folder, made)
    return Desk(bench, folder, made)


def one(item: str = "PRRT_1", verdict: str = "fixed", *files: str, **more: Any) -> dict[str, Any]:
    words = {"reply_text": "Refused now.", "reason": "calc.py:1"}
    files = files or (("calc.py",) if verdict.startswith("fixed") else ())
    known = {"verdict": verdict, "feedback_id": item, "feedback_type": "review_thread", "files_changed": [*files]}
    return {**known, **words, **more}


def made(*results: dict[str, Any], unit: str = UNIT, **more: Any) -> dict[str, Any]:
    return {"unit": unit, "results": [*results], **more}


def clustered(mode: str, *results: dict[str, Any], unit: str = CLUSTER, **more: Any) -> dict[str, Any]:
    return made(*results, unit=unit, cluster_assessment={"mode": mode, "summary": "One cause.", **more})


def test_a_result_is_kept_in_its_one_form_and_what_was_read_otherwise_is_told(desk: Desk) -> None:
    said = desk.hand_in(made(one(verdict="Fixed_Differently", files_changed=["./calc.py"])))
    assert (said.code, said.json["accepted"], said.json["findings"]) == (0, True, [])
    assert len(said.json["normalised"]) == 2
    assert desk.kept() == made(one(verdict="fixed-differently"))


def test_yaml_is_taken_and_kept_as_json(desk: Desk) -> None:
    assert desk.hand_in(f"unit: {UNIT}\nresults:\n  - {json.dumps(one())}\n").code == 0
    assert desk.kept() == made(one())


def test_what_is_handed_in_again_replaces_what_was(desk: Desk) -> None:
    assert desk.hand_in(made(one())).code == 0
    assert desk.hand_in(made(one(verdict="replied"))).code == 0
    assert desk.kept()["results"][0]["verdict"] == "replied"


def test_what_is_rejected_is_not_written_and_leaves_what_was(desk: Desk) -> None:
    assert desk.hand_in(made(one(verdict="fixed", files_changed=[]))).code == 1
    assert desk.kept() is None
    desk.hand_in(made(one()))
    assert desk.hand_in(made(one("PRRT_2"))).code == 1
    assert desk.kept() == made(one())


def test_a_rejection_says_what_to_mend(desk: Desk) -> None:
    words = ("hand-in", "pr-7", "resolver-result", "--run", UNIT)
    said = desk.bench.baton(*words, stdin=json.dumps(made(one(verdict="replied", files_changed=["calc.py"]))))
    assert said.out.splitlines()[0] == "rejected: nothing was written; mend 1 and hand in again"
    assert "say `fixed`" in said.out


@pytest.mark.parametrize(("unit", "pull"), [
    ("pr7-r1a2b3c4-u9", "pr-7"), ("pr7-r0000000-u1", "pr-7"), (UNIT, "pr-8"), ("../../x", "pr-7"), ("", "pr-7"),
])  # fmt: skip
def test_a_unit_that_is_not_out_hands_nothing_in(unit: str, pull: str, desk: Desk) -> None:
    said = desk.hand_in(made(one()), unit, pull)
    assert (said.code, said.out) == (2, "")
    assert "is not out" in said.err
    assert desk.kept() is None


def test_a_round_that_has_landed_takes_nothing_more(desk: Desk) -> None:
    save_round(find_project(desk.bench.root), desk.folder, desk.round._replace(landed="verify/clean"))
    said = desk.hand_in(made(one()))
    assert (said.code, "this round has landed" in said.err) == (2, True)


@pytest.mark.parametrize(("sent", "code"), [(0, 2), (1, 2), (2, 0)])
def test_a_unit_whose_wave_has_not_begun_is_not_out(sent: int, code: int, desk: Desk) -> None:
    later = UNITS[0]._replace(wave=2)
    save_round(find_project(desk.bench.root), desk.folder, desk.round._replace(units=(later, UNITS[1]), sent=sent))
    said = desk.hand_in(made(one()))
    assert (said.code, "its wave has not begun" in said.err) == (code, code == 2)


def test_the_unit_is_found_among_the_rounds_of_pull_requests_of_one_number(desk: Desk) -> None:
    project = find_project(desk.bench.root)
    for repository in ("aaa/app", "zzz/app"):
        other = Round("r9", 7, 1, "b" * 40, False, (), (Unit("pr7-r9-u1", ("PRRT_1",), ()),))
        save_round(project, folder_of(project, "github.com", repository, 7), other)
    assert desk.hand_in(made(one())).code == 0
    assert desk.kept()


@pytest.mark.parametrize("pull", ["pr-0", "pr-07", "pr-x", "pr-7x", "pr-", "pr-99999999999", "42"])
def test_another_name_is_that_of_a_story(pull: str, desk: Desk) -> None:
    said = desk.hand_in(made(one()), pull=pull)
    assert (said.code, "no story" in said.err or "not a story id" in said.err) == (2, True)


def test_a_run_of_a_story_hands_in_no_resolver_result(planning: Bench) -> None:
    said = planning.hand_in("resolver-result", json.dumps(made(one())))
    assert (said.code, "a planner does not hand in `resolver-result`" in said.err) == (2, True)


@pytest.mark.parametrize(("data", "found"), [
    (made(one()), []),
    (made(one(), unit="pr7-r1a2b3c4-u2"), ["other-unit"]),
    (made(one("PRRT_8")), ["foreign-id", "missing-id"]),
    (made(one(), one("PRRT_2")), ["foreign-id"]),
    (made(one(), one()), ["id-twice", "id-twice"]),
])  # fmt: skip
def test_each_item_of_the_unit_has_its_verdict_and_no_other_item(data: Any, found: list[str], desk: Desk) -> None:
    assert desk.rules(data) == found


def test_a_thread_that_was_resolved_before_is_not_answered(desk: Desk) -> None:
    data = clustered("band-aid", one("PRRT_4"), one("IC_5"), one("PRRT_9"), unit=RETURNING)
    [finding] = desk.hand_in(data, RETURNING).json["findings"]
    assert "was resolved before and is not answered; this unit has PRRT_4, IC_5" in finding["message"]


NEW, BACK = (CLUSTER, ("PRRT_2", "PRRT_3")), (RETURNING, ("PRRT_4", "IC_5"))


@pytest.mark.parametrize(("unit", "mode", "found"), [
    (NEW, "systemic", []), (NEW, "coincidental", []), (NEW, "band-aid", ["mode"]),
    (NEW, "correct-but-incomplete", ["mode"]), (NEW, "sound-and-independent", ["mode"]),
    (BACK, "systemic", ["mode"]), (BACK, "coincidental", ["mode"]), (BACK, "band-aid", []),
    (BACK, "correct-but-incomplete", []), (BACK, "sound-and-independent", []),
])  # fmt: skip
def test_the_mode_of_a_cluster_is_by_whether_something_was_resolved_before(
    unit: tuple[str, tuple[str, ...]], mode: str, found: list[str], desk: Desk
) -> None:
    name, items = unit
    data = clustered(mode, *map(one, items), unit=name, files_investigated=["calc.py"])
    assert desk.rules(data, name) == found


def test_a_cluster_is_assessed_and_nothing_else_is(desk: Desk) -> None:
    assert desk.rules(made(one("PRRT_2"), one("PRRT_3"), unit=CLUSTER), CLUSTER) == ["no-assessment"]
    assert desk.rules(clustered("systemic", one(), unit=UNIT)) == ["no-cluster"]


def test_an_incomplete_fix_names_files_that_are_there(desk: Desk) -> None:
    def said(*files: str) -> dict[str, Any]:
        items = one("PRRT_4"), one("IC_5")
        return clustered("correct-but-incomplete", *items, unit=RETURNING, files_investigated=files)

    assert desk.rules(said("calc.py", "tools/test.sh"), RETURNING) == []
    assert desk.rules(said(), RETURNING) == ["not-investigated"]
    assert desk.rules(said("tools/never.sh"), RETURNING) == ["file"]


@pytest.mark.parametrize("name", [
    "../x", "/etc/passwd", "C:\\x", "~/.ssh/id", ".git/config", ".GIT/hooks/x", ".git /x", "git~1/x",
    ".git::$INDEX_ALLOCATION", "", ".", "a/", "a\0b", "/dev/null",
])  # fmt: skip
def test_a_name_that_leads_out_of_the_tree_is_refused(name: str, desk: Desk) -> None:
    assert desk.rules(made(one(files_changed=[name]))) == ["path"]


def test_a_file_behind_a_link_is_refused(desk: Desk) -> None:
    (desk.bench.root / "way").symlink_to("tools")
    assert desk.rules(made(one(files_changed=["tools/test.sh"]))) == []
    assert desk.rules(made(one(files_changed=["way/test.sh"]))) == ["file"]


@pytest.mark.parametrize("name", [
    ".github/workflows/ci.yml", ".gitlab-ci.yml", "uv.lock", "CODEOWNERS", "CLAUDE.md", "AGENTS.md", ".mcp.json",
    ".claude/settings.json", ".cursor/x", ".husky/pre-commit", ".githooks/x", "lefthook.yml",
    ".pre-commit-config.yaml", ".gitattributes", ".gitmodules", ".baton.yaml",
])  # fmt: skip
def test_a_protected_file_is_refused_with_its_remedy(name: str, desk: Desk) -> None:
    [finding] = desk.hand_in(made(one(files_changed=["calc.py", name]))).json["findings"]
    assert finding["rule"] == "resolver-result/protected"
    assert finding["where"] == "$.results[0].files_changed[1]"
    assert "leave it as it is, and hand in needs-human" in finding["message"]


def test_a_protected_file_may_be_left_to_a_person(desk: Desk) -> None:
    asked = {"question": "Change the lock file?", "options": ["yes", "no"]}
    assert desk.rules(made(one(verdict="needs-human", decision_context=asked))) == []


@pytest.mark.parametrize("words", [
    ("next", "42"), ("hand-in", "42", "plan", "--run", "x"), ("status",),
    ("hand-in", "42", "resolver-result", "--run", "x"),
], ids=" ".join)  # fmt: skip
def test_what_is_of_a_story_loads_nothing_of_feedback(words: tuple[str, ...], planning: Bench) -> None:
    loaded = modules(planning, *words)
    assert "baton.commands" in loaded
    assert not {"baton.feedback", "baton.artefacts.resolver_result"} & loaded


def test_a_resolver_result_loads_what_takes_it(desk: Desk) -> None:
    loaded = modules(desk.bench, "hand-in", "pr-7", "resolver-result", "--run", "x")
    assert "baton.feedback.handed_in" in loaded


def modules(bench: Bench, *words: str) -> set[str]:
    """Call baton in a process of its own; gives the modules that it loaded."""
    program = "import sys; from baton.cli import main; main(); print(*sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        (sys.executable, "-B", "-c", program, *words), cwd=bench.root, env=environment, input="",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return {*done.stdout.splitlines()[-1].split()}
