"""The repository a story is delivered to, as GitHub has it now, and where its base is deployed to."""

import os
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from baton.delivery.destination import Destination
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import is_shallow
from baton.github.client import GitHub
from baton.github.rest_pages import read_pages

NONE_THERE = (404,)
IN_JOB = "GITHUB_RUN_ID"


class HostedRepository(NamedTuple):
    """A repository: `name` is what it is called now, `may_push` whether gh's account may push there."""

    name: str
    may_push: bool
    archived: bool


def read_repository(github: GitHub, name: str) -> HostedRepository:
    """Read a repository; one that was renamed is found under its old name, too."""
    answer = github.get(f"repos/{name}").data
    try:
        # The token of a job is no account of which GitHub says whether it may push: the push itself tells.
        may_push = IN_JOB in os.environ or bool(answer["permissions"]["push"])
        return HostedRepository(answer["full_name"], may_push, bool(answer["archived"]))
    except (KeyError, TypeError) as error:
        what = f"GitHub's answer is no repository ({error!r})"
        raise BatonError(what, name, "call again in a while") from error


def find_obstacle(known: HostedRepository, place: Destination, mode: str) -> tuple[str, str] | None:
    """Return the outcome that keeps a story from its repository, and its evidence; None where none does."""
    if known.name.lower() != place.repository.lower():
        url = f"https://{place.host}/{known.name}.git"
        return "push/renamed", f"{place.repository} is {known.name} now: `git remote set-url {place.remote} {url}`"
    if known.archived:
        return "push/archived", f"{place.name} is archived"
    if not known.may_push and (mode == "merge" or not place.is_fork):
        return "push/rights", f"gh's account may not push to {place.name}"
    return None


def deployed_environments(
    github: GitHub, repository: str, git: Git, base: str, is_wanted: Callable[[str], bool]
) -> list[str]:
    """Return the wanted environments that a commit of base (by its commit) was deployed to, or none was yet."""
    known = read_pages(github, f"repos/{repository}/environments", "environments", NONE_THERE)
    names = [name for environment in known if is_wanted(name := str(environment.get("name")))]
    return [environment for environment in names if _is_deployed(github, repository, git, base, environment)]


def _is_deployed(github: GitHub, repository: str, git: Git, base: str, environment: str) -> bool:
    """Whether one of the last deployments to an environment was of a commit base may have, or none was made."""
    path = f"repos/{repository}/deployments?environment={quote(environment, safe='')}"
    newest = github.get(path, NONE_THERE).data
    commits = [str(deployment.get("sha")) for deployment in newest] if isinstance(newest, list) else []
    return newest == [] or any(git.contains(commit, base) or is_shallow(git) for commit in commits)
