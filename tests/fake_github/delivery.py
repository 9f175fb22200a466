"""The part of GitHub's REST interface a story is delivered through: pull requests, checks, rules, merges."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from .actions import OLD, Actions
from .merge_rules import merge_state, unmet_rules
from .request import Answer, Refused, Request

if TYPE_CHECKING:
    from .hub import Hub
    from .pull_request import PullRequest
    from .state import Actor, IssueComment, Remark, Repository

LOGS = "https://logs.example.com"
SIMPLE = ("merged", "mergeable", "mergeable_state")  # what a pull request in a list lacks
Route = Callable[..., Any]


def asked(request: Request) -> dict[str, str]:
    """Return the words of a request behind its path."""
    return {name: values[-1] for name, values in parse_qs(urlsplit(request.target).query).items()}


def paged(request: Request, found: list[Any]) -> list[Any]:
    """Return the page that is asked for."""
    words = asked(request)
    size, number = int(words.get("per_page", 30)), int(words.get("page", 1))
    return found[(number - 1) * size : number * size]


def listed(name: str, found_by: Callable[..., list[Any]]) -> Route:
    """Return the route of a list that has a name, and beside it the count of all there is."""

    def route(hub: Hub, request: Request, here: Repository, *place: str) -> dict[str, Any]:
        found = found_by(here, asked(request), *place)
        return {"total_count": len(found), name: paged(request, found)}

    return route


def without(given: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return a thing without some of its fields."""
    return {name: value for name, value in given.items() if name not in names}


def actions_of(repository: Repository) -> Actions:
    """Return what runs on a repository, which a test must have given it."""
    assert repository.actions, f"{repository.full_name} has no git repository here"
    return repository.actions


def user(actor: Actor | None) -> dict[str, Any] | None:
    """Return an actor as this interface has them."""
    return {"login": actor.rest_login, "id": actor.number, "type": actor.kind} if actor else None


def shape(pull: PullRequest) -> dict[str, Any]:
    """Return a pull request."""
    merged = pull.state == "MERGED"
    owner = pull.head_repository.owner if pull.head_repository else None
    state = merge_state(pull)
    head = {"ref": pull.head, "sha": pull.head_oid, "user": user(owner)}
    return {
        "number": pull.number, "node_id": pull.id, "html_url": pull.url, "title": pull.title, "body": pull.body,
        "state": "open" if pull.state == "OPEN" else "closed", "merged": merged, "draft": pull.draft,
        "merged_at": OLD if merged else None, "user": user(pull.author), "head": head,
        "base": {"ref": pull.base}, "merge_commit_sha": pull.merge_commit if merged else None,
        "mergeable": None if merged or state == "UNKNOWN" else state != "DIRTY", "mergeable_state": state.lower(),
    }  # fmt: skip


def read_repository(hub: Hub, request: Request, here: Repository) -> Any:
    may_push = here.can_push(hub.viewer)
    permissions = {"admin": here.permission(hub.viewer).level == "admin", "push": may_push, "pull": True}
    return {"full_name": here.full_name, "archived": here.archived, "permissions": permissions}


def environments(here: Repository, words: dict[str, str]) -> list[Any]:
    actions = actions_of(here)
    names = actions.environments | {one["environment"] for one in actions.deployments}
    return [{"name": name, "id": number} for number, name in enumerate(sorted(names))]


def list_pulls(hub: Hub, request: Request, here: Repository) -> Any:
    words = asked(request)
    state, head, base = words.get("state", "open"), words.get("head", ""), words.get("base", "")
    found = [
        one for one in sorted(here.pull_requests.values(), key=lambda one: -one.number)
        if (state == "all" or shape(one)["state"] == state) and base in ("", one.base)
        and head in ("", f"{one.head_repository.owner.login}:{one.head}" if one.head_repository else None)
    ]  # fmt: skip
    return [without(shape(one), *SIMPLE) for one in paged(request, found)]


def pull_of(here: Repository, number: str) -> PullRequest:
    """Return a pull request of a repository."""
    if int(number) not in here.pull_requests:
        raise Refused
    return here.pull_requests[int(number)]


def create_pull(hub: Hub, request: Request, here: Repository) -> Any:
    given = request.json
    owner, _, branch = given["head"].rpartition(":")
    source = next((one for one in hub.repositories.values() if one.owner.login.lower() == owner.lower()), here)
    assert source.actions, "a pull request needs a branch that was pushed"
    for field, exists in (("head", source.actions.head(branch)), ("base", actions_of(here).head(given["base"]))):
        if not exists:
            raise Refused(
                422, "Validation Failed", [{"resource": "PullRequest", "code": "invalid", "field": field}]
            )
    same = [
        one
        for one in here.pull_requests.values()
        if (one.head_repository, one.head, one.base, one.state) == (source, branch, given["base"], "OPEN")
    ]
    if same:
        message = f"A pull request already exists for {owner}:{branch}."
        raise Refused(
            422, "Validation Failed", [{"resource": "PullRequest", "code": "custom", "message": message}]
        )
    number = max([*here.pull_requests, *here.issues, 0]) + 1
    made = hub.pull_request(
        here.full_name, number, author=hub.viewer, head=branch, base=given["base"], title=given["title"],
        body=given["body"], draft=given["draft"], head_oid=source.actions.head(branch),
        fork=None if source is here else source.full_name,
    )  # fmt: skip
    return shape(made)


def merge_pull(hub: Hub, request: Request, here: Repository, number: str) -> Any:
    pull, given, actions = pull_of(here, number), request.json, actions_of(here)
    if not here.can_push(hub.viewer):
        raise Refused(403, "Resource not accessible by personal access token")
    if pull.state != "OPEN":
        raise Refused(405, "Pull Request is not mergeable")
    if pull.draft:
        raise Refused(405, "Pull Request is still a draft")
    if given.get("sha") not in (None, pull.head_oid):
        raise Refused(409, "Head branch was modified. Review and try the merge again.")
    if given["merge_method"] not in here.methods:
        raise Refused(405, f"{given['merge_method'].capitalize()} merges are not allowed on this repository.")
    if (unmet := unmet_rules(pull)) and not here.can_bypass(hub.viewer):
        raise Refused(405, f"Repository rule violations found\n\n{unmet[0]}")
    if actions.has_queue and not here.can_bypass(hub.viewer):
        raise Refused(405, "Changes must be made through the merge queue")
    if actions.linear and given["merge_method"] == "merge" and not here.can_bypass(hub.viewer):
        raise Refused(405, "This branch must not contain merge commits.")
    message = f"{given['commit_title']}\n\n{given['commit_message']}"
    made = actions.merge(pull.base, pull.head_oid, given["merge_method"], message)
    if not made:
        raise Refused(405, "Pull Request has merge conflicts")
    pull.state, pull.merge_commit = "MERGED", made
    return {"sha": made, "merged": True, "message": "merged"}


def read_branch(hub: Hub, request: Request, here: Repository, name: str) -> Any:
    actions = actions_of(here)
    sha = actions.head(unquote(name))
    if now := actions.renamed.get(unquote(name)):
        place = f"https://{hub.api_host}{hub.api_path}/repos/{here.full_name}/branches/{quote(now, safe='')}"
        return Answer(301, b"{}", {"location": place})
    if not sha:
        raise Refused(404, "Branch not found")
    required = {
        "enforcement_level": "non_admins", "contexts": [one["context"] for one in actions.classic],
        "checks": actions.classic,
    }  # fmt: skip
    protection = {"enabled": bool(actions.classic), "required_status_checks": required}
    protected = bool(actions.classic)
    return {"name": unquote(name), "commit": {"sha": sha}, "protected": protected, "protection": protection}


def read_status(hub: Hub, request: Request, here: Repository, sha: str) -> Any:
    posted = actions_of(here).statuses.get(sha, [])
    newest = [without(one, "app") for one in {one["context"]: one for one in reversed(posted)}.values()]
    return {"sha": sha, "state": "pending", "total_count": len(newest), "statuses": paged(request, newest)}


def read_job(hub: Hub, request: Request, here: Repository, number: str) -> Any:
    found = actions_of(here).jobs.get(int(number))
    if found is None:
        raise Refused
    steps = [
        {"name": "Set up job", "status": "completed", "conclusion": "success", "number": 1},
        {"name": found.step, "status": "completed", "conclusion": found.conclusion or "success", "number": 2},
    ]  # fmt: skip
    ended = {"status": "completed", "conclusion": found.conclusion}
    return {"id": found.id, "name": found.name, **ended, "steps": steps}


def read_log(hub: Hub, request: Request, here: Repository, number: str) -> Any:
    if int(number) not in actions_of(here).jobs:
        raise Refused
    return Answer(302, b"", {"location": f"{LOGS}/{here.full_name}/{number}"})


def stored_log(hub: Hub, path: str) -> Answer:
    """Answer where a job's log is kept, which is another host."""
    owner, name, number = path.strip("/").split("/")
    log = actions_of(hub.repositories[f"{owner}/{name}".lower()]).jobs[int(number)].log
    return Answer(200, log.encode(), {"content-type": "text/plain"})


def read_deployments(hub: Hub, request: Request, here: Repository) -> Any:
    words = asked(request)
    found = [without(one, "state")
             for one in actions_of(here).deployments
             if one["sha"] == words.get("sha", one["sha"])
             and one["environment"] == words.get("environment", one["environment"])]  # fmt: skip
    return paged(request, found)


def read_deployment(hub: Hub, request: Request, here: Repository, number: str) -> Any:
    return [
        {"state": one["state"], "environment": one["environment"], "description": ""}
        for one in actions_of(here).deployments
        if one["id"] == int(number) and one["state"]
    ]


def shape_comment(said: Remark | IssueComment) -> dict[str, Any]:
    """Return a comment on an issue or a pull request."""
    return {
        "id": said.number, "html_url": said.url, "body": said.body, "user": user(said.author),
        "created_at": said.created_at, "updated_at": said.edits[-1].at if said.edits else said.created_at,
    }  # fmt: skip


def read_comments(hub: Hub, request: Request, here: Repository, number: str) -> Any:
    since = asked(request).get("since", "")
    found = [shape_comment(one) for one in here.said_on(int(number)) if not one.deleted]
    return paged(request, [one for one in found if one["updated_at"] >= since])


def start_workflow(hub: Hub, request: Request, here: Repository, name: str) -> Any:
    """Start a workflow that can be started by hand; the answer has no body."""
    actions_of(here).started.append({"workflow": name, **request.json})
    return Answer(204, b"", {})


ROUTES: dict[tuple[str, str], Route] = {
    ("get", ""): read_repository,
    ("get", "/environments"): listed("environments", environments),
    ("get", "/pulls"): list_pulls,
    ("post", "/pulls"): create_pull,
    ("get", "/pulls/{pull_number}"): lambda hub, request, here, number: shape(pull_of(here, number)),
    ("put", "/pulls/{pull_number}/merge"): merge_pull,
    ("get", "/branches/{branch}"): read_branch,
    ("get", "/rules/branches/{branch}"): lambda hub, request, here, _: paged(request, actions_of(here).rules),
    ("get", "/actions/runs"): listed("workflow_runs", lambda here, words: [
        run for run in actions_of(here).runs if run["head_sha"] == words.get("head_sha")]),
    ("get", "/actions/workflows"): listed("workflows", lambda here, words: actions_of(here).workflows),
    ("post", "/actions/workflows/{workflow_id}/dispatches"): start_workflow,
    ("get", "/actions/jobs/{job_id}"): read_job,
    ("get", "/actions/jobs/{job_id}/logs"): read_log,
    ("get", "/commits/{ref}/check-runs"): listed("check_runs", lambda here, words, sha: [
        check for check in actions_of(here).checks if check["head_sha"] == sha]),
    ("get", "/commits/{ref}/status"): read_status,
    ("get", "/deployments"): read_deployments,
    ("get", "/deployments/{deployment_id}/statuses"): read_deployment,
    ("get", "/issues/{issue_number}/comments"): read_comments,
}  # fmt: skip
