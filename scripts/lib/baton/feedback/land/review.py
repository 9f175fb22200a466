"""Replies to threads as one review, so one mail: a draft that nobody else sees, read back, then submitted."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import Feedback, PendingReview, PullRequest
from baton.feedback.store.outbox import Outbox
from baton.feedback.text.comment_marks import marks_in
from baton.github.client import GitHub
from baton.github.queries import BEGIN_REVIEW, DISCARD_REVIEW, OWN_DRAFT, REVIEW, SUBMIT_REVIEW, draft_mutation

SUBMIT_EFFECT = "review"
# Replies in a request: GitHub ends one that takes it more than ten seconds
# (https://docs.github.com/rest/using-the-rest-api/troubleshooting-the-rest-api#timeouts).
MOST_REPLIES = 25
CALL_AGAIN = "call again: what is there is found first, and the draft is deleted"


class PostedReply(NamedTuple):
    """A reply that is there: the number of its comment, and its address."""

    number: str
    url: str


class _Draft(NamedTuple):
    state: str
    body: str
    replies: tuple[tuple[str, PostedReply], ...]  # its comments: what each says, and where


def is_rounds_draft(feedback: Feedback, draft: PendingReview, round: str) -> bool:
    """Whether a draft of the viewer's holds nothing but replies of a round: each comment has its mark."""
    own = [comment for thread in feedback.threads for comment in thread.comments if comment.review == draft.id]
    blank = all(not review.size for review in feedback.reviews if review.id == draft.id)
    return blank and all(_items(comment.body, round) for comment in own)


class ReviewPoster:
    """Posts the replies of one round to threads, all at once; used while its outbox is open."""

    def __init__(self, github: GitHub, pull: PullRequest, outbox: Outbox, round: str) -> None:
        self._github = github
        self._pull = pull
        self._outbox = outbox
        self._round = round

    def post(self, bodies: Mapping[str, str]) -> Mapping[str, PostedReply]:
        """Post replies by thread id; returns those that are there. The others GitHub did not take."""
        self._outbox.intend(SUBMIT_EFFECT, self._round, self._pull.head_oid)
        for _ in range(2):
            draft = self._begin()
            if not draft:
                return {}
            whole = self._fill(draft, bodies)
            review = self._read(draft)
            replies = [(name, posted) for text, posted in review.replies for name in _items(text, self._round)]
            if whole and len(dict(replies)) == len(replies) == len(review.replies):
                return self._submit(draft, dict(replies))
            self.discard(draft)
        raise BatonError("GitHub lost the answers to replies twice", self._pull.url, CALL_AGAIN)

    def discard(self, draft: str) -> None:
        """Delete a draft of this round; a BatonError where it holds anything else, or stays."""
        read = self._read(draft)
        if read.state != "PENDING" or read.body or not all(_items(text, self._round) for text, _ in read.replies):
            raise BatonError("a review of yours holds more than replies of this round", self._pull.url, CALL_AGAIN)
        change = self._github.mutate(DISCARD_REVIEW, {"review": draft})
        if change.refused:
            raise BatonError(f"GitHub did not delete a draft ({change.refused})", self._pull.url, CALL_AGAIN)

    def _begin(self) -> str:
        """Begin a draft; returns its id, or nothing where GitHub refuses it, as the user is told."""
        for _ in range(2):
            change = self._github.mutate(BEGIN_REVIEW, {"pull": self._pull.id})
            if change.refused:
                self._outbox.end(SUBMIT_EFFECT, self._round, refused=change.refused)
                self._github.say(f"baton: GitHub begins no review ({change.refused}): replies go one by one")
                return ""
            if review := _review_in(change.data, "addPullRequestReview"):
                return str(review["id"])
            if begun := self._github.query(OWN_DRAFT, {"pull": self._pull.id})["node"]["reviews"]["nodes"]:
                return str(begun[0]["id"])
        raise BatonError("it is not known whether a review was begun", self._pull.url, CALL_AGAIN)

    def _fill(self, draft: str, bodies: Mapping[str, str]) -> bool:
        """Add the replies to a draft; returns whether every answer came back."""
        whole = True
        for begin in range(0, len(bodies), MOST_REPLIES):
            part = list(bodies.items())[begin : begin + MOST_REPLIES]
            named = {f"t{at:d}": thread for at, (thread, _) in enumerate(part)}
            texts = {f"b{at:d}": body for at, (_, body) in enumerate(part)}
            change = self._github.mutate(draft_mutation(len(part)), {"review": draft, **named, **texts})
            whole = whole and not change.lost
            if len(bodies) > MOST_REPLIES:
                self._github.say(f"baton: {begin + len(part)} of {len(bodies)} replies are drafted")
        return whole

    def _read(self, draft: str) -> _Draft:
        """Read a draft back, whole."""
        replies: list[tuple[str, PostedReply]] = []
        after: str | None = None
        while True:
            node = self._github.query(REVIEW, {"id": draft, "after": after})["node"]
            page = node["comments"]
            replies += [
                (comment["body"], PostedReply(comment["fullDatabaseId"], comment["url"]))
                for comment in page["nodes"]
            ]
            after = page["pageInfo"]["endCursor"]
            if not page["pageInfo"]["hasNextPage"]:
                return _Draft(str(node["state"]), str(node["body"]), tuple(replies))

    def _submit(self, draft: str, replies: Mapping[str, PostedReply]) -> Mapping[str, PostedReply]:
        """Submit a draft, so that all see it; returns its replies. One that holds none is deleted."""
        if not replies:
            self.discard(draft)
            self._outbox.end(SUBMIT_EFFECT, self._round, refused="no reply was taken")
            return {}
        for _ in range(2):
            change = self._github.mutate(SUBMIT_REVIEW, {"review": draft})
            if change.refused:
                raise BatonError(
                    f"GitHub did not submit the review ({change.refused})", self._pull.url, CALL_AGAIN
                )
            review = _review_in(change.data, "submitPullRequestReview")
            if review.get("state", "PENDING") != "PENDING" or self._read(draft).state != "PENDING":
                self._outbox.end(SUBMIT_EFFECT, self._round, draft)
                return replies
        raise BatonError("it is not known whether the review was submitted", self._pull.url, CALL_AGAIN)


def _review_in(answer: Any, mutation: str) -> dict[str, Any]:
    """Return the review that the answer to a mutation holds; nothing where it holds none."""
    data = answer.get("data") if isinstance(answer, dict) else None
    fields = data.get(mutation) if isinstance(data, dict) else None
    return fields["pullRequestReview"] or {} if isinstance(fields, dict) else {}


def _items(body: str, round: str) -> Sequence[str]:
    """Return the items that a reply of a round answers."""
    return [mark.item for mark in marks_in(body) if mark.round == round]
