"""The part of GitHub's REST interface that baton uses: permissions, a pull request's head, and what it posts."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any

from .delivery import ROUTES as DELIVERED
from .delivery import Route, pull_of, shape_comment, user
from .openapi import whole
from .provision import OPERATIONS
from .request import Answer, Refused, Request, answer_json
from .state import Repository

if TYPE_CHECKING:
    from .hub import Hub
    from .pull_request import PullRequest

LEGACY = {
    "admin": "admin", "maintain": "write", "write": "write", "triage": "read", "read": "read", "none": "none",
}  # fmt: skip
LONGEST = 65_536
NO_LOOKUP = "Must have push access to view collaborator permission."
ONE_PENDING = "user_id can only have one pending review per pull request"


def answer(hub: Hub, request: Request) -> Answer:
    """Answer a request to a path below the host's own one."""
    path = request.path.removeprefix(hub.api_path)
    for (method, template), route in ROUTES.items():
        found = _pattern(template).fullmatch(path)
        if found and method == request.method.lower():
            full_name, *place = found.groups()
            try:
                given = route(hub, request, _repository(hub, full_name), *place)
            except Refused as refused:
                return refused.answer
            return given if isinstance(given, Answer) else _described(method, template, given)
    return Refused().answer


@functools.cache
def _pattern(template: str) -> re.Pattern[str]:
    """Return what fits the paths of a template, with a group for the repository and each name in braces."""
    return re.compile(r"/repos/([^/]+/[^/]+)" + re.sub(r"{\w+}", "([^/]+)", template))


def _described(method: str, template: str, value: Any) -> Answer:
    """Answer with a value, as GitHub describes it where that description is kept."""
    status = 201 if method == "post" else 200
    known = (method, template) in OPERATIONS
    return answer_json(whole(f"{method} {template}", status, value) if known else value, status)


def _repository(hub: Hub, full_name: str) -> Repository:
    found = hub.repositories.get(full_name.lower())
    if found is None or found.permission(hub.viewer).level == "none":
        raise Refused
    return found


def _permission(hub: Hub, request: Request, here: Repository, login: str) -> Any:
    actor = next((actor for actor in hub.actors.values() if actor.rest_login.lower() == login.lower()), None)
    if not here.can_push(hub.viewer):
        raise Refused(403, NO_LOOKUP)
    if actor is None:
        raise Refused(404, f"{login} is not a user")
    found = here.permission(actor)
    if found.lookup is not None:
        raise Refused(found.lookup, NO_LOOKUP)
    who = {"login": actor.rest_login, "id": actor.number}
    return {"permission": LEGACY[found.level], "role_name": found.level, "user": who}


def _issue(hub: Hub, request: Request, here: Repository, number: str) -> Any:
    if pull := here.pull_requests.get(int(number)):
        url = {"url": f"https://{hub.host}/repos/{here.full_name}/pulls/{number}"}
        told: dict[str, Any] = {"title": pull.title, "body": pull.body, "state": "open", "pull_request": url}
        return {**told, "html_url": pull.url, "user": user(pull.author)}
    if (found := here.issues.get(int(number))) is None:
        raise Refused
    place = f"https://{hub.host}/{here.full_name}/issues/{number}"
    told = {"title": found.title, "body": found.body, "state": found.state, "html_url": place}
    told["comments"] = len(here.issue_comments.get(int(number), []))
    return {**told, "user": user(found.author), "updated_at": found.updated_at}


def _body(hub: Hub, request: Request, pull: PullRequest) -> str:
    body = request.json["body"]
    if not body.strip() or len(body) > LONGEST:
        problem = f"Body is too long (maximum is {LONGEST} characters)" if body.strip() else "Body can't be blank"
        raise Refused(422, "Validation Failed", [{"code": "unprocessable", "field": "data", "message": problem}])
    if pull.locked and not pull.repository.can_push(hub.viewer):
        raise Refused(403, "Unable to create comment because issue is locked.")
    return str(body)


def _reply(hub: Hub, request: Request, here: Repository, number: str, comment: str) -> Any:
    found = pull_of(here, number)
    first = [thread.comments[0] for thread in found.threads]
    to = next((one for one in first if one.number == int(comment) and one.visible_to(hub.viewer)), None)
    if to is None:
        raise Refused
    body = _body(hub, request, found)
    if found.pending_review(hub.viewer):
        raise Refused(422, "Validation Failed", [ONE_PENDING])
    made = to.thread.reply(by=hub.viewer, body=body)
    return {"id": made.number, "html_url": made.url, "body": made.body}


def _comment(hub: Hub, request: Request, here: Repository, place: str) -> Any:
    number, body = int(place), request.json["body"]
    if number not in here.issues:
        body = _body(hub, request, pull_of(here, place))
    made = shape_comment(hub.comment(here.full_name, number, by=hub.viewer, body=body))
    if number in here.issues:
        here.issues[number] = here.issues[number]._replace(updated_at=made["created_at"])
    return made


ROUTES: dict[tuple[str, str], Route] = {
    **DELIVERED,
    ("get", "/collaborators/{username}/permission"): _permission,
    ("get", "/issues/{issue_number}"): _issue,
    ("post", "/pulls/{pull_number}/comments/{comment_id}/replies"): _reply,
    ("post", "/issues/{issue_number}/comments"): _comment,
}
assert set(OPERATIONS) <= set(ROUTES), "an operation is described and not answered"
