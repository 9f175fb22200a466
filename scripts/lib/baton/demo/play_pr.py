"""The demo of a pull request: what was said on it, worked on until nothing new is left."""

import re
import time
from pathlib import Path
from shlex import quote
from typing import Any

from baton.commands.pr import fetch, land
from baton.demo.play import PLUGIN
from baton.demo.program import Program, fault
from baton.demo.pull_request import NUMBER, PLAYED, PROGRAMS, PullRequest
from baton.demo.resolvers import Resolvers
from baton.demo.telling import tell, tell_item, tell_raw
from baton.demo.workplace import workplace
from baton.feedback.land.reply_marker import marks_in
from baton.git.command import Git, find_project

PULL = str(NUMBER)
ANSWERS = {"land/commands": "accept"}
MOST_ROUNDS, MOST_LANDINGS = 3, 12
OPENING = """\
baton demo --pr: what was said on a pull request, worked on until nothing new is left.
The resolvers are scripted stand-ins, and so is GitHub, behind a `gh` of the demo's own. All else is
real: who is trusted, the plan, the checks on what they hand in, the tests, git. Replies are posted
a second apart, as GitHub wants them: it takes some twenty seconds.
"""


def play(keep: Path | None) -> None:
    """Show rounds on a pull request until nothing new is left; with `keep`, leave it there."""
    began = time.monotonic()
    with workplace(keep) as folder:
        pull = PullRequest(folder)
        pull.make()
        demo = Demo(pull)
        tell_raw(OPENING)
        demo.run()
        demo.close(time.monotonic() - began)
    _tell_how_to_go_on(keep)


class Demo:
    """One pull request, as far as it was worked on."""

    def __init__(self, pull: PullRequest) -> None:
        self.pull = pull
        self.program = Program(pull.root)
        self.git = Git(find_project(pull.root))
        self.began = self.git.commit_of("HEAD")
        self.resolvers = Resolvers(self.program, NUMBER)
        self.units: dict[str, dict[str, Any]] = {}

    def run(self) -> None:
        """Make round after round until nothing new is left."""
        tell_raw(f"$ baton pr fetch {PULL}")
        tell_raw(self.program.said(fetch, PULL).rstrip())
        for cycle in range(MOST_ROUNDS):
            self._spawn(cycle, self._planned())
            if self._land(cycle) == "report":
                return
        raise fault(f"something new is left after {MOST_ROUNDS} rounds")

    def close(self, seconds: float) -> None:
        """Say what has become of the pull request, as its stand-in for GitHub and the remote have it."""
        state = self.pull.told()
        said = [one for thread in state["threads"] for one in thread["comments"]] + state["comments"]
        marks = [mark for one in said if one["by"] == state["viewer"] for mark in marks_in(one["body"])]
        closed = [one for one in state["threads"] if one["resolved"] and marks_in(one["comments"][1]["body"])]
        pushed = ("--git-dir", str(self.pull.remote), "rev-list", f"{self.began}..{state['branch']}")
        commits = self.git.do(*pushed).split()
        if len(set(marks)) != len(marks) or len(commits) != 1:
            raise fault(f"{len(marks)} replies to {len(set(marks))} items, {len(commits)} commits")
        tell()
        items = len({one.item for one in marks})
        tell(
            f"{items} items answered, {len(closed)} threads resolved, one commit pushed, in {seconds:.0f} s. "
            "One question is left to you; the stranger's comment stayed unread."
        )

    def _planned(self) -> dict[str, Any]:
        """Plan a round, answering what is asked before."""
        planned = self.program.plan_round(PULL)
        while planned["action"] == "ask":
            self._answer(planned["rule"], planned["reason"], planned["question"])
            planned = self.program.plan_round(PULL)
        return planned

    def _spawn(self, cycle: int, planned: dict[str, Any]) -> None:
        """Tell what was planned, and have the first wave settled."""
        tell_raw(f"\n$ baton pr plan {PULL}")
        if planned["action"] != "spawn":
            raise fault(f"nothing was planned ({planned['rule']})")
        tell(f"{planned['rule']}: {planned['reason']}")
        self.units = {one["id"]: one for one in planned["units"]}
        self._settle(cycle, [one["unit"] for one in planned["spawn"]])

    def _settle(self, cycle: int, names: list[str]) -> None:
        for name in names:
            unit = self.units[name]
            what = ", ".join(unit["items"])
            if unit["theme"]:
                beside = f", beside {', '.join(unit['prior'])}" if unit["prior"] else ""
                what = f"{what}: {unit['theme']} in {unit['area']}{beside}"
            tell_item("spawn", f"{name.rpartition('-')[2]} for {what}")
            self.resolvers.settle(cycle, unit)

    def _land(self, cycle: int) -> str:
        """Land a round, wave after wave; returns what the program says is to be done after it."""
        for _ in range(MOST_LANDINGS):
            said = self.program.said(land, PULL).rstrip()
            action = said.split()[1]
            if action == "spawn":
                tell(re.findall("^WHY (.*)$", said, re.M)[0])
                self._settle(cycle, re.findall(r"^PROMPT Unit (\S+):", said, re.M))
            elif action == "ask":
                rule, _, reason = re.findall("^WHY (.*)$", said, re.M)[0].partition(": ")
                self._answer(rule, reason, re.findall("^QUESTION (.*)$", said, re.M)[0])
            elif action in ("report", "plan"):
                tell_raw(f"\n$ baton pr land {PULL}\n{said}")
                return action
            elif action != "wait":
                break
        tell_raw(said)
        raise fault(f"not landed after {MOST_LANDINGS} calls")

    def _answer(self, rule: str, reason: str, question: str) -> None:
        tell_item("ask", f"{reason}. {question}")
        option = ANSWERS.get(rule)
        if option is None:
            raise fault(f"the demo has no answer to ask {rule}")
        tell_item("answer", f"{option}: the demo says so in your place, with `baton answer pr-{PULL} {option}`")
        self.program.answer(f"pr-{PULL}", option)


def _tell_how_to_go_on(keep: Path | None) -> None:
    program = quote(str(PLUGIN / "bin/baton"))
    if keep:
        folder = keep.absolute()
        tell_raw("\nIts stand-in for GitHub still answers:")
        tell_raw(f"  cd {quote(str(folder / PLAYED))}")
        tell_raw(f'  PATH={quote(str(folder / PROGRAMS))}:"$PATH" {program} pr show PRRT_always')
    else:
        tell_raw(f"\nTo look at what it leaves:\n  {program} demo --pr --keep teatime")
    tell_raw("The same on a pull request of yours, in Claude Code:")
    tell_raw(f"  claude --plugin-dir {quote(str(PLUGIN))}")
    tell_raw("  /resolve-pr-feedback")
