"""The client's own graders judge the cases of evals/: of each a transcript that passes, one that must not."""

import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.model import Model
from baton_lab.scripted_client.script import Script, Step, Talk, call, say
from client.fetch_client import client
from evals.cases import EVALS, NAMES, ROOT, Played, judge, read_case
from evals.transcripts import BAD, GOOD, Transcript
from fetched import or_skip

OPTIONS = ("--trust-plugin", "--runs", "1", "--no-publish", "--ablation", "none", "--scaffold", "--keep-temp")


class Judged(NamedTuple):
    """What the client's graders say of a run, what ours do, the last words, and how often a model was asked."""

    verdicts: Mapping[str, bool]
    ours: Mapping[str, bool]
    said: str
    requests: int


@pytest.fixture
def scratch() -> Iterator[Path]:
    """Give a folder with a short path: sockets lie in it."""
    with TemporaryDirectory(prefix="eval-", ignore_cleanup_errors=True) as folder:
        yield Path(folder).resolve()


def evaluate(scratch: Path, plugin: Path, name: str, script: Script | None = None, *more: str) -> Judged:
    """Run one case of a plugin's evals in the client, once."""
    with Model({"main": script} if script else {}) as model:
        desk = Desk(or_skip(client()), model, scratch / "home", scratch, extra={"TMPDIR": str(scratch)}).settle()
        out = scratch / "out.json"
        results = ("--json", str(out), "--output-dir", str(scratch), "--report", str(scratch / "report.html"))
        done = desk.run("plugin", "eval", str(plugin), *OPTIONS, *results, *more, "--case", name)
        asked = len(model.of("main"))
    run: dict[str, Any] = json.loads(out.read_text())["cases"][0]["arms"]["with"][0]
    assert run["error"] is None, (run, done)
    trace = Path(run["tracePath"])
    rows = [json.loads(row) for row in trace.read_text().splitlines()]
    kept = trace.parents[1]
    if (sealed := kept / "sealed").is_dir():  # so the client leaves what it judged, but for root
        sealed.chmod(0o700)
        kept = sealed
    played = Played(kept / "home" / "cwd", rows)
    verdicts = {one["name"]: one["passed"] for one in run["graders"]}
    return Judged(verdicts, judge(name, played), played.last_message, asked)


def without_baton(scratch: Path) -> Path:
    """Give a plugin that has the cases and nothing else: what is asked reaches the model as it is."""
    plugin = scratch / "plugin"
    (plugin / ".claude-plugin").mkdir(parents=True)
    (plugin / ".claude-plugin" / "plugin.json").write_text('{"name": "cases", "version": "0.0.1"}')
    shutil.copytree(EVALS, plugin / "evals", ignore=shutil.ignore_patterns("results"))
    (plugin / "scripts").symlink_to(ROOT / "scripts")
    return plugin


def acting(transcript: Transcript, scratch: Path) -> Script:
    """Give a model that acts so: what it would do by Bash, which is not granted here, this process does for it."""

    def play(talk: Talk) -> Iterator[Step]:
        folder = next(scratch.glob("claude-eval-*/home/cwd"))
        subprocess.run(["bash", "-ec", transcript.does], cwd=folder, check=True)
        for number in range(transcript.agents):
            yield call("Agent", description=f"task {number}", prompt="go", subagent_type="general-purpose")
        while True:  # again when it hears that an agent has ended
            yield say(transcript.said)

    return play


@pytest.mark.parametrize("kind", ["good", "bad"])
@pytest.mark.sampled(1, each="kind")
@pytest.mark.parametrize("name", NAMES)
def test_the_graders_tell_good_from_bad(name: str, kind: str, scratch: Path) -> None:
    transcript = {"good": GOOD, "bad": BAD}[kind][name]
    judged = evaluate(scratch, without_baton(scratch), name, acting(transcript, scratch))
    graders = [one["name"] for one in read_case(name)["graders"]]
    assert judged.verdicts == {grader: grader not in transcript.objects for grader in graders}
    assert judged.ours == judged.verdicts


@pytest.mark.long
def test_plain_words_are_judged_where_the_client_confines_bash() -> None:
    missing = " and ".join(one for one in ("bwrap", "socat") if not shutil.which(one))
    if missing:
        pytest.skip(f"no {missing}: the client grants no Bash in its evals")

    def by_bash(talk: Talk) -> Iterator[Step]:
        yield call("Bash", command=GOOD[name].does)
        yield say(talk.result or "done")

    name, cache = "words-add-a-function", or_skip(client()).parents[2]
    with TemporaryDirectory(prefix="eval-", dir=cache, ignore_cleanup_errors=True) as place:  # not below /tmp
        judged = evaluate(Path(place), ROOT, name, by_bash, "--allow-tools", "Bash", "Edit", "Write")
    assert {*judged.verdicts.values()} == {True}, judged


@pytest.mark.long
def test_an_agent_gets_no_work_tree_in_the_clients_evals(scratch: Path) -> None:
    judged = evaluate(scratch, ROOT, "delivers-a-small-story-in-one-run")
    assert "worktree isolation is unavailable" in judged.said
    assert not judged.verdicts["is-merged"]


def test_the_case_that_needs_no_agent_is_carried_by_the_module_alone(scratch: Path) -> None:
    judged = evaluate(scratch, ROOT, "asks-before-it-runs-commands")
    assert {*judged.verdicts.values()} == {True}
    assert judged.requests == 0
