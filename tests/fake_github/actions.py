"""What runs on a repository's commits, what its base is held to, and what is merged: on a real bare repository."""

import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

ACTIONS_APP = 15368
BLANK = "0" * 40
# GitHub starts nothing for a push whose newest commit says so (its docs, "Skipping workflow runs").
SKIPS = re.compile(
    r"\[skip ci\]|\[ci skip\]|\[no ci\]|\[skip actions\]|\[actions skip\]|^skip-checks: *true$", re.I | re.M
)
OLD = "2026-01-02T03:04:05Z"
IDENTITY = ("-c", "user.name=GitHub", "-c", "user.email=noreply@github.com")


def workflow_id(name: str) -> int:
    """Return the id of a workflow, whether it is set up first or run first."""
    return crc32(name.encode())


@dataclass
class Job:
    """A job of a workflow, and the steps and log it leaves."""

    id: int
    name: str
    step: str
    log: str
    conclusion: str | None


@dataclass
class Actions:
    """A repository's branches, and all that is said of its commits; `on_push` is told of each commit pushed."""

    place: Path
    on_push: Callable[[str, str], object] = lambda branch, sha: None
    runs: list[dict[str, Any]] = field(default_factory=list)
    checks: list[dict[str, Any]] = field(default_factory=list)
    statuses: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    jobs: dict[int, Job] = field(default_factory=dict)
    rules: list[dict[str, Any]] = field(default_factory=list)
    classic: list[dict[str, Any]] = field(default_factory=list)
    workflows: list[dict[str, Any]] = field(default_factory=list)
    environments: set[str] = field(default_factory=set)  # that were made, and not deployed to
    deployments: list[dict[str, Any]] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)
    queue: list[int] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)  # rules of other sorts, in the words of GitHub's refusal
    classic_queue: bool = False  # base has a merge queue by classic protection, which no rule in REST tells
    linear: bool = False  # classic protection keeps merge commits off base
    up_to_date: bool = False  # base takes a head alone that has all of it
    has_hooks: bool = False  # hooks look at what is merged, as an Enterprise Server can have
    started: list[dict[str, Any]] = field(default_factory=list)  # workflows by hand, or by a job
    renamed: dict[str, str] = field(default_factory=dict)  # branches, by the name each had
    count: int = 1000

    # What a test says

    def workflow(self, name: str = "CI", state: str = "active") -> None:
        """Set a workflow up."""
        self.workflows.append(
            {"id": workflow_id(name), "name": name, "path": f".github/workflows/{name}.yml", "state": state}
        )

    def run(
        self, sha: str, name: str = "CI", conclusion: str | None = "success", status: str = "completed",
        event: str = "pull_request",
    ) -> int:  # fmt: skip
        """Have a workflow run on a commit; returns its suite."""
        number, suite = self._next(), self._next()
        self.runs.append({
            "id": number, "name": name, "head_sha": sha, "status": status, "event": event, "check_suite_id": suite,
            "conclusion": conclusion if status == "completed" else None, "workflow_id": workflow_id(name),
            "path": f".github/workflows/{name}.yml", "html_url": f"https://github.com/octo/app/actions/runs/{number}",
        })  # fmt: skip
        return suite

    def job(
        self, sha: str, name: str = "test", conclusion: str | None = "success", *, status: str = "completed",
        step: str = "Run tests", log: str = "", suite: int | None = None, app: int = ACTIONS_APP,
        again: bool = True,
    ) -> None:  # fmt: skip
        """Have a job run on a commit, in a run of its own unless its suite is given (0: of no workflow).

        One of that name in that suite has then run again, unless they are two jobs.
        """
        ended = conclusion if status == "completed" else None
        number = self._next()
        if suite is None:
            suite = self.run(sha, f"CI {name}", conclusion, status)
        if again:
            job = (sha, name, suite)
            self.checks = [
                check
                for check in self.checks
                if (check["head_sha"], check["name"], check["check_suite"]["id"]) != job
            ]
        self.jobs[number] = Job(number, name, step, log, ended)
        self.checks.append({
            "id": number, "name": name, "head_sha": sha, "status": status, "conclusion": ended,
            "check_suite": {"id": suite}, "html_url": f"https://github.com/octo/app/runs/{number}",
            "app": {"id": app, "slug": "github-actions" if app == ACTIONS_APP else "other"},
        })  # fmt: skip

    def finish(self, conclusion: str = "success") -> None:
        """End what goes on, and keep what it came to."""
        for run in (*self.runs, *self.checks):
            if run["status"] != "completed":
                run.update(status="completed", conclusion=conclusion)

    def status(
        self, sha: str, context: str, state: str = "success", description: str = "", app: int | None = None
    ) -> None:
        """Post a commit's status, by an app if one is named; REST does not tell it."""
        told = {"id": self._next(), "context": context, "state": state, "description": description, "app": app}
        self.statuses.setdefault(sha, []).insert(0, told)

    def require(self, *names: str, app: int | None = None, classic: bool = False) -> None:
        """Have base require checks, by a ruleset or by classic protection."""
        if classic:
            self.classic += [{"context": name, "app_id": app} for name in names]
            return
        checks = [{"context": name, **({"integration_id": app} if app else {})} for name in names]
        self.rules.append({"type": "required_status_checks", "parameters": {
            "required_status_checks": checks, "strict_required_status_checks_policy": False}})  # fmt: skip

    def deploy(self, sha: str, state: str, environment: str = "staging") -> None:
        """Deploy a commit."""
        told = {"id": self._next(), "sha": sha, "environment": environment, "state": state}
        self.deployments.insert(0, told)

    def _next(self) -> int:
        self.count += 1
        return self.count

    # What git knows

    def git(self, *words: str, code: int | None = 0) -> str:
        """Call git in the bare repository."""
        done = subprocess.run(
            ("git", *IDENTITY, *words), cwd=self.place, capture_output=True, text=True, check=False
        )
        assert code in (None, done.returncode), done.stderr
        return done.stdout.strip() if done.returncode == 0 else ""

    def head(self, branch: str) -> str:
        """Return the commit a branch is at; empty where it is not there."""
        return self.git("rev-parse", "--verify", "--quiet", f"refs/heads/{branch}", code=None)

    def follow(self) -> None:
        """Tell of the commits that were pushed since."""
        for line in self.git(
            "for-each-ref", "--format=%(refname:lstrip=2) %(objectname)", "refs/heads/"
        ).splitlines():
            branch, sha = line.split()
            if (branch, sha) not in self.seen:
                self.seen.add((branch, sha))
                if not SKIPS.search(self.git("log", "-1", "--format=%B", sha)):
                    self.on_push(branch, sha)

    @property
    def has_queue(self) -> bool:
        """Whether base has a merge queue, by either kind of protection."""
        return self.classic_queue or any(rule["type"] == "merge_queue" for rule in self.rules)

    def tree_with(self, base: str, head: str) -> str:
        """Return the tree of a merge; empty where it conflicts."""
        return self.git("merge-tree", "--write-tree", base, head, code=None).partition("\n")[0]

    def merge(self, base: str, head: str, method: str, message: str) -> str:
        """Merge a commit into a branch; returns the commit that was made, empty where it conflicts."""
        before = self.head(base)
        tree = self.tree_with(before, head)
        if not tree:
            return ""
        parents = [before] if method == "squash" else [before, head]
        words = [word for parent in parents for word in ("-p", parent)]
        made = self.git("commit-tree", tree, *words, "-m", message)
        self.git("update-ref", f"refs/heads/{base}", made, before)
        return made
