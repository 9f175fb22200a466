"""A pull request played from fetch to report: an orchestrator that does what is printed, and its agents.

It knows the skill's text and no more: it runs the command of a `THEN` line, starts what `PROMPT` lines name, and
ends where the user is shown something. What it calls is printed as in the client.
"""

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple
from unittest import mock

from bench import CallResult
from fake_github.state import Thread
from feedback.scene import PullScene

AGENT = re.compile(r"^PROMPT (Reading|Unit) (\S+): first call", re.M)
THEN = re.compile(r"^THEN (?:.* ended: )?baton (pr (?:plan|land|fetch) \d+)", re.M)
ITEM = re.compile(r"^- (\S+) \((\w+), ", re.M)
LISTED = re.compile(r"read `(\S+)` whole")
LIMIT_BYTES = 6_000  # of what a model is shown


class Verdict(NamedTuple):
    """What a resolver makes of what was said; `old` and `new` are what it changes in the file."""

    reply: str = "Looked at it."
    verdict: str = "replied"
    change: str = ""
    path: str = ""
    old: str = ""
    new: str = ""
    decide: Mapping[str, Any] = MappingProxyType({})

    def result(self, item: str, kind: str) -> dict[str, Any]:
        """Return what is handed in about an item."""
        more = {"reply_text": self.reply, "change": self.change, "decision_context": dict(self.decide)}
        return {
            "feedback_id": item, "feedback_type": kind, "verdict": self.verdict, "reason": "looked at the lines",
            "files_changed": [self.path] if self.path else [], **{name: one for name, one in more.items() if one},
        }  # fmt: skip


def fixes(reply: str, change: str, path: str, old: str, new: str) -> Verdict:
    """Return the verdict of a resolver that fixes something."""
    return Verdict(reply, "fixed", change, path, old, new)


ASKS_NOTHING = Verdict("", verdict="asks-nothing")
Work = Mapping[str, Verdict]  # what is made of an item, by words that stand in it; the first that fits


@dataclass
class Play:
    """A pull request that is played; `script` of its scene is what readers say, `work` what resolvers do."""

    here: PullScene
    work: Work = field(default_factory=dict)
    second: Work = field(default_factory=dict)  # what they do once the first was refused
    commands: list[str] = field(default_factory=list)  # that the orchestrator ran, without `baton`
    agents: list[str] = field(default_factory=list)  # that it started
    dead: Collection[str] = ()  # items whose agents end and hand nothing in, or `Reading`
    heard: list[str] = field(default_factory=list)  # why hand-ins were refused
    shown: list[str] = field(default_factory=list)  # what was printed to the orchestrator
    read: str = ""  # what was printed to resolvers

    @property
    def calls(self) -> int:
        """How often the orchestrator called: commands, and agents it started."""
        return len(self.commands) + len(self.agents)

    @property
    def requests(self) -> int:
        """How often GitHub was asked."""
        return len(self.here.hub.requests)

    def __call__(self, *words: str, stdin: str = "") -> str:
        """Run a command and do what is printed, until there is something for the user; returns that."""
        said = self.run(*words, stdin=stdin)
        while then := self._next(said):
            said = self.run(*then.split())
        return said.out + said.err

    def run(self, *words: str, stdin: str = "") -> CallResult:
        """Run a command of the orchestrator's, as in the client."""
        self.commands.append(" ".join(words))
        with mock.patch.dict(os.environ, {"CLAUDECODE": "1"}):
            said = self.here.bench.baton(*words, stdin=stdin)
        assert len(said.out.encode()) <= LIMIT_BYTES, said.out
        self.shown.append(said.out + said.err)
        return said

    def be_started(self) -> None:
        """Be the agents that were named last."""
        for kind, name in AGENT.findall(self.shown[-1]):
            self._be(kind, name)

    def go_on_without(self) -> str:
        """Go on without the agent that ended, as its line says; returns what is then for the user."""
        [found] = re.findall(r"(?m)^IF one has ended .*: baton (pr .*)$", self.shown[-1])
        return self(*found.split())

    def answer(self, option: str, *words: str) -> str:
        """Choose an option, as the user does, and go on as is printed then."""
        said = self.here.answer(option, *words)
        then = THEN.search(said.out)
        return self(*then[1].split()) if then else said.out

    def _next(self, said: CallResult) -> str:
        """Return the command to go on with, after the agents that are named; none where it is the user's turn."""
        out = said.out
        if said.code or out.startswith(("DO ask", "DO report", "DO look")) or "Nothing new is left" in out:
            return ""
        if out.startswith(("DO wait\nWHY round/out", "DO wait\nWHY read/out")):
            return ""
        self.be_started()
        then = THEN.search(out)
        assert then, out
        return then[1]

    def _be(self, kind: str, name: str) -> None:
        """Be an agent: begin, do what the brief says, and hand in."""
        self.agents.append(name)
        if kind == "Unit":
            self._resolve(name)
        elif kind in self.dead:
            self.here.bench.baton("begin", name)
        else:
            self.here.be_readers(name)

    def _resolve(self, name: str) -> None:
        """Be a resolver: what is refused, or is started once more, is done by the second work."""
        said = self.here.bench.baton("begin", name, "--make")
        assert said.code == 0, said.err
        listed = LISTED.search(said.out)
        brief = said.out + (Path(listed[1]).read_text(encoding="utf-8") if listed else "")
        kinds = dict(ITEM.findall(brief))
        self.read += brief
        if kinds.keys() & {*self.dead}:
            return
        works = [self.work, self.second][self.agents.count(name) > 1 :]
        words = dict(self._shown(list(kinds)))
        while works and (said := self._hand_in(name, brief, kinds, words, works.pop(0))).code:
            self.heard.append(said.out)
        assert said.code == 0, said.out

    def _hand_in(
        self, name: str, brief: str, kinds: Mapping[str, str], words: Mapping[str, str], work: Work
    ) -> CallResult:
        """Do what a work says of each item, in the unit's tree, and hand it in."""
        tree = self.here.tree(name)
        made = {
            item: next((one for known, one in work.items() if known in words[item]), Verdict()) for item in kinds
        }
        for one in made.values():
            if one.path:
                text = (tree.root / one.path).read_text(encoding="utf-8")
                assert one.old in text, text
                tree.write({one.path: text.replace(one.old, one.new)})
        results = [one.result(item, kinds[item]) for item, one in made.items()]
        return self.here.hand_in(name, *results, **self._assessed(brief))

    def _shown(self, items: list[str]) -> Iterator[tuple[str, str]]:
        """Return what was said of items, ten at a time as the brief says."""
        for begin in range(0, len(items), 10):
            some = items[begin : begin + 10]
            out = "\n" + self.here.bench.baton("pr", "show", *some, "--pr", self.here.pull.url).out
            self.read += out
            for item in some:
                yield item, out.partition(f"\n{item} ")[2].partition("\n└\n\n")[0]

    def _assessed(self, brief: str) -> dict[str, Any]:
        if "<cluster-brief>" not in brief:
            return {}
        mode = "sound-and-independent" if "<prior-resolutions>\n" in brief else "systemic"
        return {"cluster_assessment": {"mode": mode, "summary": "they have one cause"}}

    # What there is to read on the pull request

    def told(self, thread: Thread) -> list[str]:
        """Return what we wrote in a thread, as its reader sees it."""
        return [self._seen(comment.body) for comment in thread.comments if comment.author is self.here.hub.viewer]

    @property
    def comments(self) -> list[str]:
        """What we wrote on the pull request as a whole."""
        return [
            self._seen(comment.body)
            for comment in self.here.pull.comments
            if comment.author is self.here.hub.viewer
        ]

    def _seen(self, body: str) -> str:
        """Return a text without what GitHub hides, and with COMMIT for the name of the head."""
        return (
            re.sub(r"\s*<!--.*?-->\s*", "\n\n", body, flags=re.S).strip().replace(self.here.pushed[:12], "COMMIT")
        )

    @property
    def message(self) -> str:
        """The message of the commit that was pushed last, without its trailer."""
        return self.here.bench.git("log", "-1", "--format=%B", self.here.pushed).partition("\n\nBaton-Round")[0]
