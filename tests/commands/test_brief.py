"""What a run or a resolver would be told, printed by hand: nothing is sent, locked or written."""

import fcntl
import json
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from baton.bootstrap import data_home
from bench import HANDOFF, PLAN, ROOT, Bench, Reach, call

DEBUGGING = (ROOT / "docs/debugging.md").read_text(encoding="utf-8")
SCRIPTS = ("resume-context", "cluster-brief", "validate-handoff")
ENVIRONMENT = {**os.environ, "XDG_DATA_HOME": str(Path(data_home()).parent)}
CLUSTER = json.loads((ROOT / "docs/fixtures/cluster.json").read_text(encoding="utf-8"))
LOOKS = [["brief", "42"], ["brief", "42", "--role", "qa"], ["resume-context", "42"]]


def shown() -> Iterator[tuple[str, str]]:
    """Return each command of docs/debugging.md with the output it is shown with."""
    for block in re.findall(r"(?s)```console\n(.*?)```", DEBUGGING):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize(("command", "output"), list(shown()))
def test_every_command_of_the_document_prints_what_is_shown(command: str, output: str) -> None:
    words, _, given = command.partition(" <")
    stdin = (ROOT / given).read_text(encoding="utf-8") if given else ""
    done = subprocess.run(
        shlex.split(words), cwd=ROOT, env=ENVIRONMENT, input=stdin, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr, done.returncode) == (output, "", int("bad." in command))


@pytest.mark.parametrize("script", SCRIPTS)
def test_a_script_is_found_by_a_link_and_on_the_path(script: str, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(ROOT / "scripts" / script)
    on_path = {**ENVIRONMENT, "PATH": f"{ROOT / 'scripts'}:{os.environ['PATH']}"}
    for command in ([str(tmp_path / "linked")], [script]):
        done = subprocess.run(
            [*command, "-h"], cwd=tmp_path, env=on_path, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout.count("Example: baton ")) == (0, 1)


def test_only_the_block_of_a_resolvers_brief_is_shown(tmp_path: Path) -> None:
    said = call("cluster-brief", str(ROOT / "docs/fixtures/cluster.json")).out
    (tmp_path / "brief.md").write_text(f"# Unit\n\n{said}\nDo it.\n")
    assert call("cluster-brief", str(tmp_path / "brief.md")).out == said
    (tmp_path / "brief.md").write_text("# Unit\n\nDo it.\n")
    assert (
        "give a resolver's brief, or a cluster's record" in call("cluster-brief", str(tmp_path / "brief.md")).err
    )


@pytest.mark.parametrize("stage", ["story", "planning", "implementing", "judging"])
def test_looking_locks_and_writes_nothing(stage: str, reach: Reach) -> None:
    bench = reach(stage)
    before = bench.bytes(bench.root / ".git")
    with (bench.journal.parent / "lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        without_plan = 2 if stage in ("story", "planning") else 0
        assert [bench.baton(*words).code for words in LOOKS] == [0, 0, without_plan]
    assert bench.bytes(bench.root / ".git") == before


def test_the_brief_of_a_run_that_is_out_is_its_own(implementing: Bench) -> None:
    assert implementing.baton("brief", "42").out.rstrip() == implementing.brief.rstrip()


@pytest.mark.parametrize(("words", "told"), [
    ([], "# Brief: planner, run sess_"), (["--role", "implementer"], "_iter1\n"), (["--role", "qa"], "_qa1\n"),
])  # fmt: skip
def test_a_brief_is_printed_before_its_run_is_sent_out(words: list[str], told: str, story: Bench) -> None:
    assert told in story.baton("brief", "42", *words).out
    assert story.state.runs == []


def test_a_story_without_a_due_run_needs_a_role(judging: Bench) -> None:
    judging.judge()
    assert "no run is due at story 42: name one: --role planner|" in judging.baton("brief", "42").refused


def test_a_resume_context_is_that_of_the_run_that_is_out_or_to_come(implementing: Bench) -> None:
    assert implementing.baton("resume-context", "42").json == implementing.next()["resume"]
    implementing.hand_in("handoff", HANDOFF)
    assert implementing.work(1)["resume"] == implementing.baton("resume-context", "42").json


def test_a_story_without_a_plan_has_no_place_to_resume(story: Bench) -> None:
    assert "no plan yet at story 42: `baton next 42`" in story.baton("resume-context", "42").refused


@pytest.mark.parametrize(("name", "text", "told"), [
    ("notes.md", "# Notes\n", "no phase in it at notes.md: "), ("a/none.md", None, "cannot read (no such file"),
])  # fmt: skip
def test_a_file_that_is_no_plan_is_one_line(name: str, text: str | None, told: str, bench: Bench) -> None:
    bench.write({name: text} if text else {})
    assert told in bench.baton("resume-context", name).refused


@pytest.mark.parametrize("name", ["none.md", "folder"])
def test_outside_of_a_repository_the_file_that_is_not_there_is_the_fault(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    said = call("--project", str(tmp_path), "resume-context", name).refused
    assert said.startswith("baton: no such file, and no story here (not inside a git work tree)")
    assert said.endswith(f" at {name}: name the file of a plan, or call it in the story's repository\n")


def test_the_newest_handoff_beside_a_plan_counts(bench: Bench) -> None:
    notes = ("phase-2-handoff-20260101T000000Z", "phase-1-handoff-20260102T000000Z")
    bench.write({"s/plan.md": PLAN, **{f"s/handoffs/{name}.md": HANDOFF for name in notes}})
    told = bench.baton("resume-context", "s/plan.md").json
    assert (told["resume_phase"], told["handoff_path"]) == ("1", f"s/handoffs/{notes[1]}.md")


@pytest.mark.parametrize(("record", "told"), [
    ({**CLUSTER, "files": "a.py"}, "not readable: `files` at the cluster's record: write theme, "),
    ({"theme": "x"}, "`area`, `files`, `threads`, `hypothesis`"),
    ({**CLUSTER, "prior_resolutions": [{"id": "1"}]}, "`prior_resolutions`"),
    ([], "no object at -"), ("{", "not readable as JSON"),
])  # fmt: skip
def test_a_text_that_is_no_cluster_is_refused_in_one_line(record: object, told: str) -> None:
    text = record if isinstance(record, str) else json.dumps(record)
    assert told in call("cluster-brief", "-", stdin=text).refused
