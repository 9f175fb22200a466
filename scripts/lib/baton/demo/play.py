"""The demo: one story, driven by `next` alone."""

import time
from pathlib import Path
from shlex import quote
from typing import Any

from baton.commands.next import next_step
from baton.commands.story_verb import new
from baton.demo.program import Program, fault, tell, tell_item, tell_raw
from baton.demo.stand_ins import STAND_INS, RunDesk
from baton.demo.workplace import make_repository, workplace
from baton.git.command import Git, find_project
from baton.journal.events import Dispatched, Event, IntegrationStepDone, Judged, QuestionAsked, RunArchived
from baton.journal.journal import Journal, Record
from baton.project.installed_client import PLUGIN

STORY, SPEC = "1", "ideas/say-the-time.md"
PLAYED, FRESH = "played", "fresh"
ANSWERS = {"start/commands": "accept"}
MOST_STEPS = 20
OPENING = """\
baton demo: one story on a small repository, from the plan to the merge.
The sub-agents are scripted stand-ins: their words and edits were prepared. All else is real:
the checks on what they hand in, the decisions, every test that is run, git.
A hand-in is accepted when it is complete and contradicts nothing; a report ends its run, else the
return metadata do. Then baton judges; each decision names its rule (`baton explain RULE`).
"""


def play(keep: Path | None) -> None:
    """Show a whole story; with `keep`, leave it there, beside a repository in which it is not done yet."""
    began = time.monotonic()
    with workplace(keep) as folder:
        tell_raw(OPENING)
        Demo(make_repository(folder / PLAYED)).run()
        tell_raw(f"\nStory {STORY} is merged into main, in {time.monotonic() - began:.0f} s.")
        if keep:
            Program(make_repository(folder / FRESH)).call(new, "--from", SPEC, "--id", STORY)
    _tell_how_to_go_on(keep)


class Demo:
    """One story under way, and the number of its records shown so far."""

    def __init__(self, root: Path) -> None:
        self.program = Program(root)
        self.git = Git(find_project(root))
        self.shown = 0

    def run(self) -> None:
        """Make the story, carry out its steps until it is complete, and show git's history."""
        self._make_story()
        ended: list[str] = []
        for _ in range(MOST_STEPS):
            step = self.program.call(next_step, STORY, *ended)
            self._show_news()
            if step["action"] == "complete":
                break
            ended = self._carry_out(step)
        else:
            raise fault(f"not complete after {MOST_STEPS} steps")
        graph = self.git.do("log", "--oneline", "--graph", "--max-count=20").rstrip()
        tell_raw(f"\n$ git log --oneline --graph\n{graph}")

    def _make_story(self) -> None:
        """Make the story, and show the command."""
        tell_raw(f"$ baton story new --from {SPEC} --id {STORY}")
        tell_item("story", self.program.call(new, "--from", SPEC, "--id", STORY)["path"])

    def _carry_out(self, step: dict[str, Any]) -> list[str]:
        """Carry out a step; returns the options of the next call."""
        if step["action"] == "spawn":
            STAND_INS[step["agent"]](RunDesk(self.program.begin(step["run"], step["agent"]), step))
            return ["--ended", step["run"]]
        if step["question"]:
            options = " or ".join(option["id"] for option in step["question"]["options"])
            tell_item("ask", f"{step['question']['question']} ({options})")
            self.program.answer(STORY, step["rule"], ANSWERS)
        return []

    def _records(self) -> list[Record]:
        return Journal(self.git.project.journal(STORY)).records

    def _show_news(self) -> None:
        """Show the decisions and actions since the last time, from the journal."""
        records = self._records()
        for record in records[self.shown :]:
            self._show_event(record.event)
        self.shown = len(records)

    def _show_event(self, event: Event) -> None:
        match event:
            case Judged(rule=rule, reason=reason) | QuestionAsked(rule=rule, reason=reason):
                tell_raw("")
                tell(f"{rule}: {reason}")
            case RunArchived(commit=commit) if commit:
                tell_item("commit", self.git.do("show", "--no-patch", "--format=%h %s", commit))
            case Dispatched(role=role, run=run):
                tell_item("spawn", f"baton:{role}, run …_{run.rpartition('_')[2]}")
            case IntegrationStepDone(rule=rule, reason=reason) if not rule.endswith("/unset"):
                tell_item("step", f"{rule}: {reason}")


def _tell_how_to_go_on(keep: Path | None) -> None:
    tell_raw("\nThe same story with real sub-agents, in Claude Code:")
    if keep:
        tell_raw(f"  cd {quote(str(keep.absolute() / FRESH))}")
    else:
        tell_raw(f"  {quote(str(PLUGIN / 'bin/baton'))} demo --keep teatime && cd teatime/{FRESH}")
    tell_raw(f"  claude --plugin-dir {quote(str(PLUGIN))}\n  /implement {STORY}")
