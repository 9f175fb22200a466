"""The part of GitHub's REST interface that baton uses: permissions, a pull request's head, and what it posts."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import delivery
from .openapi import whole
from .refused import Refused
from .request import Answer, Request, answer_json
from .state import Actor, Repository, Text

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
    for (method, pattern), route in ROUTES.items():
        found = re.fullmatch(pattern, path)
        if found and method == request.method:
            try:
                return route(hub, request, *found.groups())
            except Refused as refused:
                return refused.answer
    return Refused().answer


def _repository(hub: Hub, full_name: str) -> Repository:
    found = hub.repositories.get(full_name.lower())
    if found is None or found.permission(hub.viewer).level == "none":
        raise Refused
    return found


def _pull_request(hub: Hub, full_name: str, number: str) -> PullRequest:
    found = _repository(hub, full_name).pull_requests.get(int(number))
    if found is None:
        raise Refused
    return found


def _permission(hub: Hub, request: Request, full_name: str, login: str) -> Answer:
    here = _repository(hub, full_name)
    actor = next((actor for actor in hub.actors.values() if actor.rest_login.lower() == login.lower()), None)
    if not here.can_push(hub.viewer):
        raise Refused(403, NO_LOOKUP)
    if actor is None:
        raise Refused(404, f"{login} is not a user")
    found = here.permission(actor)
    if found.lookup is not None:
        raise Refused(found.lookup, NO_LOOKUP)
    user = {"login": actor.rest_login, "id": actor.number}
    return answer_json({"permission": LEGACY[found.level], "role_name": found.level, "user": user})


def _issue(hub: Hub, request: Request, full_name: str, number: str) -> Answer:
    here = _repository(hub, full_name)
    if pull := here.pull_requests.get(int(number)):
        url = {"url": f"https://{hub.host}/repos/{full_name}/pulls/{number}"}
        told: dict[str, Any] = {"title": pull.title, "body": pull.body, "state": "open", "pull_request": url}
        return answer_json({**told, "html_url": pull.url, "user": _user(pull.author)})
    if (found := here.issues.get(int(number))) is None:
        raise Refused
    place = f"https://{hub.host}/{here.full_name}/issues/{number}"
    told = {"title": found.title, "body": found.body, "state": found.state, "html_url": place}
    told["comments"] = len(here.issue_comments.get(int(number), []))
    return answer_json({**told, "user": _user(found.author), "updated_at": found.updated_at})


def _user(actor: Actor | None) -> dict[str, Any] | None:
    return {"login": actor.rest_login, "id": actor.number, "type": actor.kind} if actor else None


def _text(text: Text) -> Answer:
    return answer_json({"id": text.number, "html_url": text.url, "body": text.body}, 201)


def _body(hub: Hub, request: Request, pull: PullRequest) -> str:
    body = request.json["body"]
    if not body.strip() or len(body) > LONGEST:
        problem = f"Body is too long (maximum is {LONGEST} characters)" if body.strip() else "Body can't be blank"
        raise Refused(422, "Validation Failed", [{"code": "unprocessable", "field": "data", "message": problem}])
    if pull.locked and not pull.repository.can_push(hub.viewer):
        raise Refused(403, "Unable to create comment because issue is locked.")
    return str(body)


def _reply(hub: Hub, request: Request, full_name: str, number: str, comment: str) -> Answer:
    found = _pull_request(hub, full_name, number)
    first = [thread.comments[0] for thread in found.threads]
    to = next((one for one in first if one.number == int(comment) and one.visible_to(hub.viewer)), None)
    if to is None:
        raise Refused
    body = _body(hub, request, found)
    if found.pending_review(hub.viewer):
        raise Refused(422, "Validation Failed", [ONE_PENDING])
    return _text(to.thread.reply(by=hub.viewer, body=body))


def _comment(hub: Hub, request: Request, *place: str) -> Answer:
    number, body = int(place[1]), request.json["body"]
    here = _repository(hub, place[0])
    if number not in here.issues:
        body = _body(hub, request, _pull_request(hub, *place))
    made = delivery.shape_comment(hub.comment(place[0], number, by=hub.viewer, body=body))
    if number in here.issues:
        here.issues[number] = here.issues[number]._replace(updated_at=made["created_at"])
    return answer_json(whole("post /issues/{issue_number}/comments", 201, made), 201)


NAME = r"/repos/([^/]+/[^/]+)"


def _in(route: Callable[..., Answer]) -> Callable[..., Answer]:
    """Give a route the repository its path names."""
    return lambda hub, request, full_name, *place: route(hub, request, _repository(hub, full_name), *place)


ROUTES: dict[tuple[str, str], Callable[..., Answer]] = {
    **{(method, f"{NAME}/{path}".rstrip("/")): _in(route) for (method, path), route in delivery.ROUTES.items()},
    ("GET", rf"{NAME}/collaborators/([^/]+)/permission"): _permission,
    ("GET", rf"{NAME}/issues/(\d+)"): _issue,
    ("POST", rf"{NAME}/pulls/(\d+)/comments/(\d+)/replies"): _reply,
    ("POST", rf"{NAME}/issues/(\d+)/comments"): _comment,
}
