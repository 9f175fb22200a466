"""The checks that GitHub has of a commit: asked by the commit's id alone, never by a branch or a pull request."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple
from urllib.parse import quote

from baton.delivery.checks import (
    COMMIT_STATUSES,
    CONCLUSIONS,
    STATUSES,
    CheckRun,
    Required,
    Standing,
    State,
)
from baton.delivery.infra import INFRA
from baton.errors import BatonError
from baton.github.client import GitHub
from baton.github.queries import REQUIRED_STATUSES
from baton.github.rest_pages import read_pages
from baton.text import printable

# The app whose check runs are the jobs of workflows.
ACTIONS = "github-actions"
NONE_THERE = (404,)
GOOD = {"passed", "skipped"}
LOG_LINES, LOG_LINE = 30, 300
TIME = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ", re.M)
METHODS = frozenset({"squash", "merge", "rebase"})
ERROR = "##[error]"


class BaseRules(NamedTuple):
    """A base branch's commit, and the rules that GitHub holds it to."""

    commit: str
    required: tuple[Required, ...]
    methods: frozenset[str]  # those that its rules allow


def read_standing(
    github: GitHub, repository: str, head: str, base: str, built_on: Iterable[str] = (), age: float = 0.0,
    number: int = 0,
) -> Standing:  # fmt: skip
    """Return the checks of a commit, compared with base: as it is, else as it was when it was `built_on`.

    `number` is the pull request it is the head of, if it is of one.
    """
    rules = read_base(github, repository, base)
    standing = Standing(read_checks(github, repository, head), rules.required, age)
    if number and any(
        check.kind == "status" and check.name == need.name
        for check in standing.checks
        for need in standing.missing
    ):
        standing = standing._replace(checks=_with_required(github, repository, standing.checks, head, number))
    failed = standing.those("failed")
    if not (standing.has_begun and standing.goes_on):
        ran = {check.workflow for check in standing.checks}
        standing = standing._replace(
            idle=[name for id, name in read_workflows(github, repository).items() if id not in ran]
        )
    if standing.goes_on or not failed:
        return standing
    on_base = read_same(github, repository, (rules.commit, *built_on), failed)
    return standing._replace(checks=with_logs(github, repository, standing.checks), on_base=on_base)


def _with_required(
    github: GitHub, repository: str, checks: Sequence[CheckRun], head: str, number: int
) -> list[CheckRun]:
    """Return the checks with GitHub's word on which statuses base requires for a pull request."""
    owner, name = repository.split("/")
    data = github.query(REQUIRED_STATUSES, {"owner": owner, "name": name, "head": head, "number": number})
    with _read_from(f"the statuses of {head[:12]} is none", repository):
        contexts = (data["repository"]["object"]["status"] or {"contexts": ()})["contexts"]
        required = {context["context"] for context in contexts if context["isRequired"]}
    return [check._replace(is_required=check.kind == "status" and check.name in required) for check in checks]


def read_checks(github: GitHub, repository: str, sha: str) -> list[CheckRun]:
    """Return all that was run on exactly this commit, of each thing the newest run."""
    place = f"repos/{repository}"
    runs = read_pages(github, f"{place}/actions/runs?head_sha={sha}", "workflow_runs", NONE_THERE)
    jobs = read_pages(github, f"{place}/commits/{sha}/check-runs?filter=latest", "check_runs")
    statuses = read_pages(github, f"{place}/commits/{sha}/status", "statuses")
    with _read_from(f"the checks of {sha[:12]} is none", repository):
        runs = [run for run in runs if run["head_sha"] == sha]
        return [*_jobs(jobs, runs, sha), *_workflows(jobs, runs), *map(_status, statuses)]


@contextmanager
def _read_from(what: str, repository: str) -> Iterator[None]:
    """Turn the errors of an answer that has another shape than GitHub's into a BatonError."""
    try:
        yield
    except (KeyError, TypeError, AttributeError) as error:
        what = f"GitHub's answer on {what} ({error!r})"
        raise BatonError(what, repository, "call again in a while") from error


def _jobs(jobs: Iterable[Any], runs: Sequence[Any], sha: str) -> list[CheckRun]:
    """Return the check runs, of each job of a workflow those of its newest run.

    A run that skipped the job looked at nothing, and so hides none that did; in one run all of a name count.
    """
    workflows = {run["check_suite_id"]: (run["workflow_id"], run["event"]) for run in runs}
    by_job: dict[tuple[str, object, tuple[int, str] | None], dict[object, list[Any]]] = {}
    for check in sorted(jobs, key=lambda check: check["id"]):
        if check["head_sha"] == sha:
            suite = (check["check_suite"] or {}).get("id")
            job = check["name"], (check["app"] or {}).get("id"), workflows.get(suite)
            by_job.setdefault(job, {}).setdefault(suite, []).append(check)
    return [
        _job(check)._replace(workflow=job[2][0] if job[2] else 0)
        for job, suites in by_job.items()
        for check in _newest(list(suites.values()))
    ]


def _newest(suites: Sequence[list[Any]]) -> list[Any]:
    looked = [those for those in suites if any(_state(check) != "skipped" for check in those)]
    return max(looked or suites, key=lambda those: those[-1]["id"])


def _job(check: Any) -> CheckRun:
    app = check["app"] or {}
    title = (check["output"] or {}).get("title") or ""
    number = check["id"] if app.get("slug") == ACTIONS else 0
    return CheckRun(check["name"], "check", _state(check), number, app.get("id"), check["html_url"] or "", title)


def _workflows(jobs: Iterable[Any], runs: Sequence[Any]) -> list[CheckRun]:
    """Return the runs of workflows that say more than their jobs: that go on, have none, or failed as none did."""
    of_jobs: dict[object, set[State]] = {}
    for job in jobs:
        of_jobs.setdefault((job["check_suite"] or {}).get("id"), set()).add(_state(job))
    newest = {(run["workflow_id"], run["event"]): run["id"] for run in sorted(runs, key=lambda run: run["id"])}

    def says_more(run: Any) -> bool:
        jobs = of_jobs.get(run["check_suite_id"])
        return not jobs or (jobs <= GOOD and _state(run) not in GOOD)

    shown = [
        run for run in runs if run["status"] != "completed" or (run["id"] in newest.values() and says_more(run))
    ]
    return [
        CheckRun(
            run["name"] or run["path"], "workflow", _state(run), url=run["html_url"], workflow=run["workflow_id"]
        )
        for run in shown
    ]


def _status(status: Any) -> CheckRun:
    state = COMMIT_STATUSES.get(status["state"], "unknown")
    return CheckRun(
        status["context"], "status", state, 0, None, status["target_url"] or "", status["description"] or ""
    )


def _state(run: Any) -> State:
    if run["status"] != "completed":
        return STATUSES.get(run["status"], "unknown")
    return CONCLUSIONS.get(run["conclusion"] or "", "unknown")


def read_same(
    github: GitHub, repository: str, commits: Iterable[str], failed: Iterable[CheckRun]
) -> list[CheckRun]:
    """Return how the checks that failed went on base: on the first of its commits where they were run."""
    names = {check.name for check in failed}
    for commit in dict.fromkeys(commits):
        same = [check for check in read_checks(github, repository, commit) if check.name in names]
        if any(check.state in ("passed", "failed") for check in same):
            return with_logs(github, repository, same, logs=False)
    return []


def with_logs(github: GitHub, repository: str, checks: Sequence[CheckRun], logs: bool = True) -> list[CheckRun]:
    """Return checks, those that failed with the step they failed at and, with `logs`, the end of its log."""
    return [_with_log(github, repository, check, logs) if check.state == "failed" else check for check in checks]


def _with_log(github: GitHub, repository: str, check: CheckRun, logs: bool) -> CheckRun:
    if not check.number:  # of another app: there is no log to be had, and what it checks is its one step
        return check._replace(step=check.said or check.name)
    job = github.get(f"repos/{repository}/actions/jobs/{check.number:d}", NONE_THERE).data
    with _read_from(f"job {check.number} is none", repository):
        steps = job.get("steps") if isinstance(job, dict) else None
        step = next((str(step["name"]) for step in steps or () if step.get("conclusion") == "failure"), "")
    log = github.text(f"repos/{repository}/actions/jobs/{check.number:d}/logs") if logs else ""
    infra = INFRA.search(log)
    return check._replace(step=step, log=end_of_log(log), state="infra" if infra else check.state)


def end_of_log(text: str) -> str:
    """Return the lines of a job's log up to its last error, without their times; a bounded part of each."""
    lines = TIME.sub("", text).splitlines()
    last = max((number for number, line in enumerate(lines) if line.startswith(ERROR)), default=len(lines) - 1)
    kept = lines[max(0, last + 1 - LOG_LINES) : last + 1]
    return "\n".join(f"  │ {printable(line)[:LOG_LINE]}" for line in kept)


def read_base(github: GitHub, repository: str, base: str) -> BaseRules:
    """Return the commit and the rules of a base branch, by its rulesets and its classic protection."""
    name = quote(base, safe="")
    branch = github.get(f"repos/{repository}/branches/{name}").data
    rules = read_rules(github, repository, base)
    with _read_from(f"{base} is no branch", repository):
        classic = (branch.get("protection") or {}).get("required_status_checks") or {}
        required = [Required(check["context"], check.get("app_id")) for check in classic.get("checks") or ()]
        named = {need.name for need in required}
        required += [Required(context) for context in classic.get("contexts") or () if context not in named]
        linear = any(rule["type"] == "required_linear_history" for rule in rules)
        methods = METHODS - ({"merge"} if linear else set())
        for rule in rules:
            parameters = rule.get("parameters") or {}
            if rule["type"] == "required_status_checks":
                checks = parameters["required_status_checks"]
                required += [Required(each["context"], each.get("integration_id")) for each in checks]
            if rule["type"] == "pull_request":
                methods &= set(parameters.get("allowed_merge_methods") or METHODS)
        return BaseRules(branch["commit"]["sha"], tuple(dict.fromkeys(required)), methods)


def read_rules(github: GitHub, repository: str, branch: str) -> list[Any]:
    """Return the rules that rulesets set for a branch."""
    return read_pages(github, f"repos/{repository}/rules/branches/{quote(branch, safe='')}", allowed=NONE_THERE)


def read_workflows(github: GitHub, repository: str) -> dict[int, str]:
    """Return the names of the workflows that are set up and on, by their ids."""
    path = f"repos/{repository}/actions/workflows"
    workflows = read_pages(github, path, "workflows", NONE_THERE)
    with _read_from("its workflows is none", repository):
        return {
            workflow["id"]: str(workflow["name"]) for workflow in workflows if workflow.get("state") == "active"
        }
