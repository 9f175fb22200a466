"""The workflow that `baton init --actions` writes: valid, pinned, and each job with what it needs and no more."""

import json
import os
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import jsonschema
import pytest

from actions.runner import load_workflow
from baton import __version__
from baton.actions.claim import MOST_AT_WORK
from baton.commands.init_verb import SOURCE, WORKFLOW, workflow_text
from bench import Bench
from programs import write_program

SCHEMA = files("check_jsonschema") / "builtin_schemas/vendor/github-workflows.json"
JOBS = ("claim", "work", "land")


@pytest.fixture(scope="module")
def workflow() -> Any:
    return load_workflow()


def faults(workflow: Any) -> list[str]:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)
    return [error.message for error in validator(schema).iter_errors(workflow)]


def test_it_is_valid_by_the_published_schema(workflow: Any) -> None:
    assert faults(workflow) == []


@pytest.mark.parametrize(("before", "after"), [
    ("runs-on: ubuntu-24.04", "run-on: ubuntu-24.04"),
    ("timeout-minutes: 15", "timeout: 15"),
    ("contents: write", "contents: all"),
])  # fmt: skip
def test_a_mistake_in_it_would_be_seen(before: str, after: str) -> None:
    assert faults(load_workflow(workflow_text("v0.1.0").replace(before, after)))


def steps(workflow: Any) -> list[tuple[str, Any]]:
    return [(name, step) for name in JOBS for step in workflow["jobs"][name]["steps"]]


def test_each_action_is_pinned_by_its_commit_with_the_version_beside_it(workflow: Any) -> None:
    used = [step["uses"] for _, step in steps(workflow) if "uses" in step]
    lines = re.findall(
        r"uses: (actions/[a-z-]+@[0-9a-f]{40}) # v[0-9]+\.[0-9]+\.[0-9]+\n", workflow_text("v0.1.0")
    )
    assert used == lines


def test_what_a_linter_is_told_to_ignore_has_its_reason_beside_it() -> None:
    ignored = re.findall(r"# zizmor: ignore\[([a-z-]+)\] (\S.*)", workflow_text("v0.1.0"))
    assert [rule for rule, _ in ignored] == ["dangerous-triggers", "artipacked", "adhoc-packages", "artipacked"]
    assert workflow_text("v0.1.0").count("ignore[") == len(ignored)


def test_no_more_stories_are_claimed_than_are_worked_on_at_once(workflow: Any) -> None:
    assert workflow["jobs"]["work"]["strategy"]["max-parallel"] == MOST_AT_WORK


def test_no_value_gets_into_a_shell_but_by_the_environment(workflow: Any) -> None:
    lines = [step["run"] for _, step in steps(workflow) if "run" in step]
    assert lines
    assert not [line for line in lines if "${{" in line or "\n" in line.strip()]


def test_the_job_with_the_model_reads_and_has_the_models_key_alone(workflow: Any) -> None:
    work = workflow["jobs"]["work"]
    text = json.dumps(work)
    assert (workflow["permissions"], work["permissions"]) == ({}, {"contents": "read"})
    assert re.findall(r"secrets\.\w+|github\.token", text) == ["secrets.ANTHROPIC_API_KEY"]
    (with_key,) = [step for step in work["steps"] if "ANTHROPIC_API_KEY" in json.dumps(step)]
    assert with_key["run"].startswith("baton run ")
    checkouts = [step for step in work["steps"] if "checkout" in step.get("uses", "")]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False, False]


@pytest.mark.parametrize(("code", "fails"), [(0, False), (1, False), (4, False), (2, True), (3, True), (5, False)])
def test_the_models_job_fails_where_baton_run_did(code: int, fails: bool, workflow: Any, tmp_path: Path) -> None:
    (line,) = [step["run"] for step in workflow["jobs"]["work"]["steps"] if "baton run " in step.get("run", "")]
    write_program(tmp_path / "baton", f"exit {code}")
    given = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "STORY": "1", "BATON_BUDGET_USD": "5"}
    done = subprocess.run(["bash", "-eo", "pipefail", "-c", line], env=given, check=False)
    assert bool(done.returncode) == fails


def test_no_agent_is_sent_out_in_the_second_half_of_the_models_job(workflow: Any) -> None:
    work = workflow["jobs"]["work"]
    (seconds,) = re.findall(r"baton run .* --wait (\d+)", "\n".join(step.get("run", "") for step in work["steps"]))
    assert int(seconds) < work["timeout-minutes"] * 60 / 2


@pytest.mark.parametrize("name", ["claim", "land"])
def test_a_job_that_may_write_runs_no_model_and_nothing_but_the_plugin(name: str, workflow: Any) -> None:
    job = workflow["jobs"][name]
    assert "ANTHROPIC" not in json.dumps(job)
    lines = [step["run"].split()[:3] for step in job["steps"] if "run" in step]
    assert [line for line in lines[1:] if line[:2] != ["baton", "report"]] == [["baton", "actions", name]]


def test_every_job_ends_in_time_and_a_story_is_worked_on_once(workflow: Any) -> None:
    jobs = workflow["jobs"]
    assert all(jobs[name]["timeout-minutes"] <= 350 for name in JOBS)
    groups = [jobs[name]["concurrency"]["group"] for name in ("work", "land")]
    assert groups == ["baton-work-${{ matrix.story }}", "baton-land-${{ matrix.story }}"]


# What starts it


def starts(workflow: Any, event: str, payload: dict[str, Any]) -> object:
    """Carry out the condition of the first job, which GitHub's words and Jinja's say nearly alike."""
    words = workflow["jobs"]["claim"]["if"].replace("&&", "and").replace("||", "or")
    condition = jinja2.Environment(undefined=jinja2.ChainableUndefined).compile_expression(words)
    github = {"event_name": event, "event": payload}
    return condition(github=github, fromJSON=json.loads, contains=lambda there, what: what in there)


def comment_by(association: str, body: str = "/baton accept") -> dict[str, Any]:
    return {"comment": {"body": body, "author_association": association}}


@pytest.mark.parametrize("association", ["OWNER", "MEMBER", "COLLABORATOR", "CONTRIBUTOR"])
def test_a_comment_to_baton_starts_it_by_whoever_may_be_allowed_to_push(association: str, workflow: Any) -> None:
    assert starts(workflow, "issue_comment", comment_by(association))
    assert not starts(workflow, "issue_comment", comment_by(association, "thanks"))


@pytest.mark.parametrize("association", ["NONE", "FIRST_TIMER", "FIRST_TIME_CONTRIBUTOR", "MANNEQUIN"])
def test_a_strangers_comment_starts_no_job(association: str, workflow: Any) -> None:
    assert not starts(workflow, "issue_comment", comment_by(association))


@pytest.mark.parametrize(("event", "payload", "does"), [
    ("schedule", {}, True),
    ("workflow_dispatch", {}, True),
    ("issues", {"label": {"name": "baton"}}, True),
    ("issues", {"label": {"name": "bug"}}, False),
    ("push", {}, False),
])  # fmt: skip
def test_it_is_started_by_its_label_the_clock_and_by_hand(
    event: str, payload: dict[str, Any], does: bool, workflow: Any
) -> None:
    assert bool(starts(workflow, event, payload)) == does


# baton init --actions


def test_init_shows_it_writes_it_and_says_what_to_set(bench: Bench) -> None:
    said = bench.baton("init", "--actions", "--plugin-ref", "0" * 40)
    written = (bench.root / WORKFLOW).read_text(encoding="utf-8")
    assert said.out.startswith(written)
    assert written == workflow_text("0" * 40)
    assert f"\nwrote {WORKFLOW}\nTHEN commit it" in said.out
    assert "gh secret set ANTHROPIC_API_KEY" in said.out


def publish_plugin(bench: Bench, *tags: str) -> str:
    """Let the plugin's address lead to a repository with these tags; return the commit of its main."""
    bench.git("clone", "--quiet", "--bare", ".", "../plugin.git")
    for tag in tags:
        bench.git("-C", "../plugin.git", "tag", tag)
    bench.git("config", f"url.{bench.root.parent / 'plugin.git'}.insteadOf", SOURCE)
    return bench.git("rev-parse", "main")


def test_init_takes_the_release_of_the_plugin_where_there_is_one(bench: Bench) -> None:
    publish_plugin(bench, f"v{__version__}", "v9.9.9")
    assert f'BATON_REF: "v{__version__}"' in bench.baton("init", "--actions").out


def test_init_takes_the_commit_of_main_where_there_is_no_release(bench: Bench) -> None:
    commit = publish_plugin(bench, "v9.9.9")
    assert f'BATON_REF: "{commit}"' in bench.baton("init", "--actions").out


def test_init_says_how_to_name_a_commit_where_the_plugins_repository_cannot_be_read(bench: Bench) -> None:
    bench.git("config", "url./nowhere.insteadOf", SOURCE)
    refused = bench.baton("init", "--actions").refused
    assert "the plugin's repository cannot be read" in refused
    assert "--plugin-ref COMMIT" in refused
    assert not (bench.root / WORKFLOW).exists()


def test_why_the_plugins_repository_cannot_be_read_is_said_whole_and_once(bench: Bench) -> None:
    bench.git("config", "url.https://127.0.0.1:1/baton.insteadOf", SOURCE)
    refused = bench.baton("init", "--actions").refused
    assert refused.count("unable to access 'https://127.0.0.1:1/baton") == refused.count("https://127.0.0.1") == 1


def test_init_leaves_one_that_is_there(bench: Bench) -> None:
    bench.write({WORKFLOW: "mine\n"})
    assert f"kept the existing {WORKFLOW}" in bench.baton("init", "--actions", "--plugin-ref", "0" * 40).out
    assert (bench.root / WORKFLOW).read_text(encoding="utf-8") == "mine\n"


@pytest.mark.parametrize("ref", ["v9.9.9", "main", "0" * 40])
def test_a_ref_is_a_tag_or_a_branch_of_the_plugin_or_a_whole_commit(ref: str, bench: Bench) -> None:
    publish_plugin(bench, "v9.9.9")
    assert "not checked" not in bench.baton("init", "--actions", "--plugin-ref", ref).out
    (bench.root / WORKFLOW).unlink()
    refused = bench.baton("init", "--actions", "--plugin-ref", "abcdef").refused
    assert refused.startswith("baton: no tag and no branch abcdef at ")
    assert not (bench.root / WORKFLOW).exists()


def test_a_ref_that_cannot_be_looked_up_is_written_with_a_warning(bench: Bench) -> None:
    bench.git("config", "url./nowhere.insteadOf", SOURCE)
    assert (
        "WARNING `--plugin-ref v1.0.0` was not checked: "
        in bench.baton("init", "--actions", "--plugin-ref", "v1.0.0").out
    )
    assert (bench.root / WORKFLOW).read_text(encoding="utf-8") == workflow_text("v1.0.0")


@pytest.mark.parametrize(("mode", "warns"), [("local", True), ("branch", True), ("pr", False), ("merge", False)])
def test_a_mode_that_no_job_takes_is_warned_of(mode: str, warns: bool, bench: Bench) -> None:
    bench.write({".baton.yaml": f"integrate: {{mode: {mode}}}\n"})
    out = bench.baton("init", "--actions", "--plugin-ref", "0" * 40).out
    assert (
        f"\nWARNING `integrate.mode: {mode}` ends on one machine at .baton.yaml: set `mode: pr`" in out
    ) == warns
    assert ("\nWARNING " in out) == warns


@pytest.mark.parametrize("ref", ['main"\n', "${{ github.token }}", "-x"])
def test_a_ref_that_could_be_more_than_one_is_refused(ref: str, bench: Bench) -> None:
    assert "is neither a tag nor a commit" in bench.baton("init", "--actions", "--plugin-ref", ref).refused
