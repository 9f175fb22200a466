"""The checks and the deployments of a merge commit, read by its id."""

from collections.abc import Iterator
from typing import Any

from baton.delivery.checks import CheckRun, State
from baton.delivery.read_checks import read_checks
from baton.errors import BatonError
from baton.github.client import GitHub
from baton.github.rest_pages import read_pages

DEPLOYMENT = "deployment"
# The states of a deployment (GitHub's REST description, deployment-status); none yet is one that goes on.
STATES: dict[str, State] = {
    "success": "passed", "inactive": "skipped", "failure": "failed", "error": "failed", "queued": "pending",
    "pending": "pending", "in_progress": "pending", "waiting": "approval",
}  # fmt: skip


def read_deployed(github: GitHub, repository: str, sha: str) -> list[CheckRun]:
    """Return the checks and deployments of a commit of base."""
    return [*read_checks(github, repository, sha), *_deployments(github, repository, sha)]


def is_deployed_from(github: GitHub, repository: str) -> bool:
    """Whether anything was ever deployed from a repository."""
    return bool(github.get(f"repos/{repository}/deployments?per_page=1").data)


def _deployments(github: GitHub, repository: str, sha: str) -> Iterator[CheckRun]:
    """Return the newest deployment of a commit to each environment: GitHub gives the newest first."""
    place = f"repos/{repository}/deployments"
    newest: dict[object, Any] = {}
    for deployment in read_pages(github, f"{place}?sha={sha}"):
        newest.setdefault((deployment.get("environment"), deployment.get("task")), deployment)
    for deployment in newest.values():
        try:
            statuses = github.get(f"{place}/{deployment['id']:d}/statuses?per_page=1").data
            yield _deployment(deployment, statuses[0] if statuses else {"state": "pending"})
        except (KeyError, TypeError, IndexError) as error:
            what = f"GitHub's answer is no deployment ({error!r})"
            raise BatonError(what, repository, "call again in a while") from error


def _deployment(deployment: Any, status: Any) -> CheckRun:
    url = status.get("log_url") or status.get("environment_url") or ""
    description = status.get("description") or ""
    state = STATES.get(status["state"], "unknown")
    return CheckRun(f"deployment to {deployment['environment']}", DEPLOYMENT, state, 0, None, url, description)
