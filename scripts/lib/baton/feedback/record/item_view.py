"""Items in full: each text in a fence of its own, with who said it; of who is not trusted, only that they did.

Who reads them may be an agent with a shell: prompts for agents that they fold away are a line each.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.item import Item
from baton.feedback.fetch.models import TRUSTED, Comment, Thread
from baton.feedback.record.record import PullRequestRecord
from baton.feedback.record.view import view_comment, view_item
from baton.feedback.text.flags import flags
from baton.feedback.text.fold import folded
from baton.feedback.text.quote import on_one_line, quoted
from baton.github.client import GitHub
from baton.github.queries import EDITS

PAGE = 100  # ids GitHub takes at once


class ItemView(NamedTuple):
    """An item, or a thread that was resolved before, with all its texts."""

    shown: Item | Thread
    comments: tuple[Comment, ...]

    def text(self) -> str:
        """Return it as text."""
        return "\n".join([self._head(), *map(_quote_comment, self.comments)])

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        shown = self.shown
        if isinstance(shown, Item):
            data = view_item(shown)
        else:
            data = {"id": shown.id, "state": "resolved", "path": shown.path, "line": shown.line}
        return {**data, "comments": [view_comment(comment) for comment in self.comments]}

    def _head(self) -> str:
        shown = self.shown
        lines = shown.lines if isinstance(shown, Item) else str(shown.line or "")
        place = on_one_line(shown.path) + (lines and f":{lines}") if shown.path else ""
        name = f"{shown.id} {place or 'on the pull request'}"
        if isinstance(shown, Thread):
            return f"{name} resolved before: for what it tells, not to be worked on"
        words = [shown.category, shown.severity, "outdated" if shown.outdated else ""]
        return f"{name} {shown.state}: {on_one_line(shown.why)} ({', '.join(word for word in words if word)})"


def find_view(record: PullRequestRecord, name: str) -> ItemView:
    """Return the view of an item or of a thread that was resolved before; a BatonError where there is none.

    A bot's prompts for agents are folded: whoever works on an item is told what to do by its brief alone.
    """
    shown, comments = _found(record, name)
    return ItemView(
        shown,
        tuple(comment._replace(body=folded(comment.body)) for comment in comments if comment.state != "PENDING"),
    )


def _found(record: PullRequestRecord, name: str) -> tuple[Item | Thread, Sequence[Comment]]:
    item = next((item for item in record.items if item.id == name), None)
    if item is None:
        if resolved := next((thread for thread in record.resolved if thread.id == name), None):
            return resolved, resolved.comments
        raise BatonError(f"no item {name[:200]}", str(record.file), _list_ids(record))
    if thread := next((thread for thread in record.threads if thread.id == name), None):
        return item, thread.comments
    comments = (*record.comments, *record.reviews)
    comment = next(comment for comment in comments if comment.id == (item.review or name))
    return item, [comment._replace(body=item.text) if item.is_part else comment]


def _list_ids(record: PullRequestRecord) -> str:
    more = f" and {len(record.ids) - 5} more" if len(record.ids) > 5 else ""
    return f"one of: {', '.join(record.ids[:5])}{more}" if record.ids else "run `baton pr fetch` again"


def _quote_comment(comment: Comment) -> str:
    who = f"@{comment.author.login}, {comment.trust}, {comment.created_at}"
    if comment.trust != TRUSTED:
        return f"not shown: {comment.size} bytes of {who} {comment.url}"
    edited = f", edited {comment.edited_at}" if comment.edited_at else ""
    flagged = f"; {', '.join(flagged)}" if (flagged := flags(comment.body)) else ""
    return quoted(f"{who}{edited}{flagged}", comment.body)


def was_edited(github: GitHub, views: Sequence[ItemView]) -> bool:
    """Whether any of the texts is not as it was read: edited, minimized or gone."""
    known = {comment.id: comment.edited_at for view in views for comment in view.comments}
    return any(not _is_same(node, known) for nodes in _nodes(github, list(known)) for node in nodes)


def _nodes(github: GitHub, ids: list[str]) -> Iterator[list[Any]]:
    for begin in range(0, len(ids), PAGE):
        part = ids[begin : begin + PAGE]
        nodes = github.query(EDITS, {"ids": part}, holes=True).get("nodes")
        yield nodes if isinstance(nodes, list) and len(nodes) == len(part) else [None]


def _is_same(node: Any, known: dict[str, str]) -> bool:
    if not isinstance(node, dict) or node.get("isMinimized"):
        return False
    return (node.get("lastEditedAt") or "") == known.get(str(node.get("id")))
