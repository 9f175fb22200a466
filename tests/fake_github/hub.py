"""A stand-in for a GitHub host: tests say what is on it, the real gh talks to it."""

import hashlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from .actions import Actions
from .identity import Ids
from .misbehave import Fault, Misbehavior
from .pull_request import PullRequest, Who
from .request import Request
from .state import Actor, Edit, IssueComment, Permission, Remark, Repository, Text

START = datetime(2026, 1, 5, 10, 0, tzinfo=UTC)
STEP = timedelta(minutes=1)
ACTOR_IDS = {"User": "U", "Bot": "BOT", "Mannequin": "M", "Organization": "O"}
LEVELS = ("admin", "maintain", "write", "triage", "read", "none")


class Hub:
    """The state of one host and the requests it was sent; `token` is the one it knows, `viewer` whose it is."""

    def __init__(self, host: str = "github.com") -> None:
        self.host = host
        self.token = "hub-token"
        self.reads_only = "read-token"  # another token it knows, of a job that may change nothing
        self.ids = Ids()
        self.now = START
        self.nodes: dict[str, Any] = {}
        self.actors: dict[tuple[str, bool], Actor] = {}
        self.repositories: dict[str, Repository] = {}
        self.requests: list[Request] = []
        self.faults: list[Misbehavior] = []
        self.unmodeled: list[str] = []
        self.lock = threading.RLock()
        self.closing = threading.Event()
        self.viewer = self.actor("me")

    @property
    def api_host(self) -> str:
        return "api.github.com" if self.host == "github.com" else self.host

    @property
    def api_path(self) -> str:
        return "" if self.host == "github.com" else "/api/v3"

    @property
    def graphql_path(self) -> str:
        return "/graphql" if self.host == "github.com" else "/api/graphql"

    def tick(self) -> str:
        """Let one step of time pass; gives the time then."""
        self.now += STEP
        return self.now.strftime("%Y-%m-%dT%H:%M:%SZ")

    def oid(self, of: str) -> str:
        """Give the commit that a name stands for, the same each time."""
        return hashlib.sha1(of.encode()).hexdigest()

    def actor(self, login: str, kind: str = "User") -> Actor:
        """Give the actor of a name, a new one if need be; a Bot and a User may share theirs."""
        key = (login.lower(), kind == "Bot")
        if key not in self.actors:
            prefix = ACTOR_IDS[kind]
            number = self.ids.next("actor")
            made = Actor(self.ids.make(prefix, number), number, login, kind)
            self.actors[key] = self.nodes[made.id] = made
        assert self.actors[key].kind == kind, f"{login} is a {self.actors[key].kind}"
        return self.actors[key]

    def who(self, name: Who) -> Actor | None:
        """Give who is meant: a name that was made known, or a new user's; None is a deleted account."""
        if not isinstance(name, str):
            return name
        known = [one for (login, _), one in self.actors.items() if login == name.lower()]
        assert len(known) < 2, f"{name} is a user and a bot: say which by its Actor"
        return known[0] if known else self.actor(name)

    def repository(self, full_name: str) -> Repository:
        """Give the repository of a name, a new one if need be."""
        if full_name.lower() not in self.repositories:
            owner, name = full_name.split("/")
            number = self.ids.next("R")
            made = Repository(self.ids.make("R", number), number, self.actor(owner), name, self)
            self.repositories[full_name.lower()] = self.nodes[made.id] = made
        return self.repositories[full_name.lower()]

    def permit(self, repository: str, who: str | Actor, level: str | int) -> None:
        """Set what an actor may do; a number instead: that error answers who asks, and nothing is allowed."""
        assert level in LEVELS or isinstance(level, int), level
        actor = self.who(who)
        assert actor
        given = Permission(level) if isinstance(level, str) else Permission("none", level)
        self.repository(repository).permissions[actor.id] = given

    def let_bypass(self, repository: str, who: Who) -> None:
        """Have the rules of base hold somebody no longer, as the owner or those on a rule's list."""
        actor = self.who(who)
        assert actor
        self.repository(repository).bypassers.add(actor)

    def pull_request(
        self, repository: str, number: int, *, author: Who = "alice", head: str = "topic", base: str = "main",
        fork: str | None = None, fork_deleted: bool = False, head_oid: str | None = None, **options: Any,
    ) -> PullRequest:  # fmt: skip
        """Open a pull request, from a fork if one is named."""
        here = self.repository(repository)
        database = self.ids.next("PR")
        made = PullRequest(
            id=self.ids.make("PR", here.number, database), number=number, database_id=database, in_repository=here,
            author=self.who(author), created_at=self.tick(), head=head, base=base,
            head_oid=head_oid or self.oid(f"{repository}#{number}"),
            head_repository=None if fork_deleted else self.repository(fork) if fork else here,
            **{"title": f"Pull request {number}", "body": "", **options},
        )  # fmt: skip
        here.pull_requests[number] = self.nodes[made.id] = made
        return made

    def serve(self, repository: str, place: Path) -> Actions:
        """Keep a repository in git, at a bare one; returns what runs on it."""
        here = self.repository(repository)
        here.actions = here.actions or Actions(place)
        return here.actions

    def follow(self) -> None:
        """See what was pushed since."""
        for here in self.repositories.values():
            for pull in here.pull_requests.values():
                pull.follow()
            if here.actions:
                here.actions.follow()

    def comment(self, repository: str, number: int, *, by: Who, body: str) -> Remark | IssueComment:
        """Say something on an issue, or on a pull request as a whole."""
        here = self.repository(repository)
        if pull := here.pull_requests.get(number):
            return pull.comment(by=by, body=body)
        comment = self.ids.next("IC")
        place = f"https://{self.host}/{here.full_name}/issues/{number}#issuecomment-{comment}"
        made = Remark(comment, self.who(by), body, self.tick(), place)
        here.issue_comments.setdefault(number, []).append(made)
        return made

    def edit(self, text: Text | Remark, *, by: Who, body: str) -> None:
        """Change a text that was written before."""
        text.edits.append(Edit(self.who(by), self.tick()))
        text.body = body

    def edit_issue(self, repository: str, number: int, *, by: Who, **changes: Any) -> None:
        """Change an issue, its body or title say."""
        issues = self.repository(repository).issues
        at = self.tick()
        issues[number] = issues[number]._replace(updated_at=at, **changes)
        if "body" in changes:
            issues[number] = issues[number]._replace(edit=Edit(self.who(by), at))

    def misbehave(
        self, fault: Fault, *, times: int | None = 1, after: int = 0,
        when: Callable[[Request], bool] = lambda request: True,
    ) -> None:  # fmt: skip
        """Let requests that fit go wrong: the first `after` are spared, then `times` are met (None: all)."""
        self.faults.append(Misbehavior(fault, times, after, when))
