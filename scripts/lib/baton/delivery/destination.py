"""The repositories a story goes to, as GitHub has them now: for its branch, and for its pull request into base."""

import os
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

from baton.delivery.commit_checks import Required
from baton.errors import BatonError
from baton.git.command import Git
from baton.git.history import is_shallow
from baton.git.remotes import pushed_as
from baton.github.address import choose_remote, known_remotes
from baton.github.client import GitHub
from baton.github.responses import shape_checked
from baton.github.rest_pages import read_pages

NOT_FOUND = (404,)
IN_JOB = "GITHUB_RUN_ID"
METHODS = frozenset({"squash", "merge", "rebase"})
NO_REMOTE = (
    "`git remote add origin URL` of a repository on GitHub (`gh repo set-default` where there are several), "
    "or set another `integrate.mode`; then retry"
)


class Destination(NamedTuple):
    """The repository a pull request is opened in, by the remote of its base; and where its branch is pushed."""

    host: str
    repository: str
    remote: str
    pushed_to: str  # the remote the branch is pushed to: a fork's, where branches are pushed to one
    owner: str  # of that

    @property
    def name(self) -> str:
        return f"{self.host}/{self.repository}"

    @property
    def is_fork(self) -> bool:
        """Whether the branch is pushed to another owner's repository than its pull request is opened in."""
        return self.owner.lower() != self.repository.partition("/")[0].lower()


def find_destination(git: Git, branch: str) -> Destination:
    """Return where a branch goes; a BatonError where no remote is GitHub's, or several may be meant."""
    remotes = known_remotes(git)
    target = choose_remote(remotes, NO_REMOTE)
    wanted, _ = pushed_as(git, branch)
    source = next((remote for remote in remotes if remote.name == wanted), target)
    if source.host != target.host:
        what = f"branches go to {source.host}, pull requests to {target.host}"
        raise BatonError(what, "`git remote --verbose`", "set `remote.pushDefault`, then retry")
    return Destination(
        target.host, target.repository, target.name, source.name, source.repository.partition("/")[0]
    )


class HostedRepository(NamedTuple):
    """A repository: `name` is what it is called now, `may_push` whether gh's account may push there."""

    name: str
    may_push: bool
    archived: bool


def read_repository(github: GitHub, name: str) -> HostedRepository:
    """Read a repository; one that was renamed is found under its old name, too."""
    answer = github.get(f"repos/{name}").data
    with shape_checked("GitHub's answer is no repository", name):
        # The token of a job is no account of which GitHub says whether it may push: the push itself tells.
        may_push = IN_JOB in os.environ or bool(answer["permissions"]["push"])
        return HostedRepository(answer["full_name"], may_push, bool(answer["archived"]))


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
    known = read_pages(github, f"repos/{repository}/environments", "environments", NOT_FOUND)
    names = [name for environment in known if is_wanted(name := str(environment.get("name")))]
    return [environment for environment in names if _is_deployed(github, repository, git, base, environment)]


def _is_deployed(github: GitHub, repository: str, git: Git, base: str, environment: str) -> bool:
    """Whether one of the last deployments to an environment was of a commit base may have, or none was made."""
    path = f"repos/{repository}/deployments?environment={quote(environment, safe='')}"
    newest = github.get(path, NOT_FOUND).data
    commits = [str(deployment.get("sha")) for deployment in newest] if isinstance(newest, list) else []
    return newest == [] or any(git.contains(commit, base) or is_shallow(git) for commit in commits)


class BaseRules(NamedTuple):
    """A base branch's commit, and the rules that GitHub holds it to."""

    commit: str
    required: tuple[Required, ...]
    methods: frozenset[str]  # those that its rules allow


def read_base(github: GitHub, repository: str, base: str) -> BaseRules:
    """Return the commit and the rules of a base branch, by its rulesets and its classic protection."""
    name = quote(base, safe="")
    branch = github.get(f"repos/{repository}/branches/{name}").data
    rules = read_rules(github, repository, base)
    with shape_checked(f"GitHub's answer on {base} is no branch", repository):
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
    return read_pages(github, f"repos/{repository}/rules/branches/{quote(branch, safe='')}", allowed=NOT_FOUND)
