"""The part of GitHub's REST interface that a pull request's feedback needs."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from .changes import ONE_PENDING, body_problem, may_write
from .request import Answer, Request, answer_json
from .state import Actor, Comment, Repository, Text

if TYPE_CHECKING:
    from .hub import Hub
    from .pull_request import PullRequest

DOCS = "https://docs.github.com/rest"
LEGACY = {
    "admin": "admin",
    "maintain": "write",
    "write": "write",
    "triage": "read",
    "read": "read",
    "none": "none",
}


class Route(NamedTuple):
    """A method, a path, and what answers it."""

    method: str
    pattern: str
    answer: Callable[..., Answer]


class Refused(Exception):
    """An error of this interface."""

    def __init__(self, status: int, message: str, errors: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.answer = answer_json(
            {"message": message, **({"errors": list(errors)} if errors else {}), "documentation_url": DOCS,
             "status": str(status)}, status,
        )  # fmt: skip


NOT_FOUND = (404, "Not Found")


def answer(hub: Hub, request: Request) -> Answer:
    """Answer a request to a path below the host's own one."""
    path = request.path.removeprefix(hub.api_path)
    for route in ROUTES:
        found = re.fullmatch(route.pattern, path)
        if found and route.method == request.method:
            try:
                return route.answer(hub, request, *found.groups())
            except Refused as refused:
                return refused.answer
    return Refused(*NOT_FOUND).answer


def _repository(hub: Hub, owner: str, name: str) -> Repository:
    found = hub.repositories.get(f"{owner}/{name}".lower())
    if found is None or found.permission(hub.viewer).level == "none":
        raise Refused(*NOT_FOUND)
    return found


def _pull_request(hub: Hub, owner: str, name: str, number: str) -> PullRequest:
    found = _repository(hub, owner, name).pull_requests.get(int(number))
    if found is None:
        raise Refused(*NOT_FOUND)
    return found


def _user(hub: Hub, request: Request) -> Answer:
    return answer_json({**(user(hub.viewer) or {}), "name": None})


def user(actor: Actor | None) -> dict[str, Any] | None:
    """Give an actor as this interface does: bots have their suffix here."""
    if actor is None:
        return None
    kind = actor.kind if actor.kind in ("Bot", "Organization", "Mannequin") else "User"
    return {
        "login": actor.rest_login, "id": actor.number, "node_id": actor.id, "html_url": actor.url, "type": kind,
        "user_view_type": "public", "site_admin": False,
    }  # fmt: skip


def _permission(hub: Hub, request: Request, owner: str, name: str, login: str) -> Answer:
    here = _repository(hub, owner, name)
    actor = next((one for one in hub.actors.values() if one.rest_login.lower() == login.lower()), None)
    if not here.can_push(hub.viewer):
        raise Refused(403, "Must have push access to view collaborator permission.")
    if actor is None:
        raise Refused(404, f"{login} is not a user")
    found = here.permission(actor)
    if found.lookup is not None:
        raise Refused(found.lookup, "Must have push access to view collaborator permission.")
    given = {"permission": LEGACY[found.level], "role_name": found.role or found.level, "user": user(actor)}
    return answer_json(given)


def _pull(hub: Hub, request: Request, *place: str) -> Answer:
    found = _pull_request(hub, *place)
    head = found.head_repository
    return answer_json({
        "id": found.database_id, "node_id": found.id, "number": found.number, "html_url": found.url,
        "state": "open" if found.state == "OPEN" else "closed", "merged": found.state == "MERGED",
        "draft": found.draft, "locked": found.locked, "title": found.title, "user": user(found.author),
        "maintainer_can_modify": found.maintainer_can_modify,
        "head": {"ref": found.head, "sha": found.head_oid, "repo": head and {"full_name": head.full_name}},
        "base": {"ref": found.base, "sha": found.base_oid, "repo": {"full_name": found.repository.full_name}},
    })  # fmt: skip


def _text(text: Text) -> dict[str, Any]:
    return {
        "id": text.number, "node_id": text.id, "html_url": text.url, "body": text.body, "user": user(text.author),
        "created_at": text.created_at, "updated_at": text.updated_at, "author_association": text.association,
    }  # fmt: skip


def _inline(comment: Comment) -> dict[str, Any]:
    thread = comment.thread
    reply = {"in_reply_to_id": comment.reply_to.number} if comment.reply_to else {}
    return {
        **_text(comment), "path": thread.path, "line": thread.line, "start_line": thread.start_line,
        "original_line": thread.original_line, "original_start_line": thread.original_start_line,
        "side": thread.diff_side, "subject_type": thread.subject_type.lower(),
        "original_commit_id": comment.original_commit, "pull_request_review_id": comment.review.number, **reply,
    }  # fmt: skip


def _comments(hub: Hub, request: Request, *place: str) -> Answer:
    found = _pull_request(hub, *place)
    shown = [one for one in found.all_comments() if one.visible_to(hub.viewer) and one.state != "PENDING"]
    return _listed(hub, request, [_inline(one) for one in sorted(shown, key=lambda one: one.number)])


def _issue_comments(hub: Hub, request: Request, *place: str) -> Answer:
    found = _pull_request(hub, *place)
    return _listed(hub, request, [_text(one) for one in found.comments if one.visible_to(hub.viewer)])


def _reviews(hub: Hub, request: Request, *place: str) -> Answer:
    found = _pull_request(hub, *place)
    shown = [one for one in found.reviews if one.visible_to(hub.viewer)]
    return _listed(
        hub, request, [{**_text(one), "state": one.state, "submitted_at": one.submitted_at} for one in shown]
    )


def _listed(hub: Hub, request: Request, found: list[dict[str, Any]]) -> Answer:
    size = min(int(request.parameters.get("per_page", 30)), 100)
    number = int(request.parameters.get("page", 1))
    answer = answer_json(found[(number - 1) * size : number * size])
    if number * size >= len(found):
        return answer
    url = f"https://{hub.api_host}{request.path}?per_page={size}&page={number + 1}"
    return answer._replace(headers={**answer.headers, "link": f'<{url}>; rel="next"'})


def _body(request: Request, resource: str) -> str:
    given = request.json
    if not isinstance(given, dict):
        raise Refused(400, "Problems parsing JSON")
    body = given.get("body")
    if not isinstance(body, str):
        raise Refused(422, 'Invalid request.\n\n"body" wasn\'t supplied.')
    if problem := body_problem(body):
        error = {"resource": resource, "code": "unprocessable", "field": "data", "message": problem}
        raise Refused(422, "Validation Failed", [error])
    return body


def _reply(hub: Hub, request: Request, owner: str, name: str, number: str, comment: str) -> Answer:
    found = _pull_request(hub, owner, name, number)
    first = [thread.comments[0] for thread in found.threads]
    to = next((one for one in first if one.number == int(comment) and one.visible_to(hub.viewer)), None)
    if to is None:
        raise Refused(*NOT_FOUND)
    body = _body(request, "PullRequestReviewComment")
    _may_write(hub, found)
    if found.pending_review(hub.viewer):
        raise Refused(422, "Validation Failed", [ONE_PENDING])
    return answer_json(_inline(to.thread.reply(by=hub.viewer, body=body)), 201)


def _comment(hub: Hub, request: Request, *place: str) -> Answer:
    found = _pull_request(hub, *place)
    body = _body(request, "IssueComment")
    _may_write(hub, found)
    return answer_json(_text(found.comment(by=hub.viewer, body=body)), 201)


def _may_write(hub: Hub, pull_request: PullRequest) -> None:
    if not may_write(pull_request, hub):
        raise Refused(403, "Unable to create comment because issue is locked.")


PULL = r"/repos/([^/]+)/([^/]+)/pulls/(\d+)"
ISSUE = r"/repos/([^/]+)/([^/]+)/issues/(\d+)"
ROUTES = (
    Route("GET", "/user", _user),
    Route("GET", r"/repos/([^/]+)/([^/]+)/collaborators/([^/]+)/permission", _permission),
    Route("GET", PULL, _pull),
    Route("GET", f"{PULL}/comments", _comments),
    Route("GET", f"{PULL}/reviews", _reviews),
    Route("GET", f"{ISSUE}/comments", _issue_comments),
    Route("POST", rf"{PULL}/comments/(\d+)/replies", _reply),
    Route("POST", f"{ISSUE}/comments", _comment),
)
