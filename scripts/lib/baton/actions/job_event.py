"""The event that started a run of the workflow: read from its own file, never from a shell."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.text.comment_marks import is_to_baton
from baton.github.accounts import Actor, fetch_push_permissions
from baton.github.client import GitHub
from baton.journal.paths import validate_story_id


class Wanted(NamedTuple):
    """The wanted story, or issue or pull request; with neither, all that can go on, or none (`nothing`: why)."""

    story: str = ""
    issue: int = 0
    nothing: str = ""


class JobEvent(NamedTuple):
    """The current job: its repository, event, payload, workflow, ref and run."""

    repository: str
    event: str
    payload: Mapping[str, Any]
    workflow: str
    ref: str
    run: str


def read_job(environment: Mapping[str, str]) -> JobEvent:
    """Read the current job from GitHub's environment; a BatonError outside of one."""
    try:
        payload = json.loads(Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
        workflow = environment["GITHUB_WORKFLOW_REF"].partition("@")[0].rpartition("/")[2]
        names = environment["GITHUB_REPOSITORY"], environment["GITHUB_EVENT_NAME"]
        return JobEvent(*names, payload, workflow, environment["GITHUB_REF"], environment["GITHUB_RUN_ID"])
    except (KeyError, OSError, ValueError) as error:
        remedy = "it is called by the workflow that `baton init --actions` writes"
        raise BatonError(f"no job of GitHub Actions ({error!r})", "the environment", remedy) from error


def find_wanted(github: GitHub, job: JobEvent, label: str) -> Wanted:
    """Return the wanted work; whoever labelled or commented must be allowed to push, as GitHub says."""
    event, payload = job.event, job.payload
    if event in ("schedule", "workflow_dispatch"):
        named = str((payload.get("inputs") or {}).get("story") or "")
        return Wanted(story=validate_story_id(named) if named else "")
    try:
        number = int(payload["issue"]["number"])
        who = payload["comment"]["user"] if event == "issue_comment" else payload["sender"]
        actor = Actor(str(who["login"]), str(who["type"]), int(who["id"]))
        asks = _asks(event, payload, label)
    except (KeyError, TypeError, ValueError) as error:
        raise BatonError(
            f"an event that baton does not know ({error!r})", event, "see the workflow's `on:`"
        ) from error
    if not asks:
        return Wanted(nothing=f"nothing on #{number} is for baton")
    may_push = fetch_push_permissions(github, job.repository, [actor])
    if actor.kind != "User" or may_push.get(actor.login.lower()) is not True:
        return Wanted(nothing=f"{actor.login} may not push to {job.repository}: nothing was begun")
    return Wanted(issue=number)


def _asks(event: str, payload: Mapping[str, Any], label: str) -> bool:
    if event == "issue_comment":
        return is_to_baton(str(payload["comment"]["body"] or ""))
    return str(payload["label"]["name"]) == label
