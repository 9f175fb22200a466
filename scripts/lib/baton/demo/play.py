"""The demo itself: one story, driven by nothing but what `next` says."""

import time
from pathlib import Path
from shlex import quote

import baton
from baton.commands.step_text import question_lines
from baton.demo.program import Program, fault
from baton.demo.stand_ins import STAND_INS, Desk
from baton.demo.telling import tell, tell_item, tell_raw
from baton.demo.workplace import make_repository, workplace
from baton.git.command import Git, find_project
from baton.journal.events import (
    Answered,
    Completed,
    Dispatched,
    Event,
    IntegrationStepDone,
    Judged,
    QuestionAsked,
    RunArchived,
)
from baton.journal.journal import Journal, Record
from baton.story.step import Step

STORY, SPEC = "1", "ideas/say-the-time.md"
PLAYED, FRESH = "played", "fresh"
ANSWERS = {"start/commands": "accept"}
MOST_STEPS = 20
PLUGIN = Path(baton.__file__).resolve().parents[3]
OPENING = """\
baton demo: one story on a small repository, from the plan to the merge.
The sub-agents are scripted stand-ins: their words and edits were prepared. All else is real:
the checks on what they hand in, the decisions, every test that is run, git.
"""


def play(keep: Path | None) -> None:
    """Show a whole story; with `keep`, leave it there, beside a repository in which it is still to be done."""
    began = time.monotonic()
    with workplace(keep) as folder:
        demo = Demo(make_repository(folder / PLAYED))
        demo.open()
        demo.run()
        demo.close(time.monotonic() - began)
        if keep:
            Program(make_repository(folder / FRESH)).new_story(SPEC, STORY)
    _tell_how_to_go_on(keep)


class Demo:
    """One story under way, and how far its journal was told."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.program = Program(root)
        self.git = Git(find_project(root))
        self.told = 0

    def open(self) -> None:
        """Say what is shown, and make the story."""
        tell_raw(OPENING)
        path = self.program.new_story(SPEC, STORY)
        tell_raw(f"$ baton story new --from {SPEC} --id {STORY}")
        tell_item("story", path)
        self.told = len(self._records())

    def run(self) -> None:
        """Carry out step after step until the story is complete."""
        ended = ""
        for _ in range(MOST_STEPS):
            step = self.program.next(STORY, ended)
            self._tell_news()
            ended = ""
            if step.action == "complete":
                return
            if step.action == "spawn":
                ended = self._stand_in(step)
            elif step.action != "wait" or not step.seconds:
                self._answer(step)
        raise fault(f"not complete after {MOST_STEPS} steps")

    def close(self, seconds: float) -> None:
        """Show the timeline and the history the story left."""
        tell()
        tell_raw(f"$ baton timeline {STORY}     (here the decisions only)")
        for record in self._records():
            if row := _row(record.event):
                tell_raw(f"{record.seq:>4} {record.time[11:19]}  {row}")
        tell()
        tell_raw("$ git log --oneline --graph")
        tell_raw(self.git.do("log", "--oneline", "--graph", "--max-count=20").rstrip())
        tell()
        tell(f"Story {STORY} is merged into main, in {seconds:.0f} s.")

    def _stand_in(self, step: Step) -> str:
        agent, run = str(step.agent), str(step.run)
        if agent not in STAND_INS:
            raise fault(f"there is no stand-in for {agent}")
        tree = self.program.begin(run)
        STAND_INS[agent](Desk(tree, tree.root, step))
        return run

    def _answer(self, step: Step) -> None:
        option = ANSWERS.get(step.rule)
        if option is None or step.question is None:
            tell_raw("\n".join(question_lines(step.question)) if step.question else step.reason)
            raise fault(f"the demo has no answer to {step.action} {step.rule}")
        options = " or ".join(one["id"] for one in step.question["options"])
        tell_item("ask", f"{step.question['question']} ({options})")
        tell_item("answer", f"{option}: the demo says so in your place, with `baton answer {STORY} {option}`")
        self.program.answer(STORY, option)

    def _records(self) -> list[Record]:
        return Journal(self.git.project.journal(STORY)).records

    def _tell_news(self) -> None:
        """Tell what the program has decided and done since the last time, from its journal."""
        records = self._records()
        for record in records[self.told :]:
            self._tell_event(record.event)
        self.told = len(records)

    def _tell_event(self, event: Event) -> None:
        match event:
            case Judged(rule=rule, reason=reason) | QuestionAsked(rule=rule, reason=reason):
                tell(f"\n{rule}: {reason}")
            case RunArchived(commit=commit) if commit:
                tell_item("commit", self.git.do("show", "--no-patch", "--format=%h %s", commit))
            case Dispatched(role=role, run=run):
                tell_item("spawn", f"baton:{role}, run …_{run.rpartition('_')[2]}")
            case IntegrationStepDone(rule=rule, reason=reason) if not rule.endswith("/unset"):
                tell_item("step", f"{rule}: {reason}")


def _row(event: Event) -> str:
    """Return an event as a line of the short timeline; nothing for one without a decision."""
    match event:
        case Judged(rule=rule, action=action, then=then):
            return f"{rule:<24} {action}" + (f" {then}" if then != action else "")
        case QuestionAsked(rule=rule, action=action):
            return f"{rule:<24} {action}"
        case Answered(rule=rule, option=option):
            return f"{rule:<24} answered: {option}"
        case IntegrationStepDone(rule=rule) if not (rule.endswith("/unset") or rule.startswith("integrate/")):
            return f"{rule:<24} next check"
        case Completed(rule=rule, commit=commit):
            return f"{rule:<24} {commit[:7]}"
        case _:
            return ""


def _tell_how_to_go_on(keep: Path | None) -> None:
    tell("\nThe same story with real sub-agents, in Claude Code:")
    if keep:
        tell_raw(f"  cd {quote(str(keep.absolute() / FRESH))}")
    else:
        tell_raw(f"  {quote(str(PLUGIN / 'bin/baton'))} demo --keep teatime && cd teatime/{FRESH}")
    tell_raw(f"  claude --plugin-dir {quote(str(PLUGIN))}")
    tell_raw(f"  /implement {STORY}")
