"""A pull request's feedback in the real client: fixed, pushed, answered and resolved, and then once more."""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Script
from client.feedback import READER, RESOLVER, greedy, orchestrate, reader, resolver
from client.person import PLUGIN, NewDesk, allow, baton, choose, driven, edits_in_trees, git, tell, unasked
from fake_github.hub import Hub
from fake_github.misbehave import Meanwhile
from fake_github.pull_request import PullRequest
from fake_github.state import Thread

pytestmark = pytest.mark.long

CONFIG = "base: main\ncommands: {test: python3 -m unittest -q}\nfeedback: {resolve: all}\n"
LEAVE = "src/forms/leave.py"
TEST = "import unittest\n\n\nclass Forms(unittest.TestCase):\n    def test_there_are_some(self):\n        pass\n"
FORMS, REPORTS = ("login", "reset", "invite"), ("sum", "mean", "count")
FILES = {
    ".baton.yaml": CONFIG,
    ".gitignore": "__pycache__/\n.claude/\n",
    "test_forms.py": TEST,
}
LATER = {
    **{f"src/forms/{name}.py": f"def {name}(email):\n    return email\n" for name in (*FORMS, "leave", "join")},
    "src/forms/signup.py": "def signup(email):\n    assert email\n    return email\n",
    **{f"src/report/{name}.py": "tmp = 1\n" for name in REPORTS},
}
GH = ("GH_CONFIG_DIR", "GH_TOKEN", "GH_NO_UPDATE_NOTIFIER", "GH_PROMPT_DISABLED")


@dataclass(frozen=True)
class Reviewed:
    """A work tree on a pull request's branch, the pull request on the host, and the repository it is pushed to."""

    project: Path
    pull: PullRequest
    remote: Path

    def desk(self, new_desk: NewDesk, *siblings: str, reads: Script = reader) -> Desk:
        """Give a desk from which gh reaches the host, with one resolver for every unit."""
        roles = {"main": orchestrate, READER: reads, RESOLVER: resolver(*siblings)}
        made = new_desk(roles).with_plugin_dir(PLUGIN)
        return replace(made, extra={**made.extra, **{name: os.environ[name] for name in GH}})

    def validate(self, name: str, resolved: bool = False) -> Thread:
        """Have a reviewer ask for a check in a form."""
        body = "Validate that the e-mail is not empty."
        return self.pull.thread(f"src/forms/{name}.py", 2, by="alice", body=body, resolved=resolved)

    def rename(self, name: str) -> Thread:
        """Have a reviewer ask for another name in a report."""
        body = "Rename `tmp`: the name is misleading."
        return self.pull.thread(f"src/report/{name}.py", 1, by="alice", body=body)

    @property
    def pushed(self) -> list[str]:
        """The subjects of what was pushed to the branch, newest first."""
        return git(self.remote, "log", "--format=%s", "main..topic").splitlines()

    def file(self, name: str) -> str:
        """A file as it was pushed."""
        return git(self.remote, "show", f"topic:{name}")


@pytest.fixture
def reviewed(shared_environment: None, project: Path, hub: Hub, tmp_path: Path) -> Reviewed:
    """Return a work tree on its pull request's branch, pushed to where the host sees it."""
    remote = tmp_path / "remote.git"
    git(project, "init", "--quiet", "--bare", str(remote))
    git(project, "config", f"url.{remote}.insteadOf", "https://github.com/octo/app.git")
    git(project, "remote", "add", "origin", "https://github.com/octo/app.git")
    git(project, "config", "user.name", "t")
    git(project, "config", "user.email", "t@example.com")
    commit(project, FILES, "first")
    git(project, "switch", "--quiet", "--create", "topic")
    commit(project, LATER, "forms and reports")
    git(project, "push", "--quiet", "origin", "main", "topic")
    allow(project, edits_in_trees(project))
    for name in ("me", "alice"):
        hub.permit("octo/app", name, "write")
    hub.actor("coderabbitai", "Bot")
    made = Reviewed(project, hub.pull_request("octo/app", 7, author="alice"), remote)
    hub.misbehave(Meanwhile(lambda: follow(made)), times=None)
    follow(made)
    return made


def commit(project: Path, files: dict[str, str], subject: str) -> None:
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    git(project, "add", "--all")
    git(project, "commit", "--quiet", "--message", subject)


def follow(reviewed: Reviewed) -> None:
    """Have the host show as the head what was pushed."""
    reviewed.pull.head_oid = git(reviewed.remote, "rev-parse", "topic").strip()


def assert_settled(*threads: Thread) -> None:
    """See that each thread was answered once, by the viewer, and resolved."""
    assert [[comment.author.login for comment in thread.comments if comment.author] for thread in threads] == (
        [["alice", "me"]] * len(threads)
    )
    assert all(thread.resolved for thread in threads)


def test_six_threads_in_clusters_and_two_comments_take_seven_calls(new_desk: NewDesk, reviewed: Reviewed) -> None:
    threads = [confirmed(reviewed)]
    before = reviewed.validate("signup", resolved=True)
    threads += [*map(reviewed.validate, FORMS[1:]), *map(reviewed.rename, REPORTS)]
    reviewed.pull.comment(by="alice", body="I wonder about the reports.")
    reviewed.pull.comment(by="coderabbitai", body="The change lacks a line in the changelog: add one.")
    assert resolve_all(reviewed.desk(new_desk)) == ["Bash", "Agent", "Bash", *["Agent"] * 3, "Bash"]
    assert_settled(*threads)
    threads.append(reviewed.validate("join"))
    assert resolve_like_them(reviewed.desk(new_desk, LEAVE)) == ["Bash", "Agent"] * 2 + ["Bash"]
    assert_settled(*threads)
    addressed = [one.endswith("(#7)") for one in reviewed.pushed]
    assert (len(before.comments), addressed) == (1, [True, True, False])
    assert "assert email" in reviewed.file(LEAVE)


def test_the_next_agent_is_sent_out_as_soon_as_one_has_ended(new_desk: NewDesk, reviewed: Reviewed) -> None:
    config = CONFIG.replace("{resolve", "{parallel: 2, resolve")
    git(reviewed.project, "switch", "--quiet", "main")
    commit(reviewed.project, {".baton.yaml": config}, "two at a time")
    git(reviewed.project, "push", "--quiet", "origin", "main")
    git(reviewed.project, "switch", "--quiet", "topic")
    threads = [confirmed(reviewed), *map(reviewed.validate, FORMS[1:]), *map(reviewed.rename, REPORTS)]
    reviewed.pull.comment(by="coderabbitai", body="The change lacks a line in the changelog: add one.")
    desk = reviewed.desk(new_desk)
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback 7", "ANSWERED 7 items", "the pull request is at report: verify/clean")
    assert_settled(*threads)
    assert desk.model.calls("main") == ["Bash", "Agent", "Bash", "Agent", "Agent", "Bash", "Agent", "Bash"]


def confirmed(reviewed: Reviewed) -> Thread:
    """Allow what validates the fixes before, in a shell, once the first thread is there; returns that."""
    thread = reviewed.validate(FORMS[0])
    for words in (("pr", "fetch", "7"), ("pr", "plan", "7"), ("answer", "pr-7", "accept")):
        baton(reviewed.project, *words)
    return thread


def resolve_all(desk: Desk) -> list[str]:
    """Resolve the first round. Gives the calls of the conversation."""
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback 7", "ANSWERED 8 items", "the pull request is at report: verify/clean")
    told = told_to(desk, "main")
    assert ("8 new, after 1 that were resolved" in told, "Rename" in told.partition("DO report")[0]) == (
        True,
        False,
    )
    return desk.model.calls("main")


def resolve_like_them(desk: Desk) -> list[str]:
    """Resolve one thread in the place of others that are resolved by now; gives the calls of the conversation."""
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback 7", "src/forms/: the earlier fixes missed places",
             "ANSWERED 1 item", "the pull request is at report: verify/clean")  # fmt: skip
    assert "gate/cross: 1 new, after 7 that were resolved" in told_to(desk, "main")
    assert "<prior-resolutions>" in told_to(desk, RESOLVER)
    return desk.model.calls("main")


@pytest.mark.parametrize("way", ["the skill", "the module"])
def test_a_reader_gets_all_of_a_long_brief_and_no_more(way: str, new_desk: NewDesk, reviewed: Reviewed) -> None:
    thread = confirmed(reviewed)
    reviewed.pull.comment(by="alice", body="这个函数没有检查空值，请改正。\n" * 1_500)
    made = reviewed.desk(new_desk, reads=greedy)
    desk = driven(made) if way == "the module" else made
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback 7", "ANSWERED 2 items", "nothing new is left")
    assert_settled(thread)
    assert [call for call in desk.model.calls(READER) if call != "Bash"] == []


@pytest.mark.quick
def test_only_what_a_url_names_is_settled(new_desk: NewDesk, reviewed: Reviewed) -> None:
    named, other = reviewed.validate("login"), reviewed.rename("sum")
    desk, url = reviewed.desk(new_desk), named.comments[0].url
    with unasked(desk) as terminal:
        tell(terminal, f"/resolve-pr-feedback {url}", "the pull request is at ask: land/commands")
        choose(terminal, "accept", "ANSWERED 1 item", "the pull request is at report")
    assert_settled(named)
    assert (other.resolved, len(other.comments)) == (False, 1)
    assert desk.model.calls("main", "Agent") == ["Agent"]


def test_headless_and_without_hooks_an_answer_in_a_shell_lands_it(new_desk: NewDesk, reviewed: Reviewed) -> None:
    allow_by_rules_alone(reviewed.project)
    threads, desk = [*map(reviewed.rename, REPORTS)], reviewed.desk(new_desk)
    done = desk.headless("/resolve-pr-feedback 7")
    assert "the pull request is at ask: land/commands" in done.out, done
    assert "THEN baton pr plan 7" in baton(reviewed.project, "answer", "pr-7", "accept")
    done = desk.headless("/resolve-pr-feedback 7")
    assert "the pull request is at report: verify/clean" in done.out, done
    assert_settled(*threads)
    calls = [call for call in desk.model.calls("main") if call != "AskUserQuestion"]
    assert calls == ["Bash", "Agent"] + ["Bash"] * 3 + ["Agent", "Bash"]


def allow_by_rules_alone(project: Path) -> None:
    """Write the rules that `init --allow` does, and have no hook allow anything."""
    baton(project, "init", "--allow")
    rules = json.loads((project / ".claude" / "settings.local.json").read_text())["permissions"]["allow"]
    allow(project, *rules, "Bash(baton *)", disableAllHooks=True)


def test_the_permission_mode_is_told_before_an_agent_is_sent_out(new_desk: NewDesk, reviewed: Reviewed) -> None:
    desk = reviewed.desk(new_desk)
    with unasked(desk) as terminal:
        tell(terminal, "/resolve-pr-feedback", "Nothing new is left to do")
    assert "Permission mode default" in desk.model.of("main")[0].talk.news


def told_to(desk: Desk, role: str) -> str:
    """All that the conversations of a role were told."""
    return "\n".join(f"{asked.talk.result}\n{asked.talk.news}" for asked in desk.model.of(role))
