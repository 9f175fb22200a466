"""The checks that GitHub has of a commit: asked by the commit's id alone, never by a branch or a pull request."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from baton.delivery.commit_checks import (
    COMMIT_STATUSES,
    CONCLUSIONS,
    STATUSES,
    CheckRun,
    Standing,
    State,
)
from baton.delivery.destination import NOT_FOUND, read_base
from baton.github.client import GitHub
from baton.github.queries import REQUIRED_STATUSES
from baton.github.responses import shape_checked
from baton.github.rest_pages import read_pages
from baton.text import printable

ABSENT = r"(?:missing|undefined|required|not (?:been )?(?:set|found|configured|defined|provided))"
NAMED = r"(?-i:[A-Z0-9_]+_(?:TOKEN|SECRET|KEY|PASSWORD))"  # alone, any constant of the code's is called so
LACKS = rf"(?:secrets?|bindings?|api tokens?|(?:env(?:ironment)?(?: variables?)?|process\.env)\W{{1,3}}{NAMED})"
# How a runner's end and a lack of secrets or bindings are said in a log, each with who says it so; the last four
# rows are forms of many tools, made from such messages.
INFRA = (
    (r"lost communication with the server", "https://github.com/actions/runner"),
    (r"runner has received a shutdown signal", "https://github.com/actions/runner/issues/2427"),
    (r"No space left on device", "ENOSPC: https://man7.org/linux/man-pages/man3/errno.3.html"),
    (r"Input required and not supplied: \S*(?:token|key|secret|password|credential|account)",
     "https://github.com/actions/toolkit, getInput"),
    (r"(?:##\[error\]|Error: )Username and password required",
     "https://github.com/docker/login-action/issues/67"),
    (r"\bENEEDAUTH\b", "https://github.com/npm/cli, publish"),
    (r"Could not load credentials from any providers",
     "https://github.com/aws-actions/configure-aws-credentials"),
    (r"exactly one of .workload_identity_provider", "https://github.com/google-github-actions/auth"),
    (r"\bopts\.auth is required", "https://github.com/actions/toolkit, getAuthString"),
    (r"HttpError: Bad credentials", "https://github.com/octokit/request-error.js, of GitHub's 401"),
    (r"Codecov token not found", "https://github.com/codecov/codecov-action/issues/1637"),
    (r": terminal prompts disabled", "https://github.com/git/git, GIT_TERMINAL_PROMPT"),
    (rf"necessary to set an? {NAMED}", "https://github.com/cloudflare/workers-sdk, wrangler"),
    (r"secret \S+ is (?:required|not set)", ""),
    (rf"(?:##\[error\]|\berror[:\]] ){NAMED} (?:is )?(?:not set|required|missing)\b(?! in\b)", ""),
    (rf"\berror\b.*\b(?:missing|no such) (?:required )?{LACKS}\b", ""),
    (rf"\berror\b.*\b{LACKS}\b.{{0,60}}\b{ABSENT}", ""),
)  # fmt: skip
SAYS_INFRA = re.compile("|".join(pattern for pattern, _ in INFRA), re.I)
# Looked for only on a line that says something went wrong: a test may print the words of any row.
ERROR_LINE = re.compile(r"error|\bERR!|fatal|cannot|fail", re.I)
# The app whose check runs are the jobs of workflows.
ACTIONS = "github-actions"
GOOD = {"passed", "skipped"}
LOG_LINES, LOG_LINE = 30, 300
TIME = re.compile(r"^\ufeff?\d{4}-\d\d-\d\dT[\d:.]+Z ", re.M)
ERROR = "##[error]"


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
    with shape_checked(f"GitHub's answer on the statuses of {head[:12]} is none", repository):
        contexts = (data["repository"]["object"]["status"] or {"contexts": ()})["contexts"]
        required = {context["context"] for context in contexts if context["isRequired"]}
    return [check._replace(is_required=check.kind == "status" and check.name in required) for check in checks]


def read_checks(github: GitHub, repository: str, sha: str) -> list[CheckRun]:
    """Return all that was run on exactly this commit, of each thing the newest run."""
    place = f"repos/{repository}"
    runs = read_pages(github, f"{place}/actions/runs?head_sha={sha}", "workflow_runs", NOT_FOUND)
    jobs = read_pages(github, f"{place}/commits/{sha}/check-runs?filter=latest", "check_runs")
    statuses = read_pages(github, f"{place}/commits/{sha}/status", "statuses")
    with shape_checked(f"GitHub's answer on the checks of {sha[:12]} is none", repository):
        runs = [run for run in runs if run["head_sha"] == sha]
        return [*_jobs(jobs, runs, sha), *_workflows(jobs, runs), *map(_status, statuses)]


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
    job = github.get(f"repos/{repository}/actions/jobs/{check.number:d}", NOT_FOUND).data
    with shape_checked(f"GitHub's answer on job {check.number} is none", repository):
        steps = job.get("steps") if isinstance(job, dict) else None
        step = next((str(step["name"]) for step in steps or () if step.get("conclusion") == "failure"), "")
    log = github.text(f"repos/{repository}/actions/jobs/{check.number:d}/logs") if logs else ""
    infra = any(SAYS_INFRA.search(line) for line in log.splitlines() if ERROR_LINE.search(line))
    return check._replace(step=step, log=end_of_log(log), state="infra" if infra else check.state)


def end_of_log(text: str) -> str:
    """Return the lines of a job's log up to its last error, without their times; a bounded part of each."""
    lines = TIME.sub("", text).splitlines()
    last = max((number for number, line in enumerate(lines) if line.startswith(ERROR)), default=len(lines) - 1)
    kept = lines[max(0, last + 1 - LOG_LINES) : last + 1]
    return "\n".join(f"  │ {printable(line)[:LOG_LINE]}" for line in kept)


def read_workflows(github: GitHub, repository: str) -> dict[int, str]:
    """Return the names of the workflows that are set up and on, by their ids."""
    path = f"repos/{repository}/actions/workflows"
    workflows = read_pages(github, path, "workflows", NOT_FOUND)
    with shape_checked("GitHub's answer on its workflows is none", repository):
        return {
            workflow["id"]: str(workflow["name"]) for workflow in workflows if workflow.get("state") == "active"
        }
