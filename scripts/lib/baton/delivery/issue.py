"""The issue a story was made of: read again before what cannot be taken back, and told of it in two comments."""

from baton.delivery.session import Delivery
from baton.delivery.text import source_issue, story_mark
from baton.feedback.read.issue import find_change
from baton.github.pages import read_pages
from baton.story.integration_steps import decide_step, record_or_ask
from baton.story.issue import keep_change
from baton.story.question import ask_question, was_accepted

REFUSED = (403, 404, 410, 422)
EFFECT = "comment"


def holds_issue(delivery: Delivery) -> bool:
    """Whether the story's issue is open and says what it said, or that is settled; else the user is asked."""
    story, change = delivery.story, find_change(delivery.story, delivery.github)
    if change.hash:
        decision = decide_step(story, "integrate/criteria-changed", change.reason)
        ask_question(story, decision, "integration", "", [], more=keep_change(story, change))
        return False
    about = f"delivered with the issue as it is: {change.trouble}"
    if not change.trouble or was_accepted(story, about):
        return True
    decision = decide_step(story, "integrate/issue-closed", change.trouble)
    return record_or_ask(story, decision, delivery.head, about=about, see=story.story().source)


def comment_once(delivery: Delivery, what: str, text: str) -> None:
    """Say something on the story's issue, known by a mark that no reader sees; nothing waits for it.

    What GitHub refuses, as on a locked issue, is not tried again; what was lost is looked for at the next call.
    """
    issue = source_issue(delivery.story)
    if issue is None or issue.host != delivery.place.host or what in delivery.made(EFFECT):
        return
    path = f"repos/{issue.repository}/issues/{issue.number:d}/comments"
    mark = story_mark(delivery.story, what)
    if delivery.was_intended(EFFECT, what) and _is_there(delivery, path, mark):
        delivery.done(EFFECT, what, what)
        return
    delivery.intend(EFFECT, what, delivery.head)
    change = delivery.github.post(path, {"body": f"{text}\n\n{mark}"}, REFUSED)
    if not change.lost:
        delivery.done(EFFECT, what, what)


def _is_there(delivery: Delivery, path: str, mark: str) -> bool:
    return any(mark in str(one.get("body")) for one in read_pages(delivery.github, path, allowed=(404, 410)))
