"""Where a story is delivered: a clone, the bare repository it is pushed to, and what runs there."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from baton.journal.events import IntegrationStepDone
from baton.journal.journal import Journal
from bench import Bench, file_lines
from fake_github.actions import Actions
from fake_github.hub import Hub
from fake_github.pull_request import PullRequest
from fake_github.request import Request
from fake_github.state import Issue
from scenes import pass_qa

REPOSITORY = "octo/app"
STORY = "story/42-subtract-numbers"
OF_ISSUE = "story/1-subtract-numbers"
ISSUE = Issue("Subtract numbers", "## Acceptance Criteria\n\n- sub(3, 2) is 1\n- a test shows it\n", None)
URL = f"https://github.com/{REPOSITORY}"


@dataclass
class DeliveryScene:
    """A story in a clone of octo/app, where the viewer may push."""

    bench: Bench
    hub: Hub
    actions: Actions
    clock: list[float] = field(default_factory=lambda: [0.0])
    story: str = STORY
    theirs: set[str] = field(default_factory=set)  # what others brought to base

    def deliver(self) -> Any:
        """Take the story as far as it goes, once QA has passed it; gives that step."""
        self.pass_qa()
        return self.bench.next()

    def pass_qa(self) -> None:
        """Have QA pass the story, unless it has."""
        if self.bench.state.stage == "running":
            pass_qa(self.bench)

    def next(self) -> Any:
        return self.bench.next()

    def later(self, seconds: float) -> None:
        """Let time pass."""
        self.clock[0] += seconds

    def answer(self, option: str) -> Any:
        return self.bench.answer(option)

    def on_push(self, act: Callable[[str], object]) -> None:
        """Do something for each commit that is pushed to the story's branch."""
        self.actions.on_push = lambda branch, sha: act(sha) if branch == self.story else None

    def begin_job(self, sha: str) -> None:
        """Have a job begin on a commit."""
        self.actions.job(sha, status="in_progress")

    def settle(self, settings: str) -> None:
        """Commit more settings on main, and push it."""
        self.bench.settle("", settings)
        self.bench.git("push", "--quiet", "origin", "main")
        self.actions.seen.add(("main", self.base))

    @property
    def pulls(self) -> list[PullRequest]:
        return list(self.hub.repository(REPOSITORY).pull_requests.values())

    @property
    def pull(self) -> PullRequest:
        (one,) = self.pulls
        one.follow()
        return one

    @property
    def head(self) -> str:
        """What the story's branch is at, on the remote."""
        return self.actions.head(self.story)

    @property
    def base(self) -> str:
        return self.actions.head("main")

    @property
    def changes(self) -> list[Request]:
        """What was sent that changes something."""
        return [request for request in self.hub.requests if request.changes_something]

    @property
    def merges(self) -> int:
        """How often base was merged to, by the commits it has."""
        title = f"story {self.bench.id}: "
        return int(self.actions.git("rev-list", "--count", "--first-parent", "--grep", title, "main"))

    def turn_queue(self) -> None:
        """Have base's merge queue merge what is in it."""
        for pull in self.pulls:
            if pull.number in self.actions.queue:
                pull.merge_commit = self.actions.merge(pull.base, pull.head_oid, "squash", pull.title)
                pull.state = "MERGED"
        self.actions.queue.clear()

    def open_issue(self, repository: str = REPOSITORY) -> None:
        """Have the issue 12, by somebody who is trusted."""
        self.hub.permit(repository, "me", "write")
        self.hub.repository(repository).issues[12] = ISSUE._replace(author=self.hub.actor("me"))

    @property
    def said(self) -> list[str]:
        """What was said on the issue the story came from."""
        return [comment.body for comment in self.hub.repository(REPOSITORY).issue_comments.get(12, [])]

    @property
    def steps(self) -> list[IntegrationStepDone]:
        """The steps of the integration that are journalled, in order."""
        return [event for event in self.bench.state.events if isinstance(event, IntegrationStepDone)]

    @property
    def rules(self) -> list[str]:
        return [step.rule for step in self.steps]

    def fork(self) -> None:
        """Have the viewer push to a fork of theirs, and no longer to the repository itself."""
        mine, place = "me/app", self.actions.place.with_name("fork.git")
        self.bench.git("init", "--quiet", "--bare", str(place))
        self.bench.git("remote", "add", "fork", f"https://github.com/{mine}.git")
        self.bench.git("config", f"url.{place}.insteadOf", f"https://github.com/{mine}.git")
        self.bench.git("config", "remote.pushDefault", "fork")
        self.bench.git("config", "remote.origin.gh-resolved", "base")
        self.hub.serve(mine, place).on_push = lambda branch, sha: self.actions.job(sha)
        self.hub.permit(REPOSITORY, "me", "read")

    def push(self, files: dict[str, str], branch: str = "main") -> str:
        """Push a commit of somebody else's to a branch of the remote; gives it."""
        commit = push_commit(self.actions, branch, files)
        self.theirs |= {commit} if branch == "main" else set()
        return commit


def push_commit(actions: Actions, branch: str, files: dict[str, str]) -> str:
    """Commit files on a branch of the remote as somebody else; gives the commit."""
    Bench(actions.place).commit_lines(branch, *file_lines(files))
    return actions.head(branch)


def _stamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def make_scene(
    bench: Bench, hub: Hub, remote: Path, mode: str, settings: str, monkeypatch: pytest.MonkeyPatch
) -> DeliveryScene:
    """Give a clone of octo/app, which is at `remote`: pushed, and its checks green unless a test says else."""
    bench.git("init", "--quiet", "--bare", str(remote))
    bench.git("remote", "add", "origin", f"{URL}.git")
    bench.git("config", f"url.{remote}.insteadOf", f"{URL}.git")
    bench.settle("mode: local", f"mode: {mode}, {settings}")
    bench.git("push", "--quiet", "origin", "main")
    return attach_scene(bench, hub, remote, monkeypatch)


def attach_scene(
    bench: Bench, hub: Hub, remote: Path, monkeypatch: pytest.MonkeyPatch, story: str = STORY, ago: float = 0
) -> DeliveryScene:
    """Give a clone of octo/app that was made before, on another host; its time is that of so many seconds ago."""
    scene = DeliveryScene(bench, hub, hub.serve(REPOSITORY, remote), [-ago], story)
    scene.actions.place = remote
    moved = scene.clock

    def clock() -> float:
        return time.time() + moved[0]

    monkeypatch.setattr("baton.github.client.sleep", lambda seconds: None)
    for module in ("merge", "delivery_session"):
        monkeypatch.setattr(f"baton.delivery.{module}.time", clock)
    monkeypatch.setattr(Journal.__init__, "__defaults__", (lambda: _stamp(clock()),))
    hub.permit(REPOSITORY, "me", "write")
    scene.actions.seen.add(("main", scene.base))
    scene.on_push(scene.actions.job)
    return scene


def make_issue_scene(
    bench: Bench, hub: Hub, remote: Path, mode: str, settings: str, monkeypatch: pytest.MonkeyPatch,
    more: str = "", repository: str = REPOSITORY,
) -> DeliveryScene:  # fmt: skip
    """Give a story that was made of the issue 12, with more settings, which QA is about to pass."""
    made = make_scene(bench, hub, remote, mode, settings, monkeypatch)
    scene = replace(made, bench=Bench(bench.root, "1"), story=OF_ISSUE)
    if more:
        scene.settle(more)
    scene.open_issue(repository)
    scene.on_push(scene.actions.job)
    issue = f"https://github.com/{repository}/issues/12\n"
    assert scene.bench.baton("start", "-", stdin=issue).code == 0
    scene.bench.answer("accept")
    scene.bench.plan()
    scene.bench.implement()
    return scene
