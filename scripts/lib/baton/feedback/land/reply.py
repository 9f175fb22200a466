"""Replies on a pull request, each once: looked for on GitHub, intended in the journal, posted, read back."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.fetch_feedback import fetch_feedback
from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import Comment, Feedback, PullRequest, Thread
from baton.feedback.fetch.threads import our_verdict
from baton.feedback.land.resolve import ResolveRules, ThreadResolver
from baton.feedback.land.review import SUBMIT_EFFECT, ReviewPoster, is_rounds_draft
from baton.feedback.store.outbox import ALREADY_DONE, DELETED, DONE, SKIPPED, EffectOutcome, Outbox
from baton.feedback.text.comment_marks import marks_in
from baton.feedback.text.outgoing import comment_body, is_too_long
from baton.github.address import REPOSITORY
from baton.github.client import GitHub

REPLY_EFFECT = "reply"
ON_ITS_WAY_S = 10.0  # a request of a killed call may be carried out as much later: its timeout, see `review.py`
FEWEST = 2  # replies in a review: GitHub makes one of a single reply by itself
PROGRESS = 10
CHANGED_SINCE = "changed, resolved or deleted since it was planned"
REFUSALS = (400, 403, 404, 410, 413, 422)  # whose reasons are looked at; any other is an error as it is
HAS_DRAFT = "you have begun a review and not sent it"
SEND_DRAFT = "submit or discard it on GitHub, then call again: replies would vanish into it"
REMEDIES = (  # by the words of a refusal, in small letters: the first that fits
    ("pending review", SEND_DRAFT),
    ("locked", "unlock the conversation on GitHub, then call again"),
    ("not accessible", "give the login of gh the right to write to this repository, then call again"),
    ("", "look at the pull request, then call again: what is there is found"),
)


class ItemReply(NamedTuple):
    """The answer to an item, with its mark; `about` is the address of what it answers, if no thread shows it."""

    item: Item
    text: str
    about: str = ""


def group_by_comment(replies: Iterable[ItemReply]) -> list[list[ItemReply]]:
    """Return replies by the comment they go into: those to parts of one body in one, as far as they fit."""
    comments: dict[str, list[list[ItemReply]]] = {}
    for reply in replies:
        groups = comments.setdefault(
            reply.item.id if _is_in_thread(reply.item) else reply.item.review or reply.item.id, [[]]
        )
        if groups[-1] and is_too_long(body_of([*groups[-1], reply])):
            groups.append([])
        groups[-1].append(reply)
    return [group for groups in comments.values() for group in groups]


def body_of(group: Sequence[ItemReply]) -> str:
    """Return the comment that replies go into."""
    return comment_body(group[0].about, (reply.text for reply in group))


class ReplyPoster:
    """The replies of one round on a pull request, and the threads they close; used while its outbox is open."""

    def __init__(self, github: GitHub, pull: PullRequest, outbox: Outbox, round: str) -> None:
        if not REPOSITORY.match(pull.repository):
            raise BatonError("not a repository", repr(pull.repository), "check that this is the host you mean")
        self._github = github
        self._pull = pull
        self._outbox = outbox
        self._round = round
        self._feedback: Feedback | None = None

    def reply_all(self, replies: Mapping[str, ItemReply], as_review: bool) -> dict[str, EffectOutcome]:
        """Answer items, by id: with `as_review`, those in threads at once, where they are several."""
        done = self._as_review(replies) if as_review else {}
        groups = group_by_comment(reply for name, reply in replies.items() if name not in done)
        for number, group in enumerate(groups, 1):
            done |= self.reply(group)
            if number % PROGRESS == 0 and number < len(groups):
                self._github.say(f"baton: {number} of {len(groups)} replies are posted")
        return done

    def _as_review(self, replies: Mapping[str, ItemReply]) -> dict[str, EffectOutcome]:
        """Answer in one review the items not answered yet; those GitHub does not take into it are left."""
        feedback = self._read()
        reviewing = ReviewPoster(self._github, feedback.pull, self._outbox, self._round)
        if self._outbox.was_cut_off(SUBMIT_EFFECT, self._round):
            self._github.pause(ON_ITS_WAY_S)
            feedback = self._read()
        if (draft := feedback.pending_review) and is_rounds_draft(feedback, draft, self._round):
            reviewing.discard(draft.id)
            feedback = self._read()
        self._feedback = feedback
        due = {name: body_of([reply]) for name, reply in replies.items() if self._is_due(feedback, reply.item)}
        if len(due) < FEWEST or feedback.pending_review or feedback.pull.state != "OPEN":
            return {}
        posted = reviewing.post(due)
        for name, reply in posted.items():
            self._outbox.end(REPLY_EFFECT, self._about(name), reply.number)
        self._feedback = feedback if posted.keys() == due.keys() else None
        return {name: EffectOutcome(name, DONE, url=reply.url) for name, reply in posted.items()}

    def _is_due(self, feedback: Feedback, item: Item) -> bool:
        """Whether an item is a thread that is to be answered now."""
        if not _thread(feedback, item) or _left_out(feedback, item) or self._find(feedback, item):
            return False
        about = self._about(item.id)
        return not (self._outbox.is_done(REPLY_EFFECT, about) or self._outbox.was_cut_off(REPLY_EFFECT, about))

    def reply(self, group: Sequence[ItemReply]) -> dict[str, EffectOutcome]:
        """Answer items in one comment, each with its mark, but for those this round has answered already."""
        feedback = self._seen()
        cut_off = (reply for reply in group if self._outbox.was_cut_off(REPLY_EFFECT, self._about(reply.item.id)))
        if any(not self._find(feedback, reply.item) for reply in cut_off):
            self._github.pause(ON_ITS_WAY_S)
            self._feedback = self._read()
        done, lost = self._settled(group, ALREADY_DONE), ""
        for _ in range(2):
            left = [reply for reply in group if reply.item.id not in done]
            if not left:
                return done
            posted, lost = self._post(left)
            done |= posted or self._settled(left, DONE)
        if len(done) < len(group):
            what = f"it is not known whether the reply to {left[0].item.id} was posted ({lost})"
            raise BatonError(what, self._pull.url, "call again: it is looked for before anything is posted")
        return done

    def skipped_result(self, item: str, why: str) -> EffectOutcome:
        """Return the outcome of an item that is not to be answered now: posted by an earlier call, or skipped."""
        if self._outbox.is_done(REPLY_EFFECT, self._about(item)):
            return EffectOutcome(item, ALREADY_DONE, "posted before")
        return EffectOutcome(item, SKIPPED, why)

    def resolve(self, threads: Iterable[str], rules: ResolveRules) -> list[EffectOutcome]:
        """Resolve those of the threads that read unresolved, hold this round's reply, and may be resolved."""
        feedback = self._feedback = self._read()
        self._check_open(feedback)
        resolving = ThreadResolver(self._github, feedback, self._outbox, self._round, rules)
        return resolving.resolve(tuple(dict.fromkeys(threads)))

    def _settled(self, group: Sequence[ItemReply], how: str) -> dict[str, EffectOutcome]:
        """Return the outcomes of the items that are answered or gone; `how` is that of a reply that is there."""
        feedback, done = self._seen(), dict[str, EffectOutcome]()
        for item in (reply.item for reply in group):
            about = self._about(item.id)
            if comment := self._find(feedback, item):
                self._outbox.end(REPLY_EFFECT, about, str(comment.number))
                done[item.id] = EffectOutcome(item.id, how, url=comment.url)
            elif self._outbox.is_done(REPLY_EFFECT, about):
                done[item.id] = EffectOutcome(item.id, ALREADY_DONE, "posted before")
            elif left := _left_out(feedback, item):
                done[item.id] = left
        return done

    def _post(self, group: Sequence[ItemReply]) -> tuple[dict[str, EffectOutcome], str]:
        """Post replies that are not there, in one comment; returns the outcome of each, else how it was lost."""
        feedback, first = self._seen(), group[0].item
        self._check_open(feedback)
        if draft := feedback.pending_review:
            raise BatonError(HAS_DRAFT, draft.url, SEND_DRAFT)
        abouts = [self._about(reply.item.id) for reply in group]
        for about in abouts:
            self._outbox.intend(REPLY_EFFECT, about, feedback.pull.head_oid)
        change = self._github.post(self._path(feedback, first), {"body": body_of(group)}, REFUSALS)
        for about in abouts if change.refused else ():
            self._outbox.end(REPLY_EFFECT, about, refused=change.refused)
        if change.refused:
            raise self._refusal(first, f"{change.status}: {change.refused}")
        if not change.lost and (comment := _read_back(change.data, group, self._round)):
            for about in abouts:
                self._outbox.end(REPLY_EFFECT, about, str(comment["id"]))
            url = str(comment["html_url"])
            return {reply.item.id: EffectOutcome(reply.item.id, DONE, url=url) for reply in group}, ""
        self._feedback = self._read()
        return {}, change.lost or "an answer that is not the reply"

    def _about(self, item: str) -> str:
        return f"{self._round} {item}"

    def _path(self, feedback: Feedback, item: Item) -> str:
        """Return where a reply goes: into its thread, by the first comment there, or below the pull request."""
        place, number = f"repos/{self._pull.repository}", self._pull.number
        thread = _thread(feedback, item)
        if thread is None:
            return f"{place}/issues/{number:d}/comments"
        return f"{place}/pulls/{number:d}/comments/{thread.comments[0].number:d}/replies"

    def _find(self, feedback: Feedback, item: Item) -> Comment | None:
        """Find this round's reply to an item among what the viewer wrote where it belongs."""
        thread = _thread(feedback, item)
        comments = thread.comments if thread else () if _is_in_thread(item) else feedback.bodies
        own = (comment for comment in comments if comment.own and comment.state != "PENDING")
        return next((comment for comment in own if _answers(comment.body, item.id, self._round)), None)

    def _seen(self) -> Feedback:
        self._feedback = self._feedback or self._read()
        return self._feedback

    def _read(self) -> Feedback:
        """Read the pull request as it is now; a BatonError when it is another one by now."""
        pull = self._pull
        read = fetch_feedback(self._github, pull.ref, lambda pull: 0)
        if read.pull.id != pull.id:
            raise BatonError("not the pull request that was read before", read.pull.url, "`baton pr fetch` again")
        return read

    def _check_open(self, feedback: Feedback) -> None:
        if feedback.pull.state != "OPEN":
            what = f"the pull request is {feedback.pull.state.lower()}"
            raise BatonError(what, feedback.pull.url, "nothing is posted there: reopen it, or leave it")

    def _refusal(self, item: Item, reason: str) -> BatonError:
        remedy = next(remedy for words, remedy in REMEDIES if words in reason.lower())
        return BatonError(f"GitHub refused the reply to {item.id} ({reason})", self._pull.url, remedy)


def _answers(body: str, item: str, round: str) -> bool:
    return any((mark.item, mark.round) == (item, round) for mark in marks_in(body))


def _is_in_thread(item: Item) -> bool:
    return item.surface == "review_thread"


def _thread(feedback: Feedback, item: Item) -> Thread | None:
    """Return the thread of an item; None for one that is in none, or whose thread is gone."""
    threads = (thread for thread in feedback.threads if thread.id == item.id and thread.comments)
    return next(threads, None) if _is_in_thread(item) else None


def _left_out(feedback: Feedback, item: Item) -> EffectOutcome | None:
    """Return the outcome of an item that was deleted, or whose thread was resolved; None for any other."""
    thread = _thread(feedback, item)
    if thread and thread.resolved and not our_verdict(thread):  # with our answer: somebody spoke there since
        return EffectOutcome(item.id, SKIPPED, "its thread was resolved meanwhile")
    known = {comment.id for comment in feedback.bodies}  # a comment on the pull request may have parts, too
    if thread or (not _is_in_thread(item) and not known.isdisjoint((item.id, item.review))):
        return None
    return EffectOutcome(item.id, DELETED, "it was deleted meanwhile")


def _read_back(data: Any, group: Sequence[ItemReply], round: str) -> dict[str, Any] | None:
    """Return the comment an answer holds; None where it is not the one that was posted."""
    if not isinstance(data, dict) or not isinstance(data.get("id"), int) or not data.get("html_url"):
        return None
    return data if all(_answers(str(data.get("body")), reply.item.id, round) for reply in group) else None
