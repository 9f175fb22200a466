"""Answers as GitHub gives them come to the rule their example names, and with one thing changed to another."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from baton.delivery.commit_checks import facts_of, reason_values
from baton.delivery.read_checks import read_standing
from baton.errors import BatonError
from baton.github.client import GitHub
from baton.process import Result
from baton.rules.engine import decide
from baton.rules.pages import table_of
from fake_github.openapi import whole

EXAMPLES = Path(__file__).parent / "examples"
ROWS = {row.rule: EXAMPLES / f"{row.rule.partition('/')[2]}.json" for row in table_of("checks").rows}
REPOSITORY = "octo-org/octo-repo"
# The operations of GitHub's description by what is asked for; a log is plain text.
OPERATIONS = {
    r"branches/main": "/branches/{branch}",
    r"rules/branches/main": "/rules/branches/{branch}",
    r"actions/runs\?head_sha=[0-9a-f]{40}": "/actions/runs",
    r"actions/workflows": "/actions/workflows",
    r"actions/jobs/\d+": "/actions/jobs/{job_id}",
    r"commits/[0-9a-f]{40}/check-runs\?filter=latest": "/commits/{ref}/check-runs",
    r"commits/[0-9a-f]{40}/status": "/commits/{ref}/status",
}


class Recorded(GitHub):
    """GitHub as it answered once: `answers` by what was asked for; anything else is an error."""

    def __init__(self, answers: dict[str, Any]) -> None:
        super().__init__("github.com", EXAMPLES)
        self._version = "recorded"
        self.answers = {"actions/workflows": {"total_count": 0, "workflows": []}, **answers}

    def _run(self, words: tuple[str, ...], body: bytes) -> Result:
        asked = re.sub(r"[?&]per_page=100&page=1$", "", words[-1]).removeprefix(f"repos/{REPOSITORY}/")
        answer = self.answers[asked]
        text = answer if isinstance(answer, str) else json.dumps(answer)
        return Result(0, f"HTTP/2.0 200 OK\r\nContent-Type: application/json\r\n\r\n{text}", "")


def read(path: Path) -> Any:
    """Read an example, with what all of them have in common put in its place."""
    shared = json.loads((EXAMPLES / "shared.json").read_text(encoding="utf-8"))

    def put(value: dict[str, Any]) -> Any:
        return put_in(shared[value["$ref"]]) if "$ref" in value else value

    def put_in(value: Any) -> Any:
        return json.loads(json.dumps(value), object_hook=put)

    return json.loads(path.read_text(encoding="utf-8"), object_hook=put)


def verdict(example: Any) -> str:
    """Return the rule that an example comes to, read as a delivery reads it."""
    asked = example["asked"]
    github = Recorded(example["answers"])
    found = read_standing(github, REPOSITORY, asked["head"], asked["base"], age=asked["age"])
    found = found._replace(by_bot=asked["by_bot"])
    facts = facts_of(found, asked["checks_wait_s"], asked["checks_needed"])
    return decide(table_of("checks"), facts, {"base": asked["base"], **reason_values(found)}).rule


def neighbor(example: Any) -> Any:
    """Change the one thing in an example that its neighbor names."""
    *way, last = example["neighbor"]["at"]
    place = example
    for step in way:
        place = place[step]
    assert place[last] != example["neighbor"]["is"]
    place[last] = example["neighbor"]["is"]
    return example


def test_every_row_has_an_example_and_every_example_a_row() -> None:
    assert {path.name for path in EXAMPLES.glob("*.json")} == {*(row.name for row in ROWS.values()), "shared.json"}


@pytest.mark.parametrize("rule", ROWS)
def test_an_example_is_whole_as_github_describes_it(rule: str) -> None:
    for asked, answer in read(ROWS[rule])["answers"].items():
        operation = next((one for known, one in OPERATIONS.items() if re.fullmatch(known, asked)), "")
        assert (
            isinstance(answer, str)
            if asked.endswith("/logs")
            else whole(f"get {operation}", 200, answer) == answer
        )


@pytest.mark.parametrize("rule", ROWS)
def test_an_example_comes_to_its_rule(rule: str) -> None:
    assert verdict(read(ROWS[rule])) == rule


@pytest.mark.parametrize("rule", ROWS)
def test_its_neighbor_comes_to_another(rule: str) -> None:
    example = neighbor(read(ROWS[rule]))
    assert (verdict(example), example["neighbor"]["rule"] != rule) == (example["neighbor"]["rule"], True)


RUNS, JOB = "actions/runs?head_sha=", "actions/jobs/"


@pytest.mark.parametrize(("asked", "answer"), [
    (RUNS, []), (RUNS, {"total_count": 1, "workflow_runs": [{"id": 1}]}), (JOB, {"steps": ["x"]}),
    (JOB, {"steps": [{"conclusion": "failure"}]}), (JOB, {"steps": 1}),
], ids=str)  # fmt: skip
def test_an_answer_of_another_shape_is_one_line(asked: str, answer: Any) -> None:
    example = read(ROWS["ci/unclear"])
    known = [one for one in example["answers"] if one.startswith(asked) and not one.endswith("/logs")]
    assert known
    example["answers"] |= dict.fromkeys(known, answer)
    with pytest.raises(BatonError, match=r"GitHub's answer on|an answer that is not a list"):
        verdict(example)
