"""A round being landed, held against the pull request as it is now: its verdicts, its replies, what is left."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from baton.artifacts.resolver_result import ItemResult, ResolverResult, read_result
from baton.errors import BatonError
from baton.feedback.fetch.item import Item
from baton.feedback.fetch.pull_feedback import PullRequest
from baton.feedback.land.reply import CHANGED_SINCE, ItemReply, body_of, group_by_comment
from baton.feedback.land.resolve import ResolveRules, why_not_ours
from baton.feedback.land.review import is_rounds_draft
from baton.feedback.plan.head_commands import keeps_home
from baton.feedback.plan.pull_head import fetch_head, push_place
from baton.feedback.plan.round import Round
from baton.feedback.plan.unit_work import UnitWork, combine_work
from baton.feedback.record.fetch_pull import Snapshot, fetch_pull_request
from baton.feedback.record.record import with_kept_readings
from baton.feedback.store.kept_files import owner_of
from baton.feedback.store.questions import Answers
from baton.feedback.text.comment_marks import CLOSING, make_mark
from baton.feedback.text.excerpt import excerpt
from baton.feedback.text.outgoing import MOST_QUOTED, reply_faults, reply_part, round_message
from baton.git.command import Git
from baton.git.paper_trees import changes_between
from baton.github.address import PullRequestRef
from baton.journal.paths import Project
from baton.rules.engine import decide, may_decide
from baton.rules.facts import FetchFacts, LandFacts
from baton.rules.pages import table_of
from baton.story.run.begin_run import trees_of
from baton.text import quoted

COMMIT = "COMMIT"  # stands for the one that is not made yet


@dataclass(frozen=True)
class LandContext:
    """A round that is being landed: what was handed in, and the pull request as it reads now."""

    project: Project
    folder: Path
    round: Round
    taken: Mapping[str, UnitWork]
    results: Mapping[str, ResolverResult]
    fetched: Snapshot
    answers: Answers

    @property
    def git(self) -> Git:
        return Git(self.project)

    @property
    def pull(self) -> PullRequest:
        """The pull request as it is now."""
        return self.fetched.record.pull

    @property
    def verdicts(self) -> list[ItemResult]:
        """The verdict on each item."""
        return [verdict for result in self.results.values() for verdict in result.results]

    @cached_property
    def changes(self) -> dict[str, frozenset[str]]:
        """The files each unit changed."""
        return {
            name: frozenset(changes_between(self.git, work.base, work.tree)) for name, work in self.taken.items()
        }

    @property
    def changed(self) -> frozenset[str]:
        """The files that were changed."""
        return frozenset[str]().union(*self.changes.values())

    @property
    def message(self) -> str:
        """The message of the round's commit."""
        return round_message(self.round.number, self.verdicts, self.round.id)

    @property
    def home(self) -> Path | None:
        """The empty home folder of a stranger's code; None where commands and hooks see the user's own."""
        seen = keeps_home(self.answers, self.pull, self.fetched.config)
        return None if seen else empty_home(self.project, self.folder, self.round)

    @property
    def rules(self) -> ResolveRules:
        """The rules for which threads may be resolved."""
        return ResolveRules(self.fetched.config.resolve, self.fetched.config.bots, self.round.heard, self.silent)

    @cached_property
    def items(self) -> dict[str, Item]:
        """The items as they read now; none that is gone, or was resolved."""
        return {item.id: item for item in self.fetched.record.items}

    @cached_property
    def left(self) -> dict[str, str]:
        """The items that are not settled, each with why: it changed, or its reply may not be posted."""
        reasons = {verdict.feedback_id: self._why_left(verdict) for verdict in self.verdicts}
        return {name: why for name, why in reasons.items() if why}

    def _why_left(self, verdict: ItemResult) -> str:
        item = self.items.get(verdict.feedback_id)
        if item is None and verdict.asks_nothing and verdict.feedback_id in self.answers.kept.ignored:
            return ""  # an earlier call that was cut short resolved it
        if item is None or item.version not in self.round.item_versions:
            return CHANGED_SINCE
        faults = () if verdict.asks_nothing else reply_faults(verdict.reply_text)
        return next((f"its reply is not posted: {fault.message}" for fault in faults), "")

    @property
    def silent(self) -> dict[str, str]:
        """The items that ask for nothing, each with the time of its last change; empty for one that is gone."""
        settled = (verdict.feedback_id for verdict in self._settled if verdict.asks_nothing)
        return {name: self.items[name].at if name in self.items else "" for name in settled}

    def replies_to_post(self, commit: str) -> dict[str, ItemReply]:
        """Return the replies to post, by item, in the order of the items; a fix names the commit."""
        verdicts = {verdict.feedback_id: verdict for verdict in self._settled if not verdict.asks_nothing}
        answered = (item for item in self.items.values() if item.id in verdicts)
        return {item.id: self._reply(item, verdicts[item.id], commit) for item in answered}

    @property
    def _settled(self) -> Iterator[ItemResult]:
        return (verdict for verdict in self.verdicts if verdict.feedback_id not in self.left)

    def _reply(self, item: Item, verdict: ItemResult, commit: str) -> ItemReply:
        """Return the reply to an item; outside of threads, it quotes the item."""
        text, marker = verdict.reply_text, make_mark(item.id, verdict.verdict, self.round.id, item.heard)
        commit = commit if verdict.fixes else ""
        if item.surface == "review_thread":
            return ItemReply(item, reply_part(text, marker, commit=commit))
        quote = item.title or excerpt(item.text, MOST_QUOTED)
        return ItemReply(item, reply_part(text, marker, quote, item.place, commit), item.url)


def empty_home(project: Project, folder: Path, round: Round) -> Path:
    """Return the path of the empty home folder."""
    return trees_of(project, owner_of(folder)) / f"home-{round.id}"


def open_landing(project: Project, folder: Path, round: Round, taken: Mapping[str, UnitWork]) -> LandContext:
    """Read the pull request anew and hold the round against it; a BatonError where nothing can be landed."""
    host, repository = folder.parts[-4], "/".join(folder.parts[-3:-1])
    fetched = fetch_pull_request(project, PullRequestRef(host, repository, round.number))
    fetched = fetched._replace(record=with_kept_readings(project, fetched.record, edited=True))
    pull, review = fetched.record.pull, fetched.record.pending_review
    if review and is_rounds_draft(fetched.feedback, review, round.id):
        review = None  # a call that was cut short left it
    values, facts = {"review": review and review.url, "state": pull.state.lower()}, LandFacts(pull.state != "OPEN")
    in_the_way = may_decide(table_of("feedback-fetch"), FetchFacts(bool(review)), values)
    decision = in_the_way or decide(table_of("feedback-land"), facts, values)
    if decision.action == "refuse":
        raise BatonError(f"{decision.rule}: {decision.reason}", pull.url, "settle that on GitHub, then call again")
    results = {name: read_result(json.dumps(work.result)) for name, work in taken.items()}
    return LandContext(project, folder, round, taken, results, fetched, Answers(project, folder))


def preview_landing(landing: LandContext) -> Iterator[str]:
    """Say exactly what landing would commit, push, post and resolve; nothing is changed."""
    yield "DO look: this is what would be done; nothing was"
    if landing.changed:
        fetch_head(landing.git, landing.pull)
        combined = combine_work(landing.git, landing.pull.head_oid, landing.taken)
        yield from (f"AGAIN {unit}: it does not apply any more" for unit in combined.conflicts)
        names = changes_between(landing.git, landing.pull.head_oid, combined.tree)
        yield f"COMMIT {', '.join(map(repr, sorted(names)))}"
        yield quoted("message", landing.message)
        yield f"PUSH to {push_place(landing.git, landing.pull)}, {landing.pull.target}"
    yield from _answers(landing)


def _answers(landing: LandContext) -> Iterator[str]:
    """Say what would be posted and resolved, and what would not."""
    replies = landing.replies_to_post(COMMIT if landing.changed else "")
    verdicts = {verdict.feedback_id: verdict.verdict for verdict in landing.verdicts}
    for group in group_by_comment(replies.values()):
        to = ", ".join(f"{reply.item.id} ({verdicts[reply.item.id]})" for reply in group)
        yield quoted(f"REPLY to {to}", body_of(group))
    yield from (f"NO REPLY to {name}: it asks for nothing" for name in landing.silent)
    threads = {thread.id: thread for thread in landing.fetched.feedback.threads}
    for name in closing_threads(landing, {*replies, *landing.silent}):
        why = why_not_ours(threads[name], landing.rules)
        yield f"LEAVE {name} open: {why}" if why else f"RESOLVE {name}"
    yield from (f"SKIP {name}: {why}" for name, why in landing.left.items())


def closing_threads(landing: LandContext, settled: Collection[str]) -> list[str]:
    """Return the threads whose verdict closes them; those that an earlier call resolved are no items any more."""
    threads = {thread.id for thread in landing.fetched.feedback.threads}.intersection(settled)
    return [
        verdict.feedback_id
        for verdict in landing.verdicts
        if verdict.verdict in CLOSING and verdict.feedback_id in threads
    ]
