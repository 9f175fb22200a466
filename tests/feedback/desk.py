"""Where replies are posted from: a pull request on the stand-in for GitHub, and the folder its record lies in."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from baton.feedback.fetch.fetch_feedback import fetch_feedback
from baton.feedback.fetch.item import Item, part_id
from baton.feedback.fetch.pull_feedback import PullRequest as Pull
from baton.feedback.land.reply import ItemReply, ReplyPoster
from baton.feedback.land.resolve import ResolveRules
from baton.feedback.store.kept_files import folder_of
from baton.feedback.store.outbox import EffectOutcome, Outbox, open_outbox
from baton.feedback.text.comment_marks import make_mark
from baton.github.address import PullRequestRef
from baton.github.client import GitHub
from baton.journal.journal import Journal
from baton.journal.journal_head import head_of
from baton.journal.paths import Project
from baton.journal.state import State, fold
from fake_github.hub import Hub
from fake_github.pull_request import PullRequest
from fake_github.state import IssueComment, Review, Text, Thread
from feedback.said import ROUND
from feedback.scene import Host

ALL = ResolveRules("all", ("coderabbitai",))


def item_of(said: Thread | Text, part: str = "") -> Item:
    """Give the item something on the pull request is; with `part`, that finding in a review's body."""
    if isinstance(said, Thread):
        return Item(said.id, "review_thread", "new", "", "alice", "trusted", "", "")
    surface = "pr_comment" if isinstance(said, IssueComment) else "review_body"
    item = Item(said.id, surface, "new", "", "alice", "trusted", said.url, said.created_at)
    assert not part or isinstance(said, Review)
    if part:
        return item._replace(
            id=part_id("coderabbitai", "src/a.py", part), surface="review_body_part", review=said.id
        )
    return item


@dataclass
class ReplyDesk(Host):
    """A project's folders, the pull request 7 of octo/app, and how long was waited."""

    project: Project
    hub: Hub
    pull: PullRequest
    waits: list[float]
    known: list[Pull] = field(default_factory=list)

    @contextmanager
    def begun(self, round: str = ROUND) -> Iterator[tuple[ReplyPoster, Outbox]]:
        """Begin a call: open the outbox, and post from it."""
        pull = self.read_pull()
        with open_outbox(self.project, self.journal.parent, "a test") as outbox:
            yield ReplyPoster(self.github, pull, outbox, round), outbox

    @property
    def github(self) -> GitHub:
        return GitHub(self.hub.host, self.project.root, say=lambda line: None)

    def read_pull(self) -> Pull:
        """Give the pull request as a call knows it that read it before."""
        if not self.known:
            place = PullRequestRef(self.hub.host, "octo/app", 7)
            self.known.append(fetch_feedback(self.github, place, lambda pull: 0).pull)
            self.hub.requests.clear()
        return self.known[0]

    def reply(
        self, *items: Item, verdict: str = "fixed", text: str = "Done.", round: str = ROUND
    ) -> list[EffectOutcome]:
        """Answer items, in a call of its own."""
        with self.begun(round) as (posting, _):
            replies = [ItemReply(one, f"{text}\n\n{make_mark(one.id, verdict, round)}") for one in items]
            return [posting.reply([reply])[reply.item.id] for reply in replies]

    def reply_all(
        self, *items: Item, as_review: bool = True, text: str = "Done.", round: str = ROUND
    ) -> list[EffectOutcome]:
        """Answer items together, in a call of its own."""
        with self.begun(round) as (posting, _):
            texts = {one.id: f"{text}\n\n{make_mark(one.id, 'fixed', round)}" for one in items}
            replies = {one.id: ItemReply(one, texts[one.id], one.url) for one in items}
            return list(posting.reply_all(replies, as_review).values())

    def resolve(self, *threads: Thread, rules: ResolveRules = ALL) -> list[EffectOutcome]:
        """Resolve threads, in a call of its own."""
        with self.begun() as (posting, _):
            return posting.resolve([thread.id for thread in threads], rules)

    def land(self, *said: Thread | Text) -> list[EffectOutcome]:
        """Answer all that was said and resolve the threads among it, in one call."""
        with self.begun() as (posting, _):
            items = list(map(item_of, said))
            texts = {one.id: f"Done.\n\n{make_mark(one.id, 'fixed', ROUND)}" for one in items}
            outcomes = [posting.reply([ItemReply(one, texts[one.id])])[one.id] for one in items]
            return outcomes + posting.resolve([one.id for one in said if isinstance(one, Thread)], ALL)

    def forget(self) -> None:
        """Lose the journal; it is kept beside its place."""
        for one in (self.journal, head_of(self.journal)):
            one.rename(one.with_name(f"{one.name}.aside"))

    @property
    def journal(self) -> Path:
        return folder_of(self.project, self.hub.host, "octo/app", 7) / "journal.jsonl"

    @property
    def state(self) -> State:
        return fold(Journal(self.journal).records)


def desk_at(hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch) -> ReplyDesk:
    """Make a pull request where the viewer, alice and bob may push, and somewhere to post from."""
    waits: list[float] = []
    monkeypatch.setattr("baton.github.client.sleep", waits.append)
    root = folder / "project"
    (root / ".git").mkdir(parents=True)
    for name in ("me", "alice", "bob"):
        hub.permit("octo/app", name, "write")
    hub.actor("coderabbitai", "Bot")
    return ReplyDesk(Project(root, root / ".git", root / ".git"), hub, hub.pull_request("octo/app", 7), waits)
