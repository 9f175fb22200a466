"""The issue a story was made of: read again before what cannot be taken back, and told of it in two comments."""

from typing import Any

from baton.delivery.delivery_session import Delivery, delivery_of
from baton.delivery.delivery_text import source_issue, story_mark
from baton.errors import BatonError
from baton.github.address import PullRequestRef
from baton.github.rest_pages import read_pages
from baton.story.answer.answer import is_pull_open
from baton.story.ask.question import COMMENT, ask_question, was_accepted
from baton.story.begin.issue import keep_change
from baton.story.begin.read_issue import find_change
from baton.story.integrate.integration_steps import decide_step, record_or_ask
from baton.story.session.session import StorySession, pull_url_of
from baton.story.session.story_files import read_spec

REFUSED = (403, 404, 410, 422)
GONE = (404, 410)
TRIES = 3


def ask_unless_issue_holds(delivery: Delivery) -> bool:
    """Return True where the story's issue is open and unchanged, or accepted as it is; else ask the user."""
    story, change = delivery.story, find_change(delivery.story, delivery.github)
    if change.hash:
        decision = decide_step(story, "integrate/criteria-changed", change.reason)
        ask_question(story, decision, "integration", "", more=keep_change(story, change))
        return False
    about = f"delivered with the issue as it is: {change.trouble}"
    if not change.trouble or was_accepted(story, about):
        return True
    decision = decide_step(story, "integrate/issue-closed", change.trouble)
    return record_or_ask(story, decision, delivery.head, about=about, see=read_spec(story).source)


def comment_once(delivery: Delivery, what: str, text: str, place: PullRequestRef | None) -> str:
    """Say something on an issue or a pull request, known by a mark that no reader sees; nothing waits for it.

    Returns why it is not there, empty where it is. What GitHub refuses, as on a locked issue, is not tried again;
    what was lost is looked for, and said again. An issue on another host hears nothing.
    """
    sent = delivery.story.state.outbox.get((COMMENT, what))
    if place is None or place.host != delivery.place.host or (sent and sent.done):
        return ""
    path = f"repos/{place.repository}/issues/{place.number:d}/comments"
    mark = story_mark(delivery.story, what)
    comment, may_be_there, lost = None, bool(sent), ""
    for _ in range(TRIES):
        if may_be_there and (comment := _find(delivery, path, mark)):
            break
        delivery.intend(COMMENT, what, f"{place.repository}#{place.number}")
        change = delivery.github.post(path, {"body": f"{text}\n\n{mark}"}, REFUSED)
        if change.refused:
            delivery.done(COMMENT, what, "", change.refused)
            return change.refused
        if not change.lost:
            comment = change.data if isinstance(change.data, dict) else {}
            break
        may_be_there, lost = True, change.lost
    if comment is None:
        return f"whether it was posted is not known yet: {lost}"
    delivery.done(COMMENT, what, str(comment.get("html_url") or ""), at=str(comment.get("created_at") or ""))
    return ""


def _find(delivery: Delivery, path: str, mark: str) -> Any:
    """Find the comment with a mark; None where there is none."""
    comments = read_pages(delivery.github, path, allowed=GONE)
    return next((comment for comment in comments if mark in str(comment.get("body"))), None)


def tell_abandoned(story: StorySession) -> None:
    """Say on its issue that a story was abandoned, if that heard of a pull request; nothing where it cannot."""
    if not pull_url_of(story):
        return
    stays = f"; its pull request stays open: {pull_url_of(story)}" if is_pull_open(story) else ""
    try:
        comment_once(delivery_of(story), "ended", f"Abandoned{stays}", source_issue(story))
    except BatonError:
        return
