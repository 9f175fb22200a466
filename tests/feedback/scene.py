"""A pull request to land: on the stand-in for GitHub, in a clone, with a bare repository to push to."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from baton.errors import BatonError
from baton.feedback.text.comment_marks import marks_in
from bench import Bench, CallResult, call
from fake_github.hub import Hub
from fake_github.misbehave import Fault, Meanwhile
from fake_github.pull_request import PullRequest
from fake_github.request import Request
from fake_github.state import Text, Thread
from feedback.reader_double import READER, Script, read_by_script
from programs import write_program

PLAIN = "base: main\nintegrate: {mode: local}\nfeedback: {resolve: all}\n"
WITH_TEST = f"{PLAIN}commands: {{test: sh tools/test.sh}}\n"
FILES = {"src/a.py": "a = 1\n", "src/b.py": "b = 1\n", "lib/c.py": "c = 1\n"}
TOPIC = "refs/heads/topic"
GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
# What is committed of a fix that `result` tells of.
SUBJECT = "use a better name (#7)"


def result(item: str, verdict: str = "replied", *files: str, **more: Any) -> dict[str, Any]:
    """Give a resolver's verdict on an item."""
    change = {"change": "use a better name"} if verdict.startswith("fixed") else {}
    return {
        "feedback_id": item, "feedback_type": "review_thread", "verdict": verdict, "reply_text": "Looked at it.",
        "reason": "it was misleading", "files_changed": list(files), **change, **more,
    }  # fmt: skip


class Host:
    """What there is to see on a host."""

    hub: Hub

    @property
    def changes(self) -> list[Request]:
        """What was sent that changes something."""
        return [request for request in self.hub.requests if request.changes_something]

    @property
    def replies(self) -> list[str]:
        """The ids of the items that were answered on the host, once for each answer of the viewer."""
        told = (node for node in self.hub.nodes.values() if isinstance(node, Text) and not node.deleted)
        own = (one for one in told if one.author is self.hub.viewer)
        return sorted(found.item for one in own for found in marks_in(one.body))


@dataclass
class PullScene(Host):
    """A clone whose head is that of the pull request 7; what is pushed to `remote` is its head on the host."""

    bench: Bench
    hub: Hub
    pull: PullRequest
    remote: Path
    planned: dict[str, Any] = field(default_factory=dict)
    script: Script = field(default_factory=dict)  # what a reader says of texts, by words in them
    waits: list[float] = field(default_factory=list)

    def fetch(self, *words: str) -> CallResult:
        """Read the pull request."""
        return self.bench.baton("pr", "fetch", *(words or ("7",)))

    def read(self, *words: str) -> Any:
        """Read the pull request, as data."""
        return self.fetch(*(words or ("7",)), "--json").json

    def show(self, *words: str) -> CallResult:
        """Call `pr show`."""
        return self.bench.baton("pr", "show", *words)

    def plan(self, *words: str, stdin: str = "", fetch: str = "7") -> Any:
        """Read the pull request, unless `fetch` is empty, and plan a round; gives what was planned."""
        assert not fetch or self.fetch(fetch).code == 0
        self.planned = self.bench.baton("pr", "plan", "--json", *words, stdin=stdin).json
        while (rule := self.planned.get("rule")) in ("read/texts", "land/commands"):
            if rule == "land/commands":
                assert self.bench.baton("answer", "pr-7", "accept").code == 0
            else:
                self.be_readers(*self.units)
            self.planned = self.bench.baton("pr", "plan", "--json").json
        return self.planned

    def replan(self) -> Any:
        """Plan once more, without reading anew; gives what was planned."""
        self.planned = self.bench.baton("pr", "plan", "7", "--json").json
        return self.planned

    def answer(self, option: str, *words: str) -> CallResult:
        """Answer what is asked of the pull request."""
        said = self.bench.baton("answer", "pr-7", option, *words)
        assert said.code == 0, said
        return said

    @property
    def planned_items(self) -> list[str]:
        """The items of all units that were planned."""
        return [item for unit in self.planned["units"] for item in unit["items"]]

    @property
    def briefs(self) -> str:
        """The briefs of the units that are to be started."""
        return "".join(Path(one["brief"]).read_text(encoding="utf-8") for one in self.planned["spawn"])

    def be_readers(self, *names: str) -> None:
        """Be the readers of these names, by the script."""
        for name in names:
            read_by_script(self.bench, name, self.script)

    @property
    def units(self) -> list[str]:
        """The units that are to be started."""
        return [one["unit"] for one in self.planned["spawn"]]

    def hand_in(self, unit: str, *results: dict[str, Any], **more: Any) -> CallResult:
        """Hand a unit's result in, from its work tree."""
        text = json.dumps({"unit": unit, "results": results, **more})
        words = ("hand-in", "pr-7", "resolver-result", "--run", unit)
        return call("--project", str(self.tree(unit).root), *words, stdin=text)

    def tree(self, unit: str) -> Bench:
        """Return the work tree of a unit, which is begun there unless it was."""
        return begun(self.bench, unit)

    def edit(self, item: str, files: Mapping[str, str]) -> None:
        """Write files into the work tree of the unit an item is in."""
        self.tree(self.unit_of(item)).write(files)

    def unit_of(self, item: str) -> str:
        """Give the unit an item is in."""
        units: list[dict[str, Any]] = self.planned["units"]
        return next(str(unit["id"]) for unit in units if item in unit["items"])

    def settle(self, *results: dict[str, Any]) -> None:
        """Be each resolver, as they are started: hand in a verdict on each item."""
        verdicts = {result["feedback_id"]: result for result in results}
        left, out = {one["id"]: one for one in self.planned["units"]}, self.units
        while left:
            for unit in map(left.pop, out):
                made = [verdicts[one] for one in unit["items"]]
                said = self.hand_in(unit["id"], *made, **assessed(unit))
                assert said.code == 0, said.out + said.err
            out = started(self.land()) if left else []

    def land(self, *words: str) -> CallResult:
        """Land, once; what is to be read at its end is read."""
        said = self.bench.baton("pr", "land", *words)
        while names := READER.findall(said.out):
            self.be_readers(*names)
            said = self.bench.baton("pr", "land")
        return said

    def landed(self) -> CallResult:
        """Land, and wait for the commands that run."""
        said = self.land()
        while said.out.startswith("DO wait\nWHY land/running"):
            said = self.land()
        return said

    def push(self, files: Mapping[str, str]) -> None:
        """Commit files and push them, as the user does before anything is planned."""
        self.bench.write(files)
        self.bench.git("add", "--", *files)
        self.bench.git("commit", "--quiet", "--message", "more")
        self.bench.git("push", "--quiet", "origin", "topic")

    def another(self, files: Mapping[str, str] | None = None) -> str:
        """Make a commit of somebody else's on top of the head of the pull request; gives it."""
        made = self.bench.git("commit-tree", f"{self.pushed}^{{tree}}", "-p", self.pushed, "-m", "theirs")
        if files:
            self.bench.git("branch", "theirs", self.pushed)
            made = self.bench.commit(files, "theirs")
            self.bench.git("branch", "--quiet", "-D", "theirs")
        return made

    def push_elsewhere(self, files: Mapping[str, str] | None = None) -> str:
        """Push a commit of somebody else's to the head of the pull request; gives it."""
        made = self.another(files)
        self.bench.git("push", "--quiet", "origin", f"{made}:{TOPIC}")
        return made

    def plan_threads(self, *paths: str, body: str = "Why?", by: str = "alice") -> list[Thread]:
        """Have a thread in each of some files, and plan a round of them; gives them."""
        threads = [self.pull.thread(path, 1, by=by, body=body) for path in paths]
        self.plan()
        return threads

    def fix(self, item: str, path: str = "src/a.py", text: str = "alpha = 1\n") -> None:
        """Be the one resolver of a round: fix an item by writing a file, and hand that in."""
        self.edit(item, {path: text})
        self.settle(result(item, "fixed", path))

    def fixed(self, path: str = "src/a.py", text: str = "alpha = 1\n") -> Thread:
        """Have a thread that is fixed and handed in; gives it."""
        [thread] = self.plan_threads(path, body="Rename this variable.")
        self.fix(thread.id, path, text)
        return thread

    def refuse_pushes(self) -> None:
        """Have the remote repository refuse what is pushed, by a hook."""
        write_program(self.remote / "hooks/pre-receive", "echo policy says no >&2\nexit 1")

    def misbehave(self, fault: Fault, **more: Any) -> None:
        """Let requests go wrong, whatever else is to happen at them."""
        self.hub.misbehave(fault, **more)
        self.hub.faults.insert(0, self.hub.faults.pop())

    # What there is to see

    def is_landed(self, said: CallResult, subject: str = SUBJECT) -> bool:
        """Whether a round has landed: one commit, and nothing changed in the work tree."""
        told = (said.code, self.subjects, self.pushed == self.head, self.bench.changes)
        return told == (0, [subject], True, "")

    @property
    def head(self) -> str:
        """What is checked out."""
        return self.bench.git("rev-parse", "HEAD")

    @property
    def pushed(self) -> str:
        """What the remote repository has at the head of the pull request."""
        return (self.remote / "refs/heads" / self.pull.head).read_text(encoding="utf-8").strip()

    @property
    def subjects(self) -> list[str]:
        """The first lines of the commits that the remote repository has since the round began, newest first."""
        return self.bench.git("log", "--format=%s", f"main..{self.pushed}").splitlines()[:-1]

    @property
    def asked(self) -> list[str]:
        """What the host was asked, in order: the name of each query, the path of each other request."""
        return [
            request.query.split("(")[0].split()[-1] if request.query else request.path
            for request in self.hub.requests
        ]

    @property
    def resolved(self) -> list[str]:
        """The ids of the threads that were asked to be resolved, once for each time."""
        asked = (change for change in self.changes if "resolveReviewThread" in change.query)
        return sorted(str(value) for one in asked for value in one.variables.values())


@contextmanager
def cut_short(place: str) -> Iterator[None]:
    """Have calls end at a place of the program, as those that are killed there."""

    def cut(*_: object, **__: object) -> None:
        raise BatonError("cut short", "here", "call again")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"baton.feedback.{place}", cut)
        yield


def says(said: CallResult, *words: str) -> bool:
    """Whether a call said all of this, on either stream."""
    return all(word in said.out + said.err for word in words)


def started(said: CallResult) -> list[str]:
    """Return the units whose agents a step says to start; that there are some is asserted."""
    found = re.findall(r"^PROMPT Unit (\S+):", said.out, re.M)
    assert found, said
    return found


def begun(bench: Bench, unit: str) -> Bench:
    """Return the work tree of a unit, made by baton, as where there is no client."""
    said = bench.baton("begin", unit, "--make", "--json")
    assert said.code == 0, said.err
    return Bench(Path(said.json["tree"]))


def assessed(unit: dict[str, Any]) -> dict[str, Any]:
    """Return what a unit's result has beside its verdicts."""
    mode = "band-aid" if unit["prior"] else "systemic"
    return {"cluster_assessment": {"mode": mode, "summary": "the same names"}} if unit["theme"] else {}


def open_pull(hub: Hub) -> PullRequest:
    """Open the pull request 7 of octo/app on a host, where me, alice and bob may push; coderabbitai is a bot."""
    for name in ("me", "alice", "bob"):
        hub.permit("octo/app", name, "write")
    hub.actor("coderabbitai", "Bot")
    return hub.pull_request("octo/app", 7, author="alice")


def repository(bench: Bench, remote: Path, settings: str = PLAIN) -> None:
    """Make the clone and what it is of: `main`, and `topic`, which is checked out."""
    git = bench.git
    bench.configure(settings)
    git("init", "--quiet", "--bare", str(remote))
    git("remote", "add", "origin", "https://github.com/octo/app.git")
    git("config", f"url.{remote}.insteadOf", "https://github.com/octo/app.git")
    git("switch", "--quiet", "--create", "topic")
    bench.write(FILES)
    git("add", "--", *FILES)
    git("commit", "--quiet", "--message", "topic")
    git("push", "--quiet", "origin", "topic", "main")


def scene(bench: Bench, hub: Hub, remote: Path) -> PullScene:
    """Give the pull request as it is there, or is opened, for a repository that was made."""
    made = PullScene(bench, hub, hub.repository("octo/app").pull_requests.get(7) or open_pull(hub), remote)

    def follow() -> None:
        made.pull.head_oid = made.pushed

    hub.misbehave(Meanwhile(follow), times=None)
    follow()
    return made
