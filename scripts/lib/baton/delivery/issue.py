"""What is written back to the issue a story was made of: two comments at most, each once."""

from baton.delivery.session import Delivery
from baton.delivery.text import source_issue, story_mark
from baton.github.pages import read_pages

REFUSED = (403, 404, 410, 422)
EFFECT = "comment"


def comment_once(delivery: Delivery, what: str, text: str) -> None:
    """Say something on the story's issue, known by a mark that no reader sees; nothing waits for it.

    What GitHub refuses, as on a locked issue, is not tried again; what was lost is looked for at the next call.
    """
    issue = source_issue(delivery.story)
    if issue is None or what in delivery.made(EFFECT):
        return
    repository, number = issue
    path = f"repos/{repository}/issues/{number:d}/comments"
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
