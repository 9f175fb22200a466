"""What a sub-agent must not get by is denied in the real client, in every mode, without a prompt."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from baton_lab.scripted_client.desk import Desk
from baton_lab.scripted_client.script import Call, Step, Talk, call, say
from client.actors import MARKERS, begin
from client.orchestrator import run_of
from client.papers import DELIVERED
from client.person import PLUGIN, NewDesk, allow, baton, driven, edits_in_trees, happened
from hooks.test_guard import MUST_NOT, ROOT
from inventory import take

pytestmark = pytest.mark.long

Tried = dict[str, str]
BEGIN_FIRST = "baton: run `baton begin RUN` first"
NOT_PLAIN = "baton: a sub-agent may call baton only as one plain command"
# What lies outside of its own tree, the client itself refuses an agent.
NOT_YOURS = re.compile("baton: git's own folder is not yours to edit|This agent is isolated in the worktree")


def send_one(talk: Talk) -> Iterator[Step]:
    """Send the story's first run out, and do nothing more."""
    yield call("Bash", command="baton next 42")
    prompt = talk.find(r"^PROMPT (.+)$") or ""
    yield call("Agent", description="tries", prompt=prompt, subagent_type="baton:micro-delivery")
    yield say("sent out")


class Trier:
    """An agent that tries what it must not, and notes what it was told."""

    def __init__(self, project: Path, other_run: str) -> None:
        self.project, self.other_run = project, other_run
        self.unbegun: Tried = {}
        self.begun: Tried = {}
        self.edits: Tried = {}
        self.others: Tried = {}

    def __call__(self, talk: Talk) -> Iterator[Step]:
        run = run_of(talk.prompt)
        early = [
            bash("ls"),
            bash("baton status"),
            bash(f"baton begin {run} && ls"),
            bash(f"baton begin {run} --make"),
        ]
        yield from self.try_each(talk, self.unbegun, [*early, call("Write", file_path="a.py", content="x")])
        yield begin(talk)
        assert "Your work tree: " in talk.result, talk.result
        commands = [one.replace(ROOT, str(PLUGIN)).replace("RUN", run) for one in MUST_NOT]
        yield from self.try_each(talk, self.begun, map(bash, commands))
        yield from self.try_each(talk, self.edits, self.edits_of_git())
        words = f"hand-in 43 micro-delivery-report --run {self.other_run}"
        yield from self.try_each(talk, self.others, [bash(f"baton {words} <<'EOF'\n{DELIVERED}\nEOF")])
        yield say("all was tried")

    def try_each(self, talk: Talk, noted: Tried, calls: Iterable[Call]) -> Iterator[Step]:
        for one in calls:
            yield one
            noted[" ".join(map(str, one.given.values()))] = talk.result

    def edits_of_git(self) -> Iterator[Call]:
        for path in (".git", *(str(self.project / ".git" / one) for one in RECORDS)):
            yield call("Write", file_path=path, content="x")
            yield call("Edit", file_path=path, old_string="gitdir: ", new_string="b")


RECORDS = ("config", "hooks/pre-commit", "baton/42/journal.jsonl", "baton/42/files/x")


def bash(command: str) -> Call:
    return call("Bash", command=command)


def interactive(desk: Desk, mode: str = "default") -> None:
    with desk.terminal(mode=mode) as terminal:
        terminal.type("go")
        terminal.wait_for(lambda: "all was tried" in desk.model.said(MARKERS["micro-delivery"]), 240)
    assert terminal.prompts == []


def by_the_module(desk: Desk) -> None:
    """Have the client's module start the agent: the same holds for it."""
    with driven(desk).terminal() as terminal:
        terminal.type("/implement 42")
        terminal.wait_for(lambda: "all was tried" in desk.model.said(MARKERS["micro-delivery"]), 240)
    assert (terminal.prompts, desk.model.of("main")) == ([], [])


def headless(*words: str) -> Callable[[Desk], None]:
    def run(desk: Desk) -> None:
        done = desk.headless("go", *words)
        assert done.code == 0, done

    return run


WAYS = {
    "by the module": by_the_module,
    "interactive": interactive,
    "interactive, bypass": lambda desk: interactive(desk, "bypassPermissions"),
    "headless": headless("--permission-mode", "default"),
    "headless, bypass": headless("--permission-mode", "bypassPermissions"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_sub_agent_is_denied_all_it_must_not(new_desk: NewDesk, small: Path, way: str) -> None:
    allow(small, edits_in_trees(small), "Bash(echo *)", "Bash(ls *)")
    baton(small, "story", "new", "Another", "--id", "43", "--criterion", "it is", "--complexity", "1")
    trier = Trier(small, json.loads(baton(small, "next", "43", "--json"))["run"])
    desk = new_desk({"main": send_one, MARKERS["micro-delivery"]: trier}).with_plugin_dir(PLUGIN)
    settings = take(small).settings
    WAYS[way](desk)
    assert [one for one, said in trier.unbegun.items() if BEGIN_FIRST not in said] == []
    assert len(trier.begun) == len(set(MUST_NOT))
    assert [one for one, said in trier.begun.items() if NOT_PLAIN not in said] == []
    assert [one for one, said in trier.edits.items() if not NOT_YOURS.search(said)] == []
    assert all("hand in for your own run alone" in said for said in trier.others.values())
    assert (happened(small, "handed-in"), len(happened(small, "answered"))) == ([], 1)
    assert take(small).settings == settings
