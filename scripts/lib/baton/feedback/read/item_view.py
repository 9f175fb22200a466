"""Items in full: each text in a fence of its own, with who said it; of who is not trusted, only that they did."""

from collections.abc import Iterator, Sequence
from typing import Any

from baton.errors import BatonError
from baton.feedback.read.record import Record, ids_of
from baton.feedback.text.flags import flags
from baton.feedback.text.quote import on_one_line, quoted
from baton.github.client import GitHub
from baton.github.queries import EDITS
from baton.text import restored

PAGE = 100  # ids GitHub takes at once


class Shown:
    """An item, or a thread that was resolved before, with all its texts."""

    def __init__(self, record: Record, name: str) -> None:
        self.name = name
        self.item: Record = next((one for one in record["items"] if one["id"] == name), {})
        resolved = record["cross_invocation"]["resolved_threads"]
        prior: Record = next((one for one in resolved if one["thread_id"] == name), {})
        if not self.item and not prior:
            raise BatonError(f"no item {name[:200]}", str(record["file"]), _known(record))
        self.prior = prior if not self.item else {}
        self.comments = self._comments(record)

    def _comments(self, record: Record) -> list[Record]:
        if self.prior:
            return list(self.prior["comments"])
        threads = (*record["review_threads"], *record["outdated_threads"])
        if found := next((one for one in threads if one["id"] == self.name), None):
            return list(found["comments"])
        whole = (*record["pr_comments"], *record["review_bodies"])
        name = self.item["review"] or self.name
        found = next(one for one in whole if one["id"] == name)
        part = self.item["surface"] == "review_body_part"
        return [{**found, "body": self.item["body"]}] if part else [found]

    def text(self) -> str:
        """Give it as text."""
        return "\n".join([self._head(), *map(_comment, self.comments)])

    def data(self) -> Record:
        """Give it as JSON has it."""
        known = self.item or {
            "id": self.name,
            "state": "resolved",
            "path": self.prior["path"],
            "line": self.prior["line"],
        }
        return {**known, "comments": self.comments}

    def _head(self) -> str:
        if self.prior:
            return f"{self.name} {_place(self.prior)} resolved before: for what it tells, not to be worked on"
        one = self.item
        words = [one["category"], one["severity"], "outdated" if one["outdated"] else ""]
        about = ", ".join(word for word in words if word)
        return f"{self.name} {_place(one)} {one['state']}: {on_one_line(one['why'])} ({about})"


def _known(record: Record) -> str:
    names = list(ids_of(record))
    told = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"one of: {told}" if names else "`baton pr fetch` reads the pull request anew"


def _place(one: Record) -> str:
    if not one["path"]:
        return "on the pull request"
    return on_one_line(one["path"]) + (f":{one['line']}" if one["line"] else "")


def _comment(comment: Record) -> str:
    who = f"@{comment['author']}, {comment['trust']}, {comment['created_at']}"
    edited = f", edited {comment['edited_at']}" if comment.get("edited_at") else ""
    if comment["body"] is None:
        return f"not shown: {comment['body_bytes']} bytes of {who} {comment['url']}"
    body = restored(comment["body"])
    found = f"; {', '.join(found)}" if (found := flags(body)) else ""
    return quoted(f"{who}{edited}{found}", body)


def edited_since(github: GitHub, shown: Sequence[Shown]) -> bool:
    """Whether any of the texts is not as it was read: edited, minimized or gone."""
    known = {one["id"]: one.get("edited_at", "") for item in shown for one in item.comments}
    return any(not _same(node, known) for nodes in _nodes(github, list(known)) for node in nodes)


def _nodes(github: GitHub, ids: list[str]) -> Iterator[list[Any]]:
    for begin in range(0, len(ids), PAGE):
        part = ids[begin : begin + PAGE]
        nodes = github.query(EDITS, {"ids": part}, holes=True).get("nodes")
        yield nodes if isinstance(nodes, list) and len(nodes) == len(part) else [None]


def _same(node: Any, known: dict[str, str]) -> bool:
    if not isinstance(node, dict) or node.get("isMinimized"):
        return False
    return (node.get("lastEditedAt") or "") == known.get(str(node.get("id")))
