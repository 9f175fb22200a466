"""Resolving the threads that may be resolved: looked at before and after, fifty in a request."""

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from baton.errors import BatonError
from baton.feedback.fetch.pull_feedback import Feedback, Thread
from baton.feedback.fetch.trust import is_named_bot
from baton.feedback.store.outbox import ALREADY_DONE, DELETED, DONE, SKIPPED, EffectOutcome, Outbox
from baton.feedback.text.comment_marks import CLOSING, ReplyMark, marks_in
from baton.github.client import GitHub
from baton.github.queries import STANDING, resolve_mutation

RESOLVE_EFFECT = "resolve"
MOST_THREADS = 50  # threads in a request
FORBIDDEN = "the login of gh may not resolve it"


class ResolveRules(NamedTuple):
    """The rules for resolving: `resolve` is `own`, or `all` where threads other people began are resolved, too.

    `heard` is how many comments of others each thread had when the round was planned. `silent` are the items that
    ask for nothing, and get no reply, each with the time of its last change.
    """

    resolve: str
    bots: Collection[str]
    heard: Mapping[str, int] = MappingProxyType({})
    silent: Mapping[str, str] = MappingProxyType({})


def why_open(thread: Thread, round: str, rules: ResolveRules) -> str:
    """Say why a thread is to stay open after a round; empty where it may be resolved."""
    mark = _last_mark(thread, round)
    if mark is None and thread.id not in rules.silent:
        return "it holds no reply of this round"
    if mark and mark.verdict not in CLOSING:
        return "it needs you"
    if _is_spoken_in_since(thread, rules):
        return "somebody spoke since it was answered"
    return why_not_ours(thread, rules)


def why_not_ours(thread: Thread, rules: ResolveRules) -> str:
    """Say why a thread is somebody else's to resolve, whatever was answered; empty where it is ours."""
    first = thread.comments[0]
    if rules.resolve == "all" or first.own or is_named_bot(first.author, rules.bots):
        return ""
    return "somebody else began it, and `feedback.resolve` is not `all`"


def _last_mark(thread: Thread, round: str) -> ReplyMark | None:
    own = [comment for comment in thread.comments if comment.own and comment.state != "PENDING"]
    marks = [mark for comment in own for mark in marks_in(comment.body) if mark.item == thread.id]
    return marks[-1] if marks and marks[-1].round == round else None


def _is_spoken_in_since(thread: Thread, rules: ResolveRules) -> bool:
    """Whether others wrote or changed something after the viewer's last word; named bots answer everything.

    What was drafted before that word and published after it stands before it: it is known by its number.
    """
    heard = [comment for comment in thread.comments if comment.state != "PENDING" and not comment.minimized]
    last = max((number for number, comment in enumerate(heard) if comment.own), default=-1)
    others = [
        (number, comment)
        for number, comment in enumerate(heard)
        if not comment.own and not is_named_bot(comment.author, rules.bots)
    ]
    more = len(others) > rules.heard.get(thread.id, len(others))
    if since := rules.silent.get(thread.id):
        return more or any(comment.at > since for _, comment in others)
    return more or any(number > last or comment.at > heard[last].created_at for number, comment in others)


class ThreadResolver:
    """Resolves the threads of one round; `feedback` is as it was read just before."""

    def __init__(
        self, github: GitHub, feedback: Feedback, outbox: Outbox, round: str, rules: ResolveRules
    ) -> None:
        self._github = github
        self._feedback = feedback
        self._outbox = outbox
        self._round = round
        self._rules = rules
        self._outcomes: dict[str, EffectOutcome] = {}

    def resolve(self, ids: Sequence[str]) -> list[EffectOutcome]:
        """Resolve those that may be; returns the outcome of each, in their order."""
        threads = {thread.id: thread for thread in self._feedback.threads}
        for thread_id in ids:
            self._skip_closed(thread_id, threads.get(thread_id))
        wanted = [thread_id for thread_id in ids if thread_id not in self._outcomes]
        for begin in range(0, len(wanted), MOST_THREADS):
            self._resolve_some(wanted[begin : begin + MOST_THREADS])
        return [self._outcomes[thread_id] for thread_id in ids]

    def _skip_closed(self, name: str, thread: Thread | None) -> None:
        """Record the outcome of a thread for which nothing is to be done."""
        if thread is None or not thread.comments:
            self._record(name, DELETED, "it was deleted meanwhile")
        elif thread.resolved:
            self._is_resolved(name)
        elif why := why_open(thread, self._round, self._rules):
            self._record(name, SKIPPED, why)
        elif self._outbox.is_done(RESOLVE_EFFECT, self._about(name)):
            self._record(name, SKIPPED, "somebody reopened it")

    def _resolve_some(self, ids: list[str]) -> None:
        """Resolve as many as go into a request; those of unknown outcome are looked at, and sent once more."""
        lost = ""
        for _ in range(2):
            ids = self._still_open(ids)
            if not ids:
                return
            for thread_id in ids:
                self._outbox.intend(RESOLVE_EFFECT, self._about(thread_id), self._feedback.pull.head_oid)
            change = self._github.mutate(
                resolve_mutation(len(ids)), {f"t{at:d}": thread_id for at, thread_id in enumerate(ids)}
            )
            if change.refused and not isinstance(change.data.get("data"), dict):
                what = f"refused ({change.refused})"
                raise BatonError(what, self._feedback.pull.url, "see whether this GitHub is too old for it")
            lost = change.lost or "GitHub did not say that it did"
            for at, thread_id in enumerate(ids):
                self._read_mutation_result(thread_id, f"t{at:d}", change.data)
            ids = [thread_id for thread_id in ids if thread_id not in self._outcomes]
        if ids := self._still_open(ids):
            what = f"it is not known whether {', '.join(ids)} will be resolved ({lost})"
            raise BatonError(
                what, self._feedback.pull.url, "call again: each is looked at before anything is sent"
            )

    def _still_open(self, ids: list[str]) -> list[str]:
        """Return the threads that read unresolved and may be resolved; records the outcome of the others."""
        if not ids:
            return []
        nodes = self._github.query(STANDING, {"ids": ids}, holes=True).get("nodes")
        if not isinstance(nodes, list) or len(nodes) != len(ids):
            raise BatonError("not as many threads as were asked for", self._feedback.pull.url, "call again later")
        for name, node in zip(ids, nodes, strict=True):
            if node is None:
                self._record(name, DELETED, "it was deleted meanwhile")
            elif node.get("isResolved") is True:
                self._is_resolved(name)
            elif node.get("viewerCanResolve") is not True:
                self._record(name, SKIPPED, FORBIDDEN)
        return [thread_id for thread_id in ids if thread_id not in self._outcomes]

    def _read_mutation_result(self, name: str, alias: str, answer: Any) -> None:
        """Record the outcome of a mutation for one thread; without one, the thread is left to be looked at."""
        fields = answer if isinstance(answer, dict) else {}
        done = (fields.get("data") or {}).get(alias)
        if isinstance(done, dict) and isinstance(done.get("thread"), dict):
            if done["thread"].get("isResolved") is True:
                self._outbox.end(RESOLVE_EFFECT, self._about(name), name)
                self._record(name, DONE)
            return
        for error in fields.get("errors") or ():
            if error.get("path", [])[:1] == [alias] and error.get("type") == "FORBIDDEN":
                self._outbox.end(RESOLVE_EFFECT, self._about(name), refused=FORBIDDEN)
                self._record(name, SKIPPED, FORBIDDEN)

    def _is_resolved(self, name: str) -> None:
        """Record the outcome of a thread that reads resolved: by this round, or by somebody else."""
        about = self._about(name)
        if self._outbox.is_open(RESOLVE_EFFECT, about):
            self._outbox.end(RESOLVE_EFFECT, about, name)
            self._record(name, DONE)
        else:
            ours = self._outbox.is_done(RESOLVE_EFFECT, about)
            self._record(name, ALREADY_DONE, "" if ours else "somebody resolved it meanwhile")

    def _record(self, name: str, how: str, why: str = "") -> None:
        self._outcomes[name] = EffectOutcome(name, how, why)

    def _about(self, name: str) -> str:
        return f"{self._round} {name}"
