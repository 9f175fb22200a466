"""The command: text, JSON, SARIF, exit codes, and the client's own validation beside it."""

import json
from pathlib import Path
from typing import Any

import pytest

from bench import CallResult
from call_lab import call_lab
from programs import write_program

EXAMPLES = Path(__file__).parent / "examples"
REPORT: dict[str, Any] = {
    "manifest": {"file": "PLUGIN", "errors": [], "warnings": [{"path": "version", "message": "No version"}]},
    "contents": [{"file": "AGENT", "errors": [{"path": "frontmatter", "message": "No name"}], "warnings": []}],
}


@pytest.fixture(autouse=True)
def at_the_examples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Stand among the examples, with no `claude` on the PATH."""
    monkeypatch.chdir(EXAMPLES)
    monkeypatch.setenv("PATH", str(tmp_path))


def lint(*words: str) -> CallResult:
    return call_lab("lint", *words)


def with_client(folder: Path, monkeypatch: pytest.MonkeyPatch, answer: str) -> None:
    """Put a `claude` on PATH that answers `plugin validate --json FOLDER` with this."""
    (folder / "answer").write_text(answer)
    write_program(folder / "claude", f'[ "$1 $2 $3" = "plugin validate --json" ] && cat {folder}/answer')
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")


def test_a_finding_says_where_what_why_and_what_to_do() -> None:
    said = lint("bad/atlas/agents/explorer.md")
    assert said.out.splitlines() == [
        "bad/atlas/agents/explorer.md:4: warning: the client has no such tool, and leaves it out without a word: "
        "LS, NotebookRead (probe tools-gone): take it from the list [agent-unknown-tool]",
        "`claude plugin validate` was not run: no `claude` on PATH",
    ]
    assert (said.code, said.err) == (0, "")


def test_an_error_is_exit_code_1_and_a_clean_plugin_0() -> None:
    assert lint("bad/atlas/agents/reporter.md").code == 1
    said = lint("good/harbor")
    assert (said.code, said.out.splitlines()[0][-15:]) == (0, ": nothing found")


def test_without_a_path_it_is_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES / "bad/atlas")
    assert "agents/reporter.md:4: " in lint().out


@pytest.mark.parametrize("words", [["nowhere"], ["--json", "--sarif"]])
def test_a_mistake_is_one_line(words: list[str]) -> None:
    assert lint(*words).refused


def test_json_has_the_findings_and_why_the_client_was_not_asked() -> None:
    said = json.loads(lint("bad/atlas", "--json").out)
    assert (said["clean"], said["not_run"]) == (False, "`claude plugin validate` was not run: no `claude` on PATH")
    assert {"path", "where", "rule", "message", "severity"} == set(said["findings"][0])
    assert len(said["findings"]) > 40


@pytest.mark.parametrize("path", ["bad", "good"])
def test_sarif_has_what_the_standard_requires(path: str) -> None:
    log = json.loads(lint(path, "--sarif").out)
    [run] = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert (log["version"], run["tool"]["driver"]["name"], len(rules)) == ("2.1.0", "lab lint", len(set(rules)))
    assert bool(run["results"]) is (path == "bad")
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        assert result["level"] in ("error", "warning")
        [place] = [one["physicalLocation"] for one in result["locations"]]
        assert (EXAMPLES / place["artifactLocation"]["uri"]).is_file()
        assert place["region"]["startLine"] >= 1
        assert result["message"]["text"]


def test_findings_of_the_client_are_shown_as_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plugin = EXAMPLES / "good/harbor"
    answer = json.dumps(REPORT).replace("AGENT", str(plugin / "agents/lead.md"))
    with_client(tmp_path, monkeypatch, answer.replace("PLUGIN", str(plugin / ".claude-plugin/plugin.json")))
    said = lint("good/harbor")
    assert said.out.splitlines() == [
        "good/harbor/.claude-plugin/plugin.json:version: warning: No version [claude plugin validate]",
        "good/harbor/agents/lead.md:frontmatter: No name [claude plugin validate]",
    ]
    assert said.code == 1
    assert lint("good/harbor/agents/notes.md").code == 0


@pytest.mark.parametrize("answer", ["", "error: unknown option '--json'", "[]", '{"manifest": 1}'])
def test_a_client_without_a_report_is_named(answer: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with_client(tmp_path, monkeypatch, answer)
    said = lint("good/garden")
    assert said.out.splitlines()[1] == "`claude plugin validate` was not run: it gave no report that can be read"
    assert said.code == 0
