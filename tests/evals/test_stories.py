"""The cases that begin with /implement, played by baton in the real client, as `lab/evals` does it."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.model import Model
from baton_lab.scripted_client.script import Script, Step, call
from client.actors import MARKERS, Worker, block, plan
from client.actors import judge as qa
from client.fetch_client import client
from client.papers import PASS, PLAN, REPORT
from evals import command
from evals.cases import Played, prepare
from evals.command import STORIES, report, run
from fetched import or_skip

pytestmark = pytest.mark.long

SECOND = "  - id: AC2\n    where: `test_calc.py`\n"
TWICE = PASS + PASS.partition("criteria:\n")[2].replace("AC1", "AC2")


class Fixer(Worker):
    """Who finds a test that is there already."""

    report = REPORT.replace("  - file: test_calc.py\n    what: shows it\n", "")

    def subtract(self) -> Iterator[Step]:
        yield call("Read", file_path=self.calc)
        yield call("Edit", file_path=self.calc, old_string="a - b", new_string="a + b")

    def show(self, test: str = "") -> Iterator[Step]:
        yield call("Bash", command="baton check test")


def cast(name: str) -> Mapping[str, Script]:
    """Give the agents of a case: they do its story."""
    worker = Fixer() if name == "fixes-what-a-failing-test-shows" else Worker()
    agents: dict[str, Script] = {"planner": plan(PLAN), "implementer": worker.whole(), "qa": qa(PASS)}
    agents["micro-delivery"] = worker.deliver
    if name == "merges-a-story-of-two-criteria":
        worker.report = REPORT.replace("rules_applied", f"{SECOND}rules_applied")
        agents["qa"] = qa(TWICE)
    if name == "asks-when-a-criterion-cannot-be-met":
        agents["planner"] = block
    return {MARKERS[role]: script for role, script in agents.items()}


@pytest.mark.parametrize("name", STORIES)
def test_baton_earns_the_case(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = or_skip(client())
    with Model(cast(name)) as model:
        for key, value in Desk(path, model, Path("/"), Path("/")).environment().items():
            monkeypatch.setenv(key, value)
        passed = run(name, [*model.network.enter, str(path)], [])
    said = capsys.readouterr().out
    assert passed, said
    assert said.startswith(f"passed  {name}; {len(model.asked)} requests, $")


@pytest.mark.quick
def test_a_failed_run_says_which_graders_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "merges-a-story-of-two-criteria"
    assert not report(name, Played(prepare(name, tmp_path / "home"), []))
    assert capsys.readouterr().out == f"failed  {name}: is-merged, works, says-so; 0 requests, $0.00\n"


@pytest.mark.quick
def test_a_client_that_ends_at_once_is_a_failed_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert not run(STORIES[0], ["false"], [])
    assert "the client ended with 1" in capsys.readouterr().out


@pytest.mark.quick
def test_a_run_without_a_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["evals"])
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    with pytest.raises(SystemExit, match="2"):
        command.main()
