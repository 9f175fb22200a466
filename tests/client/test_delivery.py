"""A story from an issue to merged and deployed, in the real client with the real git and gh."""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script, Step, Talk
from client.actors import Worker, begun, in_turn, judge, marked, plan, report, to_fix
from client.feedback import READER, RESOLVER, reader, resolver
from client.orchestrator import orchestrate
from client.papers import FOREIGN, PASS, PLAN
from client.person import PLUGIN, NewDesk, agents_sent, allow, choose, edits_in_trees, git, tell, unasked
from client.test_feedback import GH
from delivery.scene import REPOSITORY, URL, push_commit
from fake_github.actions import Actions
from fake_github.hub import Hub
from fake_github.pull_request import Inline, PullRequest
from fake_github.state import Issue

pytestmark = pytest.mark.long

CONFIG = "base: main\nintegrate: {mode: merge, quiet_s: 0}\ncommands: {test: python3 -m unittest -q}\n"
ISSUE = "It only adds.\n\n## Acceptance Criteria\n\n- calc.sub(3, 5) is -2\n"
FILES = {
    "calc.py": "def add(a, b):\n    return a + b\n# more\n", ".baton.yaml": CONFIG,
    ".gitignore": "__pycache__/\n.claude/\n",
    "report.py": "tmp = 1\n",
    "test_add.py": "import unittest\n\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        pass\n",
}  # fmt: skip


@dataclass(frozen=True)
class Delivered:
    """A clone of octo/app, whose issue 12 asks for a subtraction."""

    project: Path
    hub: Hub
    actions: Actions

    def desk(self, new_desk: NewDesk, implementer: Script, qa: Script, planner: Script | None = None) -> Desk:
        """Give a desk from which gh reaches the host, with these agents beside a planner and a resolver."""
        allow(self.project, edits_in_trees(self.project))
        agents = {"planner": planner or plan(PLAN), "implementer": implementer, "qa": qa}
        others = {"main": orchestrate, READER: reader, RESOLVER: resolver()}
        made = new_desk({**others, **marked(agents)}).with_plugin_dir(PLUGIN)
        extra = {**{name: os.environ[name] for name in GH}, "PYTHONDONTWRITEBYTECODE": "1"}
        return replace(made, extra={**made.extra, **extra})

    @property
    def pull(self) -> PullRequest:
        (one,) = self.hub.repository(REPOSITORY).pull_requests.values()
        return one

    def on_story(self, *acts: object) -> None:
        """Do something for each commit that is pushed to the story's branch, in turn; deploy what reaches base."""
        left = iter(acts)

        def pushed(branch: str, sha: str) -> None:
            if branch == "main":
                self.actions.deploy(sha, "success")
            elif branch.startswith("story/"):
                next(left)(sha)  # type: ignore[operator]

        self.actions.on_push = pushed


@pytest.fixture
def delivered(shared_environment: None, project: Path, hub: Hub, tmp_path: Path) -> Delivered:
    """Return a clone whose base is pushed and green, and the issue."""
    remote = tmp_path / "remote.git"
    actions = hub.serve(REPOSITORY, remote)
    git(project, "init", "--quiet", "--bare", "--initial-branch", "main", str(remote))
    git(project, "config", f"url.{remote}.insteadOf", f"{URL}.git")
    git(project, "remote", "add", "origin", f"{URL}.git")
    git(project, "config", "user.name", "t")
    git(project, "config", "user.email", "t@example.com")
    for name, text in FILES.items():
        (project / name).write_text(text)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", "first")
    git(project, "push", "--quiet", "origin", "main")
    for name in ("me", "alice"):
        hub.permit(REPOSITORY, name, "write")
    hub.actor("coderabbitai", "Bot")
    hub.repository(REPOSITORY).issues[12] = Issue("Subtract", ISSUE, hub.actor("alice"))
    actions.seen.add(("main", actions.head("main")))
    actions.job(actions.head("main"))
    return Delivered(project, hub, actions)


def test_an_issue_becomes_a_merged_and_deployed_pull_request(new_desk: NewDesk, delivered: Delivered) -> None:
    delivered.on_story(delivered.actions.job)
    desk = delivered.desk(new_desk, Worker().whole(), judge(PASS))
    with unasked(desk) as terminal:
        tell(terminal, "/implement #12", "the story is at ask: start/commands")
        choose(terminal, "accept", "the story is at complete")
    assert agents_sent(delivered.project, "1") == ["planner", "implementer", "qa"]
    assert delivered.pull.state == "MERGED"
    assert "Closes #12" in delivered.pull.body
    assert len(delivered.hub.repository(REPOSITORY).issue_comments[12]) == 2
    assert delivered.actions.head("main") == git(delivered.project, "rev-parse", "main").strip()
    assert "def sub" in (delivered.project / "calc.py").read_text()


def mend(worker: Worker) -> Script:
    """Read what failed on GitHub, and let the test do without it."""

    def run(talk: Talk) -> Iterator[Step]:
        worker.tree = yield from begun(talk)
        assert "##[error]no such time zone" in to_fix(talk), talk.result
        yield from worker.show()
        yield from report(talk)

    return run


def through_red_checks_a_review_and_a_conflict(new_desk: NewDesk, delivered: Delivered) -> Desk:
    """Give a desk for a story that GitHub holds up in three ways."""
    actions, worker = delivered.actions, Worker()
    log = "##[error]no such time zone\n"

    def reviewed(sha: str) -> None:
        actions.job(sha)
        bot = delivered.hub.actor("coderabbitai", "Bot")
        inline = Inline("report.py", 1, "_⚠️ Potential issue_\n\n**Rename `tmp`: the name is misleading.**")
        delivered.pull.review(by=bot, threads=[inline])

    def conflicting(sha: str) -> None:
        actions.job(sha)
        push_commit(actions, "main", {"calc.py": FILES["calc.py"].replace("# more", FOREIGN)})

    delivered.on_story(
        lambda sha: actions.job(sha, conclusion="failure", log=log),
        reviewed,
        conflicting,
        actions.job,
        actions.job,
    )
    return delivered.desk(new_desk, in_turn(worker.whole(), mend(worker), worker.resolve), judge(PASS))


def assert_delivered(delivered: Delivered) -> None:
    """See that it was fixed, reviewed, merged with base and at last on GitHub."""
    sent = ["planner", "implementer", "qa", "implementer", "qa", "qa", "implementer", "qa"]
    assert (agents_sent(delivered.project, "1"), delivered.pull.state) == (sent, "MERGED")
    assert all(thread.resolved for thread in delivered.pull.threads)


def test_red_checks_a_bots_review_and_a_conflict_hold_nothing_up(new_desk: NewDesk, delivered: Delivered) -> None:
    with unasked(through_red_checks_a_review_and_a_conflict(new_desk, delivered)) as terminal:
        tell(terminal, "/implement #12", "the story is at ask: start/commands")
        choose(terminal, "accept", "the story is at complete")
    assert_delivered(delivered)


def test_a_conversation_at_rest_is_woken_when_checks_have_ended(new_desk: NewDesk, delivered: Delivered) -> None:
    actions = delivered.actions
    delivered.on_story(lambda sha: actions.job(sha, status="in_progress"))
    desk = delivered.desk(new_desk, Worker().whole(), judge(PASS))
    with unasked(desk) as terminal:
        tell(terminal, "/implement #12", "the story is at ask: start/commands")
        choose(terminal, "accept", "the story is at wait")
        actions.checks.pop()
        actions.runs.pop()
        actions.job(delivered.pull.head_oid)
        terminal.wait_for(lambda: terminal.shows("the story is at complete"))
    assert delivered.pull.state == "MERGED"
