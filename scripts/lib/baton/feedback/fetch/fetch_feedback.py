"""Fetch a pull request's feedback from GitHub, all of it or not at all: pages followed, counts reconciled."""

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from baton.errors import BatonError
from baton.feedback.fetch.parse_nodes import (
    Incomplete,
    incomplete_where_odd,
    page_of,
    read_comment,
    read_pull,
    read_review,
    read_thread,
    read_thread_comment,
)
from baton.feedback.fetch.pull_feedback import Comment, Feedback, PullRequest, Thread
from baton.github.address import PullRequestRef
from baton.github.client import GitHub
from baton.github.queries import FEEDBACK, OF_BRANCH, THREAD

# GitHub's most for a page (https://docs.github.com/graphql/overview/rate-limits-and-query-limits-for-the-graphql-api);
# where it cannot answer in time, it is asked for less, but not for less than this.
MOST_IN_PAGE, LEAST_IN_PAGE = 100, 10

# Our names of lists, where GitHub's differ.
GITHUBS_NAMES = {"threads": "reviewThreads"}
Entry = TypeVar("Entry", Thread, Comment)
# How many of the resolved threads of a pull request are looked at.
Lookback = Callable[[PullRequest], int]


class Connection(Generic[Entry]):
    """A list that is fetched page by page: what came so far, and where it goes on."""

    def __init__(self, name: str, read: Callable[[Any], Entry]) -> None:
        self.name = name
        self.items: dict[str, Entry] = {}
        self.cursor: str | None = None
        self.open = True
        self._read: Callable[[Any], Entry] = read
        self._total = 0
        self._cursors: set[str] = set()

    def take(self, connection: Any) -> None:
        """Take a page; Incomplete where it does not go on from what came, or the last one leaves something out."""
        with incomplete_where_odd(f"a page of {self.name} is"):
            page = page_of(connection, self.name)
            nodes = list(map(self._read, page.nodes))
        for entry in nodes:
            if entry.id in self.items:
                raise Incomplete(f"{entry.id} came twice among the {self.name}")
            self.items[entry.id] = entry
        if page.more and (page.cursor in self._cursors or not page.nodes):
            raise Incomplete(f"the {self.name} do not go on after {len(self.items)} of {page.total}")
        if not page.more and len(self.items) != page.total:
            raise Incomplete(f"{len(self.items)} of {page.total} {self.name} came")
        self.cursor, self.open = page.cursor, page.more
        self._cursors.add(page.cursor)


class Connections(NamedTuple):
    """The three lists of a pull request, which share their requests."""

    threads: Connection[Thread]
    comments: Connection[Comment]
    reviews: Connection[Comment]

    def variables(self) -> dict[str, Any]:
        """Return the variables that ask for the next page of each that goes on."""
        asked = {f"with{name.capitalize()}": entry.open for name, entry in self._asdict().items()}
        return asked | {name: entry.cursor for name, entry in self._asdict().items()}

    def take(self, pull: Any) -> None:
        """Take the pages that were asked for."""
        for name, connection in self._asdict().items():
            if connection.open:
                connection.take(pull.get(GITHUBS_NAMES.get(name, name)))


def fetch_feedback(github: GitHub, address: PullRequestRef, lookback: Lookback) -> Feedback:
    """Fetch everything that was said; a BatonError where it cannot be fetched whole.

    Someone may write or push meanwhile: what does not add up is fetched once more from the beginning.
    Of resolved threads, the last ones that `lookback` says are completed.
    """
    try:
        try:
            return _read(github, address, lookback)
        except Incomplete:
            return _read(github, address, lookback)
    except Incomplete as fault:
        remedy = "call again; nothing was decided from it"
        raise BatonError(f"not read whole ({fault})", _place(address), remedy) from fault


def _read(github: GitHub, address: PullRequestRef, lookback: Lookback) -> Feedback:
    lists = Connections(
        Connection("review threads", read_thread),
        Connection("comments", read_comment),
        Connection("reviews", read_review),
    )
    repository, viewer = _read_pages(github, address, lists)
    with incomplete_where_odd("the pull request is"):
        pull = read_pull(repository, address.host)
    threads = list(lists.threads.items.values())
    comments, reviews = tuple(lists.comments.items.values()), tuple(lists.reviews.items.values())
    feedback = Feedback(pull, viewer, threads, comments, reviews)
    shown = {thread.id for thread in feedback.newest_resolved(lookback(pull))}
    for position, thread in enumerate(threads):
        if thread.cursor and (not thread.resolved or thread.id in shown):
            threads[position] = _completed(github, thread, pull.id)
    return feedback


def _read_pages(github: GitHub, address: PullRequestRef, lists: Connections) -> tuple[Any, str]:
    """Fill the lists page by page; returns the repository's node of the last request, and the viewer's login."""
    owner, name = address.repository.split("/")
    variables: dict[str, Any] = {"owner": owner, "name": name, "number": address.number, "size": MOST_IN_PAGE}

    def ask_less() -> None:
        variables["size"] = max(LEAST_IN_PAGE, variables["size"] // 2)

    heads: set[str] = set()
    while any(connection.open for connection in lists):
        variables |= lists.variables()
        data = github.query(FEEDBACK, variables, ask_less)
        pull = (data.get("repository") or {}).get("pullRequest")
        if not isinstance(pull, dict):
            raise BatonError("not to be seen", _place(address), "look at the number, and `gh auth status`")
        lists.take(pull)
        heads.add(str(pull.get("headRefOid")))
        if len(heads) > 1:
            raise Incomplete("a push came while it was read")
    return data["repository"], str((data.get("viewer") or {}).get("login", ""))


def _completed(github: GitHub, thread: Thread, pull_id: str) -> Thread:
    """Return a thread with the comments beyond its first page."""
    connection = Connection(f"comments of {thread.id}", read_thread_comment)
    connection.items = {entry.id: entry for entry in thread.comments}
    connection.cursor = thread.cursor
    while connection.open:
        node = github.query(THREAD, {"id": thread.id, "comments": connection.cursor}).get("node")
        # An enterprise host may know another thing under this id, by another way to it.
        if not isinstance(node, dict) or (node.get("pullRequest") or {}).get("id") != pull_id:
            raise Incomplete(f"{thread.id} is not of this pull request any more")
        connection.take(node.get("comments"))
    return thread._replace(comments=tuple(connection.items.values()), cursor="")


def find_number(github: GitHub, address: PullRequestRef, branch: str, head_repository: str) -> int:
    """Find the open pull request of a branch that was pushed to `head_repository` (empty: to any)."""
    owner, name = address.repository.split("/")
    data = github.query(OF_BRANCH, {"owner": owner, "name": name, "branch": branch})
    nodes = ((data.get("repository") or {}).get("pullRequests") or {}).get("nodes")
    if not isinstance(nodes, list):
        raise BatonError("not to be seen", f"{address.repository} on {address.host}", "look at `gh auth status`")
    heads = {
        entry["number"]: (entry.get("headRepository") or {}).get("nameWithOwner", "").lower() for entry in nodes
    }
    ours = [number for number, head in heads.items() if head_repository.lower() in ("", head)]
    if len(ours) == 1:
        return int(ours[0])
    what = f"{len(ours)} open pull requests" if ours else "no open pull request"
    where = f"branch {branch} in {address.repository}"
    raise BatonError(what, where, "give its number, or push the branch and open one")


def _place(address: PullRequestRef) -> str:
    return f"{address.repository}#{address.number} on {address.host}"
